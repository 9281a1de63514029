"""Neighbourhood collectives: each call is caught, has the result of the bare library, and runs the algorithm that was asked
for. The programs check every byte, and print for each call what the log should say of it."""

import collections
import json
import re
import subprocess
import unittest

from harness import HERE, MPI, OPENMPI, PYTHON, SHIM, SWITCHYARD, PreloadTest, client, client_exists, mpi4py_works

COLLECTIVES = ("neighbor_alltoall", "neighbor_alltoallv", "neighbor_allgather", "neighbor_allgatherv")
RANKS = (1, 2, 3, 5, 7) if OPENMPI else (1, 2, 3, 5)
TOPOLOGIES = 18 if OPENMPI else 12
needs_fortran = unittest.skipUnless(client_exists("f_neighbor"), f"no Fortran compiler, or {MPI} has no Fortran layer")

Call = collections.namedtuple("Call", "collective ranks max_block_bytes least most large")


def registry():
    listed = json.loads(subprocess.run([SWITCHYARD, "algorithms", "--json"], capture_output=True, check=True).stdout)
    return {name: {a["name"] for a in listed if a["collective"] == name} for name in COLLECTIVES}


REGISTRY = registry()
ROUTED = any(REGISTRY.values())
ALGORITHMS = sorted(set().union(*REGISTRY.values()) - {"native"})


def forced(algorithm):
    return ";".join(f"{name}:{algorithm}" for name in COLLECTIVES if algorithm in REGISTRY[name])


def promised(result):
    """What the program says of its calls, and the largest number of messages that a rank has to send."""
    calls = []
    for line in re.findall(r"(?m)^call (neighbor_\w+ .*)$", result.stdout):
        name, *words = line.split()
        fields = {key: int(value) for key, value in (word.split("=") for word in words)}
        call = Call(name, fields["ranks"], fields["block"], fields["least"], fields["most"], bool(fields["large"]))
        calls.append((call, fields["messages"]))
    return calls


def logged(line):
    return Call(line["collective"], line["ranks"], line["max_block_bytes"], line["sent_bytes"]["min"],
                line["sent_bytes"]["max"], line.get("large_count", False))


def made(result):
    return {name: int(calls) for name, calls in re.findall(r"(?m)^made (\w+) calls=(\d+)", result.stdout)}


