"""Groups that meet and part again and again: intercommunicators of all kinds, merged ones, and calls on the world between
them. As without the shim, and every call is in the log."""

import collections
import os
import re
import unittest

from harness import DEFAULT_POLICY, FEW_RANKS, MPI, OPENMPI, SWITCHYARD, PreloadTest, client

FORCE = "alltoallv:tuna:radix=2;alltoallw:tuna:radix=2;alltoall:zero_rotation_bruck;allgather:bruck;allgatherv:bruck"
SHARED = "alltoallv:shared;alltoallw:shared;alltoall:shared;allgather:shared;allgatherv:shared"
EQUIPMENT = ({"force": FORCE}, {"force": SHARED}, {"policy": DEFAULT_POLICY})
INTER, STRANGERS = "intercommunicator", "ranks of another job"

# Of each turn of c_dynamic, all five collectives so often on:
BETWEEN, ON_MERGED, ON_WORLD = 3, 2, 2
LIMIT = 150  # of seconds


class Dynamic(PreloadTest):
    def bare(self, np, *arguments):
        """The run to compare with. Skips where the MPI itself cannot do that here."""
        plain = self.until_spawned(lambda: self.plain(np, client("c_dynamic"), *arguments, timeout=LIMIT))
        if plain.code != 0:
            said = [line for line in plain.stderr.splitlines() if "not supported" in line or "rror" in line]
            self.skipTest(f"the bare {MPI} cannot: {said[-1] if said else plain.code}")
        self.assert_ended_well(plain)
        return plain

    @staticmethod
    def until_spawned(run):
        """Open MPI 4.1.4 itself hangs in one spawn of some dozen, on a busy machine."""
        for _ in range(6):
            result = run()
            if "MPI_Comm_spawn does not end" not in result.stdout:
                break
        return result

    def check(self, plain, np, *arguments, equipment):
        """Returns how many calls were left to MPI for which reason, and the lines that were not."""
        result = self.until_spawned(lambda: self.launch(np, client("c_dynamic"), *arguments, timeout=LIMIT, **equipment))
        self.assert_ended_well(result)
        self.assertEqual(result.digest, plain.digest)
        self.assertEqual(result.calls_made, plain.calls_made)
        lines = self.assert_logged(result)
        reasons = collections.Counter(line["reason"] for line in lines)
        return result, reasons, [line for line in lines if line["reason"] not in (INTER, STRANGERS)]

    def check_one_job(self, mode, turns, np):
        plain = self.bare(np, mode, turns)
        for equipment in EQUIPMENT:
            with self.subTest(mode=mode, **equipment):
                result, reasons, others = self.check(plain, np, mode, turns, equipment=equipment)
                self.assert_quiet(result)
                self.assertEqual(reasons[INTER], 5 * turns * BETWEEN)
                self.assertEqual(reasons[STRANGERS], 0)
                if "force" in equipment:
                    self.assertNotIn("native", {line["algorithm"] for line in others if line["ranks"] > 1})

    def test_intercommunicators_of_the_world(self):
        """In the end more turns than MPICH has communicators for a process, if it lost four in each."""
        self.check_one_job("create", 8, FEW_RANKS)
        plain = self.bare(2, "create", 500)
        result, _, _ = self.check(plain, 2, "create", 500, equipment={"force": FORCE})
        self.assert_quiet(result)

    def test_ports(self):
        self.check_one_job("connect", 5, 3)

    def test_spawned_processes(self):
        """They have no shim in front of them: waiting for their answer would be for ever."""
        turns, np = 4, 2
        plain = self.bare(np, "spawn", turns)
        for equipment in EQUIPMENT:
            with self.subTest(**equipment):
                result, reasons, others = self.check(plain, np, "spawn", turns, equipment=equipment)
                self.assert_quiet(result)
                self.assertEqual(reasons[INTER], 5 * turns * BETWEEN)
                # As c_dynamic.c counts its turns: parts of both jobs, and the merged ranks once more.
                self.assertEqual(reasons[STRANGERS], 5 * sum(ON_MERGED + (2 if turn % 2 == 0 else 0) + (turn % 4 >= 2)
                                                             for turn in range(turns)))
                self.assertEqual(len(others), 5 * sum(ON_WORLD + turn % 2 for turn in range(turns)))
                if "force" in equipment:
                    self.assertEqual({line["reason"] for line in others}, {"forced"})
                    self.assertNotIn("native", {line["algorithm"] for line in others})

    def test_spawned_processes_under_switchyard(self):
        """Both jobs have the shim, and each its own run and log."""
        turns = 3
        self.bare(2, "spawn", 1)

        def run():
            nonlocal logs
            logs = self.path(f"spawned-{self.jobs}")
            command = (SWITCHYARD, "run", "--log", logs, "--force", FORCE, "--")
            return self.launch(2, client("c_dynamic"), "spawn", turns, *command, force=FORCE, timeout=LIMIT)

        logs = ""
        result = self.until_spawned(run)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [], result.everything())
        self.assertEqual(len(result.calls()), result.calls_made, result.everything())
        spawned = sorted(int(calls) for calls in re.findall(r"(?m)^spawned calls=(\d+)", result.stdout))
        closing = re.findall(rf"(?m)^switchyard: (\d+) calls seen, \d+ routed, log in {re.escape(logs)}", result.stderr)
        self.assertEqual(len(spawned), turns)
        self.assertEqual(sorted(map(int, closing)), spawned, result.everything())
        self.assertEqual(len(os.listdir(logs)), turns)


if __name__ == "__main__":
    unittest.main()
