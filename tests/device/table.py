#!/usr/bin/python3
"""Prints what exchanges of device memory take among ranks that share one GPU: staged by switchyard, by hand with pageable
memory and a copy for each block, and with the pointers handed to the MPI where it takes them. `of plain copies` is what
of the bandwidth of two plain copies of all bytes, from and to pinned memory by all ranks at once, the copies inside a
staged call reach; they wait for nobody, so with more ranks than cores the figure says less.

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

from harness import MPI, SWITCHYARD, clean_environment, finish, host, launcher  # noqa: E402

STAND_IN = os.environ.get("SWITCHYARD_TEST_DRIVER", "stand-in") == "stand-in"
ALGORITHM = "alltoallv:stride_waitany"


def run(ranks, transfer, calls, blocks):
    """By block the times that the program prints, and of the last calls the mean of what the log says."""
    with tempfile.TemporaryDirectory(prefix="switchyard-device-") as folder:
        exported = {"LD_LIBRARY_PATH": host("stand_in")} if STAND_IN else {}
        words = [SWITCHYARD, "run", "--log", folder, "--force", f"{ALGORITHM}:transfer={transfer}", "--",
                 host("exchange_times"), str(calls), *map(str, blocks)]
        code, out, err = finish(launcher(ranks, exported) + words, clean_environment(), folder, 550)
        if code != 0:
            sys.exit(f"{ranks} ranks, {transfer}: exit code {code}\n{out}\n{err}")
        times = {int(found[0]): tuple(map(float, found[1:]))
                 for found in re.findall(r"block=(\d+) call=(\S+) naive=(\S+) copy=(\S+)", out)}
        logs = {}
        (name,) = [name for name in os.listdir(folder) if not name.endswith(".jsonl")]
        with open(os.path.join(folder, name, "calls.jsonl"), encoding="utf-8") as file:
            for line in map(json.loads, file):
                logs.setdefault(line["max_block_bytes"], []).append(line)
        return times, logs


def copies_of(lines):
    return statistics.median(line["phases_us"].get("copy_in", 0) + line["phases_us"].get("copy_out", 0)
                             for line in lines)


def size(block):
    return f"{block >> 20} MiB" if block >= 1 << 20 else f"{block >> 10} KiB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4,8,16")
    parser.add_argument("--blocks", default=",".join(str(2048 << i) for i in range(0, 13, 2)))
    parser.add_argument("--calls", type=int, default=21)
    arguments = parser.parse_args()
    blocks = [int(block) for block in arguments.blocks.split(",")]
    if STAND_IN:
        print("The stand-in driver copies from host memory to host memory: these figures say nothing of any GPU.\n")
    print(f"Microseconds a call, {MPI}, {ALGORITHM.split(':')[1]}, slowest rank, median of {arguments.calls} calls.\n")
    print("| ranks | block | staged | by hand | direct | staged / by hand | of plain copies |")
    print("|---|---|---|---|---|---|---|")
    for ranks in map(int, arguments.ranks.split(",")):
        fitting = [block for block in blocks if block * ranks < 1 << 31]
        staged, log = run(ranks, "staged", arguments.calls, fitting)
        direct, direct_log = run(ranks, "direct", arguments.calls, fitting)
        for block in fitting:
            call, naive, copy = staged[block]
            is_direct = all(line["transfer"] == "direct" and line["algorithm"] != "native"
                            for line in direct_log[block])
            share = copy / copies_of(log[block]) if copies_of(log[block]) > 0 else 0
            print(f"| {ranks} | {size(block)} | {call:.1f} | {naive:.1f} | "
                  f"{format(direct[block][0], '.1f') if is_direct else 'the MPI does not'} | {call / naive:.2f} | "
                  f"{100 * share:.0f} % |", flush=True)


if __name__ == "__main__":
    main()
