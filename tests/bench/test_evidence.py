"""Runs scripts/evidence with stand-ins for the programs, and asks for the causes of results that the test makes up. With --debian it
runs the programs of Debian that are installed. No test looks at a time."""

import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/bench/applications")]
MPI = os.environ["SWITCHYARD_MPI"]
CALLS = os.path.abspath(sys.argv.pop(1))
IS_LONG = "--debian" in sys.argv
if IS_LONG:
    sys.argv.remove("--debian")

import catalogue  # noqa: E402
import evidence  # noqa: E402
import in_turn  # noqa: E402


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def evidence(self, *words, **environment):
        """On a machine with other work a start takes seconds."""
        return subprocess.run([ROOT / "scripts/evidence", "--mpi", MPI, "--output", self.folder / "found.json", *map(str, words)],
                              capture_output=True, text=True, timeout=600, check=False,
                              env={**os.environ, "STAND_IN_CALLS": CALLS, **environment})

    def found(self):
        return in_turn.read(self.folder / "found.json")["cases"]


def rows_in(output):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in output.splitlines() if line.startswith("| ")][1:]


@unittest.skipIf(IS_LONG, "only Debian's programs are wanted")
class StandIns(WithFolder):
    def stand_in(self, name):
        shutil.copy(ROOT / "tests/bench/applications/stand_in.py", self.folder / name)
        return self.folder / name

    def test_a_program_and_a_benchmark(self):
        self.stand_in("osu_alltoallv")
        made = self.evidence("--program", f"npb-is={self.stand_in('is.S.x')}", "--program", f"osu={self.folder}", "--ranks", 2, "--rounds", 2)
        self.assertEqual(made.returncode, 0, made.stderr)
        sort, benchmark = self.found()
        self.assertEqual((sort["application"], sort["input"], sort["result"], sort["ranks"]), ("NPB IS", "class S", "SUCCESSFUL", 2))
        for way in ("bare", "native", "default policy"):
            self.assertEqual(len(sort["ways"][way]["wall_s"]), 2)
            self.assertEqual(sort["ways"][way]["own_s"], [0.25, 0.25])
        self.assertEqual(sort["ways"]["native"]["routed"], 0)
        self.assertGreater(sort["ways"]["default policy"]["routed"], 0)
        self.assertEqual(benchmark["ways"]["bare"]["parts_s"], benchmark["ways"]["default policy"]["parts_s"])
        self.assertEqual(list(benchmark["ways"]["bare"]["parts_s"]), ["alltoallv 1:64", "alltoallv 128:4096", "alltoallv 8192:1048576"])
        rows = rows_in(made.stdout)
        self.assertEqual([row[0] for row in rows], ["NPB IS, class S", "OSU, alltoallv, 1 byte to 64 bytes", "OSU, alltoallv, 128 bytes to 4 KiB",
                                                    "OSU, alltoallv, 8 KiB to 1 MiB"])
        self.assertEqual({row[1] for row in rows}, {"2 on one node"})
        self.assertEqual([row[4] for row in rows[1:]], ["1.00"] * 3)  # the stand-in prints the same times in all runs
        self.assertRegex(made.stdout, r"(?m)^- NPB IS, class S, 2 ranks: .* alltoallv .*; result SUCCESSFUL\.$")
        again = self.evidence("--markdown", self.folder / "found.json")
        self.assertEqual(again.stdout, made.stdout)

    def test_what_is_wrong(self):
        program = self.stand_in("is.S.x")
        for environment, reason in (({"STAND_IN_WRONG": ""}, "its own check failed"), ({"STAND_IN_WRONG": "under"}, "its own check failed"),
                                    ({"STAND_IN_FAILS": ""}, " ended with "), ({"STAND_IN_CALLS": ""}, "switchyard wrote no log")):
            with self.subTest(reason):
                made = self.evidence("--program", f"npb-is={program}", "--ranks", 2, "--rounds", 1, **environment)
                self.assertEqual(made.returncode, 1, made.stdout)
                self.assertIn(reason, made.stderr)
                self.assertRegex(made.stdout, rf"(?m)^- NPB IS, class S, 2 on one node: failed\. .*{reason}")
                self.assertIn(reason, self.found()[0]["failed"])

    def test_refusals(self):
        for words, reason in ((["nonsense"], "there is no program nonsense; --list names all"), (["--rounds", 0], "1 or more"),
                              (["--ranks", "2,x"], "is no list of numbers"), (["--ranks", 1], "2 or more"),
                              (["--program", "npb-is=nowhere"], "there is no nowhere"), (["--program", "npb-is"], "is not NAME=PATH"),
                              (["--program", "abc=/bin/true"], "is not NAME=PATH with one of npb-is, "),
                              (["--hosts", 4, "--ranks", 6], "cannot be divided among 4 hosts")):
            with self.subTest(words):
                made = self.evidence(*words)
                self.assertEqual(made.returncode, 2, made.stdout)
                self.assertIn(reason, made.stderr)

    def test_what_is_not_here(self):
        made = self.evidence("npb-is", "--ranks", 2)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertRegex(made.stdout.strip(), r"^- npb-is: not here: --program npb-is=bin/is\.A\.x, from NPB, https\S+$")

    def test_list(self):
        lines = self.evidence("--list").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], list(catalogue.PROGRAMS))
        for line in lines:
            self.assertRegex(line, r"apt-get install \S+$|--program (\S+)=.+, from .*https?://\S+$")


