#!/usr/bin/python3
"""Times exchanges of device memory among ranks that share one GPU, and prints tables: each algorithm with copies in host
memory (staged), and with the pointers handed to the MPI (direct) where it takes them; sizes of chunks; what staging adds to
a call on host memory; by hand with pageable memory and a copy for each block. `of plain copies` is what of the bandwidth of
two plain copies of all bytes, from and to pinned memory by all ranks at once, the copies inside a staged call reach; they
wait for nobody, so with more ranks than cores the figure says less. `mapped` are plain copies from the other ranks' device
memory.

A policy tells calls apart by their size, so the blocks of a line differ by up to 40 bytes.

The environment is that of the tests of tests/preload; with SWITCHYARD_TEST_DRIVER=stand-in the figures say nothing."""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile

PRELOAD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "preload")
sys.path.insert(0, PRELOAD)

from harness import MPI, SWITCHYARD, environment_for, finish, client, launcher  # noqa: E402

STAND_IN = os.environ.get("SWITCHYARD_TEST_DRIVER", "stand-in") == "stand-in"
ALGORITHMS = ("stride_waitany", "pairwise", "spread_out", "tuna", "native")
NAME = os.environ.get("SWITCHYARD_DEVICE_MPI", MPI)  # what the figures are called: several builds of one MPI
STEP = 4  # bytes between two variants of a size: exchange_times.c
KIB, MIB = 1 << 10, 1 << 20


def staged_to_ipc():
    """What each variant of a size uses."""
    staged = [{"algorithm": name, "transfer": "staged"} for name in ALGORITHMS]
    direct = [{"algorithm": name, "transfer": "direct"} for name in ALGORITHMS if name != "tuna"]
    return staged + direct + [{"algorithm": "shared", "transfer": "ipc"}]


def chunks():
    return [{"algorithm": "stride_waitany", "transfer": "staged", "chunk_bytes": KIB << shift} for shift in range(6, 16, 2)]


def rules(variants, blocks):
    """One rule for each size and variant: what is passed over goes to the MPI with copies, and is told apart by the log."""
    listed = [{"name": f"{block} {i}", "use": use,
               "when": {"max_block_bytes": {"min": block + STEP * i, "max": block + STEP * i}}}
              for block in blocks for i, use in enumerate(variants)]
    return {"version": 1, "rules": listed, "otherwise": {"algorithm": "native", "transfer": "staged"}}


