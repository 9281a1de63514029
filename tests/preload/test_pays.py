"""What a program pays beside its calls: page faults, and collectives of ours, each of which is a wait for all ranks."""

import re
import unittest

from harness import DEFAULT_POLICY, FEW_RANKS, SHIM, PreloadTest, client

COUNTER = client("c_count_collectives.so")


class Pays(PreloadTest):
    def paid(self, np, *words, bare=False, settings=None):
        """By part of the run: a dict of faults and collectives."""
        if bare:
            result = self.plain(np, client("c_pays"), *words, exported={"LD_PRELOAD": COUNTER})
        else:
            result = self.launch(np, client("c_pays"), *words, policy=DEFAULT_POLICY, settings=settings,
                                 preload=[COUNTER, SHIM])
        self.assert_ended_well(result)
        found = re.findall(r"(?m)^(\w+) faults=(\d+) collectives=(\d+)$", result.stdout)
        self.assertEqual(len(found), 5, result.everything())
        return {part: {"faults": int(faults), "collectives": int(collectives)} for part, faults, collectives in found}

    def test_ranks_meet_few_times(self):
        for np in (2, FEW_RANKS):
            bare = self.paid(np, 4, bare=True)
            for log in ("on", "off"):
                with self.subTest(ranks=np, log=log):
                    paid = self.paid(np, 4, settings={"SWITCHYARD_LOG": "off"} if log == "off" else None)
                    self.assertEqual(bare["start"]["collectives"] + bare["end"]["collectives"], 0)
                    # A communicator, two broadcasts of orders, a vote; the hosts for the log. And two on a communicator
                    # of this rank alone.
                    self.assertEqual(paid["start"]["collectives"], 7 if log == "on" else 6)
                    # The ranks introduce themselves, and vote.
                    self.assertEqual(paid["first"]["collectives"], 2)
                    self.assertEqual(paid["hundredth"]["collectives"], 0)
                    # Two sums. The others for the log go in messages, and no rank spins for them.
                    self.assertEqual(paid["end"]["collectives"], 2)

    def test_memory_is_there_before_it_is_used(self):
        """Page faults above those of the bare MPI. The pages of a hundred calls are there after the first ones. A system may
        take a page away at any time, so the run with the fewest faults counts."""
        for size in (4, 4096, 16384):
            with self.subTest(bytes=size):
                bare = self.paid(2, size, bare=True)
                runs = [self.paid(2, size, settings={"SWITCHYARD_LOG": "off"}) for _ in range(3)]
                self.assertLessEqual(min(paid["hundredth"]["faults"] for paid in runs), 0)
                self.assertLessEqual(min(paid["calls"]["faults"] for paid in runs), bare["calls"]["faults"] + 100)


if __name__ == "__main__":
    unittest.main()
