"""What a live call is routed to and why: first match, fall-through, the agreement, scratch memory, the counts of the
log, and what the shim does not do: allocate, agree or hold on to anything without need."""

import collections
import json
import os
import re
import unittest

from harness import DEFAULT_POLICY, FEW_RANKS, OPENMPI, RUNTIME, YIELD, PreloadTest, client

FORCE = "alltoallv:tuna:radix=2;alltoallw:tuna:radix=2;alltoall:zero_rotation_bruck;allgather:bruck;allgatherv:bruck"
SHARED = "alltoallv:shared;alltoallw:shared;alltoall:shared;allgather:shared;allgatherv:shared"
MIB = 1 << 20

Facts = collections.namedtuple("Facts", "collective ranks nodes ranks_per_node max_block_bytes in_place")


def nodes_of(placement, ranks):
    """SWITCHYARD_RANKS_PER_NODE, read again from the contract: the node of each world rank."""
    if placement.startswith("cyclic:"):
        nodes = -(-ranks // int(placement[len("cyclic:"):]))
        return [rank % nodes for rank in range(ranks)]
    sizes = [int(size) for size in placement.split(",")]
    nodes = [node for node in range(ranks) for _ in range(sizes[node % len(sizes)])]
    return nodes[:ranks]


def facts(collective, members, nodes, block, in_place):
    here = collections.Counter(nodes[rank] for rank in members)
    return Facts(collective, len(members), len(here), max(here.values()), block, in_place)


def matches(when, call):
    for key, wanted in when.items():
        value = getattr(call, key)
        if isinstance(wanted, dict):
            if not wanted.get("min", 0) <= value <= wanted.get("max", value):
                return False
        elif value != wanted:
            return False
    return True


class RouteTest(PreloadTest):
    def rules(self, *rules, otherwise="native"):
        """Rules as (when, use), named by their place: rule 1, rule 2, ..."""
        listed = [{"name": f"rule {i}", "when": when, "use": use} for i, (when, use) in enumerate(rules, 1)]
        return self.write("policy.json", {"version": 1, "rules": listed, "otherwise": {"algorithm": otherwise}})

    def route(self, np, *words, **options):
        result = self.launch(np, client("c_route"), *words, **options)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [], result.everything())
        return result

    def lines(self, np, *words, **options):
        return self.assert_logged(self.route(np, *words, **options))

    def one_line(self, np, *words, **options):
        (line,) = self.lines(np, *words, **options)
        return line

    def assert_chosen(self, line, algorithm, rule, reason):
        self.assertEqual((line["algorithm"], line["rule"]), (algorithm, rule), line)
        self.assertRegex(line["reason"], reason)


class FirstMatch(RouteTest):
    """Many calls on many communicators, against a walk over the rules that is too simple to be wrong."""

    RULES = (
        ({"collective": "alltoallv", "in_place": True}, {"algorithm": "pairwise"}),
        ({"collective": "alltoallv", "max_block_bytes": {"max": 8}, "ranks": {"min": 3}}, {"algorithm": "spread_out"}),
        ({"collective": "alltoallv", "nodes": {"min": 2}, "ranks_per_node": {"min": 2},
          "max_block_bytes": {"min": 9, "max": 64}}, {"algorithm": "tuna", "radix": 2}),
        ({"collective": "alltoallv", "nodes": {"max": 1}, "max_block_bytes": {"max": 64}},
         {"algorithm": "scattered", "block_count": 1}),
        ({"collective": "alltoallv", "ranks_per_node": {"max": 1}}, {"algorithm": "tuna", "radix": 2}),
        ({"collective": "alltoall", "in_place": False, "nodes": {"min": 2, "max": 3}},
         {"algorithm": "zero_rotation_bruck"}),
        ({"collective": "allgather", "max_block_bytes": {"min": 40, "max": 40}}, {"algorithm": "ring"}),
        ({"collective": "allgather", "ranks": {"max": 2}}, {"algorithm": "bruck"}),
    )
    CALLS = [(collective, block, in_place) for collective in ("alltoallv", "alltoall", "allgather")
             for block in (4, 40, 400) for in_place in (False, True)]
    NP = 5 if OPENMPI else 3

    def communicators(self):
        """As the client program's words, and the members of each group, world ranks."""
        world = list(range(self.NP))
        colors = [0, 0, 1, 1, 1][:self.NP] if self.NP > 3 else [0, 1, 0]
        groups = [[rank for rank in world if colors[rank] == color] for color in (0, 1)]
        return (("world", [world]), ("split:" + ",".join(map(str, colors)), groups), ("reversed", [world[::-1]]))

    def expected(self, call):
        for i, (when, use) in enumerate(self.RULES, 1):
            if matches(when, call):
                return use["algorithm"], f"rule {i}", "rule"
        return "native", None, "otherwise"

    def check(self, placement):
        nodes = nodes_of(placement, self.NP)
        words, wanted = [], collections.Counter()
        for word, groups in self.communicators():
            words.append(word)
            for collective, block, in_place in self.CALLS:
                words.append(f"{collective}{'_in_place' if in_place else ''}:{block}")
                for members in groups:
                    to_others = block if len(members) > 1 else 0
                    call = facts(collective, members, nodes, to_others, in_place)
                    wanted[call + self.expected(call)] += 1
        logged = collections.Counter(
            tuple(line[field] for field in Facts._fields + ("algorithm", "rule", "reason"))
            for line in self.lines(self.NP, *words, policy=self.rules(*self.RULES),
                                   settings={"SWITCHYARD_RANKS_PER_NODE": placement}))
        self.assertEqual(dict(logged - wanted), {}, "logged, but not expected")
        self.assertEqual(dict(wanted - logged), {}, "expected, but not logged")
        return {entry[-2] for entry in wanted}

    def test_every_placement(self):
        fired = set()
        for placement in ("2", "3,1,4", "cyclic:2", "1", "100"):
            with self.subTest(placement=placement):
                fired |= self.check(placement)
        # The table is of no use if some rule never comes first.
        self.assertEqual(fired, {None} | {f"rule {i + 1}" for i in range(len(self.RULES))})

    def test_largest_block_is_agreed(self):
        """One large block between two ranks decides for all of them."""
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 50}}, {"algorithm": "spread_out"}),
                            ({"collective": "alltoallv", "max_block_bytes": {"min": 51}}, {"algorithm": "pairwise"}))
        small, large = self.lines(FEW_RANKS, "one_hot:50", "one_hot:51", policy=policy)
        self.assert_chosen(small, "spread_out", "rule 1", "^rule$")
        self.assert_chosen(large, "pairwise", "rule 2", "^rule$")
        self.assertEqual((small["max_block_bytes"], large["max_block_bytes"]), (50, 51))
        self.assertEqual(large["sent_bytes"]["max"], 51 + FEW_RANKS - 2)
        self.assertEqual(large["sent_bytes"]["min"], FEW_RANKS - 1)

    def test_largest_block_that_every_rank_knows(self):
        """Every rank has the counts of all blocks in an allgatherv: its rules cost no agreement."""
        policy = self.rules(({"collective": "allgatherv", "max_block_bytes": {"max": 50}}, {"algorithm": "ring"}),
                            ({"collective": "allgatherv", "max_block_bytes": {"min": 51}}, {"algorithm": "bruck"}))
        small, large, in_place = self.lines(FEW_RANKS, "gathers:50", "gathers:51", "gathers_in_place:51", policy=policy)
        self.assert_chosen(small, "ring", "rule 1", "^rule$")
        for line in (large, in_place):
            self.assert_chosen(line, "bruck", "rule 2", "^rule$")
            self.assertEqual((line["max_block_bytes"], line["sent_bytes"]["max"]), (51, 51 * (FEW_RANKS - 1)))
            self.assertEqual(line["phases_us"]["agree"], 0)
        self.assertEqual((small["max_block_bytes"], in_place["in_place"]), (50, True))

    def test_no_block_goes_to_others_from_a_rank_alone(self):
        """`max_block_bytes` is the largest block to any *other* rank, for all collectives alike."""
        for line in self.lines(1, "self", "alltoallv:8", "alltoall:8", "allgather:8", "gathers:8", "world", "alltoallv:8",
                               "alltoall:8", "allgather:8", "gathers:8"):
            with self.subTest(comm=line["comm"], collective=line["collective"]):
                self.assertEqual(line["sent_bytes"]["max"], 0)
                self.assertEqual(line["max_block_bytes"], 0)


