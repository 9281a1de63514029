"""The source tarball of a release builds without a network and without the libraries of this machine, and what it built runs.

It is built as config/cmake/README.md says, for an MPI whose compilers are named and whose family the build has to find. ctest says
which MPI (INSTALL_MPI), and has a program of that MPI (INSTALL_PROGRAM). Unoptimized, to save time.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import mpi_families  # noqa: E402
from test_release import ROOT, SCRIPT, module_of  # noqa: E402

MPI = os.environ["INSTALL_MPI"]
FAMILY = mpi_families.families()[MPI]
LAUNCHER = mpi_families.launcher(FAMILY, 2)
ENVIRONMENT = os.environ | mpi_families.environment()
# Headers of the libraries that the tarball brings, where Debian has them.
INSTALLED = re.compile(r"/usr/include/(?:[\w-]+-linux-gnu\w*/)?(?:nlohmann|spdlog|fmt|CLI|hwloc)[/.]")


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@unittest.skipUnless((ROOT / ".git").exists() and shutil.which("git") and shutil.which("dpkg-query"), "no clone, or no Debian")
class Build(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        script = module_of(SCRIPT)
        cls.offline = script.without_network()
        cls.commit = script.git("rev-parse", "--short=12", "HEAD")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="switchyard-offline-"))
        tarball = script.make_source_tarball("HEAD", "9.8.7", cls.folder)
        shutil.rmtree(cls.folder / "switchyard-9.8.7")
        subprocess.run(["tar", "-C", cls.folder, "-xf", tarball], check=True)
        cls.sources = cls.folder / "switchyard-9.8.7"
        cls.tree = cls.sources / "build"
        compilers = [f"-D{name}={shutil.which(word + FAMILY.suffix) or word}"
                     for name, word in (("MPI_C_COMPILER", "mpicc"), ("MPI_CXX_COMPILER", "mpicxx"))]
        configured = cls.without_network("cmake", "-B", cls.tree, *compilers, "-DSWITCHYARD_THIRD_PARTY=ON",
                                         "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0")
        cls.said = configured.stdout + configured.stderr
        assert configured.returncode == 0, cls.said
        built = cls.without_network("cmake", "--build", cls.tree, "--parallel", "2")
        assert built.returncode == 0, (built.stdout + built.stderr)[-5000:]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def without_network(cls, *command):
        return run(*cls.offline, *command, cwd=cls.sources)

    def test_there_was_no_network(self):
        if not self.offline:
            self.skipTest("this kernel allows no namespace")
        self.assertRegex(self.without_network("cat", "/proc/net/dev").stdout, r"(?s)lo:")
        self.assertEqual(len(self.without_network("cat", "/proc/net/dev").stdout.splitlines()), 3)

    def test_nothing_is_left_out(self):
        self.assertNotIn("left out", self.said)
        for name in ("bin/switchyard", f"bin/switchyard-bench-{MPI}", "lib/libswitchyard.so", f"lib/libswitchyard-{MPI}.so",
                     "lib/libswitchyard-abi.so"):
            self.assertTrue((self.tree / name).exists(), name)
        self.assertIn("dygraph", (self.tree / "bin/switchyard").read_bytes().decode("latin-1"))

    def test_the_libraries_are_those_of_the_tarball(self):
        included = set()
        for file in self.tree.rglob("*.d"):
            included |= set(re.findall(r"\S+", file.read_text(encoding="utf-8", errors="replace")))
        own = {re.search(r"third-party/(\w+)/", name)[1] for name in included if "config/third-party/" in name}
        self.assertEqual(own, {"nlohmann_json", "spdlog", "fmt", "CLI11", "hwloc"})
        self.assertEqual({name for name in included if INSTALLED.match(name)}, set())
        cache = (self.tree / "CMakeCache.txt").read_text(encoding="utf-8")
        for variable in ("DYGRAPHS_SCRIPT", "CLI11_INCLUDE_DIR", "NLOHMANN_INCLUDE_DIR"):
            self.assertRegex(cache, rf"(?m)^{variable}:\w+={re.escape(str(self.sources))}/config/third-party/")

    def test_it_names_its_commit(self):
        version = re.search(r"project\(switchyard VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        self.assertEqual(run(self.tree / "bin/switchyard", "--version").stdout, f"switchyard {version} (commit {self.commit})\n")

    def test_a_program_runs_under_it(self):
        done = run(*LAUNCHER, self.tree / "bin/switchyard", "run", "--log", "off", "--", os.environ["INSTALL_PROGRAM"], env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"switchyard: [1-9]\d* calls seen, [1-9]\d* routed")
        self.assertNotIn("warning", done.stderr)

    def test_it_installs(self):
        done = self.without_network("cmake", "--install", self.tree, "--prefix", self.folder / "prefix")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(self.folder / "prefix/bin/switchyard", "check", self.folder / "prefix/share/switchyard/default.policy.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
