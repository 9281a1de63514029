"""Regions inside a node: emulated ones, those of a machine that hwloc takes this one for, those that this machine has,
and none where hwloc is not to be had. The results are always those of the plain run."""

import os
import shutil
import unittest

from harness import FEW_RANKS, OPENMPI, PreloadTest, client

LEVELS = "allgather:locality_aware_bruck:levels=2"
# In the ranks only: hwloc takes any machine for one of two sockets with one processor each.
TWO_SOCKETS = {"HWLOC_SYNTHETIC": "package:2 core:1 pu:1", "HWLOC_THISSYSTEM": "1", "HWLOC_COMPONENTS": "synthetic"}
NO_HWLOC = client("c_no_hwloc.so")
# UCX, where the MPI has it, puts a dlopen of its own in front of all others unless its memory events are off.
HIDE_HWLOC = f'export UCX_MEM_EVENTS=n LD_PRELOAD="$LD_PRELOAD:{NO_HWLOC}"'
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
CALLS = ("allgather:40", "allgather_in_place:7", "allgather:3000")


def can_bind():
    return {0, 1} <= os.sched_getaffinity(0) and shutil.which("taskset") is not None


class RegionTest(PreloadTest):
    def lines(self, np, *words, shell="exec {}", warnings=0, **options):
        """The log of the calls; each rank starts the client program by that line of shell."""
        words = words or ("world", *CALLS)
        plain = self.plain_once(np, client("c_route"), *words)
        start = shell.replace("{}", "\"$@\"")
        result = self.launch(np, "/bin/sh", "-c", start, "sh", client("c_route"), *words, timeout=120, **options)
        self.assert_ended_well(result)
        self.assertEqual(result.digest, plain.digest)
        self.assertEqual(len(result.warnings), warnings, result.everything())
        self.said = result.warnings
        return self.assert_logged(result)

    def shapes(self, lines):
        return {(line["ranks"], line["nodes"], line["regions"]) for line in lines}


