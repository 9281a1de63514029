#!/usr/bin/env python3
"""Jobs of Slurm, with `switchyard run` and with the plug-in for `srun --switchyard`. ctest gives the MPI and the folders
in the environment, as for tests/preload. Where no Slurm can be started, the tests count as skipped."""

import os
import re
import shutil
import signal
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "preload"))

import slurm  # noqa: E402
from harness import MPI, OPENMPI, OUTPUT, SHIM, SWITCHYARD, PreloadTest, Result, clean_environment, client  # noqa: E402

PLUGIN = os.path.join(OUTPUT, "lib", "slurm", "switchyard.so")
CLUSTER = None  # set before the tests run
# Open MPI's ranks on two daemons of one machine do not find each other.
PMI, SHAPE, RANKS = ("pmix", ("-N", "1", "-n", "2"), 2) if OPENMPI else ("pmi2", ("-N", "2", "-n", "2"), 2)
PRINT = ("/bin/sh", "-c", 'echo "preload=$LD_PRELOAD policy=$SWITCHYARD_POLICY log=$SWITCHYARD_LOG"')
NOTHING = "preload= policy= log="


class SlurmTest(PreloadTest):
    """A test whose jobs run in its folder."""

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.log = self.path("logs")
        environment = {name: value for name, value in clean_environment().items() if name != "LD_PRELOAD"}
        self.environment = dict(environment, SLURM_CONF=CLUSTER.environment["SLURM_CONF"])

    def run_command(self, *words, **settings):
        done = CLUSTER.command(*words, cwd=self.folder, environment=dict(self.environment, **settings))
        return Result(done.returncode, done.stdout, done.stderr, self.log)

    def srun(self, *words, **settings):
        return self.run_command("srun", *words, **settings)

    def batch(self, *lines, options=(), first=()):
        """A script of these lines. Its output has both stdout and stderr."""
        script = self.write("script", "\n".join(["#!/bin/sh", *(f"#SBATCH {line}" for line in first), *lines, ""]))
        submitted = self.run_command("sbatch", "--wait", "--output", self.path("out"), *SHAPE, *options, script)
        self.assertEqual(submitted.code, 0, submitted.everything())
        with open(self.path("out"), encoding="utf-8") as file:
            said = file.read()
        return Result(submitted.code, said, said, self.log)

    def assert_refused(self, result, sentence):
        self.assertNotEqual(result.code, 0, result.everything())
        self.assertIn(f"error: switchyard: {sentence}", result.stderr)
        self.assertNotIn("preload=", result.stdout)

    def policy(self):
        rule = {"name": "of this test", "when": {"collective": "alltoallv"}, "use": {"algorithm": "pairwise"}}
        return self.write("policy.json", {"version": 1, "rules": [rule], "otherwise": {"algorithm": "native"}})

    def assert_three_calls(self, result):
        """The ranks found each other, and called under our policy."""
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual([(line["rule"], line["ranks"]) for line in self.assert_logged(result)],
                         [("of this test", RANKS)] * 3)

    def require_pmi(self):
        listed = self.srun("--mpi=list")
        if not re.search(rf"\b{PMI}\b", listed.stdout + listed.stderr):
            self.skipTest(f"this Slurm starts no ranks of {MPI}: it has no --mpi={PMI}")


APP = (client("c_route"), "alltoallv:100:3")


class Run(SlurmTest):
    """`switchyard run` before the program."""

    def command_line(self):
        return (SWITCHYARD, "run", "--policy", self.policy(), "--log", self.log, "--", *APP)

    def test_srun(self):
        self.require_pmi()
        self.assert_three_calls(self.srun(f"--mpi={PMI}", *SHAPE, *self.command_line()))

    def test_sbatch(self):
        self.require_pmi()
        self.assert_three_calls(self.batch(" ".join(["srun", f"--mpi={PMI}", *self.command_line()])))