def run(ranks, variants, hosts, blocks, arguments):
    """By block the times that the program prints, and by variant the log's lines of the calls on device memory."""
    with tempfile.TemporaryDirectory(prefix="switchyard-device-") as folder:
        policy = os.path.join(folder, "policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump(rules(variants, blocks), file)
        logs = os.path.join(folder, "logs")
        exported = {"LD_LIBRARY_PATH": client("stand_in")} if STAND_IN else {}
        words = [SWITCHYARD, "run", "--log", logs, "--policy", policy, "--", client("exchange_times"),
                 str(arguments.rounds), str(arguments.seconds), str(len(variants)), str(hosts), *map(str, blocks)]
        code, out, err = finish(launcher(ranks, exported) + words, environment_for(words), folder, 300)
        if code != 0:
            sys.exit(f"{ranks} ranks: exit code {code}\n{out}\n{err}")
        times = {}
        for line in re.findall(r"(?m)^block=.*$", out):
            fields = dict(word.split("=") for word in line.split())
            times[int(fields["block"])] = {name: [float(value) for value in values.split(",") if value]
                                           for name, values in fields.items() if name != "block"}
        lines = {}
        (name,) = os.listdir(logs)
        with open(os.path.join(logs, name, "calls.jsonl"), encoding="utf-8") as file:
            for line in map(json.loads, file):
                if line.get("buffer") == "device":
                    lines.setdefault(line["max_block_bytes"], []).append(line)
        return times, lines


def went_as_wanted(use, lines):
    return all((line["algorithm"], line["transfer"]) == (use["algorithm"], use["transfer"]) for line in lines)


def copies_of(lines):
    """Microseconds of the copies of a staged call, of all ranks on average."""
    return statistics.median(line["phases_us"].get("copy_in", 0) + line["phases_us"].get("copy_out", 0) for line in lines)


def size(block):
    unit, name = (MIB, "MiB") if block >= MIB else (KIB, "KiB") if block >= KIB else (1, "B")
    return f"{block // unit} {name}"


def shown(time):
    return f"{time:.0f}" if time >= 100 else f"{time:.1f}"


def row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def header(*cells):
    print()
    row(*cells)
    row(*("---" for _ in cells))


def header_of_algorithms():
    names = [f"{use['algorithm']} {use['transfer']}" for use in staged_to_ipc()]
    header("ranks", "block", *names, "by hand", "mapped", "native on host", "staging adds", "of plain copies", "rounds")
    return names


def rows_of_algorithms(ranks, blocks, names, arguments, kept):
    variants = staged_to_ipc()
    times, lines = run(ranks, variants, len(ALGORITHMS), blocks, arguments)
    for block in blocks:
        found = times[block]
        kept.append({"on": NAME, "ranks": ranks, "block": block, "names": names} | found)
        of_variant = [lines[block + STEP * i] for i in range(len(variants))]
        cells = [shown(time) if went_as_wanted(use, of_variant[i]) else "–"
                 for i, (use, time) in enumerate(zip(variants, found["device"]))]
        native = ALGORITHMS.index("native")
        copies = copies_of(of_variant[native])
        kept[-1]["copies"] = copies
        kept[-1]["went"] = [went_as_wanted(use, of_variant[i]) for i, use in enumerate(variants)]
        row(ranks, size(block), *cells, shown(found["naive"][0]), shown(found["ipc"][0]), shown(found["host"][native]),
            shown(found["device"][native] - found["host"][native]), f"{100 * found['copy'][0] / copies:.0f} %",
            f"{found['rounds'][0]:.0f}")


def rows_of_chunks(ranks, blocks, arguments, kept):
    variants = chunks()
    times, _ = run(ranks, variants, 0, blocks, arguments)
    for block in blocks:
        kept.append({"on": NAME, "ranks": ranks, "block": block, "chunks": [use["chunk_bytes"] for use in variants]} |
                    times[block])
        row(ranks, size(block), *map(shown, times[block]["device"]), f"{times[block]['rounds'][0]:.0f}")


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=numbers, default=[2, 4, 8, 16], help="numbers of ranks")
    parser.add_argument("--blocks", type=numbers, default=[8, 512, 4 * KIB, 32 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB],
                        help="bytes of a block; the last is left out where a rank would have more than 128 MiB")
    parser.add_argument("--rounds", type=int, default=201, help="most rounds of a size")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a size; but five rounds at least")
    parser.add_argument("--chunks", action="store_true", help="also the table of chunk_bytes")
    parser.add_argument("--keep", metavar="FILE", help="adds all figures to FILE as JSON, one line a size")
    arguments = parser.parse_args()
    if STAND_IN:
        print("The stand-in driver copies from host memory to host memory: these figures say nothing of any GPU.\n")
    print(f"Microseconds of a call, {NAME}, slowest rank, median of the rounds.")
    kept = []
    fitting = {ranks: [block for block in arguments.blocks if block * ranks <= 128 * MIB] for ranks in arguments.ranks}
    names = header_of_algorithms()
    for ranks, blocks in fitting.items():
        rows_of_algorithms(ranks, blocks, names, arguments, kept)
    if arguments.chunks:
        header("ranks", "block", *(f"chunk_bytes {size(use['chunk_bytes'])}" for use in chunks()), "rounds")
        for ranks, blocks in fitting.items():
            rows_of_chunks(ranks, [block for block in blocks if block >= MIB], arguments, kept)
    if arguments.keep:
        with open(arguments.keep, "a", encoding="utf-8") as file:
            for line in kept:
                print(json.dumps(line), file=file)


if __name__ == "__main__":
    main()
