"""Runs that end before their time: the log has every call that the program finished, once, and `switchyard report`
reads it. The kills come at random moments; SWITCHYARD_TEST_KILLS says how many of each kind (usually one)."""

import glob
import os
import random
import signal
import subprocess
import time
import unittest

from faults import MPI, STEPS, SWITCHYARD, FaultTest, clean_environment, client, launcher
from records import calls_of_rank, has_names

KILLS = int(os.environ.get("SWITCHYARD_TEST_KILLS", "1"))
RANKS = 2
CALLS = ("world:3", "self:4000") * 3
THREADS = ("world:3", "self:9000", "threads:2:50")
NOT_A_LOG = r"is no run's log|has neither calls.jsonl nor records"


class ViolentEnds(FaultTest):
    """Whatever was logged before is on disk, and `switchyard report` reads it, labelled partial."""

    def check(self, mode):
        result = self.launch(2, client("c_abort"), mode, 25, force="alltoallv:tuna:radix=2")
        self.assertIsInstance(result.code, int, result.everything())
        self.assertTrue(self.ends_bare(mode, result.code == 0), result.everything())
        self.assertEqual(result.calls_made, 25, result.everything())
        self.assertEqual(result.warnings, [], result.everything())
        report = self.command("report", result.log())
        self.assertEqual(report.code, 0, report.everything())
        self.assertRegex(report.stdout, "(?i)partial")
        # The last, half-made call may be there or not.
        self.assertRegex(report.stdout, r"\b(25|26) calls", report.everything())

    def ends_bare(self, mode, well):
        """Does the program end so without the shim? The launcher of MPICH 4.2 forgets a rank's exit code now and then."""
        return any((self.plain(2, client("c_abort"), mode, 25).code == 0) == well for _ in range(20))

    def test_abort(self):
        self.check("abort")

    def test_exit_without_finalize(self):
        self.check("exit")

    def test_quick_exit(self):
        self.check("_exit")

    def test_segmentation_fault(self):
        self.check("segv")

    def test_fatal_mpi_error(self):
        self.check("fatal")

    def test_kill(self):
        self.check("kill")

    def test_every_rank_leaves_without_finalize(self):
        self.check("leave")


class Notes:
    """What the ranks noted: the letter of every call that the program finished."""

    def __init__(self, folder):
        self.by_rank, self.processes = {}, []
        for path in glob.glob(os.path.join(folder, "noted.*")):
            _, rank, process = os.path.basename(path).split(".")
            with open(path, encoding="ascii") as file:
                self.by_rank[int(rank)] = file.read()
            self.processes.append(int(process))

    def finished(self, rank):
        """So many calls for each letter."""
        text = self.by_rank.get(rank, "")
        return {letter: text.count(letter) for letter in sorted(set(text) - set("FE"))}

    def calls(self):
        """The least number of calls that the log must have: those of MPI_COMM_SELF are each rank's own."""
        finished = [self.finished(rank) for rank in self.by_rank]
        shared = {letter for calls in finished for letter in calls} - {"s"}
        return (sum(calls.get("s", 0) for calls in finished) +
                sum(max(calls.get(letter, 0) for calls in finished) for letter in shared))


def last_note(path):
    """The newest letter; b"" before the first."""
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 1))
        return file.read(1)


