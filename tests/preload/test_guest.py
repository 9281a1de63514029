"""The shim is a guest: threads, forks, children, other tools, errors and violent ends are as they are without it."""

import os
import re
import subprocess
import unittest

from harness import FEW_RANKS, MPI, OPENMPI, PYTHON, SHIM, PreloadTest, clean_environment, host, host_exists

FORCE = "alltoallv:tuna:radix=2;alltoall:zero_rotation_bruck;allgather:bruck"


class Guest(PreloadTest):
    def check(self, np, program, *arguments, force=FORCE, **options):
        """Ends well, the same as plain, every call in the log. Returns result and lines."""
        plain = self.plain_once(np, program, *arguments)
        result = self.launch(np, program, *arguments, force=force, **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual(result.digest, plain.digest)
        return result, self.assert_logged(result)

    def test_threads(self):
        for threads in (2, 4):
            with self.subTest(threads=threads):
                _, lines = self.check(2, host("c_threads"), threads, 40)
                self.assertEqual(len({line["comm"] for line in lines}), threads)
                self.assertEqual({line["reason"] for line in lines}, {"forced"})

    def test_communicators_in_a_loop(self):
        """Two hundred of them, routed: no growth beyond noise, and each is a communicator of its own in the log."""
        result, lines = self.check(FEW_RANKS, host("c_comms"), 200)
        self.assertLess(int(re.search(r"rss_growth_kb=(-?\d+)", result.stdout).group(1)), 1500, result.stdout)
        self.assertGreaterEqual(len({line["comm"] for line in lines}), 200)

    def test_communicators_with_shared_memory_in_a_loop(self):
        force = "alltoallv:shared;alltoall:shared;allgather:shared"
        _, lines = self.check(FEW_RANKS, host("c_comms"), 100, force=force)
        self.assertGreaterEqual(sum(line["algorithm"] == "shared" for line in lines), 100)

    def test_communicator_ids_do_not_leak(self):
        """MPICH has about two thousand ids: three thousand loops end early if one in two leaks."""
        self.check(2, host("c_comms"), 3000, 500, timeout=150)

    def test_intercommunicators(self):
        for np in (2, 3):
            with self.subTest(ranks=np):
                _, lines = self.check(np, host("c_intercomm"))
                self.assertEqual({line["algorithm"] for line in lines}, {"native"})
                self.assertTrue(all("intercommunicator" in line["reason"] for line in lines), lines[0])

    def test_forks_and_children(self):
        self.check(2, host("c_fork"))

    def test_forks_and_children_under_raw_preload(self):
        """LD_PRELOAD reaches the ranks' children, too; LD_BIND_NOW makes each of them resolve everything at once."""
        result = self.launch(2, host("c_fork"), preload=[SHIM], force=FORCE, exported={"LD_BIND_NOW": "1"})
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assert_logged(result)

    def test_programs_without_mpi(self):
        environment = dict(clean_environment(), LD_PRELOAD=SHIM, LD_BIND_NOW="1")
        for command, code in ((["/bin/true"], 0), (["/bin/bash", "-c", "echo hello; exit 3"], 3),
                              ([PYTHON, "-c", "import os, sys; os.fork() or os._exit(0); sys.exit(4)"], 4)):
            with self.subTest(command=command[0]):
                done = subprocess.run(command, env=environment, capture_output=True, cwd=self.folder, timeout=20)
                self.assertEqual((done.returncode, done.stderr), (code, b""))
        self.assertEqual(os.listdir(self.folder), [])

    def test_library_internal_calls_are_not_ours(self):
        """ROMIO gathers and exchanges inside MPI_File_write_all: none of it is the application's."""
        exported = {"OMPI_MCA_io": "romio321"} if OPENMPI else {}
        result = self.launch(2, host("c_io"), self.path("data"), force=FORCE, exported=exported)
        self.assert_ended_well(result)
        self.assertEqual(result.calls(), [])
        self.assert_closing(result, 0)

    def test_plugin_in_a_local_scope(self):
        self.check(2, host("c_plugin_host"), host("c_plugin.so"))

    @unittest.skipUnless(host_exists("c_sessions"), f"{MPI} has no sessions")
    def test_sessions_only(self):
        plain = self.plain(2, host("c_sessions"))
        result = self.launch(2, host("c_sessions"), force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [], result.everything())
        self.assertEqual(result.digest, plain.digest)
        # Without MPI_Init there is no moment at which all ranks could merge their records: the report does it.
        report = self.command("report", result.log())
        self.assertEqual(report.code, 0, report.everything())
        self.assertRegex(report.stdout, rf"\b{result.calls_made} calls")

    def test_errors_are_the_library_s(self):
        """Bad arguments: class, handler calls and everything after them as without the shim. How many of the failed
        calls the log counts is left open; all the right ones are there."""
        for force in (None, FORCE):
            with self.subTest(force=force):
                result = self.launch(2, host("c_errors"), force=force)
                self.assert_ended_well(result)
                self.assertEqual(result.warnings, [], result.everything())
                self.assertGreaterEqual(len(result.calls()), result.calls_made)

    def test_finalize_in_an_exit_handler(self):
        """It runs after static objects are gone, if those were made after it was registered."""
        self.check(3, host("c_odd_ends"), "exit_handler")

    @unittest.skipUnless(OPENMPI, "Debian's MPICH cannot spawn here, with or without us")
    def test_communicators_with_strangers(self):
        """Spawned processes have no shim in front of them: waiting for their answer would be for ever."""
        result = self.launch(2, host("c_odd_ends"), "spawn", force=FORCE, timeout=40)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        reasons = sorted(line["reason"] for line in result.calls())
        self.assertEqual(reasons, ["forced", "intercommunicator"] + ["ranks of another job"] * 3)

    def test_types_of_fortran_and_of_large_counts(self):
        _, lines = self.check(3, host("c_odd_ends"), "types")
        self.assertEqual({line["reason"] for line in lines}, {"forced"})

    def test_wrong_counts(self):
        """The rank that expects too little hears of it; the others are not left waiting, and nothing is overrun. (Not
        compared with the plain run: Open MPI's own call does worse than that.)"""
        for algorithm in ("spread_out", "pairwise", "scattered:block_count=1", "tuna:radix=2",
                          "tuna:radix=2:metadata=separate", "tuna:radix=3"):
            for mode in ("truncate", "truncate_own"):
                with self.subTest(algorithm=algorithm, mode=mode):
                    result = self.launch(4, host("c_odd_ends"), mode, force=f"alltoallv:{algorithm}", timeout=40)
                    self.assert_ended_well(result)
                    self.assertEqual({line["reason"] for line in self.assert_logged(result)}, {"forced"})

    def test_record_names_that_a_cleaner_took(self):
        """Files that lie about for long may be tidied away; the run still ends, and its log is whole."""
        _, lines = self.check(2, host("c_odd_ends"), "cleaned")
        self.assertEqual({line["reason"] for line in lines}, {"forced"})

    @unittest.skipUnless(host_exists("fftw_transform"), "no FFTW for this MPI")
    def test_fftw(self):
        plain = self.plain(4, host("fftw_transform"), 5)
        result = self.launch(4, host("fftw_transform"), 5, force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(result.digest, plain.digest)
        lines = result.calls()
        self.assertEqual(len(lines), 10)
        self.assertEqual({line["reason"] for line in lines}, {"forced"})

    def test_off_is_off(self):
        result = self.launch(2, host("c_basic"), settings={"SWITCHYARD": "off"}, force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(result.lines_of_ours, [], result.everything())
        self.assertEqual(result.logs, [])
        self.assertFalse(os.path.exists(self.path("switchyard-logs")))

    def test_log_off(self):
        result = self.launch(2, host("c_basic"), log="off", force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [])
        self.assertFalse(os.path.exists(self.path("off")))
        self.assertFalse(os.path.exists(self.path("switchyard-logs")))


class OtherTools(PreloadTest):
    def tool_calls(self, result):
        found = re.search(r"pmpi_tool: calls=(\d+)", result.stderr)
        self.assertIsNotNone(found, result.everything())
        return int(found.group(1))

    def test_tool_above_takes_the_calls(self):
        """A classic tool before us calls PMPI_: nothing reaches us, which must be said, once."""
        result = self.launch(2, host("c_basic"), preload=[host("c_pmpi_tool.so"), SHIM], force=FORCE)
        self.assert_ended_well(result)
        self.assertEqual(self.tool_calls(result), result.calls_made)
        self.assertEqual(len(result.warnings), 1, result.everything())
        self.assertIn("c_pmpi_tool", result.warnings[0])

    def test_tool_below_still_sees_native_calls(self):
        result = self.launch(2, host("c_basic"), preload=[SHIM, host("c_pmpi_tool.so")])
        self.assert_ended_well(result)
        self.assert_logged(result)
        self.assertEqual(self.tool_calls(result), result.calls_made)

    def test_tool_below_with_routed_calls(self):
        plain = self.plain(2, host("c_basic"))
        result = self.launch(2, host("c_basic"), preload=[SHIM, host("c_pmpi_tool.so")], force=FORCE)
        self.assert_ended_well(result)
        self.assert_logged(result)
        self.assertEqual(result.digest, plain.digest)

    @unittest.skipUnless(host_exists("c_static"), "no static library of this MPI")
    def test_static_program(self):
        plain = self.plain(2, host("c_static"))
        result = self.launch(2, host("c_static"))
        self.assert_ended_well(result)
        self.assertEqual(result.digest, plain.digest)
        self.assertEqual(len(result.lines_of_ours), 1, result.everything())


class ViolentEnds(PreloadTest):
    """Whatever was logged before is on disk, and `switchyard report` reads it, labelled partial."""

    def check(self, mode):
        plain = self.plain(2, host("c_abort"), mode, 25)
        result = self.launch(2, host("c_abort"), mode, 25, force="alltoallv:tuna:radix=2")
        self.assertIsInstance(result.code, int, result.everything())
        self.assertEqual(result.code == 0, plain.code == 0, result.everything())
        self.assertEqual(result.calls_made, 25, result.everything())
        self.assertEqual(result.warnings, [], result.everything())
        report = self.command("report", result.log())
        self.assertEqual(report.code, 0, report.everything())
        self.assertRegex(report.stdout, "(?i)partial")
        # The last, half-made call may be there or not.
        self.assertRegex(report.stdout, r"\b(25|26) calls", report.everything())

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


if __name__ == "__main__":
    unittest.main()
