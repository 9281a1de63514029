"""What the tests of faults share: the program of steps under attack, places to attack it in, and its log afterwards."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "preload"))

from harness import (DEFAULT_POLICY, FEW_RANKS, MPI, OPENMPI, SWITCHYARD, PreloadTest, Result,  # noqa: E402, F401
                     clean_environment, finish, client, launcher)

STEPS = client("c_steps")
SHARED = ("--force", "alltoallv:shared;alltoall:shared;allgather:shared")
MESSAGES = ("--force", "alltoallv:tuna:radix=2")
NATIVE = ("--force", "alltoallv:native")
POLICY = ("--policy", DEFAULT_POLICY)


def works(*command):
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=20).returncode == 0
    except OSError:
        return False


def can_mount():
    return works("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/dev/shm")


def in_shell(script):
    """A prefix that runs a command in a shell, behind a script that prepares its surroundings."""
    return ["sh", "-c", script + ' && exec "$@"', "sh"]


def with_own_mounts(script):
    """The same, where the script may mount."""
    return ["unshare", "-rm", *in_shell(script)]


class FaultTest(PreloadTest):
    _bare_results = {}

    def bare(self, np, *steps, around=(), inside=()):
        """The program of steps without the shim, once for each attack. Where the MPI does not bear the attack itself,
        nothing is compared."""
        key = (np, steps, tuple(around), tuple(inside))
        if key not in self._bare_results:
            command = [*around, *launcher(np, {}), *inside, STEPS, *steps]
            self._bare_results[key] = Result(*finish(command, clean_environment(), self.folder, 20), None)
        result = self._bare_results[key]
        if result.code != 0:
            self.skipTest(f"{MPI} itself does not run like this")
        return result

    def attacked(self, np, *steps, around=(), inside=(), options=NATIVE, log=None, timeout=30):
        """The program of steps under the shim. `around` stands before the launcher, `inside` before each rank."""
        self.jobs += 1
        log = log or self.path(f"logs-{self.jobs}")
        command = [*around, *launcher(np, {}), *inside, SWITCHYARD, "run", "--log", log, *options, "--", STEPS, *steps]
        return Result(*finish(command, clean_environment(), self.folder, timeout), log)

    def assert_as_bare(self, result, bare):
        """Right results, the bare exit code, one closing line, and at most one warning."""
        self.assertEqual(result.code, bare.code, result.everything())
        self.assertEqual((result.calls_made, result.digest), (bare.calls_made, bare.digest), result.everything())
        self.assertLessEqual(len(result.warnings), 1, result.everything())
        self.assertEqual(len(result.lines_of_ours), 1 + len(result.warnings), result.everything())

    def endure(self, np, *steps, **attack):
        """Runs the program bare and under the shim, under the same attack. It must end alike."""
        kind = {key: attack[key] for key in ("around", "inside") if key in attack}
        bare = self.bare(np, *steps, **kind)
        result = self.attacked(np, *steps, **attack)
        if result.code != bare.code:
            self.skip_if_chance_decides(np, *steps, **kind)
        self.assert_as_bare(result, bare)
        return result

    def skip_if_chance_decides(self, np, *steps, **kind):
        """An MPI bears some attacks at times: UCX without files in /dev/shm."""
        for _ in range(8):
            self._bare_results.clear()
            self.bare(np, *steps, **kind)

    def report(self, log):
        """What `switchyard report` says of a run, as JSON."""
        told = self.command("report", "--format", "json", log)
        self.assertEqual(told.code, 0, told.everything())
        return json.loads(told.stdout)

    def assert_whole(self, result):
        """The log has the run's end, and every call."""
        told = self.report(result.log())
        self.assertFalse(told["run"]["partial"], told)
        self.assertEqual(told["totals"]["calls"], result.calls_made, told)

    def assert_readable(self, result):
        """Every call is in the log or in the records that the run left. Returns what the report says."""
        told = self.report(result.log())
        self.assertEqual(told["totals"]["calls"], result.calls_made, told)
        return told
