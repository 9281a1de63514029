"""Runs `switchyard tune`: with a launcher that answers with prepared times, so that every choice is known beforehand, and with
the real launcher, where the assertions hold on any machine. No test looks at a time."""

import json
import os
import resource
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
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import mpi_families  # noqa: E402

FAMILY = mpi_families.families()[MPI]
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SWITCHYARD")}
ENVIRONMENT.update(mpi_families.environment(), ASAN_OPTIONS="detect_leaks=0")
RANKS = 2 if FAMILY.ranks_spin else 3


class Tune(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="switchyard-test-tune-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.output = self.folder / "my.policy.json"
        self.journal = self.folder / "my.policy.json.tuning"

    def command(self, *words):
        return [SWITCHYARD, "tune", "-o", str(self.output), *map(str, words)]

    def tune(self, *words, code=0, **how):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=100, check=False,
                              env=ENVIRONMENT, cwd=self.folder, **how)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("terminate called", done.stderr)
        return done

    def policy(self):
        check = subprocess.run([SWITCHYARD, "check", str(self.output)], capture_output=True, text=True, check=False)
        self.assertEqual(check.returncode, 0, check.stderr)
        return json.loads(self.output.read_text())

    def journaled(self):
        lines = [json.loads(line) for line in self.journal.read_text().splitlines()]
        return lines[0], [line for line in lines if "candidate" in line]

    def launches(self):
        return (self.folder / "launches").read_text().splitlines()

    def stand_in(self, **answers):
        file = self.folder / "answers.json"
        file.write_text(json.dumps({"log": str(self.folder / "launches"), **answers}))
        return ["--launcher", f"{HERE / 'stand_in.py'} {file}", "--mpi", MPI]