class DefaultPolicy(RouteTest):
    def test_on_one_node(self):
        """A rank alone has nobody to share memory with: there our way to an algorithm costs ten times MPI's own call."""
        words = [f"{collective}:{block}" for collective in ("alltoallv", "alltoall", "allgather", "gathers") for block in (8, 100000)]
        chosen = collections.Counter((line["ranks"], line["algorithm"]) for line in
                                     self.lines(2, "self", *words, "world", *words, policy=DEFAULT_POLICY))
        self.assertEqual(chosen, {(1, "native"): 16, (2, "shared"): 8})


class Network(RouteTest):
    """A rule for one network takes calls where rank 0's setting, or a device of some rank's machine, names it."""

    def test_rule_for_one_network(self):
        policy = self.rules(({"collective": "alltoallv", "network": "rdma"}, {"algorithm": "spread_out"}),
                            ({"collective": "alltoallv", "network": "tcp"}, {"algorithm": "pairwise"}))
        for network, algorithm, rule in (("rdma", "spread_out", "rule 1"), ("tcp", "pairwise", "rule 2")):
            with self.subTest(network=network):
                result = self.route(FEW_RANKS, "alltoallv:48", policy=policy,
                                    settings={"SWITCHYARD_NETWORK": network, "SWITCHYARD_RANKS_PER_NODE": "1"})
                (line,) = self.assert_logged(result)
                self.assert_chosen(line, algorithm, rule, "rule")
                self.assertEqual(result.run_json()["network"], network)


class Radices(RouteTest):
    """The log says the radices that ran: a list as it was given, and the value that "auto" became."""

    def test_list(self):
        policy = self.rules(({"collective": "alltoallv"}, {"algorithm": "tuna", "radix": [2, 2]}),
                            ({"collective": "alltoall"}, {"algorithm": "tuna", "radix": "2x2"}))
        for collective in ("alltoallv", "alltoall"):
            with self.subTest(collective=collective):
                line = self.one_line(4, f"{collective}:48", policy=policy)
                self.assert_chosen(line, "tuna", "rule 1" if collective == "alltoallv" else "rule 2", "rule")
                self.assertEqual(line["parameters"]["radix"], "2x2")

    def test_auto_follows_the_block(self):
        small, large = self.lines(4, "alltoall:8", "alltoall:100000", force="alltoall:tuna:radix=auto")
        self.assertEqual([line["parameters"]["radix"] for line in (small, large)], [2, 4])


