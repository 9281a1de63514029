"""The programs of scripts/evidence. Those of Debian are found by their command; of all others a path is given."""

import dataclasses
import shutil
import subprocess

import benchmarks
import kernels
import simulations


@dataclasses.dataclass(frozen=True)
class Program:
    name: str  # on the command line
    cases: object  # a generator: (path, place, scratch folder) to the cases of this place
    command: str = ""  # of Debian, built with its default MPI
    package: str = ""  # which has the command
    needs: tuple = ()  # arguments with which the command ends well if all that it needs is installed
    wanted: str = ""  # the path that --program wants
    source: str = ""  # where that comes from

    def of_debian(self, mpi):
        """The paths of Debian's program, if it is here. It is built with Open MPI."""
        path = self.command and mpi == "openmpi" and shutil.which(self.command)
        return [path] if path and self.is_complete(path) else []

    def is_complete(self, path):
        return not self.needs or subprocess.run([path, *self.needs], capture_output=True, check=False).returncode == 0

    def how_to_get(self):
        if self.package:
            return f"apt-get install {self.package}"
        return f"--program {self.name}={self.wanted}, from {self.source}"


PROGRAMS = {program.name: program for program in (
    Program("npb-is", kernels.npb("IS"), wanted="bin/is.A.x", source="NPB, https://www.nas.nasa.gov/software/npb.html"),
    Program("npb-ft", kernels.npb("FT"), wanted="bin/ft.A.x", source="NPB, https://www.nas.nasa.gov/software/npb.html"),
    Program("osu", benchmarks.osu, wanted="FOLDER of osu_alltoallv", source="https://mvapich.cse.ohio-state.edu/benchmarks"),
    Program("imb", benchmarks.imb, wanted="IMB-MPI1", source="https://github.com/intel/mpi-benchmarks"),
    Program("heffte", kernels.heffte_transform, wanted="benchmarks/speed3d_c2c", source="https://github.com/icl-utk-edu/heffte"),
    Program("2decomp", kernels.two_decomp, wanted="fft_c2c_x", source="https://github.com/2decomp-fft/2decomp-fft"),
    Program("parallel-ra", kernels.closure, wanted="FOLDER of TC", source="https://github.com/harp-lab/parallel-RA"),
    Program("graph500", kernels.graph500, wanted="runnable", source="https://github.com/RIKEN-RCCS/Graph500-BFS"),
    Program("lammps", simulations.lammps, command="lmp", package="lammps"),
    Program("quantum-espresso", simulations.quantum_espresso, command="pw.x", package="quantum-espresso"),
    Program("cp2k", simulations.cp2k, command="cp2k.psmp", package="cp2k"),
    Program("hpcc", kernels.hpcc, command="hpcc", package="hpcc"),
    Program("mpi4py-fft", kernels.mpi4py_fft, command="/usr/bin/python3", package="python3-mpi4py-fft",
            needs=("-c", "import mpi4py_fft")),
)}
