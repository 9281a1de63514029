"""Exchanges in one buffer: MPI_IN_PLACE, and what MPI does not offer, send and receive blocks that overlap. The client
program checks every byte; here it is asserted what took the calls, and that none did where nobody asked."""

import re
import unittest

from harness import FEW_RANKS, OPENMPI, PreloadTest, client

CALLS = 12


class InPlaceTest(PreloadTest):
    def rules(self, *rules, otherwise="native"):
        listed = [{"when": when, "use": use} for when, use in rules]  # without names: "rule 1", "rule 2"
        return self.write("policy.json", {"version": 1, "rules": listed, "otherwise": {"algorithm": otherwise}})

    def lines(self, np, *words, warnings=0, **options):
        result = self.launch(np, client("c_overlap"), *words, **options)
        self.assert_ended_well(result)
        self.assertEqual(len(result.warnings), warnings, result.everything())
        return self.assert_logged(result)

    def assert_all(self, lines, algorithm, in_place):
        self.assertEqual({(line["algorithm"], line["in_place"]) for line in lines}, {(algorithm, in_place)}, lines[:3])


class InPlace(InPlaceTest):
    def test_forced(self):
        """However buffers lie, with little memory or much."""
        for np in ((1, 2, 3, 5, 8) if OPENMPI else (2, FEW_RANKS)):
            for parameters in ("", ":auxiliary_bytes=1", ":auxiliary_bytes=40:buffers=3"):
                with self.subTest(ranks=np, parameters=parameters):
                    lines = self.lines(np, *(f"{kind}:{np}:{CALLS}" for kind in
                                             ("in_place", "overlapping", "one_rank", "apart", "strided")),
                                       force=f"alltoallv:in_place{parameters}")
                    self.assertEqual({line["algorithm"] for line in lines}, {"in_place"})
                    self.assertEqual({line["reason"] for line in lines}, {"forced"})

    def test_a_rule_that_looks_at_in_place(self):
        policy = self.rules(({"collective": "alltoallv", "in_place": True}, {"algorithm": "in_place"}),
                            ({"collective": "alltoallv"}, {"algorithm": "tuna", "radix": 2}))
        self.assert_all(self.lines(3, f"overlapping:1:{CALLS}", policy=policy), "in_place", True)
        self.assert_all(self.lines(3, f"in_place:1:{CALLS}", policy=policy), "in_place", True)
        self.assert_all(self.lines(3, f"apart:1:{CALLS}", policy=policy), "tuna", False)
        self.assert_all(self.lines(3, f"one_rank:1:{CALLS}", policy=policy), "in_place", True)

    def test_only_in_place_serves_overlap(self):
        """Rules that come first and cannot are passed over, and the log says why."""
        policy = self.rules(({"collective": "alltoallv"}, {"algorithm": "pairwise"}),
                            ({"collective": "alltoallv", "in_place": True}, {"algorithm": "in_place"}))
        lines = self.lines(3, f"overlapping:2:{CALLS}", policy=policy)
        self.assert_all(lines, "in_place", True)
        self.assertEqual({line["reason"] for line in lines},
                         {'rule 1 passed over: send and receive buffers overlap'})
        self.assert_all(self.lines(3, f"apart:2:{CALLS}", policy=policy), "pairwise", False)

    def test_stands_in_where_memory_is_limited(self):
        """In place, tuna's workspace is over its rule's limit: in_place serves with what the limit leaves.
        Fewer than four ranks need no workspace."""
        def limited(limit):
            return self.rules(({"collective": "alltoallv"},
                               {"algorithm": "tuna", "radix": 2, "memory_limit_bytes": limit}))

        limit = 6000
        self.assert_all(self.lines(4, f"in_place:3:{CALLS}", policy=limited(10)), "native", True)
        policy = limited(limit)
        lines = self.lines(4, f"overlapping:3:{CALLS}", policy=policy)
        self.assert_all(lines, "in_place", True)
        self.assertTrue(all(line["parameters"]["auxiliary_bytes"] <= limit for line in lines))
        self.assertEqual({line["rule"] for line in lines}, {"rule 1"})
        lines = self.lines(4, f"apart:3:{CALLS}", policy=policy)
        self.assertEqual({line["algorithm"] for line in lines}, {"tuna"})

    def test_memory_does_not_depend_on_the_data(self):
        """No second buffer, no copy: beside the data there is the auxiliary memory and what MPI takes."""
        mib, auxiliary = 48, 1 << 20
        used = {}
        for word in (f"huge:{mib}", f"huge:{mib}:separate"):
            result = self.launch(2, client("c_overlap"), word, force=f"alltoallv:in_place:auxiliary_bytes={auxiliary}")
            self.assert_ended_well(result)
            self.assert_logged(result)
            used[word] = int(re.search(r"memory_kib=(\d+)", result.stdout).group(1))
        self.assertLess(used[f"huge:{mib}"], used[f"huge:{mib}:separate"] - (mib - 8) * 1024, used)


class OutOfRange(InPlaceTest):
    """A parameter that cannot be spoils its rule alone."""

    def test_next_rule(self):
        policy = self.rules(({"collective": "alltoallv"}, {"algorithm": "stride_waitany", "stride": 0}),
                            ({"collective": "alltoallv"}, {"algorithm": "pairwise"}))
        lines = self.lines(2, f"apart:1:{CALLS}", policy=policy, warnings=1)
        self.assert_all(lines, "pairwise", False)
        self.assertEqual({line["reason"] for line in lines}, {'rule 1 passed over: stride 0 is less than 1'})

    def test_power_of_two(self):
        policy = self.rules(({"collective": "alltoallv"}, {"algorithm": "exclusive_or"}),
                            ({"collective": "alltoallv"}, {"algorithm": "pairwise"}))
        self.assert_all(self.lines(2, f"apart:1:{CALLS}", policy=policy), "exclusive_or", False)
        lines = self.lines(3, f"apart:1:{CALLS}", policy=policy)
        self.assert_all(lines, "pairwise", False)
        self.assertEqual({line["reason"] for line in lines},
                         {'rule 1 passed over: 3 ranks are no power of two'})


if __name__ == "__main__":
    unittest.main()