class Prepared(Tune):
    """The choices, and the failures."""

    GRID = ("--collective", "alltoall", "--max-block", "8,64,512")

    def test_chooses_the_fastest_and_merges(self):
        launcher = self.stand_in(times={"pairwise": 5, "spread_out": 6, "pairwise@alltoall/512": 11,
                                        "spread_out@alltoall/512": 6})
        done = self.tune(*launcher, *self.GRID)
        rules = self.policy()["rules"]
        self.assertEqual([rule["use"]["algorithm"] for rule in rules], ["pairwise", "spread_out"])
        self.assertEqual([rule["when"]["max_block_bytes"] for rule in rules],
                         [{"max": 181}, {"min": 182, "max": 512}])
        self.assertEqual(rules[0]["when"]["ranks"], {"min": 8, "max": 8})
        self.assertIn("0.50 of native's time at 8 bytes", rules[0]["because"])
        self.assertIn("everything included", rules[0]["because"])
        self.assertIn("Stand-in MPI 1.0", rules[0]["because"])
        self.assertIn("2 rules, otherwise native", done.stdout)
        self.assertIn(str(self.journal), done.stdout)
        self.assertFalse(list(self.folder.glob("*.trial")) + list(self.folder.glob("*.new")))

    def predicted(self, *words, code=0, **answers):
        """Of a machine whose messages cost nothing but latency: the model wants few rounds."""
        machine = self.folder / "mine.json"
        machine.write_text('{"switchyard_machine": 1, "name": "mine", "network": {"latency_us": 1, "overhead_us": 1, '
                           '"pair_bytes_per_us": 1000}}')
        return self.tune("--predict", "--machine", machine, *self.stand_in(nodes=2, **answers), "--collective", "allgather",
                         "--max-block", "8,64", *words, code=code)

    def test_predicted_rules_that_hold(self):
        done = self.predicted(default_time=5)
        rules = self.policy()["rules"]
        self.assertGreater(len(rules), 0)
        for rule in rules:
            self.assertIn("0.50 of native's time", rule["because"])
            self.assertIn("Predicted for mine. Measured 2026-01-02", rule["because"])
            self.assertIn("everything included", rule["because"])
            self.assertEqual(rule["when"]["ranks"], {"min": 8, "max": 8})
        self.assertIn("the model had rules for 2 points, and under the launcher 2 held", done.stdout)
        self.assertFalse(self.journal.exists() or list(self.folder.glob("*.trial")))
        self.assertFalse([line for line in self.launches()[1:] if "--policy" not in line])  # measures no candidates

    def test_a_predicted_rule_that_loses_is_dropped(self):
        done = self.predicted(default_time=20)
        self.assertEqual(self.policy()["rules"], [])
        self.assertIn("the model had rules for 2 points, and under the launcher 0 held", done.stdout)

    def test_a_failed_proof_writes_no_policy(self):
        done = self.predicted(default_time=5, fail_after=1, code=1)
        self.assertIn("node 7 is on fire", done.stderr)
        self.assertFalse(self.output.exists() or list(self.folder.glob("*.trial")))

    def test_what_loses_from_the_first_call_on_goes(self):
        """400 calls are measured, and save 2000 us."""
        for first, figures in ((1500, ["0.87"]), (2500, [])):
            with self.subTest(first=first):
                self.output = self.folder / f"{first}.json"
                done = self.tune(*self.stand_in(times={"pairwise": 5}, first_routed=first), "--collective", "alltoall",
                                 "--max-block", "8")
                self.assertEqual(len(self.policy()["rules"]), len(figures), done.stdout)
                for rule, figure in zip(self.policy()["rules"], figures):
                    self.assertIn(f"; {figure} for all calls from the first on)", rule["because"])
                    self.assertRegex(done.stdout, rf"0\.50 .* {figure}  pairwise")

    def test_native_is_best(self):
        self.tune(*self.stand_in(), *self.GRID)
        self.assertEqual(self.policy()["rules"], [])

    def test_smaller_communicators(self):
        self.tune(*self.stand_in(times={"pairwise": 5}), "--collective", "alltoall", "--max-block", "8", "--ranks", "4,8")
        (rule,) = self.policy()["rules"]
        self.assertEqual(rule["when"]["ranks"], {"min": 4, "max": 8})
        self.assertTrue(any("--communicator-ranks 4 " in line for line in self.launches()))

    def test_alltoallv_whose_agreement_eats_the_gain(self):
        self.tune(*self.stand_in(times={"spread_out@alltoallv/8": 8, "agreement": 5}), "--collective", "alltoallv",
                  "--max-block", "8,64")
        self.assertEqual(self.policy()["rules"], [])

    def test_alltoallv_that_needs_no_agreement(self):
        self.tune(*self.stand_in(times={"spread_out": 8, "agreement": 5}), "--collective", "alltoallv", "--max-block", "8,64")
        (rule,) = self.policy()["rules"]
        self.assertEqual(rule["use"], {"algorithm": "spread_out"})
        self.assertNotIn("max_block_bytes", rule["when"])

    def test_what_is_slower_under_the_shim_goes(self):
        answers = {"times": {"pairwise@alltoall/64": 5, "spread_out@alltoall/512": 5},
                   "native_routed": {"alltoall/8": 14}}
        self.tune(*self.stand_in(**answers), *self.GRID)
        # Native beside these rules takes 14 us instead of 10, and nothing stands in for it: no rules.
        self.assertEqual(self.policy()["rules"], [])

    def test_something_stands_in_for_native_beside_rules(self):
        answers = {"times": {"pairwise@alltoall/64": 5, "pairwise@alltoall/8": 10.1, "pairwise@alltoall/512": 20},
                   "native_routed": {"alltoall/8": 14}}
        self.tune(*self.stand_in(**answers), *self.GRID)
        (rule,) = self.policy()["rules"]
        self.assertEqual(rule["when"]["max_block_bytes"], {"max": 181})

    def test_dry_run(self):
        done = self.tune(*self.stand_in(), "--dry-run", *self.GRID)
        self.assertIn("3 points", done.stdout)
        self.assertIn("at most", done.stdout)
        self.assertFalse(self.output.exists() or self.journal.exists())
        self.assertEqual(len(self.launches()), 1)  # to count the ranks

    def test_a_launcher_that_fails_in_the_middle_and_is_repaired(self):
        done = self.tune(*self.stand_in(times={"pairwise": 5}, fail_after=2), *self.GRID, code=1)
        self.assertIn("exit status 3", done.stderr)
        self.assertIn("node 7 is on fire", done.stderr)
        self.assertIn("no policy was written", done.stderr)
        self.assertIn(str(self.journal), done.stderr)
        self.assertFalse(self.output.exists())
        _, before = self.journaled()
        self.assertEqual({line["max_block_bytes"] for line in before}, {8, 64})
        done = self.tune(*self.stand_in(times={"pairwise": 5}), *self.GRID)
        self.assertIn(f"goes on from {len(before)} measurements", done.stdout)
        _, after = self.journaled()
        self.assertEqual(after[:len(before)], before)
        first_pass = [(line["candidate"], line["max_block_bytes"]) for line in after if line["pass"] == 1]
        self.assertEqual(len(first_pass), len(set(first_pass)))  # nothing was measured twice
        self.assertEqual(len(self.policy()["rules"]), 1)

    def test_stop_and_resume(self):
        command = self.command(*self.stand_in(times={"pairwise": 5}, hang_after=1), *self.GRID)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
                              cwd=self.folder) as running:
            until = time.monotonic() + 30
            while time.monotonic() < until and not (self.journal.exists() and '"candidate"' in self.journal.read_text()):
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=30)
        self.assertEqual(running.returncode, 130, said)
        self.assertIn("stopped", said)
        self.assertIn(str(self.journal), said)
        self.assertFalse(self.output.exists())
        self.assertIn("goes on from", self.tune(*self.stand_in(times={"pairwise": 5}), *self.GRID).stdout)
        self.assertEqual(len(self.policy()["rules"]), 1)

    def test_a_journal_of_something_else(self):
        self.tune(*self.stand_in(), *self.GRID)
        before = self.journal.read_bytes()
        done = self.tune(*self.stand_in(), "--collective", "alltoall", "--max-block", "8", code=1)
        self.assertIn("another grid", done.stderr)
        done = self.tune(*self.stand_in(nodes=2), *self.GRID, code=1)
        self.assertIn("nodes 1, and here it is 2", done.stderr)
        self.assertEqual(self.journal.read_bytes(), before)

    def test_a_disk_that_fills(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        done = self.tune(*self.stand_in(times={"pairwise": 5}), *self.GRID, code=1, preexec_fn=small_files)
        self.assertIn("cannot write", done.stderr)
        self.assertRegex(done.stderr, r"no policy was written; .*\.tuning has \d+ measurements, and the same command goes on")
        self.tune(*self.stand_in(times={"pairwise": 5}), *self.GRID)  # the torn line is skipped
        self.assertEqual(len(self.policy()["rules"]), 1)

    def test_refusals(self):
        good = self.stand_in()
        silent = self.folder / "silent"
        silent.write_text("#!/bin/sh\necho hello\n")
        silent.chmod(0o755)
        for words, message in (((*good, "--budget", "soon"), "90s, 3m or 1h30m"),
                               ((*good, "--budget", "0.1s"), "too small"),
                               ((*good, "--ranks", "9"), "the launcher starts 8 ranks"),
                               ((*good, "--collective", "bcast"), "bcast"),
                               (("--launcher", "no-such-launcher -n 2"), "could not be started: no-such-launcher"),
                               (("--launcher", str(silent)), "say it with --mpi"),
                               (("--launcher", str(silent), "--mpi", MPI), 'it printed "hello"'),
                               (("--launcher", "false", "--mpi", MPI), "exit status 1"),
                               (("--simulate", "atlantis"), "no platform atlantis")):
            with self.subTest(words=words):
                done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=60, check=False,
                                      env=ENVIRONMENT, cwd=self.folder)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(message, done.stderr)
                self.assertFalse(self.output.exists() or self.journal.exists())
        self.output = self.folder / "no" / "such" / "folder.json"
        self.assertIn("no folder", self.tune(*good, code=1).stderr)
        self.assertFalse((self.folder / "launches").read_text().count("alltoallv"))  # nothing was measured

    def test_without_the_benchmark(self):
        alone = self.folder / "bin" / "switchyard"
        alone.parent.mkdir()
        shutil.copy(SWITCHYARD, alone)
        done = subprocess.run([str(alone), *self.command(*self.stand_in())[1:]], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"switchyard-bench-{MPI} is not there", done.stderr)


