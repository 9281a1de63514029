"""Every way a program can reach MPI: each call is logged once, results are those of the bare library, bit by bit."""

import unittest

from harness import FEW_RANKS, HERE, MPI, OPENMPI, PYTHON, SHIM, PreloadTest, client, client_exists, mpi4py_works

# One forced choice for each collective, as SWITCHYARD_FORCE spells it, and what the log must then say.
FORCED = [
    {"alltoallv": ("spread_out", {}), "alltoall": ("zero_rotation_bruck", {}), "allgather": ("ring", {}),
     "allgatherv": ("ring", {})},
    {"alltoallv": ("pairwise", {}), "alltoall": ("pairwise", {}), "allgather": ("bruck", {}), "allgatherv": ("bruck", {})},
    {"alltoallv": ("scattered", {"block_count": 2}), "alltoall": ("basic_bruck", {}),
     "allgather": ("recursive_doubling", {}), "allgatherv": ("recursive_doubling", {})},
    {"alltoallv": ("linear", {}), "alltoall": ("spread_out", {}), "allgather": ("dissemination", {}),
     "allgatherv": ("dissemination", {})},
    {"alltoallv": ("stride_waitall", {"stride": 2}), "alltoall": ("modified_bruck", {}), "allgatherv": ("hierarchical", {})},
    {"alltoallv": ("stride_waitany", {"stride": 2}), "alltoall": ("zero_copy_bruck", {}), "allgatherv": ("multi_lane", {})},
    {"alltoallv": ("stride_testany", {"stride": 1}), "alltoall": ("basic_bruck_datatype", {}),
     "allgatherv": ("locality_aware_bruck", {})},
    {"alltoallv": ("padded_alltoall", {}), "alltoall": ("modified_bruck_datatype", {})},
    {"alltoallv": ("padded_bruck", {}), "alltoall": ("parameterized_bruck", {"radix": 2})},
    {"alltoallv": ("two_phase_bruck", {})},
    {"alltoallv": ("shared", {}), "alltoall": ("shared", {}), "allgather": ("shared", {}),
     "allgatherv": ("shared", {})},
    {"alltoallv": ("in_place", {"auxiliary_bytes": 100, "buffers": 2})},
    {"alltoallv": ("padded_bruck", {"direct_from": 9})},
    {"alltoallv": ("two_phase_bruck", {"direct_from": 8})},
    {"alltoallv": ("tuna", {"radix": 3, "direct_from": 8})},
    {"alltoallv": ("tuna", {"radix": 2, "in_flight": 1})},
    {"alltoallv": ("tuna", {"radix": 3, "metadata": "separate"}), "alltoall": ("parameterized_bruck", {"radix": 3})},
    {"alltoallv": ("tuna", {"radix": 2, "metadata": "fused"}), "alltoall": ("zero_rotation_bruck", {}),
     "allgather": ("bruck", {}), "allgatherv": ("bruck", {})},
]

for forced in FORCED:
    if "alltoallv" in forced:
        forced["alltoallw"] = forced["alltoallv"]  # it runs the same algorithms

# The world of the client programs, and sizes that are no power of two.
RANKS = (1, 2, 3, 5, 8) if OPENMPI else (1, 2, 3, 5)


def spelled(forced):
    words = []
    for collective, (algorithm, parameters) in forced.items():
        words.append(":".join([collective, algorithm] + [f"{key}={value}" for key, value in parameters.items()]))
    return ";".join(words)


def smallest(parameters):
    """The fewest ranks on which a forced choice can run: a radix goes up to the number of ranks."""
    return parameters.get("radix", 2) if parameters.get("radix", 2) > 2 else 1


needs_fortran = unittest.skipUnless(client_exists("f_mpifh"), f"no Fortran compiler, or {MPI} has no Fortran layer")


class BindingTest(PreloadTest):
    def same_as_plain(self, np, program, *arguments, binding, force=None, timeout=60):
        plain = self.plain_once(np, program, *arguments)
        shimmed = self.launch(np, program, *arguments, force=force, timeout=timeout)
        self.assert_ended_well(shimmed)
        self.assert_quiet(shimmed)
        self.assertEqual(shimmed.digest, plain.digest)
        self.assertEqual(shimmed.calls_made, plain.calls_made)
        lines = self.assert_logged(shimmed)
        self.assertEqual({line["binding"] for line in lines}, {binding})
        return lines

    def check_forced(self, lines, forced):
        for line in lines:
            name, parameters = forced.get(line["collective"], ("native", {}))
            if name == "native":
                self.assertEqual(line["algorithm"], "native", line)
                self.assertNotEqual(line["reason"], "forced", line)
            elif line["ranks"] >= smallest(parameters):
                self.assertEqual((line["algorithm"], line["reason"]), (name, "forced"), line)
                given = {key: line["parameters"].get(key) for key in parameters}
                self.assertEqual(given, parameters, line)
            else:
                self.assertEqual(line["algorithm"], "native", line)
                self.assertIn("passed over", line["reason"], line)

    def check_forced_run(self, np, forced, **options):
        with self.subTest(ranks=np, force=spelled(forced)):
            lines = self.same_as_plain(np, client("c_basic"), binding="c", force=spelled(forced), **options)
            self.check_forced(lines, forced)

    def check_native(self, lines):
        for line in lines:
            self.assertEqual((line["algorithm"], line["reason"]), ("native", "otherwise"), line)

    def check_binding(self, np, program, *arguments, binding, forced=FORCED[-1]):
        with self.subTest(ranks=np, algorithm="native"):
            self.check_native(self.same_as_plain(np, program, *arguments, binding=binding))
        with self.subTest(ranks=np, force=spelled(forced)):
            lines = self.same_as_plain(np, program, *arguments, binding=binding, force=spelled(forced))
            self.check_forced(lines, forced)