class PassedOver(RouteTest):
    TOO_LARGE = "radix 64 is more than 4 ranks"

    def test_not_admissible_here(self):
        policy = self.rules(({"collective": "alltoallv"}, {"algorithm": "tuna", "radix": 64}),
                            ({"collective": "alltoallv", "max_block_bytes": {"max": 10}}, {"algorithm": "spread_out"}),
                            ({"collective": "alltoallv"}, {"algorithm": "pairwise"}))
        small, large = self.lines(4, "alltoallv:10", "alltoallv:11", policy=policy)
        self.assert_chosen(small, "spread_out", "rule 2", f'rule 1 .*{self.TOO_LARGE}')
        self.assert_chosen(large, "pairwise", "rule 3", f'rule 1 .*{self.TOO_LARGE}')

    def test_nothing_else_is_left(self):
        policy = self.rules(({"collective": "alltoallv"}, {"algorithm": "tuna", "radix": 64}))
        line = self.one_line(4, "alltoallv:10", policy=policy)
        self.assert_chosen(line, "native", None, f'rule 1 .*{self.TOO_LARGE}')

    def test_nothing_else_is_left_that_looks_at_blocks(self):
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 10}},
                             {"algorithm": "tuna", "radix": 64}))
        result = self.route(4, "alltoallv:10", "allreduces", "alltoallv:10:20", "allreduces", policy=policy)
        for line in self.assert_logged(result):
            self.assert_chosen(line, "native", None, self.TOO_LARGE)
        self.assertEqual(re.findall(r"allreduces=(\S+)", result.stdout)[1], "0..0", result.stdout)

    def test_forced(self):
        line = self.one_line(4, "alltoallv:10", force="alltoallv:tuna:radix=64")
        self.assert_chosen(line, "native", None, f"forced.*{self.TOO_LARGE}")

    def test_forced_fits_some_communicators(self):
        lines = self.lines(4, "alltoallv:10", "split:0,0,0,1", "alltoallv:10", force="alltoallv:tuna:radix=4")
        chosen = {line["ranks"]: (line["algorithm"], line["reason"]) for line in lines}
        self.assertEqual(chosen[4], ("tuna", "forced"))
        self.assertEqual(chosen[3][0], "native")
        self.assertIn("radix 4 is more than 3 ranks", chosen[3][1])

    def test_memory_limit(self):
        """Four ranks in radix 2: one slot, and two messages of two blocks."""
        policy = self.rules(({"collective": "alltoallv"},
                             {"algorithm": "tuna", "radix": 2, "memory_limit_bytes": 512}),
                            ({"collective": "alltoallv"}, {"algorithm": "pairwise"}))
        small, large, again = self.lines(4, "alltoallv:8", "alltoallv:1000", "alltoallv:8", policy=policy)
        for line in (small, again):
            self.assert_chosen(line, "tuna", "rule 1", "^rule$")
        self.assert_chosen(large, "pairwise", "rule 2", 'rule 1 .*memory_limit_bytes 512')


