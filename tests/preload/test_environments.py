"""MPI from R and Julia, and mpi4py as its wheels are, which choose the MPI when they start. Each is skipped where it is
not installed, or is built for another MPI."""

import shutil
import subprocess
import unittest

from harness import HERE, MPI, OPENMPI, PYTHON, PreloadTest, environment_for

FORCE = "alltoallv:tuna:radix=2;alltoall:zero_rotation_bruck;allgather:bruck;allgatherv:ring;alltoallw:tuna:radix=2"
RANKS = 3
SONAMES = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}


def said(*command, settings=None):
    """What a command prints; empty where it fails or is not there."""
    if not shutil.which(command[0]):
        return ""
    environment = dict(environment_for(()), **(settings or {}))
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    return done.stdout if done.returncode == 0 else ""


def is_this_mpi(version):
    return ("Open MPI" in version) == OPENMPI and version != ""


def r_package_is_for_this_mpi(name):
    library = said("Rscript", "-e", f'cat(system.file("libs", "{name}.so", package = "{name}"))')
    needed = said("objdump", "-p", library) if library else ""
    return ("libmpi.so.40" in needed) == OPENMPI and needed != ""


def julia_is_for_this_mpi():
    return is_this_mpi(said("julia", "-e", "using MPI; print(MPI.MPI_LIBRARY_VERSION_STRING)"))


def wheel_is_there():
    """A wheel of mpi4py 4 has one extension module for each ABI, and the MPI is to be found under its usual name."""
    script = "from mpi4py import MPI; import mpi4py._mpiabi; print(MPI.Get_library_version())"
    return MPI in SONAMES and is_this_mpi(said(PYTHON, "-c", script, settings={"MPI4PY_MPIABI": MPI}))


class Environments(PreloadTest):
    def check(self, *words, settings=None):
        """Every call is routed and logged once, and the results are those of the bare program."""
        for key, value in (settings or {}).items():
            words = ("env", f"{key}={value}", *words)
        plain = self.plain(RANKS, *words, timeout=120)
        self.assert_ended_well(plain)
        self.assertGreater(plain.calls_made, 0)
        shimmed = self.launch(RANKS, *words, force=FORCE, timeout=120)
        self.assert_ended_well(shimmed)
        self.assert_quiet(shimmed)
        self.assertEqual((shimmed.calls_made, shimmed.digest), (plain.calls_made, plain.digest))
        lines = self.assert_logged(shimmed)
        self.assertEqual({(line["reason"], line["binding"]) for line in lines}, {("forced", "c")})
        self.assertIn("Open MPI" if OPENMPI else "MPICH", shimmed.run_json()["mpi_library"])

    def test_rmpi(self):
        if not r_package_is_for_this_mpi("Rmpi"):
            self.skipTest(f"no Rmpi for {MPI} (Debian: r-cran-rmpi)")
        self.check("Rscript", f"{HERE}/clients/rmpi_client.R")

    def test_pbdmpi(self):
        if not r_package_is_for_this_mpi("pbdMPI"):
            self.skipTest(f"no pbdMPI for {MPI}")
        self.check("Rscript", f"{HERE}/clients/pbdmpi_client.R")

    def test_julia(self):
        if not julia_is_for_this_mpi():
            self.skipTest(f"no Julia with an MPI.jl for {MPI}")
        self.check("julia", f"{HERE}/clients/mpi_jl_client.jl")

    def test_wheel_of_mpi4py(self):
        if not wheel_is_there():
            self.skipTest(f"no mpi4py of a wheel that finds {MPI}")
        self.check(PYTHON, f"{HERE}/clients/mpi4py_client.py", settings={"MPI4PY_MPIABI": MPI})


if __name__ == "__main__":
    unittest.main()
