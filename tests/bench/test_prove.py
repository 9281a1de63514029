"""Runs `switchyard prove` with programs of which it is known what they do. No test looks at a time."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

MPI = os.environ["SWITCHYARD_MPI"]
SWITCHYARD, CLIENTS = sys.argv.pop(1), Path(sys.argv.pop(1))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import mpi_families  # noqa: E402

FAMILY = mpi_families.families()[MPI]
RANKS = 2 if FAMILY.ranks_spin else 3
LAUNCHER = mpi_families.launcher(FAMILY, RANKS)
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SWITCHYARD")}
ENVIRONMENT.update(mpi_families.environment(), ASAN_OPTIONS="detect_leaks=0")
POLICY = """{ "version": 1, "rules": [{ "when": { "collective": "alltoall" }, "use": { "algorithm": "pairwise" } }],
  "otherwise": { "algorithm": "native" } }"""


class Prove(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="switchyard-test-prove-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def prove(self, *words, code=0, launcher=" ".join(LAUNCHER)):
        done = subprocess.run([SWITCHYARD, "prove", "--launcher", launcher, *words], capture_output=True, text=True, timeout=100,
                              check=False, env=ENVIRONMENT, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def script(self, text):
        """A program without MPI; `kind` is bare, native or policy."""
        file = self.write("script.sh", '#!/bin/sh\nkind=${SWITCHYARD_FORCE:+native}\nkind=${kind:-${LD_PRELOAD:+policy}}\nkind=${kind:-bare}\n' + text)
        os.chmod(file, 0o755)
        return file

    def logs(self, folder):
        return sorted(path.name for path in (self.folder / folder).iterdir())

    def report(self, *words):
        return subprocess.run([SWITCHYARD, "report", *words], capture_output=True, text=True, check=True, cwd=self.folder).stdout


class Programs(Prove):
    def test_the_default_policy(self):
        text = self.prove("--rounds", "2", "--log", "logs", "--", str(CLIENTS / "c_basic"))
        self.assertRegex(text, r"(?m)^round 1 of 2: \d+\.\d\d s without switchyard, \d+\.\d\d s all native, \d+\.\d\d s under the policy$")
        self.assertEqual(text.count("\nround "), 1)
        self.assertRegex(text, r"(?m)^wall time +[\d.]+ m?s +[\d.]+ m?s +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d  (faster|slower) in [12] of 2 pairs$")
        self.assertRegex(text, r"(?m)^in collectives +[\d.]+ [mu]?s +[\d.]+ [mu]?s ")
        self.assertRegex(text, r"(?m)^The program under the policy (may be (faster|slower)|is as often slower as faster): it takes ")
        routed, calls = map(int, re.search(r"(?m)^(\d+) of (\d+) calls of a run routed by .*default\.policy\.json$", text).groups())
        self.assertEqual(len(self.logs("logs/native")), 2)
        self.assertEqual(len(self.logs("logs/policy")), 2)
        for log in self.logs("logs/native"):
            self.assertIn("alltoallv:native", (self.folder / "logs/native" / log / "run.json").read_text())
            self.assertIn(f"{calls} calls, 0 routed", self.report(f"logs/native/{log}"))
        for log in self.logs("logs/policy"):
            self.assertIn(f"{calls} calls, {routed} routed", self.report(f"logs/policy/{log}"))
        self.assertGreater(routed, 0)
        self.assertIn("switchyard report logs/native logs/policy", text)
        self.assertIn("2 runs", self.report("logs/native", "logs/policy"))

    def test_a_policy_of_mine_and_a_folder_of_its_own(self):
        text = self.prove("--rounds", "1", "--policy", self.write("my.policy.json", POLICY), "--", str(CLIENTS / "c_basic"))
        self.assertRegex(text, r"(?m)^[1-9]\d* of \d+ calls of a run routed by .*my\.policy\.json$")
        (proof,) = self.logs("switchyard-proofs")
        self.assertRegex(proof, r"^c_basic\.\d{8}-\d{6}\.\d+$")
        self.assertRegex(self.report(f"switchyard-proofs/{proof}/policy"), r"(?m)^ +[ab] .* rule 1$")

    def test_a_script_of_two_programs(self):
        launcher = " ".join(LAUNCHER)
        both = self.script(f"{launcher} {CLIENTS}/c_basic && {launcher} {CLIENTS}/c_basic\n")
        self.prove("--rounds", "1", "--log", "logs", "--", both, launcher="env")
        self.assertEqual(len(self.logs("logs/policy")), 2)

    def test_results_are_compared(self):
        text = self.prove("--rounds", "1", "--same", "^c_basic", "--", "sh", "-c", f"echo c_basic $$ >&2; {CLIENTS}/c_basic; echo c_basic done")
        self.assertRegex(text, rf"(?m)^all 3 runs print the same ({RANKS}|\d+) lines$")


class InTurn(Prove):
    """What is wrong is said, and by programs without MPI, so that nothing else can go wrong."""

    def test_each_kind_goes_first_once(self):
        script = self.script('echo $kind >>kinds\ntest $(wc -l <kinds) -lt 9 && exec "$@"\nexit 3\n')
        text = self.prove("--log", "logs", "--", script, *LAUNCHER, str(CLIENTS / "c_basic"), code=1, launcher="env")
        kinds = (self.folder / "kinds").read_text().split()
        self.assertEqual(kinds, ["bare", "native", "policy", "native", "policy", "bare", "policy", "bare", "native"])
        self.assertIn("exit status 3", text)

    def test_other_results(self):
        text = self.prove("--same", "result", "--", self.script('echo the result of $kind\n'), code=1, launcher="env")
        self.assertIn("the run with all calls left to MPI of round 1 prints other results than the first run:", text)
        self.assertIn("the result of native", text)
        text = self.prove("--same", "result", "--", self.script('test $kind = native || echo the result\n'), code=1, launcher="env")
        self.assertIn("prints other results than the first run: lines are missing", text)

    def test_no_such_lines(self):
        text = self.prove("--same", "result", "--", self.script("echo nothing\n"), code=1, launcher="env")
        self.assertIn("prints no line that --same finds", text)

    def test_a_program_that_fails_under_switchyard_alone(self):
        text = self.prove("--", self.script("test $kind = bare && exit 0\necho how sad >&2\nexit 3\n"), code=1, launcher="env")
        self.assertIn("ended well without switchyard, but under it with all calls left to MPI ended with exit status 3", text)
        self.assertIn("how sad", text)

    def test_a_program_that_fails_anyway(self):
        text = self.prove("--", self.script("exit 3\n"), code=1, launcher="env")
        self.assertIn("script.sh without switchyard ended with exit status 3", text)

    def test_a_program_without_mpi(self):
        self.assertIn("wrote no log under switchyard", self.prove("--", self.script(""), code=1, launcher="env"))

    def test_no_such_program(self):
        self.assertIn("no-such-program", self.prove("--", "./no-such-program", code=1, launcher="env"))
        self.assertIn("could not be started", self.prove("--", "true", code=1, launcher="./no-such-launcher"))

    def test_options_that_cannot_be(self):
        self.assertIn("--same [ is no regular expression", self.prove("--same", "[", "--", "true", code=1))
        self.assertIn("my.policy.json:1", self.prove("--policy", self.write("my.policy.json", "{ 7 }"), "--", "true", code=1))
        self.assertIn("none.json", self.prove("--policy", "none.json", "--", "true", code=1))
        (self.folder / "logs/native").mkdir(parents=True)
        self.assertIn("--log logs has logs of an earlier proof", self.prove("--log", "logs", "--", "true", code=1))
        self.assertFalse((self.folder / "switchyard-proofs").exists())

    def test_somebody_stops_it(self):
        script = self.script("echo $$ >pid\nsleep 60\n")
        with subprocess.Popen([SWITCHYARD, "prove", "--launcher", "env", "--", script], stderr=subprocess.PIPE, text=True,
                              env=ENVIRONMENT, cwd=self.folder) as process:
            while not (self.folder / "pid").exists() or not (self.folder / "pid").read_text():
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn("stopped; nothing is proved", said)
        self.assertFalse(Path("/proc", (self.folder / "pid").read_text().strip()).exists(), "the program runs on")


unittest.main(verbosity=2)
