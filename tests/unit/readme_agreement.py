#!/usr/bin/env python3
"""What the README says is what the command says: the table of algorithms, the settings with their defaults, and a policy
that is valid.

Usage: readme_agreement.py PATH_OF_SWITCHYARD [unittest's arguments]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
COMMAND = "switchyard"


def run(*arguments):
    # The settings of whoever runs the tests are not the defaults.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SWITCHYARD")}
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False, env=environment)


def output_of(*arguments):
    done = run(*arguments)
    if done.returncode != 0:
        raise AssertionError(f"switchyard {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


class ReadmeAgreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = README.read_text(encoding="utf-8")

    def between(self, name):
        found = re.findall(rf"^<!-- {name}: [^\n]* -->\n(.*?)^<!-- /{name} -->$", self.text, re.DOTALL | re.MULTILINE)
        self.assertEqual(len(found), 1, f"the markers of {name}")
        return found[0]

    def test_algorithms(self):
        self.maxDiff = None
        self.assertEqual(self.between("algorithms"), output_of("algorithms", "--markdown"),
                         "README.md: paste the output of `switchyard algorithms --markdown` between the markers")

    def test_settings(self):
        # SWITCHYARD_LOG   switchyard-logs   default   meaning
        shown = {}
        for line in output_of("config").splitlines():
            found = re.fullmatch(r"(SWITCHYARD\w*)\s+(.*?)\s+default\s+(.*)", line)
            self.assertIsNotNone(found, line)
            shown[found.group(1)] = found.group(2).strip("()")
        written = {}
        for row in self.between("settings").splitlines()[2:]:
            variable, _, default = (cell.strip() for cell in row.strip("|").split("|"))
            written[variable.strip("`")] = default.strip("`")
        self.assertEqual(list(written), list(shown))
        for variable, default in shown.items():
            with self.subTest(variable=variable):
                if default.startswith("/"):  # depends on where this is installed
                    default = f"the installed `{pathlib.Path(default).name}"
                self.assertEqual(written[variable], default)

    def test_policies(self):
        blocks = re.findall(r"^```json\n(.*?)^```$", self.text, re.DOTALL | re.MULTILINE)
        policies = [block for block in blocks if "rules" in json.loads(block)]
        self.assertGreater(len(policies), 0)
        for policy in policies:
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "readme.policy.json"
                path.write_text(policy, encoding="utf-8")
                output_of("check", str(path))


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        COMMAND = sys.argv.pop(1)
    unittest.main()