class SharedMemory(RouteTest):
    CALLS = ("alltoallv:40", "alltoall:9", "allgather:7", "gathers:41", "alltoallv:100000", "allgather:100000", "gathers:100000",
             "gathers_in_place:100000", "typed:41", "typed:100000", "alltoallw_in_place:5000")

    def lines_of(self, *words, force=SHARED, **settings):
        result = self.launch(FEW_RANKS, client("c_route"), *words, force=force, settings=settings)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [], result.everything())
        return self.assert_logged(result)

    def test_used_on_one_node(self):
        """Blocks that fit and blocks that do not, and without a message."""
        for settings in ({}, {"SWITCHYARD_SHARED_BYTES": "2048"}):
            with self.subTest(settings=settings):
                for line in self.lines_of(*self.CALLS, **settings):
                    self.assert_chosen(line, "shared", None, "^forced$")
                    self.assertEqual((line["messages"], line["wire_bytes"]), (0, 0), line)

    def test_an_mpi_that_sees_each_rank_on_a_node_of_its_own(self):
        preload = ":".join([client("c_lonely_ranks.so"), *filter(os.path.exists, [YIELD])])
        result = self.launch(FEW_RANKS, client("c_route"), *self.CALLS, force=SHARED,
                             exported={"LD_PRELOAD": preload})
        self.assert_ended_well(result)
        for line in self.assert_logged(result):
            self.assertEqual((line["nodes"], line["algorithm"], line["messages"]), (1, "shared", 0), line)

    def test_no_agreement(self):
        result = self.route(FEW_RANKS, "alltoallv:8", "allreduces", "alltoallv:8:20", "allreduces",
                            force="alltoallv:shared")
        self.assertEqual(re.findall(r"allreduces=(\S+)", result.stdout)[1], "0..0", result.stdout)

    def test_not_on_several_nodes(self):
        for line in self.lines_of(*self.CALLS, SWITCHYARD_RANKS_PER_NODE=str(FEW_RANKS // 2)):
            self.assert_chosen(line, "native", None, r"forced passed over: its ranks are on \d nodes")

    def test_not_without_memory(self):
        """None at all, or less than the places of blocks take."""
        for size in ("0", "128"):
            with self.subTest(size=size):
                for line in self.lines_of(*self.CALLS, SWITCHYARD_SHARED_BYTES=size):
                    self.assert_chosen(line, "native", None,
                                       "forced passed over: its ranks have no memory that they share")

    def test_parts_of_a_job(self):
        split = "split:" + ",".join(str(rank % 2) for rank in range(FEW_RANKS))
        for line in self.lines_of(split, *self.CALLS, "world", *self.CALLS,
                                  SWITCHYARD_RANKS_PER_NODE=f"cyclic:{-(-FEW_RANKS // 2)}"):
            if line["ranks"] == FEW_RANKS:
                self.assert_chosen(line, "native", None, "on 2 nodes")
            else:
                self.assert_chosen(line, "shared", None, "^forced$")


class NoMemory(RouteTest):
    """One rank of four cannot have the scratch memory: all of them do without, and go on. Four ranks in radix 2 take
    five blocks: one slot, and two messages of two blocks."""
    BLOCK = 4 * MIB
    NO_ROOM = "does not fit into the memory of every rank"

    def limited(self, *words, rank=2, mib=12, **options):
        words = ("alltoallv:8", "alltoall:8", "allgather:8", f"memory:{rank}:{mib}") + words
        return self.lines(4, *words, timeout=40, **options)[3:]

    def test_next_rule(self):
        tuna = {"algorithm": "tuna", "radix": 2, "memory_limit_bytes": 100 * MIB}  # without, nothing may follow it
        policy = self.rules(({"collective": "alltoallv"}, tuna),
                            ({"collective": "alltoallv"}, {"algorithm": "pairwise"}))
        for rank in (0, 3):
            with self.subTest(rank=rank):
                large, small = self.limited(f"alltoallv:{self.BLOCK}", "alltoallv:40", rank=rank, policy=policy)
                self.assert_chosen(large, "pairwise", "rule 2", f'rule 1 .*{self.NO_ROOM}')
                self.assert_chosen(small, "tuna", "rule 1", "^rule$")

    def test_native(self):
        large, small = self.limited(f"alltoallv:{self.BLOCK}", "alltoallv:40", force="alltoallv:tuna:radix=2")
        self.assert_chosen(large, "native", None, f"forced.*{self.NO_ROOM}")
        self.assert_chosen(small, "tuna", None, "^forced$")

    def test_alltoall_and_allgather(self):
        force = "alltoall:zero_rotation_bruck;allgather:bruck"
        for line in self.limited(f"alltoall:{self.BLOCK}", f"allgather:{self.BLOCK}", force=force):
            self.assert_chosen(line, "native", None, f"forced.*{self.NO_ROOM}")

    def test_allgatherv(self):
        """Its workspace follows from all blocks together, here two of the largest, and not four. (MPICH itself
        hangs where a rank has 8 MiB left, also without switchyard.)"""
        for mib, algorithm in ((5, "native"), *([(12, "bruck")] if OPENMPI else [])):
            with self.subTest(mib=mib):
                large, small = self.limited(f"gathers:{self.BLOCK}", "gathers:40", mib=mib, force="allgatherv:bruck")
                self.assertEqual(large["algorithm"], algorithm, large)
                if algorithm == "native":
                    self.assert_chosen(large, "native", None, f"forced.*{self.NO_ROOM}")
                self.assert_chosen(small, "bruck", None, "^forced$")

    def test_packed_data_where_a_rule_looks_at_blocks(self):
        """What must be packed does not fit on one rank: said in the agreement."""
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"min": 1}}, {"algorithm": "pairwise"}))
        large, small = self.limited(f"gaps:{self.BLOCK}", "gaps:40", mib=20, policy=policy)
        self.assert_chosen(large, "native", None, "memory")
        self.assert_chosen(small, "pairwise", "rule 1", "^rule$")

    def test_packed_data_where_nothing_is_agreed(self):
        """Where no rule looks at a block there is no allreduce in which a rank could say that it has no memory, and the
        others are on their way: its call fails by the program's error handler, as MPI's own would. It must not hang."""
        policy = self.rules(({"collective": "alltoallv"}, {"algorithm": "pairwise"}))
        words = ("alltoallv:8", "alltoall:8", "allgather:8", "memory:2:20", f"gaps:{self.BLOCK}", "gaps:40")
        if self.plain(4, client("c_route"), *words, timeout=40).code != 0:
            self.skipTest("the MPI library itself has not enough memory")
        result = self.launch(4, client("c_route"), *words, policy=policy, timeout=40)
        self.assertNotEqual(result.code, 0)
        self.assertIsInstance(result.code, int, "it hung")


class Agreement(RouteTest):
    """When ranks agree. Without memory that they share each agreement is an allreduce, which can be counted."""

    def allreduces(self, *words, np=FEW_RANKS, **options):
        """What a hundred calls add after the first one, on every rank alike."""
        options["settings"] = {"SWITCHYARD_SHARED_BYTES": "0"} | options.get("settings", {})
        doubled = []
        for word in words:
            doubled += [word, "allreduces", f"{word}:100", "allreduces"]
        result = self.route(np, *doubled, **options)
        counted = re.findall(r"allreduces=(\d+)\.\.(\d+)", result.stdout)[1::2]
        self.assertTrue(all(least == most for least, most in counted), result.stdout)
        return [int(least) for least, _ in counted], result

    def test_none_where_no_rule_looks_at_a_block(self):
        policy = self.rules(({"collective": "alltoallv", "ranks": {"min": 2}}, {"algorithm": "spread_out"}),
                            ({"collective": "alltoallv", "max_block_bytes": {"max": 50}}, {"algorithm": "tuna"}),
                            ({"collective": "alltoall"}, {"algorithm": "zero_rotation_bruck"}),
                            ({"collective": "allgather", "max_block_bytes": {"max": 50}}, {"algorithm": "bruck"}),
                            ({"collective": "allgatherv", "max_block_bytes": {"max": 50}}, {"algorithm": "bruck"}))
        counted, result = self.allreduces("alltoallv:40", "alltoallv_in_place:40", "alltoall:40", "allgather:40",
                                          "gathers:40", "gathers_in_place:40", policy=policy)
        self.assertEqual(counted, [0, 0, 0, 0, 0, 0])
        lines = self.assert_logged(result)
        self.assertEqual({line["algorithm"] for line in lines}, {"spread_out", "zero_rotation_bruck", "bruck"})
        self.assertEqual({line["phases_us"]["agree"] for line in lines}, {0}, "no agreement takes no time")

    def test_one_where_a_rule_looks_at_a_block(self):
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 50}}, {"algorithm": "spread_out"}))
        counted, result = self.allreduces("alltoallv:40", "alltoallv:400", "alltoallv_in_place:40", policy=policy)
        self.assertEqual(counted, [100, 100, 100])
        lines = self.assert_logged(result)
        self.assertEqual({line["algorithm"] for line in lines}, {"spread_out", "native"})
        for line in lines:
            self.assertGreater(line["phases_us"]["agree"], 0, line)

    def test_forced(self):
        self.assertEqual(self.allreduces("alltoallv:40", force="alltoallv:tuna")[0], [100])
        self.assertEqual(self.allreduces("alltoallv:40", "alltoall:40", force="alltoallv:scattered")[0], [0, 0])

    def test_none_where_the_looking_rule_is_for_other_communicators(self):
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 50}, "ranks": {"min": 1000}},
                             {"algorithm": "tuna"}),
                            ({"collective": "alltoallv", "max_block_bytes": {"max": 50}, "in_place": True},
                             {"algorithm": "pairwise"}))
        counted, _ = self.allreduces("alltoallv:40", "alltoallv_in_place:40", policy=policy)
        self.assertEqual(counted, [0, 100])

    def test_none_where_all_is_native(self):
        policy = self.rules(({"max_block_bytes": {"max": 50}}, {"algorithm": "native"}))
        for settings in ({}, {"SWITCHYARD": "off"}):
            counted, result = self.allreduces("alltoallv:40", "alltoall:40", policy=policy, settings=settings)
            self.assertEqual(counted, [0, 0])
        # Off: not even at the first call.
        self.assertEqual(set(re.findall(r"allreduces=(\S+)", result.stdout)), {"0..0"})