class Pretended(RegionTest):
    NP = 8 if OPENMPI else 4

    def test_regions_of_one_node(self):
        """Local exchange in regions of 2 takes 1 message; between R of them, log2(R) more and as many inside."""
        few, more = (3, 5) if OPENMPI else (2, 3)
        for per_region, regions, messages in (("1", self.NP, few), ("2", self.NP // 2, more), (str(self.NP), 1, few)):
            with self.subTest(ranks_per_region=per_region):
                lines = self.lines(self.NP, force=LEVELS, settings={"SWITCHYARD_RANKS_PER_REGION": per_region})
                self.assertEqual(self.shapes(lines), {(self.NP, 1, regions)})
                for line in lines:
                    self.assertEqual((line["algorithm"], line["parameters"]["levels"], line["messages"]),
                                     ("locality_aware_bruck", 2, messages))

    def test_shared_memory(self):
        """There all ranks of a node copy at once: the regions are known, and no message goes between them."""
        for line in self.lines(self.NP, force=LEVELS + ":intra=shared", settings={"SWITCHYARD_RANKS_PER_REGION": "2"}):
            self.assertEqual((line["parameters"]["levels"], line["parameters"]["intra"]), (2, "shared"))
            self.assertEqual((line["regions"], line["messages"]), (self.NP // 2, 0))

    def test_a_region_is_on_one_node(self):
        """Local ranks are counted from 0 on every node, and sub-communicators hold parts of nodes and regions."""
        words = ("world", *CALLS, "split:0,1,1,0,0,1,0,0"[:6 + 2 * self.NP - 1], *CALLS, "reversed", *CALLS)
        for nodes, regions, wanted in (("3", "2", 5), ("3,1,4", "2", 5), ("cyclic:4", "1,3", 4), ("1", "4", 8)):
            if not OPENMPI:
                wanted = {"3": 3, "3,1,4": 3, "cyclic:4": 2, "1": 4}[nodes]
            with self.subTest(nodes=nodes, regions=regions):
                lines = self.lines(self.NP, *words, force=LEVELS, settings={
                    "SWITCHYARD_RANKS_PER_NODE": nodes, "SWITCHYARD_RANKS_PER_REGION": regions})
                whole = {line["regions"] for line in lines if line["ranks"] == self.NP}
                self.assertEqual(whole, {wanted})
                self.assertTrue(all(line["nodes"] <= line["regions"] <= line["ranks"] for line in lines))

    def test_a_rule_asks_for_them(self):
        """Where no rule has two levels, nobody looks at regions; a rule for other communicators counts."""
        for levels, rank_range in ((1, {"min": 2}), (2, {"min": 2}), (2, {"min": 1000})):
            use = {"algorithm": "locality_aware_bruck", "levels": levels}
            rule = {"name": "r", "when": {"collective": "allgather", "ranks": rank_range}, "use": use}
            policy = self.write("policy.json", {"version": 1, "rules": [rule], "otherwise": {"algorithm": "native"}})
            with self.subTest(levels=levels, ranks=rank_range):
                for line in self.lines(2, policy=policy, settings={"SWITCHYARD_RANKS_PER_REGION": "1"}):
                    self.assertEqual(line.get("regions"), 2 if levels == 2 else None)

    def test_wrong_settings(self):
        for setting, value in (("SWITCHYARD_RANKS_PER_REGION", "0"), ("SWITCHYARD_REGION", "socket")):
            with self.subTest(setting=setting):
                self.lines(2, force=LEVELS, settings={setting: value}, warnings=1)
                self.assertIn(f"{setting}={value} is ignored", self.said[0])


class Found(RegionTest):
    """By hwloc."""

    def test_this_machine(self):
        for kind in ("package", "numa", "none"):
            with self.subTest(region=kind):
                for line in self.lines(FEW_RANKS, force=LEVELS, settings={"SWITCHYARD_REGION": kind}):
                    self.assertTrue(1 <= line["regions"] <= (1 if kind == "none" else FEW_RANKS), line)

    @unittest.skipUnless(can_bind(), "needs the processors 0 and 1, and taskset")
    def test_two_sockets(self):
        """Ranks bound in turn to one and to the other; and one that may run on both, so that the node is one region."""
        ranks = 4
        bound = f"exec taskset -c $(({RANK} % 2)) {{}}"
        lines = self.lines(ranks, force=LEVELS, exported=TWO_SOCKETS, shell=bound)
        self.assertEqual(self.shapes(lines), {(ranks, 1, 2)})
        one_free = f"[ {RANK} = 3 ] && set -- taskset -c 0,1 {{}} || set -- taskset -c $(({RANK} % 2)) {{}}; exec {{}}"
        lines = self.lines(ranks, force=LEVELS, exported=TWO_SOCKETS, shell=one_free)
        self.assertEqual(self.shapes(lines), {(ranks, 1, 1)})
        lines = self.lines(ranks, force=LEVELS, exported=TWO_SOCKETS, shell=bound,
                           settings={"SWITCHYARD_REGION": "none"})
        self.assertEqual(self.shapes(lines), {(ranks, 1, 1)})

    def test_without_hwloc(self):
        for who, count in ((".", FEW_RANKS), ("1", 1)):
            with self.subTest(ranks_without=who):
                shell = f'case {RANK} in {"*" if who == "." else who}) ' \
                        f'{HIDE_HWLOC};; esac; exec {{}}'
                lines = self.lines(FEW_RANKS, force=LEVELS, shell=shell, warnings=1)
                self.assertEqual(self.shapes(lines), {(FEW_RANKS, 1, 1)})
                self.assertIn(f"hwloc finds no regions on {count} of {FEW_RANKS} ranks", self.said[0])
                self.assertEqual("libhwloc-that-nobody-has.so" in self.said[0], who == ".")

    def test_hwloc_is_opened_only_where_asked(self):
        shell = f'{HIDE_HWLOC}; exec {{}}'
        self.lines(2, force="allgather:locality_aware_bruck", shell=shell)
        self.lines(2, force=LEVELS, settings={"SWITCHYARD_REGION": "none"}, shell=shell)


if __name__ == "__main__":
    unittest.main()
