"""For Spack 1.0 and later: `spack repo add FOLDER/config/spack/spack_repo/switchyard && spack install switchyard`, where FOLDER
is a clone of switchyard's repository."""

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Switchyard(CMakePackage):
    """Stands in front of unmodified MPI programs, takes their all-to-all collectives, and sends each call to the algorithm
    that a policy file names. It can measure which algorithms are faster on a machine, and logs every call."""

    # The clone that has this file. (A release has a copy of this file that takes the source tarball: scripts/release.)
    git = pathlib.Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")

    version("1.0.0", tag="v1.0.0")
    version("main", branch="main")

    variant("simgrid", default=False, description="Also build the benchmark for SimGrid's simulated machines")
    variant("static_runtime", default=True, description="Link libstdc++ and libgcc into what is preloaded, where possible")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    # One back end for each installation: that of the MPI's family. The user's programs bring the same MPI.
    depends_on("mpi")
    # Headers alone.
    depends_on("nlohmann-json@3.9:", type="build")
    depends_on("cli11@1.9:", type="build")
    depends_on("hwloc@2:", type="build")
    depends_on("spdlog@1.8:", type="build")
    depends_on("fmt", type="build")
    # Spack has no dygraphs (a file for a plot in a report's page), so the page has no plot over time.
    depends_on("simgrid@3.32: +smpi", when="+simgrid")

    conflicts("%gcc@:9", msg="switchyard is written in C++20")
    conflicts("platform=darwin", msg="switchyard is for Linux")
    conflicts("platform=windows", msg="switchyard is for Linux")

    def cmake_args(self):
        return [
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
            self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx),
            self.define("SWITCHYARD_TESTS", self.run_tests),
            self.define_from_variant("SWITCHYARD_STATIC_RUNTIME", "static_runtime"),
        ]

    def simulator_args(self):
        return [self.define("SWITCHYARD_MPI", "smpi"), self.define("SWITCHYARD_COMMON", False)]

    # Each MPI has a build tree of its own, and the simulator is one of them.
    @run_after("install", when="+simgrid")
    def install_simulator(self):
        with working_dir(join_path(self.stage.path, "build-simulator"), create=True):
            cmake(*self.std_cmake_args, *self.simulator_args(), self.stage.source_path)
            make()
            make("install")

    def setup_run_environment(self, env):
        env.prepend_path("MANPATH", self.prefix.share.man)