def ways(bare, native, policy, algorithm="shared", routed=10, agree=0.0):
    """Of a program with an alltoallv: lists of wall times, and of pairs of wall time and time in collectives."""
    def under(times, used, calls):
        inside = [collectives for _, collectives in times]
        groups = {"alltoallv": {"calls": 10, "largest_block_bytes": 65536, "seconds": sorted(inside)[len(inside) // 2],
                                "algorithms": {used: 10}}}
        return {"wall_s": [wall for wall, _ in times], "collectives_s": inside, "agree_s": [agree] * len(times), "calls": 10, "routed": calls,
                "collectives": groups, "blocks": [{"collective": "alltoallv", "up_to": 65536, "algorithm": used, "calls": 10}]}
    return {"bare": {"wall_s": bare}, "native": under(native, "native", 0), evidence.DEFAULT: under(policy, algorithm, routed)}


def cause(*times, **more):
    entry = {"application": "A", "input": "b", "ranks": 4, "hosts": 1, "ways": ways(*times, **more)}
    row, = evidence.rows_of(entry)
    return evidence.cause_of(row)


@unittest.skipIf(IS_LONG, "only Debian's programs are wanted")
class Causes(unittest.TestCase):
    def test_a_gain_needs_none(self):
        self.assertEqual(cause([2.0] * 3, [(2.0, 1.0)] * 3, [(1.5, 0.5)] * 3), "")

    def test_a_gain_that_is_not_sure(self):
        self.assertEqual(cause([2.0] * 3, [(2.0, 1.0)] * 3, [(1.5, 0.5), (1.5, 0.5), (2.5, 0.5)]),
                         "not sure, faster in 2 of 3; collectives gain 500 ms, outside them 0.00 us are lost")

    def test_collectives_that_do_not_count(self):
        self.assertEqual(cause([2.0] * 3, [(2.0, 0.02)] * 3, [(2.1, 0.01)] * 3), "collectives are 1 % of the run")

    def test_start_and_end(self):
        self.assertEqual(cause([1.0] * 3, [(1.0, 0.5)] * 3, [(1.2, 0.4)] * 3), "collectives gain 100 ms, outside them 300 ms are lost")

    def test_slower_collectives(self):
        self.assertEqual(cause([1.0] * 3, [(1.0, 0.5)] * 3, [(1.2, 0.6)] * 3, agree=0.06),
                         "collectives take 1.20, most lost in alltoallv up to 64 KiB by shared; the agreement is 10 % of them")

    def test_nothing_routed(self):
        self.assertEqual(cause([1.0] * 3, [(1.0, 0.5)] * 3, [(1.2, 0.6)] * 3, algorithm="native", routed=0),
                         "no call is routed; collectives take 1.20, most lost in alltoallv up to 64 KiB by native")

    def test_a_part(self):
        for algorithm, told in (("shared", "by shared"), ("native", "the policy leaves these calls to the MPI")):
            made = ways([1.0], [(1.0, 1.0)], [(1.0, 1.0)], algorithm=algorithm)
            for way in made.values():
                way["parts_s"] = {"alltoallv 8192:1048576": [1e-6 if way is made["bare"] else 2e-6]}
            row, = evidence.rows_of({"application": "OSU", "input": "alltoallv", "ranks": 4, "hosts": 1, "ways": made})
            self.assertEqual(evidence.cause_of(row), told)
            self.assertEqual(evidence.cells(row)[2:5], ["1.00 us", "2.00 us", "2.00"])

    def test_words(self):
        self.assertEqual([evidence.in_words(value) for value in (12.345, 0.0123, 4.5e-6, 0.0)], ["12.3 s", "12.3 ms", "4.50 us", "0.00 us"])
        self.assertEqual([evidence.bytes_in_words(number) for number in (1, 64, 8192, 1 << 20)], ["1 byte", "64 bytes", "8 KiB", "1 MiB"])


@unittest.skipIf(IS_LONG, "only Debian's programs are wanted")
class Records(WithFolder):
    def test_rows_of_other_programs_stay(self):
        """A program that is measured again replaces its own rows."""
        loader = importlib.machinery.SourceFileLoader("evidence_script", str(ROOT / "scripts/evidence"))
        script = importlib.util.module_from_spec(importlib.util.spec_from_loader("evidence_script", loader))
        loader.exec_module(script)
        entry = {"application": "A", "input": "b", "ranks": 2, "hosts": 1}
        in_turn.write(self.folder / "mpi.json", "before", [entry | {"program": "lammps", "failed": "old"}, entry | {"program": "osu", "failed": "kept"}])
        options = mock.Mock(mpi="mpi", record=True, output=None, hosts=None, ranks=(2,), rounds=1)
        program = mock.Mock()
        with mock.patch.object(script, "RECORDED", self.folder), mock.patch.object(
                script, "measured", lambda *_: [entry | {"program": "lammps", "failed": "new"}]):
            new = script.carry_out(options, [(program, "path")], "after")
        self.assertEqual([entry["failed"] for entry in new], ["new"])
        self.assertEqual([entry["failed"] for entry in in_turn.read(self.folder / "mpi.json")["cases"]], ["kept", "new"])


NOT_ROUTED_ON_ONE_NODE = ("mpi4py-fft",)  # its MPI_Alltoallw


@unittest.skipUnless(IS_LONG, "takes minutes")
class Debian(WithFolder):
    def test_each_that_is_here(self):
        here = [program.name for program in catalogue.PROGRAMS.values() if program.of_debian(MPI)]
        if not here:
            self.skipTest("no such program is installed")
        made = self.evidence(*here, "--ranks", 4, "--rounds", 1)  # HPCC wants a power of two
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(sorted({entry["program"] for entry in self.found()}), sorted(here))
        for entry in self.found():
            with self.subTest(entry["program"]):
                self.assertGreater(entry["ways"]["native"]["calls"], 0)
                is_routed = entry["ways"]["default policy"]["routed"] > 0
                self.assertEqual(is_routed, entry["program"] not in NOT_ROUTED_ON_ONE_NODE)


if __name__ == "__main__":
    unittest.main()
