"""An installation (`cmake --install`) in a folder that nothing was built for, and the Debian package.

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
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, **options)


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
        policies = [os.path.join(examples, name) for name in os.listdir(examples)]
        self.assertGreaterEqual(len(policies), 2)
        for policy in [*policies, self.path("share", "switchyard", "default.policy.json")]:
            done = run(self.path("bin", "switchyard"), "check", policy)
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
                       "find_package(switchyard 0.1 REQUIRED)\n"
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
        link = os.path.join(self.folder, "modules")
        os.makedirs(link)
        os.symlink(self.path("share", "modulefiles", "switchyard"), os.path.join(link, "switchyard"))
        for folder in (self.path("share", "modulefiles"), link):
            done = run(modulecmd, "bash", "load", "switchyard", env=os.environ | {"MODULEPATH": folder})
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
            # It depends on what its preloaded objects need.
            depends = run("dpkg-deb", "-f", package, "Depends").stdout
            back_ends = [os.path.join(root, f"usr/lib/libswitchyard-{interface}.so") for interface in (*FAMILIES, "abi")]
            needed = run("objdump", "-p", *back_ends).stdout
            libraries = set(re.findall(r"NEEDED\s+(\S+?)\.so", needed))
            self.assertLessEqual(libraries, {"libc", "libm", "libstdc++", "libgcc_s", "ld-linux-x86-64"})
            for name in ("libc6 (>= ", "libstdc++6 (>= ", "libgcc-s1"):
                self.assertIn(name, depends)


if __name__ == "__main__":
    unittest.main()
