"""Plans and algorithms do the same: `switchyard predict` counts the messages, bytes, rounds and scratch memory that the benchmark
counts, for every algorithm of the registry. No test looks at a time.

Usage: test_predict.py SWITCHYARD BENCHMARK [unittest's arguments]

On the simulator with more ranks, by hand: SWITCHYARD_MPI=smpi tests/bench/test_predict.py build/bin/switchyard -
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

MPI = os.environ["SWITCHYARD_MPI"]
COMMAND, BENCHMARK = sys.argv.pop(1), sys.argv.pop(1)
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))

import mpi_families  # noqa: E402

COUNTS = ("messages", "wire_bytes", "messages_inter", "wire_bytes_inter", "rounds", "scratch_bytes")
BLOCKS = "24,300"
# Ranks, and ranks on a node: nodes of one rank, of several, and a single node; ranks that are a power of two, and that are none.
SHAPES = ((64, 16), (48, 16), (40, 5)) if MPI == "smpi" else ((8, 4), (6, 2), (4, 1), (5, 5), (12, 3))
# Values that the grid of tune does not have, or not at these sizes.
MORE = {"alltoallv": ["in_place", "in_place:requests=alltoall", "in_place:requests=alltoallv", "tuna:radix=3:direct_from=100", "tuna:radix=2:metadata=separate:in_flight=1",
                      "tuna_coalesced:direct_from=100", "tuna_staggered:direct_from=100", "node_aware:direct_from=100",
                      "node_aware:radix=2:lanes=2", "node_aware:radix=2:lanes=1", "padded_bruck:direct_from=100",
                      "two_phase_bruck:direct_from=100", "tuna:radix=4:in_flight=2",
                      "tuna:radix=2x8x4:direct_from=100", "tuna_coalesced:radix=2x4x2:direct_from=100",
                      "node_aware:radix=2x4x2:lanes=1", "node_aware:radix=4x4"],
        "alltoall": ["parameterized_bruck:radix=2x8x4"], "allgather": ["bruck:radix=3", "bruck:radix=2x8x4"]}


def asked(*words):
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def predicted(collective, ranks, per_node, *algorithms):
    words = [word for algorithm in algorithms for word in ("--algorithm", algorithm)]
    sizes = ["--distribution", "equal"] if collective.endswith(("v", "w")) else []
    return asked("predict", "--machine", "polaris", "--ranks", str(ranks), "--ranks-per-node", str(per_node), "--collective",
                 collective, "--max-block", BLOCKS, "--format", "json", *sizes, *words)["points"]


def measured(collective, ranks, per_node, algorithms):
    words = ["--collective", collective, "--max-block", BLOCKS, "--iterations", "1", "--warmup", "0", "--no-native", "--format", "json"]
    if collective.endswith(("v", "w")):
        words += ["--distribution", "equal"]
    for algorithm in algorithms:
        words += ["--algorithm", algorithm]
    if MPI == "smpi":
        command = [ROOT / "scripts/simulate", "--ranks", str(ranks), "--ranks-per-node", str(per_node), *words]
    else:
        command = [*mpi_families.launcher(mpi_families.families()[MPI], ranks), BENCHMARK, "--ranks-per-node", str(per_node), *words]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, **mpi_families.environment(), "ASAN_OPTIONS": "detect_leaks=0"})
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)["results"]


def setting(result):
    """As the benchmark's --algorithm takes it."""
    return ":".join([result["algorithm"]] + [f"{name}={value}" for name, value in result["parameters"].items()])


def by_setting(results):
    return {setting(result): {count: result[count] for count in COUNTS} for result in results}


class Counts(unittest.TestCase):
    maxDiff = None
    seen = set()

    def compare(self, collective, ranks, per_node):
        grid = [setting(result) for result in predicted(collective, ranks, per_node)[0]["results"] if not result["is_assumed"]]
        more = [] if collective not in MORE else [text for text in MORE[collective]
                                                  if ranks > per_node or not text.startswith(("tuna_", "node_"))]
        settings = [*grid, *more]
        results = measured(collective, ranks, per_node, settings)
        self.seen.update((collective, result["algorithm"]) for result in results)
        for point in predicted(collective, ranks, per_node, *settings):
            block = point["max_block_bytes"]
            ours = by_setting(point["results"])
            theirs = by_setting(result for result in results if result["max_block_bytes"] == block)
            self.assertEqual(set(ours), set(theirs))
            for name, counts in theirs.items():
                with self.subTest(setting=name, collective=collective, ranks=ranks, per_node=per_node, block=block):
                    self.assertEqual(ours[name], counts)

    def test_counts(self):
        for ranks, per_node in SHAPES:
            for collective in ("alltoallv", "alltoall", "allgather", "allgatherv", "alltoallw"):
                self.compare(collective, ranks, per_node)
        registry = {(line["collective"], line["name"]) for line in asked("algorithms", "--json")
                    if line["name"] != "native" and line["among"] == "ranks"}
        # Alltoallw runs the algorithms of alltoallv; only those of the grid are measured there.
        on_one_node = {name for name in registry if name[1] == "shared"} if MPI == "smpi" else set()
        self.assertEqual(registry - self.seen, {("alltoallw", "in_place")} | on_one_node)


if __name__ == "__main__":
    unittest.main()