class AgreementInMemory(RouteTest):
    """Through memory that the node's ranks share. With `shared` its epoch carries the blocks, too."""

    def test_no_allreduce(self):
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 50}}, {"algorithm": "spread_out"}))
        for settings in ({}, {"SWITCHYARD_SHARED_BYTES": "1024"}):
            with self.subTest(settings=settings):
                counted, result = Agreement.allreduces(
                    self, "alltoallv:40", "alltoallv:400", policy=policy,
                    settings={"SWITCHYARD_SHARED_BYTES": "2097152"} | settings)
                self.assertEqual(counted, [0, 0])
                lines = self.assert_logged(result)
                self.assertEqual({line["algorithm"] for line in lines}, {"spread_out", "native"})
                for line in lines:
                    self.assertGreater(line["phases_us"]["agree"], 0, line)

    def test_blocks_with_the_agreement(self):
        """The same call again, a larger block on one rank or on all, types with gaps, in place, other collectives between:
        each call gets its bytes by the algorithm of its size."""
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 3000}}, {"algorithm": "shared"}),
                            ({"collective": "alltoall", "max_block_bytes": {"max": 3000}}, {"algorithm": "shared"}))
        words = ["ragged:700:3", "gaps:300", "ragged:900:2", "ragged:3000:2", "one_hot:9000", "ragged:700:2", "ragged:9000",
                 "ragged:20:3", "one_hot:2900:2", "alltoall:60", "ragged:20", "alltoallv_in_place:200:3", "roomy:500:2",
                 "alltoallv:0:2", "split:0,1,0,1,0,1,0,1", "ragged:500:3", "world", "ragged:500:3"]
        for bytes_ in ("2097152", "4096", "1024"):
            with self.subTest(bytes=bytes_):
                lines = self.lines(FEW_RANKS, *words, policy=policy, settings={"SWITCHYARD_SHARED_BYTES": bytes_})
                for line in lines:
                    self.assertEqual(line["algorithm"], "shared" if line["max_block_bytes"] <= 3000 else "native", line)

    def test_a_rank_without_memory(self):
        """Its packed blocks do not fit: it says so in the epoch into which the others have written theirs."""
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 8 * MIB}}, {"algorithm": "shared"}))
        words = ("alltoallv:8", f"alltoallv:{4 * MIB}", "memory:2:20", f"gaps:{4 * MIB}", "gaps:40", "gaps:40")
        *_, large, small, again = self.lines(4, *words, policy=policy, timeout=40)
        self.assert_chosen(large, "native", None, "memory")
        for line in (small, again):
            self.assert_chosen(line, "shared", "rule 1", "^rule$")


