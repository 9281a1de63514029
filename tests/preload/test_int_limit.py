"""Numbers that come near the end of an int: a line on stderr at once, a mark in the log, a sentence in the report."""

import os
import unittest

from harness import FEW_RANKS, PreloadTest, client, client_exists

RANKS = 3
ROUTED = "alltoallv:spread_out;alltoall:pairwise"


class NearTheLimit(PreloadTest):
    def run_near(self, what, force=None, ranks=RANKS, calls=1, **more):
        result = self.launch(ranks, client("c_int_limit"), what, str(calls), force=force, timeout=120, **more)
        self.assert_ended_well(result)
        return result

    def assert_said_once(self, result, *words):
        self.assertEqual(len(result.warnings), 1, result.everything())
        for word in words:
            self.assertIn(word, result.warnings[0])
        self.assertIn("From 2^31 on an int turns negative", result.warnings[0])

    def assert_marked(self, result, words, force):
        """The log's mark, its file, and the report's sentences."""
        self.assert_said_once(result, *words)
        for line in self.assert_logged(result):
            self.assertIs(line.get("near_int_limit"), True, line)
            self.assertEqual(line["algorithm"] == "native", force is None, line)
        with open(os.path.join(result.log(), "int_limit.txt"), encoding="utf-8") as file:
            self.assertEqual("switchyard: warning: " + file.read(), result.warnings[0] + "\n")
        report = self.command("report", result.log())
        self.assertIn("Calls near the end of 32-bit counts", report.stdout)
        self.assertIn(words[0], " ".join(report.stdout.split()))

    def assert_silent(self, result):
        self.assert_quiet(result)
        for line in self.assert_logged(result):
            self.assertNotIn("near_int_limit", line)
        self.assertFalse(os.path.exists(os.path.join(result.log(), "int_limit.txt")))

    def test_displacement(self):
        """On the last rank alone, which is not the rank that speaks otherwise."""
        for force in (None, ROUTED):
            with self.subTest(force=force):
                result = self.run_near("displacement", force)
                self.assert_marked(result, [f"rank {RANKS - 1}: MPI_Alltoallv on {RANKS} ranks passes a displacement of",
                                            "on the receive side (50% of 2^31)"], force)

    def test_count(self):
        """Of items without bytes: a count, not bytes, turns negative."""
        for force in (None, ROUTED):
            for what, function in (("count", "MPI_Alltoallv"), ("equal", "MPI_Alltoall")):
                with self.subTest(force=force, what=what):
                    result = self.run_near(what, force)
                    self.assert_marked(result, [f"{function} on {RANKS} ranks passes a count of 1,073,741,824"], force)

    def test_bytes(self):
        for force in (None, ROUTED):
            with self.subTest(force=force):
                result = self.run_near("bytes", force, ranks=2)
                self.assert_marked(result, ["MPI_Alltoallv on 2 ranks passes a count of 1,073,741,824"], force)

    def test_each_call_is_marked_and_one_is_said(self):
        result = self.run_near("displacement", calls=3)
        self.assert_marked(result, ["passes a displacement"], None)
        self.assertEqual(len(result.calls()), 3)
        result = self.run_near("count", calls=3, settings={"SWITCHYARD_DETAIL": "summary"})
        self.assert_said_once(result, "passes a count")
        (line,) = result.calls("summary.jsonl")
        self.assertEqual((line["calls"], line.get("near_int_limit")), (3, True))

    def test_ranks_mark_what_they_pass(self):
        result = self.run_near("displacement", settings={"SWITCHYARD_DETAIL": "ranks"})
        marks = [[line.get("near_int_limit", False) for line in result.calls(f"rank-{rank}.jsonl")] for rank in range(RANKS)]
        self.assertEqual(marks, [[False], [False], [True]])

    def test_a_number_less_is_silent(self):
        for force in (None, ROUTED):
            with self.subTest(force=force):
                self.assert_silent(self.run_near("below", force, ranks=FEW_RANKS))

    def test_displacements_below_zero_are_legal(self):
        for force in (None, ROUTED):
            with self.subTest(force=force):
                self.assert_silent(self.run_near("low", force))

    def test_large_counts_are_safe(self):
        if not client_exists("c_large_count"):
            self.skipTest("this MPI has no functions with large counts")
        self.assert_silent(self.run_near("wide", ranks=2))

    def test_negative_count(self):
        """MPI refuses it, so no line of the log stands for the call."""
        result = self.run_near("negative")
        self.assert_said_once(result, f"rank {RANKS - 1}: MPI_Alltoallv on 1 rank passes a negative count, -2,147,483,648 for rank 0")
        report = self.command("report", result.log())
        self.assertIn("passes a negative count", " ".join(report.stdout.split()))

    def test_a_mistaken_count_is_mpis_to_report(self):
        self.assert_silent(self.run_near("mistaken"))

    def test_quiet_settings(self):
        result = self.run_near("displacement", settings={"SWITCHYARD_VERBOSE": "error"})
        self.assertEqual(result.lines_of_ours, [], result.everything())
        self.assertIs(result.calls()[0].get("near_int_limit"), True)

    def test_without_a_log(self):
        """Of all ranks that find the same, rank 0 says it."""
        result = self.run_near("equal", ROUTED, calls=2, log="off")
        self.assert_said_once(result, "rank 0: MPI_Alltoall on 3 ranks passes a count")


if __name__ == "__main__":
    unittest.main()
