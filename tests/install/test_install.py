"""An installation (`cmake --install`) in a folder that nothing was built for, the Debian package, and the tarball.

ctest says which build trees there are (INSTALL_TREES; the first one has the command), and a program to run
(INSTALL_PROGRAM) with its MPI (INSTALL_MPI).
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import mpi_families  # noqa: E402

TREES = os.environ["INSTALL_TREES"].split(":")
FAMILIES = mpi_families.families()
LAUNCHER = mpi_families.launcher(FAMILIES[os.environ["INSTALL_MPI"]], 2)
ENVIRONMENT = os.environ | mpi_families.environment()
PROGRAM = os.environ["INSTALL_PROGRAM"]
SUBCOMMANDS = {"run", "check", "explain", "algorithms", "report", "config"}


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **options)


class Installation(unittest.TestCase):
    """Installed to one place, then moved to another. No file may name the first place."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="switchyard-install-")
        first = os.path.join(cls.folder, "first")
        for tree in TREES:
            done = run("cmake", "--install", tree, "--prefix", first)
            assert done.returncode == 0, done.stderr
        cls.prefix = os.path.join(cls.folder, "elsewhere")
        os.rename(first, cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, *names):
        return os.path.join(self.prefix, *names)

    def test_a_program_runs_under_it(self):
        logs = os.path.join(self.folder, "logs")
        environment = ENVIRONMENT | {"PATH": self.path("bin") + ":" + os.environ["PATH"]}
        done = run(*LAUNCHER, "switchyard", "run", "--log", logs, "--", PROGRAM, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"switchyard: [1-9]\d* calls seen")
        self.assertNotIn("warning", done.stderr)
        run_json = os.path.join(logs, os.listdir(logs)[0], "run.json")
        with open(run_json, encoding="utf-8") as file:
            self.assertIn(self.path("share", "switchyard", "default.policy.json"), file.read())

    def test_a_folder_of_its_name_misleads_nobody(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "switchyard"))
            environment = os.environ | {"PATH": self.path("bin") + ":" + os.environ["PATH"]}
            # Found on the PATH by a shell, so that the program's first word is its bare name.
            done = run("sh", "-c", "switchyard config", cwd=folder, env=environment)
        self.assertIn(self.path("share", "switchyard", "default.policy.json"), done.stdout)

    def test_examples_are_good_policies(self):
        examples = self.path("share", "switchyard", "examples")
        policies = [os.path.join(examples, name) for name in os.listdir(examples) if name.endswith(".json")]
        policies.append(os.path.join(examples, "worked", "closure.policy.json"))
        self.assertGreaterEqual(len(policies), 2)
        for policy in [*policies, self.path("share", "switchyard", "default.policy.json")]:
            done = run(self.path("bin", "switchyard"), "check", policy)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_worked_example_can_be_read(self):
        folder = self.path("share", "switchyard", "examples", "worked")
        for words in (["report", "native"], ["explain", "closure.policy.json", "--log", "native"],
                      ["report", "proof/native", "proof/policy"]):
            done = run(self.path("bin", "switchyard"), *words, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_links_between_documents(self):
        documents = pathlib.Path(self.path("share", "doc", "switchyard"))
        followed = 0
        for document in documents.rglob("*.md"):
            for target in re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8")):
                if re.match(r"\w+:", target):
                    continue
                followed += 1
                with self.subTest(document=str(document.relative_to(documents)), target=target):
                    self.assertTrue((document.parent / target).exists())
        self.assertGreater(followed, 10)

    def test_the_papers_figures_stay_in_the_sources(self):
        results = pathlib.Path(self.path("share", "doc", "switchyard", "tests", "bench"))
        self.assertEqual([entry.name for entry in (results / "results").iterdir()], ["report.png"])
        text = (results / "RESULTS.md").read_text(encoding="utf-8")
        self.assertIn("made the page of all figures:", text)
        source = (pathlib.Path(__file__).parents[1] / "bench" / "RESULTS.md").read_text(encoding="utf-8")
        self.assertEqual(re.sub(r"[^\w]", "", re.sub(r"\(results/figures/[^)]*\)", "", source)), re.sub(r"[^\w]", "", text))

    def test_manual(self):
        page = self.path("share", "man", "man1", "switchyard.1")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(SUBCOMMANDS - set(re.findall(r"(?m)^\.SS (\w+)$", text)), set())
        help_text = run(self.path("bin", "switchyard"), "explain", "--help").stdout
        options = re.findall(r"--[a-z-]+", help_text)
        self.assertGreater(len(options), 5)
        for option in set(options) - {"--help"}:
            self.assertIn(option.replace("-", "\\-"), text)
        self.assertIn("SWITCHYARD_POLICY", text)
        if shutil.which("man") is None:
            self.skipTest("no man here")
        done = run("man", "--warnings", "-l", page, env=os.environ | {"MANWIDTH": "100", "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("mpirun -n 8 switchyard run", done.stdout)

    def completed(self, *words):
        """What bash offers for the last of these words."""
        script = (f"source '{self.path('share', 'bash-completion', 'completions', 'switchyard')}'\n"
                  'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _switchyard; printf "%s\\n" "${COMPREPLY[@]}"')
        done = run("bash", "-c", script, "bash", *words, cwd=self.path("share", "switchyard"))
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())

    def test_completion(self):
        self.assertEqual(SUBCOMMANDS - self.completed("switchyard", ""), set())
        self.assertEqual(self.completed("switchyard", "exp"), {"explain"})
        self.assertEqual(self.completed("switchyard", "explain", "--coll"), {"--collective"})
        self.assertEqual(self.completed("switchyard", "check", "def"), {"default.policy.json"})
        self.assertIn("sort", self.completed("switchyard", "run", "--", "sor"))

    def test_pkg_config(self):
        environment = os.environ | {"PKG_CONFIG_PATH": self.path("share", "pkgconfig")}
        preload = run("pkg-config", "--variable=preload", "switchyard", env=environment).stdout.strip()
        self.assertEqual(os.path.realpath(preload), os.path.realpath(self.path("lib", "libswitchyard.so")))

    def test_find_package(self):
        project = os.path.join(self.folder, "project")
        os.makedirs(project)
        with open(os.path.join(project, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.22)\nproject(user NONE)\n"
                       "find_package(switchyard 1.0 REQUIRED)\n"
                       "get_target_property(command switchyard::switchyard IMPORTED_LOCATION)\n"
                       'message(STATUS "found ${command} ${SWITCHYARD_PRELOAD} ${SWITCHYARD_POLICY_DIR}")\n')
        done = run("cmake", "-S", project, "-B", os.path.join(project, "build"), f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.search(r"found (\S+) (\S+) (\S+)", done.stdout).groups()
        self.assertEqual(found, (self.path("bin", "switchyard"), self.path("lib", "libswitchyard.so"),
                                 self.path("share", "switchyard")))

    def test_module(self):
        modulecmd = shutil.which("modulecmd")
        if modulecmd is None:
            self.skipTest("no environment modules here")
        installed = self.path("share", "modulefiles")
        version, = os.listdir(os.path.join(installed, "switchyard"))
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        linked_folder, linked_file = (os.path.join(self.folder, name) for name in ("linked-folder", "linked-file"))
        os.makedirs(linked_folder)
        os.symlink(os.path.join(installed, "switchyard"), os.path.join(linked_folder, "switchyard"))
        os.makedirs(os.path.join(linked_file, "switchyard"))
        os.symlink(os.path.join(installed, "switchyard", version), os.path.join(linked_file, "switchyard", version))
        for folder in (installed, linked_folder, linked_file):
            for name in ("switchyard", f"switchyard/{version}"):
                with self.subTest(folder=folder, name=name):
                    done = run(modulecmd, "bash", "load", name, env=os.environ | {"MODULEPATH": folder})
                    self.assertIn(self.path("bin") + ":", done.stdout, done.stderr)


@unittest.skipUnless(shutil.which("dpkg-deb"), "this is no Debian")
class Package(unittest.TestCase):
    def test_debian_package(self):
        with tempfile.TemporaryDirectory(prefix="switchyard-package-") as folder:
            done = run("cpack", "-G", "DEB", "-B", folder, cwd=TREES[0])
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            package = next(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".deb"))
            root = os.path.join(folder, "root")
            self.assertEqual(run("dpkg-deb", "-x", package, root).returncode, 0)
            names = [f"{place}-{family}{suffix}" for family in FAMILIES
                     for place, suffix in (("lib/libswitchyard", ".so"), ("bin/switchyard-bench", ""))]
            for name in (*names, "lib/libswitchyard-abi.so", "lib/libswitchyard.so", "bin/switchyard", "share/man/man1/switchyard.1",
                         "share/switchyard/default.policy.json"):
                self.assertTrue(os.path.exists(os.path.join(root, "usr", name)), name)
            done = run(*LAUNCHER, os.path.join(root, "usr/bin/switchyard"), "run", "--log", "off", "--", PROGRAM,
                       env=ENVIRONMENT)
            self.assertRegex(done.stderr, r"switchyard: [1-9]\d* calls seen")
            # Whoever makes it can be named. Mail to the default address reaches nobody else.
            self.assertRegex(run("dpkg-deb", "-f", package, "Maintainer").stdout, r"^[^<>]+ <[^@\s]+@(?!localhost)[^@\s]+\.\w+>$")
            # It depends on what its preloaded objects need.
            depends = run("dpkg-deb", "-f", package, "Depends").stdout
            back_ends = [os.path.join(root, f"usr/lib/libswitchyard-{interface}.so") for interface in (*FAMILIES, "abi")]
            needed = run("objdump", "-p", *back_ends).stdout
            libraries = set(re.findall(r"NEEDED\s+(\S+?)\.so", needed))
            self.assertLessEqual(libraries, {"libc", "libm", "libstdc++", "libgcc_s", "ld-linux-x86-64"})
            packages = {"libc": "libc6 (>= ", "libstdc++": "libstdc++6 (>= ", "libgcc_s": "libgcc-s1"}
            for library in libraries & packages.keys():
                self.assertIn(packages[library], depends)


class Tarball(unittest.TestCase):
    """Made once, and unpacked under a path with a space."""

    NEWEST_GLIBC = (2, 34)  # that its programs and objects may need
    # Of glibc alone. Before 2.34 it had its threads and its dlopen in libraries of their own.
    LIBRARIES = re.compile(r"lib(c|m|pthread|dl|rt)\.so\.\d+|ld-linux-.*")

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="switchyard tarball ")
        done = run("cpack", "-G", "TGZ", "-B", cls.folder, cwd=TREES[0])
        assert done.returncode == 0, done.stdout + done.stderr
        name, = (name for name in os.listdir(cls.folder) if name.endswith(".tar.gz"))
        assert re.fullmatch(r"switchyard-[\d.]+-linux-\w+\.tar\.gz", name), name
        assert run("tar", "xzf", os.path.join(cls.folder, name), "-C", cls.folder).returncode == 0
        cls.prefix = os.path.join(cls.folder, name.removesuffix(".tar.gz"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def path(self, *names):
        return os.path.join(self.prefix, *names)

    def objects(self):
        found = [path for path in (*pathlib.Path(self.path("lib")).glob("*.so"), *pathlib.Path(self.path("bin")).iterdir())
                 if path.read_bytes().startswith(b"\x7fELF")]
        names = {path.name for path in found}
        self.assertLessEqual({"switchyard", "libswitchyard.so", *(f"libswitchyard-{name}.so" for name in FAMILIES)}, names)
        self.assertFalse([name for name in names if "bench" in name], "a benchmark fits the MPI of this machine alone")
        return found

    def test_it_needs_an_old_glibc_and_nothing_else(self):
        here = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
        if here > (2, 36):
            self.skipTest("built with a newer glibc than 2.36, whose headers name newer functions: see config/cmake")
        for path in self.objects():
            with self.subTest(path=path.name):
                dynamic = run("readelf", "--dynamic", "--wide", path).stdout
                if path.name == "switchyard" and "no dynamic section" in dynamic:
                    continue  # glibc is inside
                needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
                self.assertIn("libc.so.6", needed)
                self.assertFalse([name for name in needed if not self.LIBRARIES.fullmatch(name)])
                symbols = run("objdump", "-T", path).stdout
                versions = {tuple(map(int, found.split("."))): line for line in symbols.splitlines()
                            for found in re.findall(r"\bGLIBC_([\d.]+)", line)}
                self.assertTrue(versions)
                self.assertLessEqual(max(versions), self.NEWEST_GLIBC, versions[max(versions)])

    def test_no_runtime_shows(self):
        """A back end has two symbols for others. What it has of libstdc++ is its own affair."""
        for path in self.objects():
            if not path.name.startswith("libswitchyard-"):
                continue
            with self.subTest(path=path.name):
                defined = run("nm", "--dynamic", "--defined-only", "--format=just-symbols", path).stdout.split()
                self.assertEqual(defined, ["switchyard_back_end", "switchyard_back_end_version"])

    def test_a_program_runs_under_it(self):
        done = run(*LAUNCHER, self.path("bin", "switchyard"), "run", "--log", "off", "--", PROGRAM, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"switchyard: [1-9]\d* calls seen")
        self.assertNotIn("warning", done.stderr)

    def test_licenses_of_others(self):
        text = pathlib.Path(self.path("share/doc/switchyard/config/third-party-licenses.txt")).read_text(encoding="utf-8")
        carried = os.listdir(self.path("share/switchyard/benchmark/third-party"))
        self.assertEqual(sorted(carried), ["CLI", "nlohmann"])
        for name in ("nlohmann/json", "CLI11", "spdlog", "fmt", "dygraphs", "libstdc++", "glibc"):
            self.assertIn(name, text)
        self.assertTrue(os.path.exists(self.path("share/doc/switchyard/config/lgpl-2.1.txt")))

    def test_the_benchmark_is_built_for_an_mpi(self):
        """By one command; then `switchyard tune` finds it. Unoptimized, to save time."""
        tune = (self.path("bin", "switchyard"), "tune", "-o", os.path.join(self.folder, "policy.json"), "--dry-run",
                "--launcher", " ".join(LAUNCHER))
        before = run(*tune, env=ENVIRONMENT)
        self.assertEqual(before.returncode, 1)
        builder = self.path("bin", "switchyard-build-benchmark")
        self.assertIn(f"build it with {builder}", before.stderr)
        suffix = FAMILIES[os.environ["INSTALL_MPI"]].suffix
        compiler = "mpicxx" + (suffix if shutil.which("mpicxx" + suffix) else "")
        done = run(builder, compiler, env=ENVIRONMENT | {"CXXFLAGS": "-O0"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.strip(), self.path("bin", f"switchyard-bench-{os.environ['INSTALL_MPI']}"))
        after = run(*tune, env=ENVIRONMENT)
        self.assertEqual(after.returncode, 0, after.stderr)
        self.assertIn("2 ranks on 1 node", after.stdout)
        moved = os.path.join(self.folder, "a benchmark")
        os.rename(done.stdout.strip(), moved)
        self.assertEqual(run(*tune, "--benchmark", moved, env=ENVIRONMENT).returncode, 0)
        self.assertIn("is no program", run(*tune, "--benchmark", self.prefix + "/none", env=ENVIRONMENT).stderr)

    def test_what_the_benchmark_s_builder_says(self):
        builder = self.path("bin", "switchyard-build-benchmark")
        for words, message in ((("no-such-compiler",), "no program no-such-compiler"),
                               (("c++", "-I/nowhere"), "compiles no program for an MPI that switchyard knows"),
                               (("--output", "/no/such/folder"), "cannot write to /no/such/folder")):
            with self.subTest(words=words):
                done = run(builder, *words)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