class WithoutAgreement(RouteTest):
    """Blocks of direct_from bytes and more go directly, whatever the other ranks' blocks are."""
    ALGORITHMS = ("tuna:radix=2", "tuna:radix=3:metadata=separate", "two_phase_bruck", "padded_bruck", "tuna_coalesced",
                  "tuna_staggered", "node_aware:radix=2", "node_aware:intra=shared", "shared")
    NP = 5 if OPENMPI else 3
    WORDS = ("ragged:700", "one_hot:70000", "alltoallv:64", "alltoallv:63", "alltoallv:65", "alltoallv_in_place:300",
             "alltoallv:0", "gaps:200", "reversed", "ragged:1000:3")

    def check(self, *words, borders=("64", "auto")):
        """A legal program gets its bytes, by our algorithm."""
        for algorithm in self.ALGORITHMS:
            for border in borders:
                force = f"alltoallv:{algorithm}:direct_from={border}"
                with self.subTest(force=force):
                    one_node = algorithm == "shared"
                    lines = self.lines(self.NP, *words, force=force,
                                       settings={"SWITCHYARD_RANKS_PER_NODE": str(self.NP if one_node else 2)})
                    self.assertEqual({line["algorithm"] for line in lines}, {algorithm.split(":")[0]})
                    self.assertEqual({line["phases_us"]["agree"] for line in lines}, {0}, "no agreement takes no time")
                    automatic = 65536 if one_node else 16384
                    number = automatic if border == "auto" else int(border)
                    self.assertEqual({line["parameters"]["direct_from"] for line in lines}, {number})

    def test_every_size(self):
        self.check(*self.WORDS)

    def test_receivers_that_expect_more(self):
        self.check("roomy:100:3", "roomy:64", "roomy:9000", "ragged:100", borders=("64",))

    def test_receivers_that_expect_more_and_a_sender_ahead(self):
        """A receive that waits for nothing does not get the message of the next call."""
        self.check(*("roomy:100", "alltoallv:100") * 60, borders=("64",))

    def test_no_allreduce(self):
        counted, _ = Agreement.allreduces(self, "ragged:700", "alltoallv:40", np=FEW_RANKS,
                                          force="alltoallv:tuna:direct_from=64")
        self.assertEqual(counted, [0, 0])

    def test_traffic(self):
        """Of 48 bytes each, forwarded or direct: the papers' counts, and a size with each forwarded block."""
        blocks, rounds, weight = 0, 0, 1
        while weight < self.NP:
            blocks += sum(offset // weight % 2 for offset in range(1, self.NP))
            rounds, weight = rounds + 1, 2 * weight
        for border, messages, wire_bytes in ((49, rounds, blocks * (48 + 1)),
                                             (48, rounds + self.NP - 1, blocks + (self.NP - 1) * 48)):
            line = self.one_line(self.NP, "alltoallv:48", force=f"alltoallv:tuna:radix=2:direct_from={border}")
            self.assertEqual((line["messages"], line["wire_bytes"]), (messages, wire_bytes), line)

    def test_over_the_memory_limit(self):
        policy = self.rules(({"collective": "alltoallv"},
                             {"algorithm": "tuna", "direct_from": 4096, "memory_limit_bytes": 100}))
        counted, result = Agreement.allreduces(self, "alltoallv:40", policy=policy)
        self.assertEqual(counted, [0])
        for line in self.assert_logged(result):
            self.assert_chosen(line, "native", None, "its workspace is over memory_limit_bytes 100")


class Totals(RouteTest):
    """Rules by total_bytes and skew: agreed where a rank knows its own blocks alone."""
    NP = 4  # with three, 1000 bytes and one are not twice their mean

    def check(self, **settings):
        others = self.NP - 1
        uneven = 1000 * others // (1000 + others - 1)  # of the first rank, which sends 1000 bytes to the last
        self.assertGreater(uneven, 1)
        policy = self.rules(({"skew": {"min": uneven}, "collective": "alltoallv"}, {"algorithm": "pairwise"}),
                            ({"total_bytes": {"min": 400 * others + 1}}, {"algorithm": "spread_out"}),
                            ({"skew": {"max": 1}, "total_bytes": {"min": 40 * others}}, {"algorithm": "scattered"}),
                            ({"skew": {"min": 2}, "collective": "allgatherv"}, {"algorithm": "ring"}),
                            ({"total_bytes": {"max": 8 * others}, "collective": "allgather"}, {"algorithm": "bruck"}))
        wanted = {"one_hot:1000": "pairwise", "alltoallv:40": "scattered", "alltoallv:400": "scattered",
                  "alltoallv:401": "spread_out", "alltoallv:39": "native", "alltoall:39": "native",
                  "alltoall:40": "scattered", "alltoall:401": "spread_out", "alltoallw:40": "scattered",
                  "gathers:8000": "ring", "allgatherv:8": "native", "allgather:8": "bruck", "allgather:9": "native",
                  "alltoallv_in_place:40": "scattered", "gaps:40": "scattered"}
        lines = self.lines(self.NP, *wanted, policy=policy, settings=settings)
        self.assertEqual([(word, line["algorithm"]) for word, line in zip(wanted, lines)], list(wanted.items()))

    def test_in_memory(self):
        self.check()

    def test_by_messages(self):
        self.check(SWITCHYARD_SHARED_BYTES="0")
        self.check(SWITCHYARD_RANKS_PER_NODE="2")

    def test_through_memory(self):
        """The blocks go with the agreement, until a call is less skewed."""
        policy = self.rules(({"skew": {"min": 2}, "collective": "alltoallv"}, {"algorithm": "shared"}))
        lines = self.lines(self.NP, "one_hot:1000", "one_hot:1000", "one_hot:1000", "alltoallv:1000", "one_hot:900",
                           policy=policy)
        self.assertEqual([line["algorithm"] for line in lines], ["shared"] * 3 + ["native", "shared"])


class Limits(RouteTest):
    """barrier_before and in_flight_limit, for all algorithms."""
    NP = 5 if OPENMPI else 3

    def barriers(self, *words, **options):
        result = self.route(self.NP, *(step for word in words for step in ("barriers", word, "barriers")), **options)
        counted = re.findall(r"barriers=(\d+)\.\.(\d+)", result.stdout)[1::2]
        self.assertTrue(all(least == most for least, most in counted), result.stdout)
        return [int(least) for least, _ in counted], self.assert_logged(result)

    def test_barrier(self):
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 50}},
                             {"algorithm": "tuna", "barrier_before": True}),
                            ({"collective": "alltoallv", "max_block_bytes": {"max": 500}},
                             {"algorithm": "native", "barrier_before": True}),
                            ({"collective": "alltoall"}, {"algorithm": "shared", "barrier_before": True}),
                            ({"collective": "allgatherv"}, {"algorithm": "native", "barrier_before": True}),
                            ({"collective": "alltoallw"}, {"algorithm": "pairwise"}))
        words = ["alltoallv:40:10", "alltoallv:400:10", "alltoallv:4000:10", "alltoall:40:10", "allgatherv:8:10",
                 "allgather:8:10", "alltoallw:40:10", "one_hot:40", "ragged:400:10", "alltoallv_in_place:40:10"]
        counted, lines = self.barriers(*words, policy=policy)
        self.assertEqual(counted, [10, 10, 0, 10, 10, 0, 0, 1, 10, 10])
        for line in lines:
            if line["rule"] in ("rule 1", "rule 3"):
                self.assertTrue(line["parameters"]["barrier_before"], line)
            self.assertNotIn("in_flight_limit", line["parameters"])

    def test_barrier_without_a_log(self):
        """Also where the entry would forward the calls at once."""
        policy = self.rules(otherwise="native")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "rules": [], "otherwise": {"algorithm": "native", "barrier_before": True}}, file)
        result = self.route(self.NP, "alltoallv:8:5", "barriers", "alltoallv:8:20", "allgather:8:20", "barriers",
                            policy=policy, log="off")
        self.assertEqual(re.findall(r"barriers=(\d+\.\.\d+)", result.stdout)[1], "40..40")

    def test_barrier_forced(self):
        counted, _ = self.barriers("alltoallv:40:10", force="alltoallv:spread_out:barrier_before=true")
        self.assertEqual(counted, [10])

    def test_in_flight_limit(self):
        others = self.NP - 1
        for limit in (1, 2, 1000):
            rounds = -(-others // limit)
            for word, algorithm in (("alltoallv", "spread_out"), ("alltoall", "spread_out"), ("alltoallw", "spread_out"),
                                    ("alltoallv", "scattered:block_count=100"),
                                    ("alltoallv", "stride_waitall:stride=100")):
                with self.subTest(limit=limit, word=word, algorithm=algorithm):
                    line = self.one_line(self.NP, f"{word}:40", force=f"{word}:{algorithm}:in_flight_limit={limit}")
                    self.assertEqual((line["rounds"], line["parameters"]["in_flight_limit"]), (rounds, limit), line)

    def test_in_flight_limit_of_the_run(self):
        settings = {"SWITCHYARD_IN_FLIGHT_LIMIT": "1"}
        line = self.one_line(self.NP, "alltoallv:40", force="alltoallv:spread_out", settings=settings)
        self.assertEqual(line["rounds"], self.NP - 1, line)
        line = self.one_line(self.NP, "alltoallv:40", force="alltoallv:spread_out:in_flight_limit=100", settings=settings)
        self.assertEqual(line["rounds"], 1, line)

    def test_tuna_within_the_limit(self):
        """Its rounds of a digit are under way together, in_flight of them."""
        for limit, rounds in ((1, self.NP - 1), (100, 1)):
            line = self.one_line(self.NP, "alltoallv:40",
                                 force=f"alltoallv:tuna:radix={self.NP}:in_flight_limit={limit}")
            self.assertEqual(line["rounds"], rounds, line)


class Counts(RouteTest):
    """Messages and bytes of uniform blocks are the papers' formulas."""
    BLOCK = 48
    NP = 5 if OPENMPI else 3

    def bruck(self, radix):
        """The blocks of each round."""
        rounds, weight = [], 1
        while weight < self.NP:
            for digit in range(1, radix):
                blocks = sum(offset // weight % radix == digit for offset in range(1, self.NP))
                rounds += [blocks] if blocks else []
            weight *= radix
        return rounds

    def check(self, force, messages, wire_bytes, word="alltoallv"):
        line = self.one_line(self.NP, f"{word}:{self.BLOCK}", force=force)
        self.assertNotEqual(line["algorithm"], "native", line)
        self.assertEqual((line["messages"], line["wire_bytes"]), (messages, wire_bytes), line)
        self.assertEqual(line["sent_bytes"], dict.fromkeys(("min", "mean", "max"), (self.NP - 1) * self.BLOCK))

    def test_direct(self):
        for algorithm in ("spread_out", "pairwise", "scattered:block_count=2"):
            with self.subTest(algorithm=algorithm):
                self.check(f"alltoallv:{algorithm}", self.NP - 1, (self.NP - 1) * self.BLOCK)

    def test_tuna(self):
        for radix in (2, 3):
            rounds = self.bruck(radix)
            # Sizes travel as one byte each with the blocks, where a direct block needs none, or as four before them.
            fused = sum(blocks * self.BLOCK + (blocks if blocks > 1 else 0) for blocks in rounds)
            separate = sum(rounds) * (self.BLOCK + 4)
            with self.subTest(radix=radix):
                self.check(f"alltoallv:tuna:radix={radix}:metadata=fused", len(rounds), fused)
                self.check(f"alltoallv:tuna:radix={radix}:metadata=separate", 2 * len(rounds), separate)

    def test_alltoall_and_allgather(self):
        rounds = self.bruck(2)
        direct = (self.NP - 1) * self.BLOCK
        self.check("alltoall:zero_rotation_bruck", len(rounds), sum(rounds) * self.BLOCK, "alltoall")
        self.check("allgather:ring", self.NP - 1, direct, "allgather")
        self.check("allgather:bruck", len(rounds), direct, "allgather")

    def test_native_sends_nothing_of_ours(self):
        line = self.one_line(2, f"alltoallv:{self.BLOCK}")
        self.assertEqual((line["messages"], line["wire_bytes"]), (0, 0))
        self.assertGreater(line["phases_us"]["exchange"], 0)

    def test_counts_start_again_at_every_call(self):
        policy = self.rules(({"collective": "alltoallv", "max_block_bytes": {"max": 50}}, {"algorithm": "pairwise"}))
        for line in self.lines(2, "alltoallv:40", "alltoallv:400", "alltoallv:40:2", policy=policy):
            routed = line["max_block_bytes"] == 40
            self.assertEqual((line["messages"], line["wire_bytes"]), (1, 40) if routed else (0, 0), line)


@unittest.skipIf(RUNTIME, "the allocations of a sanitizer count, too")
class Allocations(RouteTest):
    CALLS = 1000 if OPENMPI else 300

    def allocations(self, result):
        self.assert_ended_well(result)
        found = re.findall(r"(self|world) (first|later): ours=(\d+) all=(\d+)", result.stdout)
        self.assertEqual(len(found), 4, result.everything())
        return {(where, when): (int(ours), int(everything)) for where, when, ours, everything in found}

    def check(self, **options):
        result = self.launch(2, client("c_allocations"), self.CALLS, **options)
        self.assertEqual(result.warnings, [], result.everything())
        counted = self.allocations(result)
        # At its first calls the shim does allocate: the counting works.
        self.assertGreater(counted["self", "first"][0], 0, result.stdout)
        self.assertEqual((counted["self", "later"][0], counted["world", "later"][0]), (0, 0), result.stdout)
        return counted

    def test_native(self):
        plain = self.allocations(self.plain(2, client("c_allocations"), self.CALLS))
        counted = self.check()
        # MPI allocates for the calls themselves; in one process it does so alike each time.
        self.assertLessEqual(counted["self", "later"][1], plain["self", "later"][1])
        self.check(log="off")

    def test_routed(self):
        for detail in ("calls", "ranks", "summary"):
            with self.subTest(detail=detail):
                self.check(force=FORCE, settings={"SWITCHYARD_DETAIL": detail})
        self.check(force=FORCE, log="off")

    def test_routed_by_rules(self):
        """Rules that are passed over at every call, and one that looks at blocks."""
        self.check(policy=self.rules(
            ({"collective": "alltoallv"}, {"algorithm": "tuna", "memory_limit_bytes": 0}),
            ({"collective": "alltoallv", "max_block_bytes": {"max": 10}}, {"algorithm": "spread_out"}),
            ({"collective": "alltoallv", "max_block_bytes": {"max": 500}}, {"algorithm": "pairwise"}),
            ({"collective": "alltoall", "max_block_bytes": {"max": 10}}, {"algorithm": "zero_rotation_bruck"}),
            ({"collective": "allgather"}, {"algorithm": "ring"})))

    def test_off(self):
        counted = self.allocations(self.launch(2, client("c_allocations"), self.CALLS, settings={"SWITCHYARD": "off"}))
        self.assertEqual({ours for ours, _ in counted.values()}, {0})


class Guest(RouteTest):
    def test_threads_and_a_log_longer_than_the_ring(self):
        """Two threads at once, more records than the ring has slots: every call once, results right."""
        rounds = 800 if OPENMPI else 80
        plain = self.plain_once(2, client("c_threads"), 2, rounds)
        result = self.launch(2, client("c_threads"), 2, rounds, force=FORCE, timeout=90)
        self.assert_ended_well(result)
        self.assertEqual(result.digest, plain.digest)
        lines = self.assert_logged(result)
        self.assertEqual(len(lines), 2 * 3 * rounds)
        self.assertEqual({line["reason"] for line in lines}, {"forced"})
        for comm in {line["comm"] for line in lines}:
            sequence = sorted(line["seq"] for line in lines if line["comm"] == comm)
            self.assertEqual(sequence, list(range(1, 3 * rounds + 1)))
        self.assertFalse(any("ranks_seen" in line for line in lines))

    def test_communicators_held_at_once(self):
        """MPICH has about two thousand communicators, and a program may have most of them: ours must not run the
        program out of its own."""
        plain = self.plain_once(2, client("c_route"), "hold:1500")
        result = self.route(2, "hold:1500", force="alltoallv:pairwise", timeout=90)
        self.assertEqual(result.digest, plain.digest)
        lines = self.assert_logged(result)
        self.assertEqual(lines[0]["algorithm"], "pairwise")

    def test_huge_emulated_nodes(self):
        """Any placement that is one is harmless."""
        for placement in ("2147483647", "cyclic:2147483647", "2147483647,1"):
            with self.subTest(placement=placement):
                line = self.one_line(4, "alltoallv:8", settings={"SWITCHYARD_RANKS_PER_NODE": placement})
                self.assertEqual((line["nodes"], line["ranks_per_node"]), (1, 4))

    def test_off(self):
        """Every call forwarded, no file, no word. (Words of the MPI itself, if there are any, hold process ids.)"""
        words = ("alltoallv:40", "alltoall:40", "allgather:40", "dup", "gaps:40", "allreduces")
        plain = self.plain_once(2, client("c_route"), *words)
        result = self.route(2, *words, settings={"SWITCHYARD": "off"}, force=FORCE)
        self.assertEqual(result.stdout, plain.stdout)
        self.assertEqual(result.lines_of_ours, [])
        self.assertTrue(plain.stderr or not result.stderr, result.stderr)
        self.assertEqual(result.logs, [])
        self.assertEqual([name for name in os.listdir(self.folder) if not name.endswith(".json")], [])

    def test_log_off_still_routes(self):
        result = self.route(2, "alltoallv:40:5", "allreduces", log="off", force=FORCE)
        self.assertEqual(len(result.lines_of_ours), 1, result.everything())
        self.assertRegex(result.lines_of_ours[0], r"\b5 calls seen, 5 routed, log off")
        # The votes of the start and of the first call.
        self.assertGreaterEqual(int(re.search(r"allreduces=(\d+)", result.stdout).group(1)), 2)
        self.assertEqual([name for name in os.listdir(self.folder) if not name.endswith(".json")], [])


if __name__ == "__main__":
    unittest.main()