class OfALog(Tune):
    """A log that was written by hand."""

    def log(self, *calls):
        """A call: block, microseconds."""
        folder = self.folder / "log"
        folder.mkdir()
        (folder / "run.json").write_text(json.dumps({"switchyard": "1.0.0", "complete": True, "program": "app", "ranks": 8, "wall_s": 9,
                                                     "hosts": [{"host": "here", "ranks": 8}], "started": "2026-01-02T03:04:05+0000"}))
        with open(folder / "calls.jsonl", "w", encoding="utf-8") as file:
            for seq, (block, us) in enumerate([call for call in calls for _ in range(10)], 1):
                file.write(json.dumps({
                    "call": seq, "comm": "world", "seq": seq, "collective": "alltoall", "binding": "c", "ranks": 8, "nodes": 1,
                    "ranks_per_node": 8, "max_block_bytes": block, "sent_bytes": {"min": 0, "mean": 7 * block, "max": 7 * block},
                    "buffer": "host", "in_place": False, "algorithm": "native", "parameters": {}, "rule": None, "reason": "otherwise",
                    "time_us": {"min": us, "mean": us, "max": us, "slowest_rank": 1}, "messages": 0, "wire_bytes": 0,
                    "phases_us": {"agree": 0, "stage": 0, "exchange": us}, "begin_us": 1000 * seq}) + "\n")
        return str(folder)

    def test_the_rule_of_a_cliff_is_named(self):
        log = self.log((8, 9000), (4096, 100))
        done = self.tune(*self.stand_in(times={"pairwise@alltoall/8": 5}), "--from", log)
        self.assertRegex(done.stdout, r"(?m)^cliff of alltoall, 8 ranks, up to 8 B, native: 90 times as long as calls of up to 4 KiB; "
                                      r'rule 1 ".*" runs 10 calls with pairwise$')

    def test_a_cliff_without_a_rule(self):
        done = self.tune(*self.stand_in(), "--from", self.log((8, 9000), (4096, 100)))
        self.assertRegex(done.stdout, r"(?m)^cliff of alltoall, 8 ranks, up to 8 B, native: .*; no rule changes these calls\. ")

    def test_no_cliff(self):
        done = self.tune(*self.stand_in(times={"pairwise": 5}), "--from", self.log((8, 90), (4096, 100)))
        self.assertNotIn("cliff", done.stdout)


