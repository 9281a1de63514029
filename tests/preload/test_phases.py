"""Phases inside the algorithms, in the log of a run with detail `phases`, and nowhere else."""

import json
import unittest

from harness import PreloadTest, client

# Of algorithms that run on 3 ranks as two nodes: the phases that they must have, and all that they may have.
EXPECTED = {
    "alltoallv:tuna:radix=2": ("data rearrange", "prepare"),
    "alltoallv:tuna:radix=2:metadata=separate": ("metadata data rearrange", "prepare"),
    "alltoallv:tuna_coalesced:intra=messages": ("data rearrange inter", "prepare metadata"),
    "alltoallv:tuna_staggered:intra=shared": ("intra rearrange inter", "prepare"),
    "alltoallv:node_aware:intra=shared": ("intra rearrange inter", "prepare"),
    "alltoallv:two_phase_bruck": ("metadata data rearrange", "prepare"),
    "alltoallv:padded_bruck": ("data rearrange", "prepare"),
    "alltoallv:in_place": ("metadata data update", "prepare"),
    "alltoall:basic_bruck": ("rotate data rearrange", "prepare"),
    "alltoall:zero_rotation_bruck": ("data", "prepare rearrange"),
    "allgather:bruck": ("data rotate", "prepare"),
    "allgather:locality_aware_bruck:intra=shared": ("intra inter", "prepare rearrange"),
}


class Phases(PreloadTest):
    def lines(self, force, detail="phases", np=3):
        settings = {"SWITCHYARD_DETAIL": detail, "SWITCHYARD_RANKS_PER_NODE": "2"}
        plain = self.plain_once(np, client("c_basic"))
        self.result = self.launch(np, client("c_basic"), force=force, settings=settings)
        self.assert_ended_well(self.result)
        self.assertEqual((self.result.calls_made, self.result.digest), (plain.calls_made, plain.digest))
        collective, algorithm = force.split(":")[:2]
        return [line for line in self.result.calls()
                if line["collective"] == collective and line["algorithm"] == algorithm]

    def test_every_algorithm_has_its_phases(self):
        for force, (must, may) in EXPECTED.items():
            with self.subTest(force):
                lines = [line for line in self.lines(force) if line["ranks"] == 3 and line["max_block_bytes"] > 0]
                self.assertTrue(lines)
                for line in lines:
                    self.assertLessEqual(sum(line["algorithm_us"].values()), line["phases_us"]["exchange"] + 0.01, line)
                seen = set().union(*(line["algorithm_us"] for line in lines))
                self.assertLessEqual(set(must.split()), seen)
                self.assertLessEqual(seen, set(must.split()) | set(may.split()))

    def test_the_report_shows_them(self):
        self.lines("alltoallv:two_phase_bruck")
        text = self.command("report", self.result.log())
        self.assertIn("What the algorithms spent their time on", text.stdout, text.everything())
        told = json.loads(self.command("report", "--format", "json", self.result.log()).stdout)
        groups = [group for group in told["groups"] if group["algorithm"] == "two_phase_bruck"]
        self.assertTrue([group for group in groups if group["phase_metadata_us"] and group["phase_data_us"]], groups)
        self.assertFalse([group for group in groups if group["phase_inter_us"]], groups)

    def test_nobody_else_pays(self):
        for detail in ("calls", "ranks"):
            with self.subTest(detail):
                lines = self.lines("alltoallv:two_phase_bruck", detail)
                self.assertTrue(lines)
                self.assertFalse([line for line in lines if "algorithm_us" in line])
        self.assertTrue(all("algorithm_us" in line for line in self.lines("alltoallv:two_phase_bruck", "all")
                            if line["ranks"] > 1 and line["max_block_bytes"] > 0))

    def test_native_calls_have_none(self):
        self.assertFalse([line for line in self.lines("alltoallv:native") if "algorithm_us" in line])


if __name__ == "__main__":
    unittest.main()