@unittest.skipUnless(os.path.exists(PLUGIN), "no plug-in was built: slurm/spank.h was missing")
class PlugIn(SlurmTest):
    def test_srun(self):
        """No variable but Slurm's own and HOME reaches the ranks. (Open MPI 5 does not start without HOME.)"""
        self.require_pmi()
        self.policy()
        options = ("--switchyard=policy.json", f"--switchyard-log={self.log}")
        result = self.srun(f"--mpi={PMI}", *SHAPE, "--export=HOME", *options, *APP)
        self.assert_three_calls(result)

    def test_every_rank_has_it_and_other_objects_stay(self):
        result = self.srun("-N", "2", "-n", "4", "--switchyard", *PRINT, LD_PRELOAD="libm.so.6")
        self.assertEqual(result.stdout.splitlines(), [f"preload={SHIM}:libm.so.6 policy= log="] * 4)

    def test_programs_with_a_sanitizer(self):
        """Theirs needs not be the first object, and one that is preloaded first stays first."""
        words = ("/bin/sh", "-c", 'echo "$LD_PRELOAD $ASAN_OPTIONS"')
        result = self.srun("-n", "1", "--switchyard", *words, ASAN_OPTIONS="color=never")
        self.assertEqual(result.stdout, f"{SHIM} verify_asan_link_order=0:color=never\n", result.everything())
        runtime = self.path("libasan.so.8")  # by its name
        shutil.copy2(client("stub_back_end.so"), runtime)
        result = self.srun("-n", "1", "--switchyard", *words, LD_PRELOAD=f"{runtime}:libm.so.6")
        self.assertEqual(result.stdout, f"{runtime}:{SHIM}:libm.so.6 verify_asan_link_order=0\n", result.everything())

    def test_without_the_option(self):
        result = self.srun("-N", "2", "-n", "2", *PRINT)
        self.assertEqual(result.stdout.splitlines(), [NOTHING] * 2)

    def test_wrong_use_is_refused_at_submission(self):
        invalid = self.write("invalid.json", {"version": 1, "rules": [], "otherwise": {"algorithm": "tuna_"}})
        for command, program in (("srun", PRINT), ("salloc", PRINT), ("sbatch", ("--wrap", "true"))):
            with self.subTest(command=command):
                missing = self.run_command(command, "--switchyard=missing.json", *program)
                self.assert_refused(missing, f"{self.path('missing.json')}: there is no such file")
                self.assert_refused(self.run_command(command, "--switchyard=invalid.json", *program),
                                    f"{invalid}:1: /otherwise/algorithm: ")

    def test_log_alone(self):
        result = self.srun("-n", "1", "--switchyard-log=here", *PRINT)
        self.assertEqual(result.stdout.splitlines(), [NOTHING], result.everything())
        self.assertIn("--switchyard-log does nothing without --switchyard", result.stderr)

    def test_sbatch(self):
        """The option is for each srun of the script, not for the script itself. `off` ends it for one srun. A policy
        that vanishes after the submission harms nothing."""
        policy = self.policy()
        words = " ".join(["/bin/sh", "-c", f"'{PRINT[2]}'"])
        result = self.batch(words, f"srun -N1 -n1 {words}", f"srun -N1 -n1 --switchyard=off {words}",
                            f"rm {policy}", f"srun -N1 -n1 {words}",
                            first=[f"--switchyard={policy}", "--switchyard-log=here"])
        routed = f"preload={SHIM} policy={policy} log=here"
        # On busy cores srun may have to wait for the step before it, and says so.
        lines = [line for line in result.stdout.splitlines() if not line.startswith("srun: ")]
        self.assertEqual(lines, [NOTHING, routed, NOTHING, routed])

    def test_salloc(self):
        words = " ".join(["/bin/sh", "-c", f"'{PRINT[2]}'"])
        result = self.run_command("salloc", *SHAPE, "--switchyard", "sh", "-c", f"{words}; srun -n1 -N1 {words}")
        self.assertEqual(result.stdout.splitlines(), [NOTHING, f"preload={SHIM} policy= log="], result.everything())

    def test_other_launchers_in_a_job(self):
        """They start daemons by srun, but not the ranks of their own node. So no rank gets switchyard from the job."""
        launcher = "mpirun.openmpi --oversubscribe" if OPENMPI else "mpiexec.mpich"
        words = " ".join(["/bin/sh", "-c", f"'{PRINT[2]}'"])
        result = self.batch(f"{launcher} -n 4 {words}", options=["--switchyard", "-N", "2", "-n", "4"])
        printed = [line for line in result.stdout.splitlines() if line.startswith("preload=")]  # launchers talk, too
        self.assertEqual(printed, [NOTHING] * 4)

    def test_without_the_library(self):
        """A plug-in that was copied away from its installation refuses; where the library is gone when the job runs, no
        rank starts."""
        with CLUSTER.with_plugin(shutil.copy(PLUGIN, self.folder)):
            self.assert_refused(self.srun("-n", "1", "--switchyard", *PRINT), "")
            result = self.srun("-n", "1", *PRINT, SLURM_SWITCHYARD="on")
            self.assert_refused(result, "the program is not started: ")


def main():
    global CLUSTER
    signal.signal(signal.SIGTERM, lambda signum, _: sys.exit(128 + signum))
    try:
        with slurm.Cluster(PLUGIN if os.path.exists(PLUGIN) else None) as CLUSTER:
            unittest.main(verbosity=2)
    except slurm.Impossible as why:
        print(f"skipped: no Slurm can be started here: {why}")
        sys.exit(slurm.SKIPPED)


if __name__ == "__main__":
    main()
