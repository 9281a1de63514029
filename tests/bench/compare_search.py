#!/usr/bin/python3
"""Compares what `switchyard tune --simulate` chose with the best of an exhaustive search: every radix of tuna, tuna_coalesced,
tuna_staggered and node_aware, and every other algorithm with the values of its parameters in powers of two.

tests/bench/compare_search.py my.policy.json.tuning [--evaluations FILE]

The journal of the tuning names machine, ranks and sizes. FILE keeps all evaluations as JSON lines, and none is made twice. The
search takes three quarters of an hour of one core for 256 ranks with 16 and 256 bytes.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
AT_ONCE = 16
PRECISION = json.loads((ROOT / "config/simgrid/settings.json").read_text())["search"]["surf/precision"]["value"]
OTHERS = {"scattered": "block_count", "stride_waitall": "stride", "stride_waitany": "stride", "stride_testany": "stride"}
PLAIN = ("spread_out", "pairwise", "linear", "padded_alltoall", "padded_bruck", "two_phase_bruck")


def doubling(last):
    value, values = 1, []
    while value < last:
        values.append(value)
        value *= 2
    return values


def everything(ranks, nodes):
    """Each contender of alltoallv once."""
    local = -(-ranks // nodes)
    names = [*PLAIN, *(["exclusive_or"] if ranks & (ranks - 1) == 0 else [])]
    for name, parameter in OTHERS.items():
        names += [f"{name}:{parameter}={value}" for value in doubling(ranks)]
    names += [f"tuna:radix={radix}" for radix in range(2, ranks + 1)]
    names += [f"tuna:in_flight={value}" for value in (1, 2, 4, 8)] + ["tuna:metadata=separate"]
    if nodes > 1:
        # The largest radix is the number of ranks inside a node, or the number of nodes among nodes.
        for name in ("tuna_coalesced", "tuna_staggered"):
            names += [f"{name}:radix={radix}" for radix in range(2, local + 1)]
            names += [f"{name}:block_count={value}" for value in doubling(ranks)]
        names += [f"node_aware:radix={radix}" for radix in range(2, max(local, nodes) + 1)]
        names += [f"node_aware:lanes={value}" for value in doubling(local + 1)]
    return names


def label(result):
    return " ".join([result["algorithm"]] + [f"{key}={value}" for key, value in result["parameters"].items()])


def simulate(head, block, names, iterations=1, warmup=0):
    run = subprocess.run([ROOT / "scripts/simulate", "--machine", head["platform"], "--ranks", str(head["ranks"]),
                          "--ranks-per-node", str(head["ranks_per_node"]), "--max-block", str(block),
                          "--iterations", str(iterations), "--warmup", str(warmup), "--precision", PRECISION, "--no-native",
                          "--format", "lines", "--algorithm", "+".join(names)],
                         stdout=subprocess.PIPE, text=True, check=True)
    return {label(result): result["median_us"] for result in json.loads(run.stdout)["results"]}


def spelled(text):
    """The label as the benchmark takes it: words with colons between them."""
    return ":".join(word for word in text.split() if not word.endswith("=0"))


class Evaluations:
    def __init__(self, file, head):
        # asked: (block, name). times: by block and label. Two names can have one label, since a given value can be the preset.
        self.file, self.head, self.asked, self.times = Path(file), head, set(), {}
        if self.file.exists():
            for line in self.file.read_text().splitlines():
                self.take(json.loads(line))

    def take(self, one):
        self.asked |= {(one["block"], name) for name in one["candidates"]}
        self.times.setdefault(one["block"], {}).update(one["us"])

    def evaluate(self, block, names):
        missing = [name for name in names if (block, name) not in self.asked]
        # Algorithms that need messages in order change the whole simulation, so they run apart.
        apart = [name for name in missing if name.startswith("tuna_staggered")]
        rest = [name for name in missing if name not in apart]
        groups = [group[i:i + AT_ONCE] for group in (rest, apart) for i in range(0, len(group), AT_ONCE)]
        for number, group in enumerate(groups):
            print(f"\r{block} bytes: {number * AT_ONCE} of {len(missing)}", end="", file=sys.stderr, flush=True)
            one = {"block": block, "candidates": group, "us": simulate(self.head, block, group)}
            self.take(one)
            with self.file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(one) + "\n")
        print("\r\033[K", end="", file=sys.stderr)
        return self.times[block]


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("journal", type=Path)
    parser.add_argument("--evaluations", default="evaluations.jsonl")
    options = parser.parse_args()
    head, *lines = [json.loads(line) for line in options.journal.read_text().splitlines()]
    tuned = [line for line in lines if line.get("candidate", "agreement") != "agreement" and line["collective"] == "alltoallv"]
    if not head.get("platform"):
        parser.error("this is not the journal of a simulation")
    evaluations = Evaluations(options.evaluations, head)
    print("| block | tune's choice | in how many runs | its time, us | best of all | in how many runs | its time, us | tune / best |\n"
          "|---:|---|---:|---:|---|---:|---:|---:|")
    for block in sorted({line["max_block_bytes"] for line in tuned}):
        there = [line for line in tuned if line["max_block_bytes"] == block]
        chosen = min(there, key=lambda line: line["median_us"])
        names = everything(head["ranks"], head["nodes"])
        found = evaluations.evaluate(block, names)
        best = min(found, key=found.get)
        # Ranks enter a call as the call before left them, which is worth some percent. So both run once more, in turn.
        times = list(simulate(head, block, [chosen["candidate"], spelled(best)], iterations=5, warmup=1).values())
        mine, its = times[0], times[-1]  # a single time if both are the same
        print(f"| {block} | {chosen['candidate']} | {len(there)} | {mine:.1f} | {best} | {len(found)} | {its:.1f} | "
              f"{mine / its:.3f} |")


main()