class NeighborTest(PreloadTest):
    def same_as_plain(self, np, program, *arguments, **options):
        plain = self.plain_once(np, program, *arguments)
        result = self.launch(np, program, *arguments, **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual((result.digest, result.calls_made), (plain.digest, plain.calls_made), result.everything())
        self.assertEqual(made(result), made(plain))
        return result

    def check(self, np, program, *arguments, **options):
        """Returns the lines of the log that are about neighbours. As long as these collectives have no algorithms, they are
        counted and have no lines."""
        result = self.same_as_plain(np, program, *arguments, **options)
        self.assertEqual(set(made(result)), set(COLLECTIVES), result.everything())
        lines = [line for line in result.calls() if line["collective"] in COLLECTIVES]
        seen = {entry["collective"]: entry["calls"] for entry in result.run_json()["seen"]}
        if ROUTED:
            self.assert_logged(result)
            self.assertEqual(collections.Counter(line["collective"] for line in lines),
                             collections.Counter({name: calls for name, calls in made(result).items() if calls}))
            self.assertEqual(set(seen) & set(COLLECTIVES), set())
        else:
            self.assertEqual(lines, [])
            for name, calls in self.calls_of_all_ranks(result, np).items():
                self.assertEqual(seen.get(name, 0), calls, name)
        return result, lines

    def calls_of_all_ranks(self, result, np):
        """On the communicators of c_neighbor, or on the world."""
        calls = collections.Counter()
        for call, _ in promised(result):
            calls[call.collective] += call.ranks
        return calls or {name: np * number for name, number in made(result).items()}

    def check_facts(self, result, lines):
        """The facts of all calls, whichever order they have in the log."""
        if ROUTED:
            wanted = collections.Counter(call for call, _ in promised(result))
            found = collections.Counter(map(logged, lines))
            self.assertEqual(dict(found - wanted), {}, "logged, but not made")
            self.assertEqual(dict(wanted - found), {}, "made, but not logged")

    def assert_algorithm(self, lines, algorithm, reason="forced"):
        for line in lines:
            if algorithm in REGISTRY[line["collective"]]:
                self.assertEqual((line["algorithm"], line["reason"]), (algorithm, reason), line)
            else:
                self.assertEqual(line["algorithm"], "native", line)


class Native(NeighborTest):
    """Without a rule for them."""

    def test_random_topologies(self):
        for np in RANKS:
            for seed in (1, 2):
                with self.subTest(ranks=np, seed=seed):
                    result, lines = self.check(np, client("c_neighbor"), seed, TOPOLOGIES)
                    self.check_facts(result, lines)
                    for line in lines:
                        self.assertEqual((line["algorithm"], line["reason"], line["messages"]), ("native", "otherwise", 0), line)

    def test_what_mpi_refuses(self):
        """A communicator without a topology, MPI_IN_PLACE, negative counts and null types: MPI gives its own error, and
        calls the program's handler as often as without the shim."""
        for force in [None] + [forced(algorithm) for algorithm in ALGORITHMS]:
            with self.subTest(force=force):
                plain = self.plain_once(3, client("c_neighbor"), "refused")
                result = self.launch(3, client("c_neighbor"), "refused", force=force)
                self.assert_ended_well(result)
                self.assert_quiet(result)
                erroneous = [re.search(r"erroneous=(\d+)", run.stdout).group(1) for run in (plain, result)]
                self.assertEqual(erroneous[0], erroneous[1])
                self.assertGreaterEqual(int(erroneous[0]), len(COLLECTIVES))

    def test_without_a_log_and_off(self):
        plain = self.plain_once(2, client("c_neighbor"), 3, 6)
        for exported in ({"SWITCHYARD_LOG": "off"}, {"SWITCHYARD": "off"}):
            with self.subTest(**exported):
                result = self.launch(2, client("c_neighbor"), 3, 6, preload=[SHIM], exported=exported)
                self.assert_ended_well(result)
                self.assertEqual(result.digest, plain.digest)
                self.assertEqual(result.logs, [])


class Algorithms(NeighborTest):
    def check_forced(self, np, algorithm, seed, **options):
        result, lines = self.check(np, client("c_neighbor"), seed, TOPOLOGIES, force=forced(algorithm), **options)
        self.check_facts(result, lines)
        return result, lines

    def test_every_algorithm_on_one_node(self):
        """An algorithm for several nodes may pass over one."""
        messages = {"direct": self.assert_a_message_for_each_block, "shared": self.assert_no_message}
        for algorithm in ALGORITHMS:
            for np in RANKS:
                with self.subTest(algorithm, ranks=np):
                    result, lines = self.check_forced(np, algorithm, seed=np)
                    if algorithm == "aggregated":
                        for line in lines:
                            self.assertRegex(line["reason"], "^forced( passed over: .*node.*)?$", line)
                    else:
                        self.assert_algorithm(lines, algorithm)
                    if algorithm in messages:
                        messages[algorithm](result, lines)

    def assert_a_message_for_each_block(self, result, lines):
        """As many as the rank with the most has blocks for others. An empty block is none."""
        self.assertEqual(collections.Counter((logged(line), line["messages"]) for line in lines),
                         collections.Counter(promised(result)))

    def assert_no_message(self, _, lines):
        """Large blocks may go as messages while other programs keep ranks off their cores."""
        for line in lines:
            if line["max_block_bytes"] < 16384:
                self.assertEqual((line["messages"], line["wire_bytes"]), (0, 0), line)

    def test_shared_is_for_one_node(self):
        """Communicators on several nodes go to MPI, and the log says why."""
        for placement in ("1", "2", "cyclic:2") if "shared" in ALGORITHMS else ():
            with self.subTest(placement):
                for line in self.check_forced(5, "shared", seed=6, settings={"SWITCHYARD_RANKS_PER_NODE": placement})[1]:
                    if line["nodes"] == 1:
                        self.assertEqual((line["algorithm"], line["reason"]), ("shared", "forced"), line)
                    else:
                        self.assertEqual(line["algorithm"], "native", line)
                        self.assertRegex(line["reason"], r"forced passed over: its ranks are on \d nodes")

    def test_aggregated_on_several_nodes(self):
        """Emulated ones, of equal and of ragged sizes. Nothing goes to other nodes where there are none."""
        for np, placement in (((5, "2"), (5, "cyclic:2"), (7, "3,1,2"), (7, "1")) if "aggregated" in ALGORITHMS else ()):
            with self.subTest(ranks=np, placement=placement):
                _, lines = self.check_forced(np, "aggregated", seed=7, settings={"SWITCHYARD_RANKS_PER_NODE": placement})
                several = [line for line in lines if line["nodes"] > 1]
                self.assertNotEqual(several, [])
                self.assert_algorithm(several, "aggregated")
                for line in lines:
                    if line["nodes"] == 1:
                        self.assertEqual((line["messages_inter"], line["wire_bytes_inter"]), (0, 0), line)

    def test_aggregated_saves_messages_between_nodes(self):
        """The blocks for the ranks of another node share messages."""
        if "aggregated" not in ALGORITHMS:
            return
        settings = {"SWITCHYARD_RANKS_PER_NODE": "3"}
        sums = {}
        for algorithm in ("direct", "aggregated"):
            _, lines = self.check_forced(6, algorithm, seed=8, settings=settings)
            sums[algorithm] = sum(line["messages_inter"] for line in lines if line["collective"] == "neighbor_alltoall")
        self.assertLess(sums["aggregated"], sums["direct"])

    def test_a_rule_for_all_collectives(self):
        """A rule without a condition takes all calls of the collectives that have its algorithm."""
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm):
                rules = [{"name": f"all {name}", "when": {"collective": name}, "use": {"algorithm": algorithm}}
                         for name in COLLECTIVES if algorithm in REGISTRY[name]]
                policy = {"version": 1, "rules": rules, "otherwise": {"algorithm": "native"}}
                _, lines = self.check(5, client("c_neighbor"), 9, TOPOLOGIES, policy=self.write("policy.json", policy))
                for line in lines:
                    if line["rule"] is not None:
                        self.assertEqual((line["algorithm"], line["rule"]), (algorithm, f"all {line['collective']}"), line)
                    elif algorithm in REGISTRY[line["collective"]]:
                        self.assertIn("passed over", line["reason"], line)
                if algorithm == "direct":
                    self.assert_algorithm(lines, algorithm, reason="rule")

    def test_rules_on_the_block(self):
        """Small blocks go one way, large ones another, and every rank decides alike."""
        for name in COLLECTIVES if "direct" in ALGORITHMS else ():
            with self.subTest(name):
                rules = [{"name": "small", "when": {"collective": name, "max_block_bytes": {"max": 64}},
                          "use": {"algorithm": "direct"}}]
                policy = {"version": 1, "rules": rules, "otherwise": {"algorithm": "native"}}
                result, lines = self.check(5, client("c_neighbor"), 10, TOPOLOGIES, policy=self.write("policy.json", policy))
                self.check_facts(result, lines)
                lines = [line for line in lines if line["collective"] == name]
                self.assertEqual({line["algorithm"] for line in lines}, {"direct", "native"})
                for line in lines:
                    small = line["max_block_bytes"] <= 64
                    self.assertEqual((line["algorithm"], line["rule"]), ("direct", "small") if small else ("native", None), line)

    def test_little_shared_memory(self):
        """Blocks that do not fit take several rounds, or other ways; results stay."""
        for algorithm in ALGORITHMS:
            for size in ("0", "2048", "65536"):
                with self.subTest(algorithm, size=size):
                    self.check_forced(3, algorithm, seed=11, settings={"SWITCHYARD_SHARED_BYTES": size})

    def test_every_rank_s_record(self):
        """With detail `all` each rank has a line, and its bytes are its own."""
        for algorithm in ALGORITHMS:
            with self.subTest(algorithm):
                result, lines = self.check_forced(3, algorithm, seed=12, settings={"SWITCHYARD_DETAIL": "all"})
                most = {(line["comm"], line["seq"]): 0 for line in lines}
                for rank in range(3):
                    for line in result.calls(f"rank-{rank}.jsonl"):
                        if line["collective"] in COLLECTIVES:
                            key = line["comm"], line["seq"]
                            most[key] = max(most[key], line["sent_bytes"])
                self.assertEqual(most, {(line["comm"], line["seq"]): line["sent_bytes"]["max"] for line in lines})


class Bindings(NeighborTest):
    """Programs in Fortran and Python, which know what has to arrive. Three ranks run every algorithm, other numbers one."""

    def check_binding(self, np, program, *arguments, binding):
        for force in [None] + [forced(algorithm) for algorithm in ALGORITHMS] if np == 3 else [forced("direct")]:
            with self.subTest(ranks=np, force=force):
                _, lines = self.check(np, program, *arguments, force=force)
                self.assertLessEqual({line["binding"] for line in lines}, {binding})
                if force == forced("direct"):
                    self.assert_algorithm(lines, "direct")

    @needs_fortran
    def test_fortran(self):
        for program in ("f_neighbor", "f_neighbor_mpi", "f_neighbor_f08"):
            for np in (1, 2, 3, 5):
                with self.subTest(program):
                    self.check_binding(np, client(program), binding="fortran")

    @unittest.skipUnless(mpi4py_works(), "no mpi4py for this MPI")
    def test_mpi4py(self):
        for np in (1, 2, 3, 5):
            self.check_binding(np, PYTHON, f"{HERE}/clients/mpi4py_neighbor.py", binding="c")


if __name__ == "__main__":
    unittest.main()
