#!/usr/bin/env python3
"""CMakePresets.json has the presets of every MPI family of shim/entry/mpi_families.def, and of the simulator. All readers of
the table find the same."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import mpi_families  # noqa: E402

FAMILIES = mpi_families.families()
MPIS = [*FAMILIES, "smpi"]


class Presets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))

    def names(self, kind):
        return [preset["name"] for preset in self.presets[kind] if not preset.get("hidden")]

    def value(self, name, *keys):
        """As CMake finds it: the preset's own, else that of the first preset it inherits from that has one."""
        preset = next(preset for preset in self.presets["configurePresets"] if preset["name"] == name)
        own = preset
        for key in keys:
            own = own.get(key, {})
        inherits = preset.get("inherits", [])
        inherited = [inherits] if isinstance(inherits, str) else inherits
        return own or next(filter(None, (self.value(parent, *keys) for parent in inherited)), None)

    def expanded(self, name, *keys):
        return self.value(name, *keys).replace("${presetName}", name).replace("${sourceDir}/", "")

    def test_each_list_has_each_mpi(self):
        developers = [f"developer-{mpi}" for mpi in MPIS]
        self.assertEqual(self.names("configurePresets"), [*MPIS, *developers, "sanitize"])
        self.assertEqual(self.names("buildPresets"), [*MPIS, "sanitize"])
        self.assertEqual(self.names("testPresets"), [*MPIS, "sanitize"])
        for kind in ("buildPresets", "testPresets"):
            for preset in self.presets[kind]:
                self.assertEqual(preset.get("configurePreset", preset["name"]), preset["name"])

    def test_build_trees(self):
        for mpi in MPIS:
            for name, errors in ((mpi, "OFF"), (f"developer-{mpi}", "ON")):
                with self.subTest(preset=name):
                    self.assertEqual(self.expanded(name, "binaryDir"), f"build/{mpi}")
                    self.assertEqual(self.expanded(name, "cacheVariables", "SWITCHYARD_MPI"), mpi)
                    self.assertEqual(self.expanded(name, "cacheVariables", "SWITCHYARD_OUTPUT"), "build")
                    self.assertEqual(self.value(name, "cacheVariables", "SWITCHYARD_WARNINGS_ARE_ERRORS"), errors)
        self.assertEqual(self.expanded("sanitize", "binaryDir"), "build/sanitize")
        self.assertEqual(self.expanded("sanitize", "cacheVariables", "SWITCHYARD_OUTPUT"), "build/sanitize")


class Table(unittest.TestCase):
    def test_each_family_has_each_field(self):
        header = (mpi_families.TABLE.parent / "mpi_families.hpp").read_text(encoding="utf-8")
        struct = re.search(r"(?s)struct MpiFamily \{(.*?)\n\};", header)[1]
        members = re.findall(r"(?m)^    (?:const char\*|Words|bool) (\w+)[ {]", struct)
        self.assertGreater(len(members), 10)
        for family in FAMILIES.values():
            self.assertEqual(list(vars(family)), members, family.name)

    def test_scripts_read_the_same(self):
        def said(*arguments):
            return subprocess.run([ROOT / "scripts/mpi-families", *arguments], capture_output=True, text=True,
                                  check=True).stdout.splitlines()
        self.assertEqual(said(), list(FAMILIES))
        self.assertEqual(said("packages"), [package for family in FAMILIES.values() for package in family.packages])


if __name__ == "__main__":
    unittest.main()
