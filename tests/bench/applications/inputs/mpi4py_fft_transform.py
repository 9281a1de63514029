"""Forward and backward three-dimensional FFTs by mpi4py-fft; each exchange is an MPI_Alltoallw of subarrays.
Arguments: points a side (64), transforms (20), slab or pencil."""
import hashlib
import sys

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

world = MPI.COMM_WORLD
side = int(sys.argv[1]) if len(sys.argv) > 1 else 64
number = int(sys.argv[2]) if len(sys.argv) > 2 else 20
grid = (-1,) if len(sys.argv) > 3 and sys.argv[3] == "slab" else None
fft = PFFT(world, (side,) * 3, axes=(0, 1, 2), dtype=complex, grid=grid, backend="numpy")
space = newDistArray(fft, False)
space[:] = numpy.random.default_rng(world.rank).standard_normal(space.shape)
digest = hashlib.sha256()
errors = 0.0
world.Barrier()
start = MPI.Wtime()
for _ in range(number):
    spectrum = fft.forward(space.copy())
    back = fft.backward(spectrum.copy())
    errors = max(errors, numpy.abs(back - space).max())
digest.update(numpy.ascontiguousarray(spectrum).tobytes())
seconds = world.allreduce(MPI.Wtime() - start, MPI.MAX)
error = world.allreduce(errors, MPI.MAX)
digests = world.gather(digest.hexdigest())
if world.rank == 0:
    print(f"time {seconds:.4f} s")
    print(f"digest {hashlib.sha256(repr(digests).encode()).hexdigest()[:16]}")
    print("verification", "SUCCESSFUL" if error < 1e-12 else f"FAILED, error {error}", flush=True)
    if error >= 1e-12:
        world.Abort(1)
