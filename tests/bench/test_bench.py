"""Runs switchyard-bench. Its output must be complete, and its refusals clear. No test looks at a time."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MPI = os.environ["SWITCHYARD_MPI"]
PROGRAM = sys.argv.pop(1)
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))

import mpi_families  # noqa: E402

ENVIRONMENT = dict(os.environ, **mpi_families.environment(), ASAN_OPTIONS="detect_leaks=0")


def launch(*words, ranks=3, **environment):
    if MPI == "smpi":
        command = [ROOT / "scripts/simulate", "--ranks", str(ranks), "--ranks-per-node", "2"]
    else:
        command = [*mpi_families.launcher(mpi_families.families()[MPI], ranks), PROGRAM]
    return subprocess.run([*map(str, command), *words], capture_output=True, text=True, timeout=60, check=False,
                          env={**ENVIRONMENT, **environment})


def measured(*words, **how):
    run = launch(*words, "--iterations", "2", "--warmup", "1", "--format", "json", **how)
    assert run.returncode == 0, run.stderr + run.stdout
    return json.loads(run.stdout)


class Bench(unittest.TestCase):
    def test_json_is_complete(self):
        document = measured("--algorithm", "tuna:radix=2,3", "--algorithm", "pairwise", "--max-block", "16,1000")
        self.assertTrue(document["verified"])
        self.assertEqual(document["environment"]["ranks"], 3)
        self.assertEqual(document["environment"]["simulated"], MPI == "smpi")
        for key in ("mpi", "hosts", "date", "command"):
            self.assertTrue(document["environment"][key], key)
        self.assertTrue(document["environment"]["mpi"].isprintable(), document["environment"]["mpi"])
        self.assertEqual(document["settings"]["collective"], "alltoallv")
        self.assertEqual(document["settings"]["seed"], 1)
        results = document["results"]
        self.assertEqual([r["algorithm"] for r in results], ["native", "tuna", "tuna", "pairwise"] * 2)
        for result in results:
            self.assertTrue(result["verified"])
            self.assertEqual(len(result["times_us"]), 2)
            self.assertEqual(len(result["warmup_us"]), 1)
            times = result["warmup_us"] + result["times_us"]
            self.assertEqual(result["first_us"], times[0])
            self.assertAlmostEqual(result["mean_us"], sum(times) / 3)
            self.assertGreater(result["mean_ratio_to_native"], 0)
            self.assertGreater(result["median_us"], 0)
            self.assertGreaterEqual(result["mad_us"], 0)
            self.assertGreater(result["ratio_to_native"], 0)
            self.assertLessEqual(result["largest_block_bytes"], result["max_block_bytes"])
            if result["algorithm"] == "native":
                self.assertEqual(result["ratio_to_native"], 1)
                self.assertIsNone(result["messages"])
            else:
                self.assertLessEqual(result["messages_inter"], result["messages"])
                self.assertLessEqual(result["wire_bytes_inter"], result["wire_bytes"])
                for key in ("messages", "wire_bytes", "rounds"):
                    self.assertGreater(result[key], 0, key)
        self.assertEqual(results[1]["parameters"]["radix"], 2)
        self.assertEqual(results[3]["scratch_bytes"], 0)

    def test_phases_where_somebody_asks(self):
        words = ("--algorithm", "two_phase_bruck", "--algorithm", "pairwise", "--max-block", "1000")
        native, bruck, pairwise = measured(*words, "--phases")["results"]
        self.assertNotIn("phases_us", {**native, **pairwise})
        phases = bruck["phases_us"]
        self.assertLessEqual({"metadata", "data", "rearrange"}, set(phases))
        self.assertLessEqual(sum(phases.values()), bruck["max_us"] * 1.001)
        if MPI == "smpi":  # free of charge, so always there
            self.assertEqual(measured(*words)["results"][1]["phases_us"], phases)
        else:
            self.assertNotIn("phases_us", measured(*words)["results"][1])

    def test_cold_buffers_bring_the_same_bytes(self):
        document = measured("--algorithm", "pairwise", "--max-block", "1000", "--cold")
        self.assertTrue(document["verified"] and document["settings"]["cold"])
        self.assertFalse(measured("--algorithm", "pairwise", "--max-block", "1000")["settings"]["cold"])

    def test_every_collective_and_distribution(self):
        for words in (["--collective", "alltoall", "--algorithm", "zero_rotation_bruck"],
                      ["--collective", "allgather", "--algorithm", "ring"],
                      *(["--collective", "allgatherv", "--algorithm", "bruck", "--distribution", distribution]
                        for distribution in ("uniform", "power_law", "sparse:1", "equal")),
                      ["--collective", "alltoallw", "--algorithm", "tuna", "--distribution", "power_law"],
                      *(["--algorithm", "tuna", "--distribution", d]
                        for d in ("normal", "power_law", "fft1", "fft2", "sparse:1", "partition", "window:75")),
                      ["--in-place", "--algorithm", "in_place:auxiliary_bytes=1", "--distribution", "partition:2"]):
            with self.subTest(words=words):
                document = measured(*words, "--max-block", "100")
                self.assertTrue(document["verified"])
                self.assertEqual(len(document["results"]), 2)

    def test_nodes_that_are_not_there(self):
        (result,) = measured("--no-native", "--algorithm", "spread_out", "--max-block", "16", "--ranks-per-node", "1")[
            "results"]
        self.assertEqual(result["messages_inter"], result["messages"])
        (result,) = measured("--no-native", "--algorithm", "tuna_coalesced", "--max-block", "1000", "--ranks-per-node",
                             "2")["results"]
        self.assertEqual(result["messages_inter"], 2)  # the lone rank of the second node carries for both of the first

    def test_shared_memory(self):
        nodes = ("--max-block", "1000", "--ranks-per-node", "2")
        with_messages, with_memory = measured("--no-native", "--algorithm", "tuna_coalesced:intra=messages,shared",
                                              *nodes, ranks=4)["results"]
        self.assertEqual(with_memory["messages_inter"], with_messages["messages_inter"])
        self.assertEqual(with_memory["messages"], with_memory["messages_inter"])
        run = launch("--algorithm", "shared", *nodes)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("on several nodes", run.stderr)
        for collective in ("alltoallv", "alltoall", "allgather", "allgatherv", "alltoallw"):
            (result,) = measured("--no-native", "--collective", collective, "--algorithm", "shared", "--max-block",
                                 "1000", "--shared-bytes", "1024", ranks=2)["results"]
            self.assertEqual(result["messages"], 0)

    def test_without_native_there_are_no_ratios(self):
        (result,) = measured("--no-native", "--algorithm", "spread_out", "--max-block", "16")["results"]
        self.assertIsNone(result["ratio_to_native"])

    def test_one_rank(self):
        self.assertTrue(measured("--algorithm", "tuna", "--max-block", "16", ranks=1)["verified"])

    def test_a_table_for_people(self):
        run = launch("--algorithm", "spread_out", "--max-block", "16", "--iterations", "2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("| native ", run.stdout)
        self.assertIn("| spread_out ", run.stdout)
        self.assertNotIn("\r", run.stderr)  # no bar where there is no terminal

    def test_refusals(self):
        for words, message in ((["--algorithm", "tunna"], 'did you mean "tuna"?'),
                               (["--algorithm", "tuna:radix=4"], "radix 4 is more than 3 ranks"),
                               (["--algorithm", "tuna:radix=x"], "radix"),
                               (["--distribution", "gauss"], "uniform, normal"),
                               (["--nonsense"], "--nonsense"),
                               (["--iterations", "0", "--warmup", "0"], "--iterations")):
            with self.subTest(words=words):
                run = launch(*words)
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(message, run.stderr)
                self.assertNotIn("| native", run.stdout)

    def test_a_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "here.json"
            run = launch("--calibrate", str(file), "--ranks-per-node", "2", ranks=4)
            self.assertEqual(run.returncode, 0, run.stderr)
            machine = json.loads(file.read_text())
        self.assertEqual(machine["switchyard_machine"], 1)
        self.assertEqual(machine["name"], "here")
        nodes = "on 2 nodes" if MPI == "smpi" else "on emulated nodes of 2"  # scripts/simulate makes them
        for part in ("--calibrate", "4 ranks", nodes):
            self.assertIn(part, machine["source"])
        keys = {"network": {"latency_us", "overhead_us", "pair_bytes_per_us", "card_bytes_per_us"},
                "node": {"latency_us", "overhead_us", "pair_bytes_per_us", "memory_bytes_per_us"},
                "packing": {"block_us", "copy_bytes_per_us"}}
        for section, wanted in keys.items():
            self.assertEqual(set(machine[section]), wanted)
            self.assertLessEqual(set(machine["spread"][section]), wanted)
            for key, value in machine[section].items():
                self.assertGreaterEqual(value, 0, key)
            for key in wanted & {"pair_bytes_per_us", "card_bytes_per_us", "memory_bytes_per_us", "copy_bytes_per_us"}:
                self.assertGreater(machine[section][key], 0, key)
        self.assertGreaterEqual(machine["network"]["card_bytes_per_us"], machine["network"]["pair_bytes_per_us"])

    def test_refusals_of_a_machine(self):
        for words, message in ((["--ranks-per-node", "3"], "all ranks are on one node"),
                               (["--ranks-per-node", "1"], "the first node has one rank"),
                               (["--calibrate", "/no/such/folder/a.json", "--ranks-per-node", "2"], "a.json cannot be written: No such file"),
                               (["--algorithm", "tuna"], "leave out --algorithm")):
            with self.subTest(words=words):
                run = launch(*(words if "--calibrate" in words else ["--calibrate", "-", *words]))
                self.assertEqual(run.returncode, 2)
                self.assertIn(message, run.stderr)
                self.assertNotIn("switchyard_machine", run.stdout)

    @unittest.skipUnless(MPI == "smpi", "only a simulated machine is known")
    def test_a_simulated_machine_has_the_values_of_its_description(self):
        """Of config/simgrid/polaris.xml, which scripts/simulate takes. 3 nodes of 2 ranks."""
        run = launch("--calibrate", "-", ranks=6)
        self.assertEqual(run.returncode, 0, run.stderr)
        machine = json.loads(run.stdout)
        self.assertIn("6 ranks on 3 nodes", machine["source"])
        wanted = {"network": {"latency_us": 1.5, "overhead_us": 0.25, "pair_bytes_per_us": 25000,
                              "card_bytes_per_us": 25000},
                  # The two ranks copy to each other at once. The model has no limit for all pairs together.
                  "node": {"latency_us": 0.1, "overhead_us": 0.25, "pair_bytes_per_us": 10000,
                           "memory_bytes_per_us": 2 * 10000},
                  # 46 instructions of 0.18 ns a copy (algorithms/transport/messages/simulation.cpp), and 0.1 ns a byte.
                  "packing": {"block_us": 46 * 0.00018, "copy_bytes_per_us": 10000}}
        for section, values in wanted.items():
            for key, value in values.items():
                self.assertAlmostEqual(machine[section][key], value, delta=0.05 * value, msg=f"{section} {key}")
                self.assertLess(machine["spread"][section][key], 0.001)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot")
    def test_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, start in (("a.svg", b"<?xml"), ("b.png", b"\x89PNG")):
                plot = Path(folder) / name
                run = launch("--algorithm", "tuna:radix=2,3", "--max-block", "16", "--iterations", "1", "--plot", str(plot))
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertTrue(plot.read_bytes().startswith(start))
            run = launch("--max-block", "16", "--iterations", "1", "--plot", f"{folder}/no/such/folder.svg")
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("no plot", run.stderr)
            self.assertIn("| native", run.stdout)

    @unittest.skipUnless(MPI == "smpi", "only a simulation has a price for each step")
    def test_a_simulation_charges_copies_and_epochs(self):
        """Two ranks of a node: an epoch, a look at one neighbour, and two copies of the block besides the own block."""
        small, large = measured("--no-native", "--collective", "allgather", "--algorithm", "shared", "--max-block",
                                "16,100016", ranks=2)["results"]
        self.assertGreater(small["median_us"], 0.1 + 0.02)
        self.assertLess(small["median_us"], 0.1 + 0.02 + 0.1)
        self.assertAlmostEqual(large["median_us"] - small["median_us"], 3 * 100000 * 1e-4, delta=0.01)

    @unittest.skipUnless(MPI == "smpi", "only a simulation repeats itself")
    def test_simulations_repeat_themselves(self):
        words = ("--algorithm", "tuna:radix=2..ranks", "--algorithm", "spread_out", "--max-block", "16,5000")
        first, second = (measured(*words, ranks=16)["results"] for _ in range(2))
        self.assertEqual(first, second)


unittest.main(verbosity=2)
