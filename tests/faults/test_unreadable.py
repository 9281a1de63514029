"""Ranks whose memory no other process may read: programs that users may run but not read, containers without the
right to trace, a setting of the system. An MPI still tries with messages of 4 KiB or more. Open MPI then says so on
stderr, and UCX, below MPICH, ends the job. The program's own messages are shorter, and so have to be ours."""

import os
import shutil
import unittest

from faults import (FEW_RANKS, NATIVE, OPENMPI, POLICY, SHARED, STEPS, SWITCHYARD, FaultTest, Result, clean_environment,
                    finish, launcher, works)

# Records of 10,000 calls, of many communicators, of communicators of one rank each: the end of a run tells
# them all.
MANY = ("world:3000", "comms:60:50", "self:4000")
FEWER = ("world:1000", "comms:10:50", "self:1000")
# Open MPI reads its neighbours' memory, as it does by itself. (The harness has it do without.)
READS = ("env", "OMPI_MCA_btl_vader_single_copy_mechanism=cma")
# UCX finds its neighbours' files by their /proc, which an unreadable process closes: the bare job would not
# start.
BY_NAME = (*READS, "UCX_POSIX_USE_PROC_LINK=n")
AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all")


class Unreadable(FaultTest):
    def assert_closing_line_alone(self, result):
        self.assertEqual(result.stderr.splitlines(), [result.closing_line], result.everything())

    def check(self, np, *steps, inside=READS, options=(NATIVE, SHARED, POLICY)):
        for option in options:
            with self.subTest(ranks=np, options=option):
                result = self.endure(np, *steps, inside=inside, options=option, timeout=120)
                self.assert_closing_line_alone(result)
                self.assert_logged(result)
                self.assert_whole(result)

    def test_two_ranks(self):
        self.check(2, "unreadable", *MANY)

    def test_more_ranks(self):
        self.check(FEW_RANKS, "unreadable", *FEWER)

    def test_from_the_start(self):
        """What the ranks tell each other in MPI_Init, too: the default policy alone has 5 KB."""
        self.check(2, "before:unreadable", *MANY, inside=BY_NAME)

    @unittest.skipUnless(OPENMPI, "ranks that spin would take minutes")
    def test_many_ranks(self):
        """What each says of itself is more than a message has room for."""
        self.check(52, "before:unreadable", "world:5", "comms:2:5", "self:100", inside=BY_NAME, options=(POLICY,))

    def test_shared_memory(self):
        """The ranks hand each other their files, as nobody may take them. Then long blocks, too, need no message."""
        steps = ("before:unreadable", "world:20", "long:100000:20")
        result = self.attacked(2, *steps, inside=BY_NAME, options=SHARED)
        self.assert_ended_well(result)
        self.assert_closing_line_alone(result)
        self.assertEqual({line["algorithm"] for line in self.assert_logged(result)}, {"shared"})

    def test_a_program_that_may_be_run_but_not_read(self):
        program = self.path("c_steps")
        shutil.copy2(STEPS, program)
        os.chmod(program, 0o711)
        os.chmod(self.folder, 0o777)
        if os.geteuid() != 0 or not works(*AS_NOBODY, SWITCHYARD, "--version"):
            self.skipTest("needs root, to run a job as another user, who can reach the build")
        for option in (NATIVE, SHARED, POLICY):
            with self.subTest(options=option):
                log = self.path("logs" + option[1].replace("/", "-"))
                command = [*AS_NOBODY, *launcher(2, {}), *BY_NAME, SWITCHYARD, "run", "--log", log, *option, "--",
                           program, *MANY]
                environment = dict(clean_environment(), HOME=self.folder, TMPDIR=self.folder,
                                   OMPI_MCA_orte_tmpdir_base=self.folder)
                result = Result(*finish(command, environment, self.folder, 120), log)
                self.assert_ended_well(result)
                self.assert_closing_line_alone(result)
                self.assert_logged(result)


if __name__ == "__main__":
    unittest.main()