class Kills(FaultTest):
    def job(self, steps):
        command = [*launcher(RANKS, {}), SWITCHYARD, "run", "--policy", self.native_policy(), "--log",
                   self.path("logs"), "--", STEPS, "note", *steps]
        return subprocess.Popen(command, env=clean_environment(), cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, start_new_session=True)

    def wait_for(self, moment, job):
        reached = {"start": lambda notes: True, "calls": any, "finalize": lambda notes: b"F" in notes or b"E" in notes}
        while job.poll() is None and not reached[moment]([last_note(path) for path in glob.glob(self.path("noted.*"))]):
            time.sleep(0.005)

    def kill(self, victims, job, dice):
        """One rank, all ranks, or the launcher."""
        processes = sorted(process for process in Notes(self.folder).processes if self.is_ours(process))
        if victims == "launcher":
            processes = [job.pid]
        elif victims == "one rank":
            processes = [dice.choice(processes)] if processes else []
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def is_ours(self, process):
        try:
            return os.readlink(f"/proc/{process}/exe") == os.path.realpath(STEPS)
        except OSError:
            return False

    def end(self, job):
        """Waits for the job, and for ranks that outlive their launcher."""
        try:
            job.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.kill("all ranks", job, None)
            os.killpg(job.pid, signal.SIGKILL)
            job.communicate()
            self.fail(f"the job of {MPI} did not end")
        deadline = time.time() + 20
        while any(self.is_ours(process) for process in Notes(self.folder).processes):
            if time.time() > deadline:
                self.kill("all ranks", job, None)
                self.fail("ranks outlive their launcher")
            time.sleep(0.01)

    def check_records(self, log, notes, in_flight):
        """Every rank's record files, without what `switchyard report` makes of them."""
        for rank in notes.by_rank:
            if not has_names(os.path.join(log, "ranks"), rank):
                continue
            calls = calls_of_rank(os.path.join(log, "ranks"), rank)
            for sequences in calls.values():
                self.assertEqual(sorted(sequences), list(range(1, len(sequences) + 1)))
            recorded = sorted(map(len, calls.values()))
            finished = sorted(notes.finished(rank).values())
            self.assertGreaterEqual(sum(recorded), sum(finished), (calls.keys(), notes.finished(rank)))
            self.assertLessEqual(sum(recorded), sum(finished) + in_flight)

    def check_log(self, in_flight):
        """The report has every finished call, and no more than those that were on their way."""
        notes = Notes(self.folder)
        logs = glob.glob(self.path("logs/*"))
        if not logs:
            self.assertEqual(notes.calls(), 0)
            return
        told = self.command("report", "--format", "json", logs[0])
        if told.code != 0:  # killed before there was anything to read
            self.assertRegex(told.stderr, NOT_A_LOG, told.everything())
            self.assertEqual(notes.calls(), 0)
            return
        told = self.report(logs[0])
        self.assertEqual(told["totals"]["unreadable_lines"], 0)
        self.assertGreaterEqual(told["totals"]["calls"], notes.calls())
        self.assertLessEqual(told["totals"]["calls"], notes.calls() + in_flight * RANKS)
        if told["run"]["partial"]:
            self.check_records(logs[0], notes, in_flight)

    def attack(self, victims, moment, seed):
        dice = random.Random(f"{MPI} {victims} {moment} {seed}")
        threads = dice.random() < 0.3
        steps = (THREADS if threads else CALLS) * (60 if moment == "calls" else 1)
        for name in os.listdir(self.folder):
            if name.startswith("noted."):
                os.remove(self.path(name))
        subprocess.run(["rm", "-rf", self.path("logs")], check=True)
        job = self.job(steps)
        self.wait_for(moment, job)
        time.sleep(dice.uniform(0, {"start": 0.8, "calls": 0.3, "finalize": 0.1}[moment]))
        self.kill(victims, job, dice)
        self.end(job)
        self.check_log(in_flight=2 if threads else 1)

    def check(self, victims, moments=("start", "calls", "finalize")):
        for moment in moments:
            for seed in range(KILLS):
                with self.subTest(moment=moment, seed=seed):
                    self.attack(victims, moment, seed)

    def test_one_rank(self):
        self.check("one rank")

    def test_all_ranks(self):
        self.check("all ranks")

    def test_the_launcher(self):
        """Open MPI's ranks go on for long without it, so usually not in the middle of many calls."""
        self.check("launcher", ("start", "finalize") if KILLS == 1 else ("start", "calls", "finalize"))


if __name__ == "__main__":
    unittest.main()
