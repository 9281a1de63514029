"""The applications of tests/bench/apps: the same result bare, under the default policy and under every algorithm, and each call
of theirs in the log. They check their results themselves, and find a wrong exchange."""

import json
import os
import subprocess
import unittest

from harness import DEFAULT_POLICY, FEW_RANKS, CLIENTS, MPI, OUTPUT, ROOT, SWITCHYARD, PreloadTest

ALL_TO_ALL = 4  # ranks with which every algorithm runs: exclusive_or wants a power of two
MANY_RANKS = 5 if FEW_RANKS == 4 else 3


def app(name):
    return os.path.join(OUTPUT, "bin", f"switchyard-app-{name}-{MPI}")


def algorithms_of(collective):
    listed = json.loads(subprocess.run([SWITCHYARD, "algorithms", "--json"], capture_output=True, check=True).stdout)
    return [algorithm["name"] for algorithm in listed if algorithm["collective"] == collective]


class Apps(PreloadTest):
    def check(self, np, program, **options):
        """The program under the shim, against its run without. Returns the log's lines."""
        plain = self.plain_once(np, *program)
        result = self.launch(np, *program, **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual((result.digest, result.calls_made), (plain.digest, plain.calls_made), result.everything())
        self.assertEqual(len(result.calls()), plain.calls_made, result.everything())
        return result.calls()

    def check_policies(self, np, program):
        for policy in (None, DEFAULT_POLICY):
            with self.subTest(ranks=np, program=program, policy=policy):
                self.check(np, program, policy=policy)

    def check_algorithms(self, np, collective, program):
        for algorithm in algorithms_of(collective):
            with self.subTest(ranks=np, algorithm=algorithm):
                lines = self.check(np, program, force=f"{collective}:{algorithm}")
                taken = {(line["algorithm"], line["reason"]) for line in lines if line["collective"] == collective}
                self.assertEqual(taken, {(algorithm, "forced")})

    def check_finds_wrong_exchange(self, np, program):
        """A preloaded object changes one byte that MPI_Alltoallv or MPI_Alltoallw receives."""
        self.assert_ended_well(self.plain_once(np, *program))
        result = self.plain(np, *program, exported={"LD_PRELOAD": os.path.join(CLIENTS, "c_wrong_exchange.so")})
        self.assertNotEqual(result.code, 0, result.everything())
        self.assertIn("WRONG RESULT", result.stdout)


class TransitiveClosure(Apps):
    CHAIN = (app("transitive-closure"), "--graph", "chain", "--size", 20)
    GRID = (app("transitive-closure"), "--graph", "grid", "--size", 8)
    POWER_LAW = (app("transitive-closure"), "--graph", "power_law", "--size", 100, "--seed", 5)

    def test_policies(self):
        for np, program in ((1, self.GRID), (2, self.CHAIN), (3, self.POWER_LAW), (MANY_RANKS, self.GRID)):
            self.check_policies(np, program)

    def test_every_algorithm(self):
        self.check_algorithms(ALL_TO_ALL, "alltoallv", self.POWER_LAW)

    def test_wrong_exchange(self):
        self.check_finds_wrong_exchange(3, self.GRID)

    def test_graph_that_there_is_not(self):
        result = self.plain(1, app("transitive-closure"), "--graph", "tree")
        self.assertNotEqual(result.code, 0)
        self.assertIn("chain,grid,power_law", result.stderr)

    def test_more_ranks_than_vertices(self):
        self.check_policies(3, (app("transitive-closure"), "--graph", "chain", "--size", 2))


class IntegerSort(Apps):
    SMALL = ("--keys", 10, "--range", 8, "--iterations", 2)

    def sort(self, *words):
        return (app("integer-sort"), *(words or self.SMALL))

    def test_policies(self):
        for np in (1, 2, 3, MANY_RANKS):
            self.check_policies(np, self.sort())

    def test_every_algorithm(self):
        self.check_algorithms(ALL_TO_ALL, "alltoallv", self.sort())

    def test_calls_of_each_iteration(self):
        lines = self.check(3, self.sort("--keys", 14, "--range", 12, "--iterations", 3), policy=DEFAULT_POLICY)
        self.assertEqual([line["collective"] for line in lines], 3 * ["alltoall", "alltoallv"])

    def test_one_result_whatever_the_ranks(self):
        self.assertEqual(len({self.plain_once(np, *self.sort()).digest for np in (1, 2, 3)}), 1)
        self.assertNotEqual(self.plain_once(2, *self.sort()).digest, self.plain_once(2, *self.sort(*self.SMALL, "--seed", 2)).digest)

    def test_ranks_without_keys_or_without_buckets(self):
        for words in (("--keys", 0, "--range", 8), ("--keys", 10, "--range", 1)):
            self.check_policies(MANY_RANKS, self.sort(*words, "--iterations", 2))

    def test_wrong_exchange(self):
        self.check_finds_wrong_exchange(3, self.sort())


@unittest.skipUnless(os.path.exists(app("pencil-fft")), f"no FFTW for the FFT with {MPI}")
class PencilFft(Apps):
    """Rows and columns of the process grid are communicators of their own."""

    SIZE = (7, 10, 9)

    def fft(self, exchange, size=SIZE, iterations=2):
        return (app("pencil-fft"), "--exchange", exchange, "--iterations", iterations, "--size", *size)

    def test_policies(self):
        for np, exchange in ((1, "alltoallw"), (2, "alltoallv"), (3, "alltoallv"), (MANY_RANKS, "alltoallw")):
            self.check_policies(np, self.fft(exchange))

    def test_every_algorithm_of_alltoallv(self):
        self.check_algorithms(ALL_TO_ALL, "alltoallv", self.fft("alltoallv"))

    def test_every_algorithm_of_alltoallw(self):
        self.check_algorithms(ALL_TO_ALL, "alltoallw", self.fft("alltoallw"))

    def test_exchanges_move_the_same(self):
        digests = {self.plain_once(3, *self.fft(exchange)).digest for exchange in ("alltoallv", "alltoallw")}
        self.assertEqual(len(digests), 1)

    def test_empty_pencils(self):
        for exchange in ("alltoallv", "alltoallw"):
            self.check(ALL_TO_ALL, self.fft(exchange, size=(1, 3, 2)), policy=DEFAULT_POLICY)

    def test_wrong_exchange(self):
        for exchange in ("alltoallv", "alltoallw"):
            self.check_finds_wrong_exchange(3, self.fft(exchange))


class HeffteScript(unittest.TestCase):
    def test_without_a_source(self):
        """There is none in the project: one sentence, and no failure."""
        for words in ([], ["no-such-folder"]):
            result = subprocess.run([os.path.join(ROOT, "scripts", "heffte"), *words], capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r"^heffte: skipped: [^\n]+\n$")


if __name__ == "__main__":
    unittest.main()
