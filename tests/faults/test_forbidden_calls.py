"""System calls that a filter forbids, as in containers: the program goes on, with right results and a whole log, and
nobody says a word."""

import unittest

from faults import NATIVE, POLICY, SHARED, FaultTest, client, in_shell

SHORT = ("world:30", "comms:3:20", "self:500")
LONG = "long:100000:10"
THREADS = "threads:2:20"
ERRORS = ("ENOSYS", "EPERM")
# UCX, below MPICH, ends a job with long messages where it may not read its neighbours' memory, unless it is
# told not to. The harness tells Open MPI.
TOLD = ("env", "UCX_TLS=self,posix")


class ForbiddenCalls(FaultTest):
    def check(self, *steps, inside=(), options=(NATIVE, SHARED, POLICY), shared=True):
        """`shared`: whether calls of several ranks go through memory that they share where they should."""
        for option in options:
            with self.subTest(steps=steps, inside=inside, options=option):
                result = self.endure(2, *steps, inside=inside, options=option, timeout=60)
                self.assertEqual(result.stderr.splitlines(), [result.closing_line], result.everything())
                lines = self.assert_logged(result)
                self.assert_whole(result)
                meant = [line for line in lines if line["ranks"] > 1 and self.is_meant(line, option)]
                expected = "shared" if shared and option != NATIVE else "native"
                self.assertEqual({line["algorithm"] for line in meant}, {expected})

    @staticmethod
    def is_meant(line, option):
        """NATIVE forces one collective only."""
        return option != NATIVE or line["collective"] == "alltoallv"

    def test_to_read_a_neighbours_memory(self):
        for error in ERRORS:
            forbid = (client("c_forbid"), "process_vm_readv", error)
            self.check(*SHORT, THREADS, inside=forbid)
            self.check(*SHORT, LONG, inside=(*TOLD, *forbid))

    def test_to_read_a_neighbours_memory_from_some_moment_on(self):
        """The communicator has read blocks in this way before."""
        for error in ERRORS:
            self.check("long:3000000:3", f"forbid:process_vm_readv:{error}", "long:3000000:3", inside=TOLD,
                       options=(SHARED, POLICY))

    def test_files_without_a_name(self):
        """Then nobody shares memory: the calls go to the MPI."""
        for error in ERRORS:
            self.check(*SHORT, LONG, THREADS, inside=(client("c_forbid"), "memfd_create", error), shared=False)

    def test_files_without_a_name_on_one_rank(self):
        for error in ERRORS:
            forbid = f'set -- {client("c_forbid")} memfd_create {error} "$@"'
            one = in_shell(f'if [ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 1 ]; then {forbid}; fi')
            self.check(*SHORT, LONG, inside=one, shared=False)

    def test_to_write_where_the_loader_has_written(self):
        """Before the first call that is routed. MPI_Init opens the MPI's own plug-ins, which takes this call."""
        for error in ERRORS:
            self.check(f"forbid:mprotect:{error}", *SHORT, LONG)


if __name__ == "__main__":
    unittest.main()
