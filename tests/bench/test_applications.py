"""Runs scripts/parallel-ra and scripts/heffte with a stand-in for the programs, and makes figures of results that the test makes
up. No test looks at a time."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/bench/applications"), str(ROOT / "tests/bench/figures")]
MPI = os.environ["SWITCHYARD_MPI"]
CALLS = os.path.abspath(sys.argv.pop(1))

import applications  # noqa: E402
import in_turn  # noqa: E402
import parallel_ra  # noqa: E402
import tuna_compared  # noqa: E402
import two_phase_bruck  # noqa: E402
from paper import Scale  # noqa: E402
from runs import Measurements, Simulated  # noqa: E402


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("TC", "kcfa", "speed3d_c2c"):
            shutil.copy(ROOT / "tests/bench/applications/stand_in.py", self.folder / name)

    def script(self, name, *words, **environment):
        """On a machine with other work a start takes seconds."""
        return subprocess.run([ROOT / "scripts" / name, *map(str, words)], capture_output=True, text=True, timeout=240, check=False,
                              env={**os.environ, "STAND_IN_CALLS": CALLS, **environment})

    def parallel_ra(self, *words, **environment):
        return self.script("parallel-ra", self.folder, "--mpi", MPI, "--ranks", 2, "--output", self.folder / "found.json", *words,
                           **environment)

    def heffte(self, *words, **environment):
        return self.script("heffte", self.folder / "speed3d_c2c", "--mpi", MPI, "--ranks", 2, "--output", self.folder / "found.json",
                           *words, **environment)

    def found(self):
        return in_turn.read(self.folder / "found.json")["cases"]


class Scripts(WithFolder):
    def test_a_graph_by_several_ways(self):
        made = self.parallel_ra("--size", "2x5", "--rounds", 2, "--force", "alltoallv:tuna;alltoall:tuna", "--force",
                                "alltoallv:two_phase_bruck")
        self.assertEqual(made.returncode, 0, made.stderr)
        case, = self.found()
        self.assertEqual((case["application"], case["input"], case["result"]), ("TC", "a grid of 2 x 5", "35 tuples"))
        self.assertEqual(list(case["ways"]), ["bare", "native", "tuna", "two_phase_bruck"])
        for way in case["ways"].values():
            self.assertEqual(len(way["wall_s"]), 2)
            self.assertEqual(way["own_s"], [1.5, 1.5])
        self.assertNotIn("collectives_s", case["ways"]["bare"])
        used = {name: list(way["collectives"]["alltoallv"]["algorithms"]) for name, way in case["ways"].items() if name != "bare"}
        self.assertEqual(used, {"native": ["native"], "tuna": ["tuna"], "two_phase_bruck": ["two_phase_bruck"]})
        self.assertEqual(case["ways"]["native"]["routed"], 0)
        self.assertGreater(case["ways"]["tuna"]["routed"], 0)
        rows = [line for line in made.stdout.splitlines() if line.startswith("| TC")]
        self.assertEqual([row.split(" | ")[2] for row in rows], list(case["ways"]))
        self.assertRegex(made.stdout, r"(?m)^- TC, a grid of 2 x 5, 2 ranks: .* alltoallv .*; result 35 tuples\.$")
        again = self.script("parallel-ra", "--markdown", self.folder / "found.json")
        self.assertEqual(again.stdout, made.stdout)

    def test_terms(self):
        made = self.parallel_ra("--application", "kcfa", "--size", "1x3", "--rounds", 1)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(list(self.found()[0]["ways"]), ["bare", "native", "default policy"])
        self.assertEqual(self.found()[0]["result"], f"{sum(map(len, parallel_ra.nested_calls(1, 3).values()))} tuples")

    def test_a_transform(self):
        made = self.heffte("--size", "8x8x1", "--rounds", 1, "--force", "alltoallv:stride_waitany", "-pencils")
        self.assertEqual(made.returncode, 0, made.stderr)
        case, = self.found()
        self.assertEqual((case["input"], case["result"]), ("8 x 8 -pencils", "error 1e-15"))
        self.assertEqual(list(case["ways"]["stride_waitany"]["collectives"]["alltoallv"]["algorithms"]), ["stride_waitany"])

    def test_on_hosts(self):
        if MPI not in ("openmpi", "mpich"):
            self.skipTest("hosts are for Open MPI and MPICH")
        if subprocess.run([ROOT / "tests/hosts/hosts.py", "--check"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no hosts can be made here")
        # An agent in place of ssh passes no environment on.
        program = self.folder / "TC"
        program.write_text(program.read_text().replace('os.environ["STAND_IN_CALLS"]', repr(CALLS)))
        made = self.parallel_ra("--size", "1x4", "--rounds", 1, "--hosts", 2, "--force", "alltoallv:tuna_coalesced")
        self.assertEqual(made.returncode, 0, made.stderr)
        case, = self.found()
        self.assertEqual((case["hosts"], case["result"]), (2, "6 tuples"))
        self.assertIn("tuna_coalesced", case["ways"]["tuna_coalesced"]["collectives"]["alltoallv"]["algorithms"])

    def test_a_wrong_result(self):
        for words, environment, reason in (
                (("--size", "1x4"), {"STAND_IN_WRONG": ""}, "parallel-ra: TC found 7 tuples, and 6 are right"),
                (("--application", "kcfa"), {"STAND_IN_WRONG": "under"}, "results differ: "),
                ((), {"STAND_IN_FAILS": ""}, " ended with ")):
            with self.subTest(reason):
                made = self.parallel_ra("--rounds", 1, *words, **environment)
                self.assertEqual(made.returncode, 1, made.stdout)
                self.assertIn(reason, made.stderr)
        made = self.heffte("--rounds", 1, STAND_IN_WRONG="under")
        self.assertEqual(made.returncode, 1, made.stdout)
        self.assertIn("results differ: error 1e-15, error 2e-15", made.stderr)

    def test_refusals(self):
        for script in ("parallel-ra", "heffte"):
            for words, reason in ((["--record"], "belongs to --paper"), (["--paper", "--force", "alltoallv:tuna"], "has its own ways"),
                                  (["--rounds", "0"], "1 or more"), (["--policy", "nowhere.json"], "a policy is missing: nowhere.json"),
                                  (["--size", "0x1x"], "is no size like")):
                with self.subTest((script, words)):
                    made = self.script(script, *words)
                    self.assertEqual(made.returncode, 2, made.stdout)
                    self.assertIn(reason, made.stderr)
        made = self.parallel_ra("--hosts", 2, "--ranks", 3)
        self.assertIn("3 ranks cannot be divided among 2 hosts", made.stderr)
        made = self.parallel_ra("--force", "alltoallv:tuna", "--force", "alltoallv:tuna;alltoall:tuna")
        self.assertIn("two ways have one name", made.stderr)

    def test_without_programs(self):
        """There are none in the project: one sentence, and no failure."""
        for words in ([], ["no-such-folder"]):
            made = self.script("parallel-ra", *words)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.assertRegex(made.stdout, r"^parallel-ra: skipped: [^\n]+\n$")
        (self.folder / "kcfa").unlink()
        self.assertIn("build parallel-RA", self.parallel_ra("--application", "kcfa").stderr)


class Inputs(WithFolder):
    def test_relations_that_nobody_reads(self):
        with self.assertRaisesRegex(in_turn.Failed, "does not read app_2_1_2"):
            parallel_ra.write_all(self.folder / "kcfa", {"app_2_1_2": []}, self.folder)

    def test_empty_relations(self):
        """A relation that a program names is there, with the columns that its name tells and one for the fact."""
        (self.folder / "run").mkdir()
        parallel_ra.write_all(self.folder / "kcfa", {"Prog_1_13": [(7, 9)]}, self.folder / "run")
        self.assertEqual((self.folder / "data/g4470/Step_33_2.size").read_text(), "0\n34")
        self.assertEqual((self.folder / "data/g4470/Prog_1_13").read_bytes(), struct.pack("<2Q", 7, 9))

    def test_terms_are_closed_trees(self):
        """Each part of a term has a number of its own, and one part alone is no part of another: the root."""
        for terms, parts, children in ((parallel_ra.nested_functions(2, 5), {"app_2_1_2": 2, "lambda_2_1_2": 2, "var-ref_1_1": 1}, (0, 1)),
                                       (parallel_ra.nested_calls(2, 5), {"App_4_33": 0, "Lam_4_36": 0, "Var_2_5": 0}, (1, 2, 3))):
            numbers = [row[place] for name, place in parts.items() for row in terms[name]]
            self.assertEqual(len(numbers), len(set(numbers)))
            used = {row[child] for name in parts if not name.lower().startswith("var") for row in terms[name]
                    for child in children if child < len(row)}
            self.assertEqual(len(set(numbers) - used), 1)


def entry(hosts, ways, application="TC", ranks=16):
    """A case as the scripts write it: `ways` has the seconds in collectives of five rounds, by way."""
    return {"application": application, "input": "made up", "result": "1 tuples", "mpi": "MPI 1", "ranks": ranks, "hosts": hosts,
            "rounds": 5, "date": "2026-01-02",
            "ways": {"bare": {"own_s": [2.0] * 5}, **{name: {"own_s": [1.0] * 5, "collectives_s": times, "collectives": {}}
                                                      for name, times in ways.items()}}}


class Figures(WithFolder):
    def setUp(self):
        super().setUp()
        applications._files.clear()
        self.addCleanup(applications._files.clear)

    def outcome(self, script, cases, figure):
        applications._files[script] = self.folder / "made-up.json"
        in_turn.write(applications._files[script], f"scripts/{script} FOLDER --paper", cases)
        measurements = Measurements(Simulated("polaris"), self.folder)
        measurements.measure([run for run in figure.runs if not run.is_kept])
        for run in (run for run in figure.runs if run.is_kept):
            measurements.found[run.key()] = {"results": [{"algorithm": way, "median_us": 9.0, "in_collectives_us": 5.0}
                                                         for way in ("native", "tuna", "tuna_coalesced")]}
        return figure.outcome(measurements)

    def test_pairs(self):
        found = in_turn.compared([1.0, 3.0, 1.0], [2.0, 2.0, 4.0])
        self.assertEqual((found.median, found.least, found.largest, found.won, found.pairs), (0.5, 0.25, 1.5, 2, 3))
        bare, native, tuna = in_turn.rows_of(entry(4, {"native": [2.0] * 5, "tuna": [1.0, 1.0, 1.0, 3.0, 0.5]}))
        self.assertEqual(bare[1:], ["16 on 4 hosts", "bare", "-", "-", "-", "-", "2.000", "1", "-"])
        self.assertEqual(native[3:7], ["2.000", "1", "-", "-"])
        self.assertEqual(tuna[3:], ["1.000", "0.50", "0.25 to 1.50", "4 of 5", "1.000", "0.50", "5 of 5"])

    def test_path_finding(self):
        """Cases on hosts decide: both of the paper's are faster there, or not."""
        figure = tuna_compared.path_finding(Scale(True, (4, 8), 4, True))
        slow, fast = [3.0] * 5, [1.0] * 5
        for coalesced, agrees in ((fast, True), (slow, False)):
            cases = [entry(1, {"native": [2.0] * 5, "tuna": slow, "tuna_coalesced": slow}),
                     entry(4, {"native": [2.0] * 5, "tuna": fast, "tuna_coalesced": coalesced})]
            cases[1]["ways"]["tuna"]["agree_s"] = [0.25] * 5
            cases[1]["ways"]["tuna:direct_from=4096"] = {"own_s": fast, "collectives_s": [0.8] * 5}
            outcome = self.outcome("parallel-ra", cases, figure)
            self.assertEqual(outcome.agrees, agrees, outcome.ours)
            self.assertIn("TC with 16 on 4 hosts: tuna 0.50", outcome.ours)
            self.assertIn("takes up to 25 % of the time of tuna", outcome.reason)
            self.assertIn("tuna takes 0.40 of the MPI's own time there", outcome.reason)
            self.assertEqual(len(outcome.tables), 2)
            self.assertEqual(len(outcome.tables[0].rows), 9)

    def test_two_phase(self):
        mining, analysis = applications.two_phase_figures()
        cases = [entry(4, {"native": [2.0] * 5, "two_phase_bruck": [1.0] * 5}),
                 entry(4, {"native": [2.0] * 5, "two_phase_bruck": [3.0] * 5}, "kcfa")]
        self.assertTrue(self.outcome("parallel-ra", cases, mining).agrees)
        outcome = self.outcome("parallel-ra", cases, analysis)
        self.assertFalse(outcome.agrees)
        self.assertNotEqual(outcome.reason, "")
        self.assertLess({figure.number for figure in applications.two_phase_figures()},
                        {figure.number for figure in two_phase_bruck.figures(Scale(True, (4, 8), 4, True))})

    def test_heffte(self):
        """The best of the three stride algorithms counts, case by case."""
        for times, agrees in (([1.0] * 5, True), ([1.0, 1.0, 3.0, 3.0, 3.0], False)):
            ways = {"native": [2.0] * 5, "stride_waitall": [3.5] * 5, "stride_waitany": times, "stride_testany": [4.0] * 5}
            outcome = self.outcome("heffte", [entry(1, ways, "heFFTe", 4)], applications.heffte())
            self.assertEqual(outcome.agrees, agrees, outcome.ours)
        self.assertIn("with 4 on one node stride_waitany takes 1.50", outcome.ours)

    def test_nothing_recorded(self):
        """Such a figure says what it needs. Path finding shows our own program alone."""
        applications._files.update({script: self.folder / "nowhere.json" for script in applications.SCRIPTS})
        measurements = Measurements(Simulated("polaris"), self.folder)
        for figure in (applications.heffte(), *applications.two_phase_figures()):
            measurements.measure(figure.runs)
            with self.assertRaisesRegex(RuntimeError, r"^skipped: nothing is recorded\. It needs built programs: `scripts/\S+ --help`"):
                figure.outcome(measurements)
            self.assertIn("--record", measurements.commands_of(figure.runs[0])[0])

    def test_what_is_recorded(self):
        """Recorded results are of the cases and ways that the figures ask for, and each case has one result."""
        for script, ways in (("parallel-ra", {"tuna", "tuna_coalesced", "two_phase_bruck"}), ("heffte", set(applications.STRIDES))):
            file = in_turn.RECORDED / f"{script}.json"
            if not file.exists():
                continue
            for case in in_turn.read(file)["cases"]:
                self.assertLessEqual({"bare", "native", "default policy"} | ways, set(case["ways"]))
                for way in case["ways"].values():
                    self.assertEqual({len(times) for key, times in way.items() if key.endswith("_s")}, {case["rounds"]})
                self.assertRegex(case["result"], r"^(\d+ tuples|error \S+)$")
                self.assertFalse(re.search(r"/tmp|/work", json.dumps(case)))


if __name__ == "__main__":
    unittest.main()
