"""What moves, in the log: bytes to the rank itself, partners, empty blocks; at calls 1, 2, 4, 7, 11, ..."""

import json
import unittest

from harness import PreloadTest, client

RANKS = 5
# Of all ranks: 5 bytes to itself, 3 to one other.
RING = {"looks": RANKS, "to_itself_bytes": 5 * RANKS, "sent_bytes": 3 * RANKS, "partners": RANKS, "most_partners": 1,
        "empty_blocks": RANKS * (RANKS - 2)}
LOOKED_AT = [1, 2, 4, 7, 11, 17]


class Moves(PreloadTest):
    def run_moves(self, kind, calls=1, **more):
        result = self.launch(RANKS, client("c_moves"), kind, str(calls), **more)
        self.assert_ended_well(result)
        return result

    def moves_of(self, kind, **more):
        (line,) = self.assert_logged(self.run_moves(kind, **more))
        return line["moves"]

    def test_figures(self):
        """Native, routed on the full path, and packed."""
        for force in (None, "alltoallv:spread_out;alltoallw:pairwise;allgatherv:ring;alltoall:pairwise"):
            with self.subTest(force=force):
                self.assertEqual(self.moves_of("ring", force=force), RING)
                in_ints = dict(RING, to_itself_bytes=20 * RANKS, sent_bytes=12 * RANKS)
                self.assertEqual(self.moves_of("typed", force=force), in_ints)
                self.assertEqual(self.moves_of("equal", force=force),
                                 {"looks": RANKS, "to_itself_bytes": 4 * RANKS, "sent_bytes": 4 * RANKS * (RANKS - 1),
                                  "partners": RANKS * (RANKS - 1), "most_partners": RANKS - 1, "empty_blocks": 0})
                self.assertEqual(self.moves_of("gathered", force=force),
                                 {"looks": RANKS, "to_itself_bytes": 7, "sent_bytes": 7 * (RANKS - 1),
                                  "partners": RANKS - 1, "most_partners": RANKS - 1, "empty_blocks": (RANKS - 1) ** 2})

    def test_some_calls_are_looked_at(self):
        """Also on the fast path, and at both kinds of calls that take turns."""
        for force in (None, "alltoallv:shared"):
            with self.subTest(force=force):
                lines = self.assert_logged(self.run_moves("turns", 20, force=force))
                self.assertEqual([line["seq"] for line in lines if "moves" in line], LOOKED_AT)
                self.assertEqual({line["moves"]["most_partners"] for line in lines if "moves" in line}, {1, RANKS - 1})

    def test_summary(self):
        result = self.run_moves("ring", 20, settings={"SWITCHYARD_DETAIL": "summary"})
        (line,) = result.calls("summary.jsonl")
        looks = len(LOOKED_AT)
        self.assertEqual(line["moves"], {key: value * (looks if key != "most_partners" else 1) for key, value in RING.items()})

    def test_ranks(self):
        result = self.run_moves("gathered", settings={"SWITCHYARD_DETAIL": "ranks"})
        for rank in range(RANKS):
            (line,) = result.calls(f"rank-{rank}.jsonl")
            self.assertEqual(line["moves"]["partners"], RANKS - 1 if rank == 0 else 0)

    def test_report(self):
        result = self.run_moves("ring", 20)
        report = self.command("report", result.log())
        self.assertIn("What moves", report.stdout)
        (group,) = json.loads(self.command("report", result.log(), "--format", "json").stdout)["groups"]
        self.assertEqual((group["to_itself_share"], group["empty_share"], group["partners"], group["most_partners"]),
                         (0.625, 0.75, 1, 1))
        self.assertIn("62.5% of a rank's bytes go to the rank itself", " ".join(report.stdout.split()))


if __name__ == "__main__":
    unittest.main()
