"""The random oracle itself: it notices every kind of harm, a replay is the same program, and the driver reads the log."""

import json
import os
import subprocess
import unittest

import stress_job
import stress_settings
from faults import FEW_RANKS, SWITCHYARD, FaultTest, clean_environment, finish, client, launcher

PROGRAM = client("c_stress")
# What the program's line says of it. Whoever writes to a send buffer may get a signal.
HARMS = {"byte": r"received: block of rank \d+", "swap": r"received: block of rank \d+", "stale": r"received: block of rank \d+",
         "before": "received: byte -?\\d+, which belongs to no block", "hole": "received: byte -?\\d+, which belongs to no block",
         "sent": "(send buffer, which should be as it was|, signal 11)", "hang": "^HANGS", "crash": "^CRASHED.*, signal 11"}


class Oracle(FaultTest):
    def stress(self, *options, exported=None, ranks=FEW_RANKS, preload=None):
        environment = clean_environment()
        if preload:
            environment["LD_PRELOAD"] = ":".join(filter(None, [preload, environment.get("LD_PRELOAD")]))
        command = [*launcher(ranks, exported or {}), PROGRAM, *options]
        return finish(command, environment | (exported or {}), self.folder, 100)

    def test_harm(self):
        for harm, line in HARMS.items():
            with self.subTest(harm=harm):
                code, said, errors = self.stress("seed=1", "steps=2000", "hang=6", "grace=1", exported={"HARM": harm},
                                                 preload=client("c_harm.so"))
                self.assertNotEqual(code, 0, said)
                lines = [one for one in said.splitlines() if one.startswith(stress_job.TROUBLE) and " rank=1 " in one]
                self.assertNotEqual(lines, [], said + errors)
                self.assertRegex(lines[0], line)

    def test_without_harm(self):
        code, said, errors = self.stress("seed=1", "steps=150", preload=client("c_harm.so"))
        self.assertEqual(code, 0, said + errors)
        self.assertRegex(said, r"(?m)^ok calls=\d+ made=\d+ structure=")

    def test_replay(self):
        """The same again with the same seed, whatever the times, and with another seed something else."""
        said = [self.stress(f"seed={seed}", "steps=120", f"delays={delays}")[1].splitlines()[-1]
                for seed, delays in ((5, 1), (5, 1), (5, 0), (6, 1))]
        self.assertTrue(said[0].startswith("ok "), said)
        self.assertEqual(said[0], said[1])
        self.assertEqual(said[0], said[2])
        self.assertNotEqual(said[0], said[3])


class Driver(FaultTest):
    def test_settings_follow_from_the_seed(self):
        """And all kinds of them come."""
        rounds = [stress_settings.draw(SWITCHYARD, seed, [2, 3, 4], stress_settings.KINDS, True) for seed in range(60)]
        self.assertEqual(rounds[7], stress_settings.draw(SWITCHYARD, 7, [2, 3, 4], stress_settings.KINDS, True))
        self.assertEqual({one.kind for one in rounds}, set(stress_settings.KINDS))
        for name in ("SWITCHYARD_FORCE", "SWITCHYARD_RANKS_PER_NODE", "SWITCHYARD_SHARED_BYTES", "SWITCHYARD_DETAIL"):
            self.assertGreater(len({one.settings.get(name) for one in rounds}), 3, name)
        forced = "".join(one.settings.get("SWITCHYARD_FORCE", "") for one in rounds)
        for name in ("direct_from", "intra=shared", "radix", "in_place"):
            self.assertIn(name, forced)
        policies = json.dumps([one.policy for one in rounds])
        for name in ("max_block_bytes", "in_place", "direct_from", "memory_limit_bytes"):
            self.assertIn(name, policies)

    def play(self, detail):
        round_ = stress_settings.Round(seed=3, kind="default", ranks=2, settings={"SWITCHYARD_DETAIL": detail})
        command, environment = stress_job.command_of(round_, {"steps": 60}, self.folder)
        job = stress_job.Job(command, environment, self.folder, 100).run()
        self.assertEqual(stress_job.complaints(job, round_, self.folder), [], job.errors)
        return job, round_

    def test_a_line_too_few(self):
        """A log that lacks a call, or has one twice, or in another order, is a failure."""
        for detail, name in (("calls", "calls.jsonl"), ("summary", "summary.jsonl"), ("ranks", "rank-1.jsonl")):
            with self.subTest(detail=detail):
                job, round_ = self.play(detail)
                path = self.folder_of_log(name)
                with open(path, encoding="utf-8") as file:
                    lines = file.readlines()
                for harmed in (lines[1:], lines + lines[-1:]):
                    with open(path, "w", encoding="utf-8") as file:
                        file.writelines(harmed)
                    self.assertNotEqual(stress_job.complaints(job, round_, self.folder), [])
                subprocess.run(["rm", "-r", self.path("logs")], check=True)

    def folder_of_log(self, name):
        logs = self.path("logs")
        return os.path.join(logs, os.listdir(logs)[0], name) if os.path.exists(logs) else None

    def test_a_failure_fails(self):
        """The driver's exit code, and the line to do it again with."""
        stress = os.path.join(os.path.dirname(stress_job.__file__), "stress")
        words = [stress, "--ranks", "2", "--policies", "off", "--seed", "11", "--rounds", "2", "--program"]
        for program, line in (("nonsense=1", "1 rounds, 0 calls, 1 failures"), ("steps=10", r"2 rounds, \d+ calls, 0 failures")):
            environment = {**os.environ, "TMPDIR": self.folder}
            done = subprocess.run([*words, program], env=environment, capture_output=True, text=True, check=False)
            failed = program == "nonsense=1"
            self.assertEqual(done.returncode, failed, done.stdout + done.stderr)
            self.assertRegex(done.stdout, line)
            self.assertEqual(" --ranks 2 --policies off --seed 11 --rounds 1;" in done.stdout, failed, done.stdout)


if __name__ == "__main__":
    unittest.main()