class Bindings(BindingTest):
    """A program in each binding."""

    def test_c_native(self):
        for np in RANKS:
            with self.subTest(ranks=np):
                self.check_native(self.same_as_plain(np, client("c_basic"), binding="c"))

    @needs_fortran
    def test_mpif_h(self):
        self.check_binding(3, client("f_mpifh"), binding="fortran")

    @needs_fortran
    def test_use_mpi(self):
        self.check_binding(3, client("f_mpi"), binding="fortran")

    @needs_fortran
    def test_mpi_f08(self):
        self.check_binding(3, client("f_f08"), binding="fortran")
        self.check_binding(1, client("f_f08"), binding="fortran")

    @unittest.skipUnless(client_exists("f_f08_large"), f"{MPI} has no large counts")
    def test_mpi_f08_large_counts(self):
        self.check_binding(3, client("f_f08_large"), binding="fortran")

    @unittest.skipUnless(client_exists("c_large_count"), f"{MPI} has no large counts")
    def test_c_large_counts(self):
        for np in (1, 2, 3):
            self.check_binding(np, client("c_large_count"), binding="c")

    def test_large_counts_by_weak_references(self):
        """Our names of them are there for every MPI, so such a program calls them."""
        for force, *more in ((None, "too_many"), (spelled(FORCED[-1]),)):
            with self.subTest(force=force):
                result = self.launch(3, client("c_weak_counts"), *more, force=force)
                self.assert_ended_well(result)
                self.assertIn("found=8", result.stdout)
                self.assertGreaterEqual(len(result.calls()), 4)
        with self.subTest("off"):
            result = self.launch(3, client("c_weak_counts"), "too_many", preload=[SHIM], exported={"SWITCHYARD": "off"})
            self.assert_ended_well(result)
            self.assertIn("found=8", result.stdout)

    @unittest.skipUnless(mpi4py_works(), "no mpi4py for this MPI")
    def test_mpi4py(self):
        for np in (1, 3, 5):
            self.check_binding(np, PYTHON, f"{HERE}/clients/mpi4py_client.py", binding="c")


class Choices(BindingTest):
    """Every algorithm, and rules."""

    def test_c_every_algorithm(self):
        """With three ranks, and each with one of the other numbers in turn. ChoicesAndRanks has every pair."""
        others = [np for np in RANKS if np != 3]
        for number, forced in enumerate(FORCED):
            for np in (3, others[number % len(others)]):
                self.check_forced_run(np, forced)

    def test_a_frontier_search(self):
        """Sparse blocks whose sizes follow a power law, under rules that need no agreement: one border, one for all."""
        for np in (2, 3, 5) if OPENMPI else (2, 3):
            for force in (None, "alltoallv:tuna:direct_from=64", "alltoallv:node_aware:intra=shared:direct_from=auto"):
                with self.subTest(ranks=np, force=force):
                    lines = self.same_as_plain(np, client("c_frontier"), "40", binding="c", force=force)
                    self.assertEqual({line["phases_us"]["agree"] for line in lines}, {0})

    def test_c_sixteen_ranks(self):
        """On MPICH once only: sixteen ranks take long there on two cores."""
        for forced in FORCED[-2:] if OPENMPI else FORCED[-1:]:
            self.check_forced_run(16, forced, timeout=200)

    def test_rules_decide_by_agreed_values(self):
        """A rule on the block: one side of it tuna, the other side native, and the log names the rule."""
        policy = {"version": 1, "otherwise": {"algorithm": "native"}, "rules": [
            {"name": "small", "when": {"collective": "alltoallv", "ranks": {"min": 2}, "max_block_bytes": {"max": 64}},
             "use": {"algorithm": "tuna", "radix": 2}},
            {"name": "gathers", "when": {"collective": "allgather", "ranks": {"min": 2}},
             "use": {"algorithm": "ring"}}]}
        result = self.launch(FEW_RANKS, client("c_basic"), policy=self.write("policy.json", policy))
        self.assert_ended_well(result)
        self.assertEqual(result.digest, self.plain_once(FEW_RANKS, client("c_basic")).digest)
        for line in self.assert_logged(result):
            if line["ranks"] < 2 or line["collective"] in ("alltoall", "allgatherv", "alltoallw"):
                expected = ("native", "otherwise")
            elif line["collective"] == "allgather":
                expected = ("ring", "rule")
                self.assertEqual(line["rule"], "gathers")
            elif line["max_block_bytes"] <= 64:
                expected = ("tuna", "rule")
                self.assertEqual(line["rule"], "small")
            else:
                expected = ("native", "otherwise")
            self.assertEqual((line["algorithm"], line["reason"]), expected, line)


class ChoicesAndRanks(BindingTest):
    """Every algorithm with every number of ranks: minutes, in the long tier."""

    def test_c_every_algorithm(self):
        for np in RANKS:
            for forced in FORCED:
                self.check_forced_run(np, forced)


if __name__ == "__main__":
    unittest.main()
