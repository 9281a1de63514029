"""Fourier transforms of other people's libraries, whose exchanges are alltoallw, alltoallv and alltoall: the same results, bit for
bit, whatever takes their calls."""

import collections
import os
import subprocess
import unittest

from harness import FEW_RANKS, HERE, MPI, OPENMPI, PYTHON, PreloadTest, client, client_exists

TRANSFORMS = 4
# They serve alltoallv and alltoallw alike.
ALGORITHMS = ("spread_out", "tuna:radix=2", "padded_bruck", "two_phase_bruck", "node_aware:direct_from=64", "shared", "in_place")


def has_mpi4py_fft():
    return OPENMPI and os.path.exists(PYTHON) and subprocess.run([PYTHON, "-c", "import mpi4py_fft"], capture_output=True,
                                                                 check=False).returncode == 0


class Transforms(PreloadTest):
    def lines_of(self, plain, *command, **options):
        """The log's lines of a run with the plain run's results."""
        result = self.launch(*command, **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual(result.digest, plain.digest)
        return result.calls()

    def check(self, np, collective, communicators, *program):
        """`communicators`: with more than one rank. Each has an exchange for each transform, and one for each way back."""
        plain = self.plain(np, *program)
        self.assert_ended_well(plain)
        for algorithm in (None, "native", *ALGORITHMS):
            with self.subTest(ranks=np, algorithm=algorithm):
                force = f"{collective}:{algorithm}" if algorithm else None
                lines = [line for line in self.lines_of(plain, np, *program, force=force)
                         if line["collective"] == collective and line["ranks"] > 1]
                calls = collections.Counter(line["comm"] for line in lines)
                self.assertEqual(list(calls.values()), [2 * TRANSFORMS] * communicators)
                if force:
                    self.assertEqual({(line["algorithm"], line["reason"]) for line in lines},
                                     {(algorithm.split(":")[0], "forced")})

    @unittest.skipUnless(has_mpi4py_fft(), f"no mpi4py-fft for {MPI}")
    def test_mpi4py_fft(self):
        """Slabs on the world. Pencils of 4 ranks on two rows and two columns, of 3 ranks on one row."""
        for np, communicators in ((3, 2), (4, 5)):
            self.check(np, "alltoallw", communicators, PYTHON, f"{HERE}/clients/mpi4py_fft_transform.py", TRANSFORMS)

    @unittest.skipUnless(client_exists("spfft_transform"), f"no SpFFT for {MPI}")
    def test_spfft(self):
        for exchange, collective in (("unbuffered", "alltoallw"), ("compact", "alltoallv")):
            self.check(FEW_RANKS, collective, 1, client("spfft_transform"), exchange, TRANSFORMS)


if __name__ == "__main__":
    unittest.main()
