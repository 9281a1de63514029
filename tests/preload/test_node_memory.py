"""Exchanges through the memory of a node, as a program makes them: the client program checks every byte; here it is asserted that the
calls were taken, and which of them took the fast path, which has no time for packing at all."""

import unittest

from harness import FEW_RANKS, OPENMPI, PreloadTest, client

TURNS = 40 if OPENMPI else 12
COLLECTIVES = ("alltoallv", "alltoall", "allgather", "allgatherv")
SHARED = ";".join(f"{collective}:shared" for collective in COLLECTIVES)


class NodeMemory(PreloadTest):
    def lines(self, np, *words, **options):
        result = self.launch(np, client("c_node"), *words, **options)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [], result.everything())
        lines = self.assert_logged(result)
        self.assertEqual(len(lines), len(COLLECTIVES) * TURNS * len(words))
        return lines

    def assert_all_shared(self, lines):
        self.assertEqual({line["algorithm"] for line in lines}, {"shared"})
        self.assertEqual({line["messages"] for line in lines}, {0})

    def short(self, lines):
        return [line for line in lines if line["phases_us"]["stage"] == 0]

    def assert_short_records(self, lines):
        """A call on the fast path leaves one slot, in which its exchange is all of its time."""
        for line in lines:
            self.assertEqual(line["phases_us"]["exchange"], line["time_us"]["mean"], line)

    def test_calls_alike_take_the_fast_path(self):
        """From the second of each collective on a communicator on: the first one finds the way."""
        for np in ((2, 3, 5, 8) if OPENMPI else (2, FEW_RANKS)):
            with self.subTest(ranks=np):
                lines = self.lines(np, f"plain:{TURNS}:400", force=SHARED)
                self.assert_all_shared(lines)
                firsts = {(line["comm"], line["collective"]): line["call"] for line in reversed(lines)}
                went_long = {line["call"] for line in lines if line["phases_us"]["stage"] > 0}
                self.assertTrue(went_long)  # else the log would not show it
                self.assertLessEqual(went_long, set(firsts.values()))
                self.assert_short_records(line for line in lines if line["call"] not in firsts.values())

    def test_in_place(self):
        for np in (2, FEW_RANKS):
            lines = self.lines(np, f"in_place:{TURNS}:2000", force=SHARED)
            self.assert_all_shared(lines)
            self.assertEqual({line["in_place"] for line in lines}, {True})
            self.assertGreater(len(self.short(lines)), len(lines) * 0.8)

    def test_ranks_go_different_ways(self):
        """A rank whose types are not MPI's own takes the full path, and meets the others."""
        lines = self.lines(FEW_RANKS, f"mixed:{TURNS}:2000", force=SHARED)
        self.assert_all_shared(lines)
        self.assertTrue(self.short(lines))
        self.assertLess(len(self.short(lines)), len(lines))

    def test_blocks_that_do_not_fit(self):
        """Blocks larger than a rank's part of the memory, in each form, beside blocks that fit."""
        for shared_bytes, largest in ((4096, 3000), (65536, 60000)):
            for np in (2, FEW_RANKS):
                with self.subTest(shared_bytes=shared_bytes, ranks=np):
                    words = [f"{kind}:{TURNS}:{largest}" for kind in ("plain", "in_place", "mixed")]
                    self.assert_all_shared(self.lines(np, *words, force=SHARED,
                                                      settings={"SWITCHYARD_SHARED_BYTES": str(shared_bytes)}))

    def test_large_blocks_are_direct(self):
        """Then a rank takes the full path, and the others may go either."""
        lines = self.lines(FEW_RANKS, f"plain:{TURNS}:2000", f"in_place:{TURNS}:2000", force="alltoallv:shared:direct_from=1024")
        exchanges = [line for line in lines if line["collective"] == "alltoallv"]
        self.assertEqual({line["algorithm"] for line in exchanges}, {"shared"})
        self.assertTrue([line for line in exchanges if line["messages"] > 0])
        self.assertTrue([line for line in exchanges if line["messages"] == 0])

    def test_receiver_that_expects_more(self):
        """MPIs let such a program pass. No receive of one call takes a large block of the call after the next."""
        policy = self.write("policy.json", {"version": 1, "otherwise": {"algorithm": "native"}, "rules": [
            {"name": "direct", "when": {"collective": "alltoallv"}, "use": {"algorithm": "shared", "direct_from": 4096}}]})
        for counts in ("matching", "not_matching"):
            with self.subTest(counts):
                self.assert_ended_well(self.plain(3, client("c_two_ahead"), counts))
                result = self.launch(3, client("c_two_ahead"), counts, policy=policy)
                self.assert_ended_well(result)
                lines = self.assert_logged(result)
                self.assertEqual({line["algorithm"] for line in lines}, {"shared"})
                self.assertEqual(sum(line["messages"] > 0 for line in lines), len(lines) // 3)

    def test_rules_for_some_blocks(self):
        """A fast path is known for one size of block only, where rules look at blocks."""
        policy = self.write("policy.json", {"version": 1, "otherwise": {"algorithm": "native"}, "rules": [
            {"name": f"small {collective}", "when": {"collective": collective, "max_block_bytes": {"max": 64}}, "use": {"algorithm": "shared"}}
            for collective in COLLECTIVES[1:]]})
        lines = [line for line in self.lines(FEW_RANKS, f"plain:{TURNS}:400", policy=policy) if line["collective"] != "alltoallv"]
        for line in lines:
            self.assertEqual(line["algorithm"], "shared" if line["max_block_bytes"] <= 64 else "native", line)
        self.assertEqual(len({line["algorithm"] for line in lines}), 2)
