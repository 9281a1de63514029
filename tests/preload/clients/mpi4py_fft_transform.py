"""A three-dimensional FFT by mpi4py-fft, whose exchanges are MPI_Alltoallw of subarrays: in slabs on the world, and in pencils on
the communicators of rows and columns. Forward and back again must give the input; the digest is of the spectra, bit for bit.
Argument: transforms of each kind, default 4."""

import hashlib
import sys

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

world = MPI.COMM_WORLD


def transforms(number, grid, size):
    """A digest of what this rank has of the spectra."""
    # numpy's transforms are the same in every run. FFTW's plans depend on times.
    fft = PFFT(world, size, axes=(0, 1, 2), dtype=float, grid=grid, backend="numpy")
    digest = hashlib.sha256()
    for turn in range(number):
        space = newDistArray(fft, False)
        points = numpy.arange(space.size, dtype=float).reshape(space.shape)
        space[:] = numpy.sin(0.37 * points + world.rank) + turn
        spectrum = fft.forward(space.copy())
        digest.update(numpy.ascontiguousarray(spectrum).tobytes())
        error = numpy.abs(fft.backward(spectrum.copy()) - space).max() if space.size else 0
        if error > 1e-12:
            print(f"FAILED: rank {world.rank}, error {error} after the way back", flush=True)
            world.Abort(1)
    fft.destroy()
    return digest.hexdigest()


number = int(sys.argv[1]) if len(sys.argv) > 1 else 4
digests = world.gather([transforms(number, (-1,), (12, 10, 9)), transforms(number, None, (11, 7, 13))])
if world.rank == 0:
    print(f"ok digest={hashlib.sha256(repr(digests).encode()).hexdigest()[:16]}", flush=True)
