"""Runs `switchyard doctor` on an MPI whose own collectives take exact times on a clock of their own, so that each finding
is known beforehand. The benchmark, its exchanges and the runs under switchyard are real. No test looks at a real time."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

MPI = os.environ["SWITCHYARD_MPI"]
SWITCHYARD, CLOCK = sys.argv.pop(1), Path(sys.argv.pop(1))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import mpi_families  # noqa: E402

FAMILY = mpi_families.families()[MPI]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SWITCHYARD")}
ENVIRONMENT.update(mpi_families.environment(), ASAN_OPTIONS="detect_leaks=0")
RANKS = 2 if FAMILY.ranks_spin else 4
GROUPS = {2} if FAMILY.ranks_spin else {4, 2, 3}
FEW = ("--max-block", "512,1024,2048,4096,8192,16384")
BENCHMARK = Path(SWITCHYARD).with_name(f"switchyard-bench-{MPI}")


class Doctor(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="switchyard-test-doctor-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def script(self, name, text):
        file = self.folder / name
        file.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        file.chmod(0o755)
        return str(file)

    def benchmark(self, slow=""):
        """The clock comes before switchyard, which calls functions in the MPI itself."""
        return self.script("benchmark", f"SLOW_CALLS={slow} LD_PRELOAD={CLOCK}${{LD_PRELOAD:+:$LD_PRELOAD}} "
                                        f'exec {BENCHMARK} "$@"\n')

    def doctor(self, *words, code=0, ranks=RANKS, launcher=None):
        launcher = launcher or " ".join(mpi_families.launcher(FAMILY, ranks))
        done = subprocess.run([SWITCHYARD, "doctor", "--launcher", launcher, *words], capture_output=True, text=True,
                              timeout=300, check=False, env=ENVIRONMENT, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("terminate called", done.stderr)
        self.assertFalse(list(self.folder.glob(".*.trial")) + list(self.folder.glob("*.trial")))
        return done.stderr if code > 1 else done.stdout

    def diagnosis(self, *words, code=0, slow=""):
        return json.loads(self.doctor("--benchmark", self.benchmark(slow), "--format", "json", *words, code=code))


class ExactClock(Doctor):
    def test_a_healthy_mpi(self):
        blocks = [4 ** i for i in range(9)]
        found = self.diagnosis("--max-block", ",".join(map(str, blocks)), "--budget", "2m")
        self.assertEqual(found["findings"], [])
        self.assertIsNone(found["policy"])
        self.assertEqual({series["collective"] for series in found["series"]},
                         {"alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv"})
        self.assertEqual({series["ranks"] for series in found["series"]}, GROUPS)
        for series in found["series"]:
            self.assertEqual([step["block_bytes"] for step in series["steps"]], blocks)
            for step in series["steps"]:
                self.assertEqual(len(step["native_us"]), found["repetitions"])
                self.assertEqual(len(set(map(round, step["native_us"]))), 1)  # the clock is exact

    def test_a_cliff_and_its_rule(self):
        policy_file = self.folder / "avoid.policy.json"
        found = self.diagnosis(*FEW, "--budget", "2m", "-o", str(policy_file), code=1, slow="alltoallv:1000-5000:100")
        self.assertEqual({(one["collective"], *one["block_bytes"]) for one in found["findings"]},
                         {("alltoallv", 1024, 2048, 4096)})
        self.assertEqual({one["ranks"] for one in found["findings"]}, GROUPS)
        for one in found["findings"]:
            self.assertEqual([reason["kind"] for reason in one["reasons"]], ["cliff", "guideline", "guideline"])
            self.assertEqual(one["remedy"], "rule")
            self.assertLess(one["ratio"], 1)
        policy = json.loads(policy_file.read_text())
        self.assertEqual(policy, found["policy"])
        self.assertEqual({rule["when"]["ranks"]["min"] for rule in policy["rules"]}, GROUPS)
        for rule in policy["rules"]:
            self.assertEqual(rule["when"]["max_block_bytes"], {"min": 725, "max": 5792})
            self.assertIn("under switchyard with this policy", rule["because"])
            self.assertIn("Other sizes: ", rule["because"])
        self.assertTakes(policy_file, 4096, ranks=RANKS)
        check = subprocess.run([SWITCHYARD, "check", str(policy_file)], capture_output=True, text=True, check=False)
        self.assertEqual(check.returncode, 0, check.stderr)

    def assertTakes(self, policy, block, ranks):
        for size, rule in ((block, True), (block * 4, False)):
            words = ["--collective", "alltoallv", "--ranks", str(ranks), "--ranks-per-node", str(ranks), "--max-block", str(size)]
            done = subprocess.run([SWITCHYARD, "explain", str(policy), *words], capture_output=True, text=True, check=True)
            self.assertEqual("otherwise: native" not in done.stdout, rule, done.stdout)

    def test_a_broken_guideline(self):
        found = self.diagnosis(*FEW, "--budget", "2m", code=1, slow="alltoall:1-1000000:10")
        self.assertEqual({one["collective"] for one in found["findings"]}, {"alltoall"})
        self.assertEqual({one["ranks"] for one in found["findings"]}, GROUPS)
        for one in found["findings"]:
            (reason,) = one["reasons"]
            self.assertEqual((reason["kind"], reason["beside"]), ("guideline", "MPI_Alltoallv with equal counts"))
            self.assertEqual(one["block_bytes"], [512, 1024, 2048, 4096, 8192, 16384])
            self.assertEqual(one["remedy"], "rule")

    def test_allgather_against_gather_and_bcast(self):
        found = self.diagnosis("--max-block", "512,1024", "--collective", "allgather", code=1, slow="allgather:1-1000000:10")
        self.assertEqual({reason["beside"] for one in found["findings"] for reason in one["reasons"]},
                         {"MPI_Allgatherv with equal counts", "MPI_Gather and MPI_Bcast"})

    def test_text_and_csv(self):
        words = ("--benchmark", self.benchmark("alltoallv:1000-5000:100"), "--collective", "alltoallv", *FEW, "--budget", "2m")
        text = self.doctor(*words, code=1)
        self.assertRegex(text, rf"(?m)^all ranks: {RANKS} ranks on 1 node, native's time of a call in us$")
        self.assertRegex(text, r"(?m)^ +4096 +[\d.]+\*$")
        self.assertRegex(text, r"(?m)^ +8192 +[\d.]+ *$")
        self.assertIn(f"\nalltoallv of {RANKS} ranks on 1 node, blocks of 1024 to 4096 bytes (all ranks)\n", text)
        self.assertRegex(text, r"(?m)^  cliff: [\d.]+ ms with 4096 bytes, [\d.]+ times as long as a call of 8192 bytes \(")
        self.assertRegex(text, r"(?m)^  a rule avoids it: \w+.*, 0\.\d\d of native's time under switchyard \(")
        policy = json.loads(text[text.index("\nthe policy:\n") + len("\nthe policy:\n"):])
        self.assertEqual(len(policy["rules"]), len(GROUPS))
        rows = list(csv.DictReader(io.StringIO(self.doctor(*words, "--format", "csv", code=1))))
        self.assertEqual(len(rows), 6 * len(GROUPS))
        self.assertEqual({row["block_bytes"] for row in rows if row["is_slow"] == "1"}, {"1024", "2048", "4096"})

    def test_no_time_for_a_rule(self):
        found = self.diagnosis(*FEW, "--budget", "1s", code=1, slow="alltoallv:1000-5000:100")
        self.assertEqual({one["remedy"] for one in found["findings"]}, {"no_time"})
        self.assertIsNone(found["policy"])


class Refused(Doctor):
    def test_one_rank(self):
        self.assertEqual(self.doctor(ranks=1, code=2),
                         "switchyard: the launcher starts one rank, but an exchange needs two\n")

    def test_a_launcher_that_fails(self):
        fails = self.script("launcher", "echo the queue is closed >&2\nexit 3\n")
        text = self.doctor("--mpi", MPI, launcher=fails, code=2)
        self.assertIn("the launcher ended with exit status 3", text)
        self.assertIn("the queue is closed", text)
        text = self.doctor("--mpi", MPI, launcher="/nowhere/mpirun", code=2)
        self.assertIn("/nowhere/mpirun", text)

    def test_a_launcher_that_starts_something_else(self):
        self.assertIn("the launcher did not run the benchmark", self.doctor("--mpi", MPI, launcher="echo", code=2))

    def test_no_benchmark(self):
        self.assertIn("--benchmark /nowhere is no program", self.doctor("--benchmark", "/nowhere", code=2))
        other = self.folder / "switchyard"
        shutil.copy(SWITCHYARD, other)
        done = subprocess.run([other, "doctor", "--mpi", MPI, "--launcher", "env"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("is not there, but it makes the measurements", done.stderr)

    def test_bad_words(self):
        self.assertIn("--budget soon is not a time", self.doctor("--budget", "soon", code=2))
        self.assertIn("there is no folder", self.doctor("-o", "nowhere/my.policy.json", code=2))
        done = subprocess.run([SWITCHYARD, "doctor", "--pulse"], capture_output=True, text=True, check=False)
        self.assertGreater(done.returncode, 100)
        self.assertIn("--pulse", done.stderr)

    def test_wrong_data(self):
        wrong = self.script("benchmark", f'{BENCHMARK} "$@" | sed \'s/"verified":true/"verified":false/\'\n')
        self.assertIn("received wrong data", self.doctor("--benchmark", wrong, "--collective", "alltoall", "--max-block", "8", code=2))

    def test_stopped(self):
        sleeps = self.script("launcher", f'test "$1" = --version && exit 0\ntouch {self.folder}/started\nexec sleep 60\n')
        with subprocess.Popen([SWITCHYARD, "doctor", "--mpi", MPI, "--launcher", sleeps], stderr=subprocess.PIPE, text=True,
                              env=ENVIRONMENT, cwd=self.folder) as doctor:
            while not (self.folder / "started").exists():
                time.sleep(0.02)
            doctor.send_signal(signal.SIGINT)
            _, text = doctor.communicate(timeout=30)
        self.assertEqual(doctor.returncode, 130, text)
        self.assertEqual(text, "switchyard: stopped; nothing is known about the MPI library\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