class ForAProgram(Tune):
    """Records, tunes and proves. The times are prepared, and the program is real."""

    PROGRAM = str(CLIENTS / "c_basic")

    def words(self, program=PROGRAM, **answers):
        launcher = mpi_families.launcher(FAMILY, RANKS)
        return [*self.stand_in(real_launcher=launcher, **answers), "--rounds", "1", "--program", program]

    def test_records_tunes_and_proves(self):
        words = self.words(times={"pairwise": 5})
        done = self.tune(*words)
        self.assertIn("c_basic once to record its calls", done.stdout)
        self.assertIn("pairwise", {rule["use"]["algorithm"] for rule in self.policy()["rules"]})
        self.assertEqual({rule["when"]["ranks"]["min"] for rule in self.policy()["rules"]} - {2, RANKS}, set())
        self.assertRegex(done.stdout, r"(?m)^in collectives +[\d.]+ [mu]?s +[\d.]+ [mu]?s ")
        self.assertRegex(done.stdout, r"(?m)^[1-9]\d* of \d+ calls of a run routed by .*my\.policy\.json$")
        self.assertEqual(len(list(self.folder.glob("my.policy.json.runs/proof.*/policy/c_basic.*"))), 1)
        programs = [line for line in self.launches() if "c_basic" in line]
        self.assertEqual([("--force alltoallv:native;alltoall:native;" in line, "--policy" in line) for line in programs],
                         [(True, False), (False, False), (True, False), (False, True)])
        again = self.tune(*words)
        self.assertIn("c_basic is recorded in", again.stdout)
        self.assertEqual(len([line for line in self.launches() if "c_basic" in line]), 7)

    def test_no_rule_no_proof(self):
        done = self.tune(*self.words())
        self.assertEqual(self.policy()["rules"], [])
        self.assertIn("no algorithm is faster than MPI's own in the calls of this program", done.stdout)
        self.assertEqual(len([line for line in self.launches() if "c_basic" in line]), 1)

    def test_a_program_that_fails(self):
        done = self.tune(*self.words(program="sh -c \"echo how sad >&2; exit 3\""), code=1)
        self.assertIn("how sad", done.stderr)
        self.assertIn("without switchyard ended with exit status 3", done.stderr)
        self.assertFalse(self.output.exists())
        done = self.tune(*self.words(program="sh -c \"test -z $LD_PRELOAD\""), code=1)
        self.assertIn("ended well without switchyard, but under it ended with exit status 1", done.stderr)
        self.assertIn("wrote no log", self.tune(*self.words(program="true"), code=1).stderr)

    def test_another_program_with_the_same_policy(self):
        self.tune(*self.words(times={"pairwise": 5}))
        done = self.tune(*self.words(program=self.PROGRAM + " more"), code=1)
        self.assertIn("has the recorded run of another program or launcher", done.stderr)

    def test_a_dry_run_runs_no_program(self):
        done = self.tune(*self.words(), "--dry-run")
        self.assertIn("the program would run once", done.stdout)
        self.assertFalse([line for line in self.launches() if "c_basic" in line])

    def test_not_with_a_log_or_a_grid(self):
        for words in (["--from", "logs"], ["--max-block", "8"], ["--simulate", "polaris"]):
            done = subprocess.run(self.command("--program", "true", *words), capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("--program", done.stderr)


class Real(Tune):
    """The benchmark itself, under its launcher."""

    def launcher(self):
        return ["--launcher", f"mpirun.{MPI} -n {RANKS}"]

    def test_a_valid_policy_of_measured_things(self):
        self.tune(*self.launcher(), "--budget", "15s", "--max-block", "16,4096")
        head, measured = self.journaled()
        self.assertEqual((head["ranks"], head["nodes"], head["ranks_per_node"]), (RANKS, 1, RANKS))
        self.assertTrue(any(word in head["mpi"] for word in FAMILY.library_says), head["mpi"])
        for collective in ("alltoallv", "alltoall", "allgather"):
            for block in (16, 4096):
                there = {line["candidate"] for line in measured
                         if line["collective"] == collective and line["max_block_bytes"] == block}
                self.assertGreater(len(there), 3, (collective, block))
        for rule in self.policy()["rules"]:
            use = dict(rule["use"])
            name = ":".join([use.pop("algorithm"), *(f"{key}={value}" for key, value in use.items())])
            self.assertIn((rule["when"]["collective"], name),
                          {(line["collective"], line["candidate"]) for line in measured})
            self.assertEqual(rule["when"]["ranks"], {"min": RANKS, "max": RANKS})
            self.assertIn("of native's time at", rule["because"])

    def test_smaller_communicators(self):
        self.tune(*self.launcher(), "--budget", "15s", "--max-block", "16", "--collective", "allgather", "--ranks", "2")
        _, measured = self.journaled()
        self.assertEqual({line["ranks"] for line in measured}, {2})

    def test_the_launchers_own_complaint(self):
        done = self.tune("--launcher", f"mpirun.{MPI} --no-such-option", "--mpi", MPI, code=1)
        self.assertIn("no-such-option", done.stderr)


@unittest.skipUnless(shutil.which("smpirun") and (Path(SWITCHYARD).parent / "switchyard-bench-smpi").exists(), "SimGrid")
class Simulated(Tune):
    def test_sixteen_ranks(self):
        words = ("--simulate", "polaris", "--ranks", "16", "--ranks-per-node", "4", "--collective", "alltoallv", "--max-block",
                 "16")
        self.tune(*words)
        first = self.policy()
        head, measured = self.journaled()
        self.assertEqual((head["platform"], head["ranks"], head["nodes"]), ("polaris", 16, 4))
        self.assertLess(len(measured), 60)
        for rule in first["rules"]:
            self.assertIn("Simulated on polaris", rule["because"])
            self.assertEqual(rule["when"]["nodes"], {"min": 4, "max": 4})
        self.journal.unlink()
        self.tune(*words)
        self.assertEqual(self.policy(), first)  # a simulation repeats itself


unittest.main(verbosity=2)
