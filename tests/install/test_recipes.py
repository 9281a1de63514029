"""The recipes of others' tools: Spack's package and Apptainer's definition name options, files and packages that exist.

Neither tool is needed. Spack's package is executed with stand-ins for Spack's modules.
"""

import pathlib
import re
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPACK = ROOT / "config" / "spack" / "spack_repo" / "switchyard"
DEFINITION = ROOT / "config" / "apptainer" / "switchyard.def"
CMAKE = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "CMakeLists.txt", *(ROOT / "config/cmake").glob("*.cmake")))
VERSION = re.search(r"project\(switchyard VERSION ([\d.]+)", CMAKE)[1]


class Package:
    """What a package.py says: each directive with its arguments."""

    def __init__(self, path):
        self.directives = []
        stand_ins = {"spack": {}, "spack_repo": {}, "spack_repo.builtin": {}, "spack_repo.builtin.build_systems": {},
                     "spack_repo.builtin.build_systems.cmake": {"CMakePackage": self.cmake_package()},
                     "spack.package": self.directive_functions()}
        for name, content in stand_ins.items():
            sys.modules[name] = types.ModuleType(name)
            vars(sys.modules[name]).update(content)
        content = {"__file__": str(path), "__name__": "package"}
        exec(compile(path.read_text(encoding="utf-8"), path, "exec"), content)  # pylint: disable=exec-used
        self.kind = content["Switchyard"]
        for name in stand_ins:
            del sys.modules[name]

    def directive_functions(self):
        def directive(name):
            return lambda *words, **options: self.directives.append((name, words, options))
        functions = {name: directive(name) for name in ("version", "variant", "depends_on", "conflicts", "license")}
        return functions | {"run_after": lambda *words, **options: directive("run_after")(*words, **options) or (lambda f: f)}

    @staticmethod
    def cmake_package():
        class CMakePackage:
            run_tests = False
            std_cmake_args = ()
            spec = {"mpi": types.SimpleNamespace(mpicc="mpicc", mpicxx="mpicxx")}

            def define(self, name, value):
                return f"-D{name}={value}"

            def define_from_variant(self, name, variant):
                return f"-D{name}=@{variant}@"
        return CMakePackage

    def said(self, directive):
        return [words[0] for name, words, _ in self.directives if name == directive]


class Spack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.package = Package(SPACK / "packages" / "switchyard" / "package.py")

    def test_the_options_exist(self):
        package = self.package.kind()
        arguments = package.cmake_args() + package.simulator_args()
        names = {re.match(r"-D(\w+)=", argument)[1] for argument in arguments}
        self.assertGreater(len({name for name in names if name.startswith("SWITCHYARD_")}), 3)
        for name in names:
            with self.subTest(name=name):
                self.assertRegex(CMAKE, rf"option\({name} |set\({name} |find_program\({name} ")

    def test_variants(self):
        variants = set(self.package.said("variant"))
        named = {variant for argument in self.package.kind().cmake_args() for variant in re.findall("@(.+)@", argument)}
        conditions = {found for _, _, options in self.package.directives
                      for found in re.findall(r"[+~](\w+)", options.get("when", ""))}
        self.assertEqual(named | conditions, variants)

    def test_the_dependencies_are_those_of_cmake(self):
        dependencies = {name.split("@")[0] for name in self.package.said("depends_on")}
        found = re.findall(r"find_package\((\w+) (?:REQUIRED|QUIET)|^take_library\((\w+) ", CMAKE, re.MULTILINE)
        libraries = {(name or taken).lower().replace("_", "-") for name, taken in found}
        libraries = libraries - {"threads", "smpi", "python3"} | {"simgrid", "hwloc"}
        self.assertGreaterEqual(len(libraries), 5)
        self.assertLessEqual(libraries, dependencies)
        self.assertEqual(dependencies - libraries, {"c", "cxx", "cmake", "fmt"})
        least = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", CMAKE)[1]
        self.assertIn(f"cmake@{least}:", self.package.said("depends_on"))

    def test_the_clone_is_found(self):
        self.assertEqual(self.package.kind.git, ROOT.as_uri())
        self.assertEqual(self.package.said("license"), ["BSD-3-Clause"])
        self.assertIn("namespace: switchyard", (SPACK / "repo.yaml").read_text(encoding="utf-8"))


class Apptainer(unittest.TestCase):
    def setUp(self):
        self.text = DEFINITION.read_text(encoding="utf-8")
        parts = re.split(r"(?m)^%(\w+)$", self.text)
        self.header, self.sections = parts[0], dict(zip(parts[1::2], parts[2::2]))

    def test_the_sections_are_apptainer_s(self):
        self.assertLessEqual(set(self.sections), {"arguments", "files", "post", "environment", "runscript", "test", "labels", "help"})
        self.assertLessEqual({"files", "post", "environment", "runscript", "test"}, set(self.sections))
        self.assertRegex(self.header, r"(?m)^Bootstrap: .+\nFrom: .+")

    def test_every_argument_has_a_value(self):
        values = dict(line.split("=", 1) for line in self.sections["arguments"].split())
        self.assertEqual(set(re.findall(r"\{\{ (\w+) \}\}", self.text)), set(values))
        self.assertEqual(values["TARBALL"], f"switchyard-{VERSION}-linux-x86_64.tar.gz")

    def test_what_it_runs_is_in_the_tarball(self):
        self.assertIn("--strip-components=1", self.sections["post"])  # the tarball has one folder
        installed = set(re.findall(r"/opt/switchyard/([\w./-]+)", self.sections["test"]))
        self.assertEqual(installed, {"share/switchyard/default.policy.json"})
        self.assertIn("/opt/switchyard/bin:", self.sections["environment"])


if __name__ == "__main__":
    unittest.main()
