#!/usr/bin/env python3
"""The documents say what the command says and name what is there: the tables that the command prints, policies that pass
`switchyard check`, links and paths that lead somewhere, and the two documents for newcomers short enough to be read.

Usage: readme_agreement.py PATH_OF_SWITCHYARD [unittest's arguments]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("algorithms", "config", "policy", "scripts", "shim", "tests")
COMMAND = "switchyard"
MOST_LINES = {"README.md": 120, "ARCHITECTURE.md": 200}


def readmes():
    """Each README.md, the one at the top first, and the pages of recipes."""
    found = [ROOT / "README.md"]
    for folder in FOLDERS:
        found += sorted((ROOT / folder).rglob("README.md"))
    return found + sorted(page for page in (ROOT / "config/recipes").glob("*.md") if page.name != "README.md")


def documents():
    return [*readmes(), *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"))]


def name_of(document):
    return str(document.relative_to(ROOT))


def text_of(document):
    return document.read_text(encoding="utf-8")


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)


def run(*arguments):
    # The settings of whoever runs the tests are not the defaults.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SWITCHYARD")}
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False, env=environment)


def output_of(*arguments):
    done = run(*arguments)
    if done.returncode != 0:
        raise AssertionError(f"switchyard {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Tables(unittest.TestCase):
    def between(self, document, name):
        """What stands between the markers of that name."""
        found = re.findall(rf"^<!-- {name}: [^\n]* -->\n(.*?)^<!-- /{name} -->$", text_of(ROOT / document),
                           re.DOTALL | re.MULTILINE)
        self.assertEqual(len(found), 1, f"the markers of {name} in {document}")
        return found[0]

    def test_algorithms(self):
        self.maxDiff = None
        self.assertEqual(self.between("algorithms/README.md", "algorithms"), output_of("algorithms", "--markdown"),
                         "algorithms/README.md: run scripts/update-documents")

    def test_third_level(self):
        printed = subprocess.run([ROOT / "tests/bench/third_level"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.between("algorithms/README.md", "third level"), printed)

    def test_settings(self):
        # SWITCHYARD_LOG   switchyard-logs   default   meaning
        shown = {}
        for line in output_of("config").splitlines():
            found = re.fullmatch(r"(SWITCHYARD\w*)\s+(.*?)\s+default\s+(.*)", line)
            self.assertIsNotNone(found, line)
            shown[found.group(1)] = found.group(2).strip("()")
        written = {}
        for row in self.between("config/README.md", "settings").splitlines()[2:]:
            variable, _, default = (cell.strip() for cell in row.strip("|").split("|"))
            written[variable.strip("`")] = default.strip("`")
        self.assertEqual(list(written), list(shown))
        for variable, default in shown.items():
            with self.subTest(variable=variable):
                if default.startswith("/"):  # depends on where this is installed
                    default = f"the installed `{pathlib.Path(default).name}"
                self.assertEqual(written[variable], default)


    def test_members_of_a_machine_file(self):
        """Each line of machine_members.def is in the table, with its section where only one has it."""
        table = [cells[1] for line in (ROOT / "shim/predict/README.md").read_text(encoding="utf-8").splitlines()
                 if len(cells := line.split("|")) == 5]
        lines = re.findall(r"^SWITCHYARD_MACHINE_MEMBER\((\w+), (\w+),", (ROOT / "shim/bench/machine_members.def").read_text(), re.M)
        self.assertGreater(len(lines), 0)
        for section, name in lines:
            with self.subTest(section=section, name=name):
                self.assertTrue(any(f"`{section}.{name}`" in cell or f"`{name}` (both)" in cell for cell in table))

    def test_fields_of_the_log(self):
        """Each field of fields.def that a line has by itself is in the tables of the log."""
        rows = [row for row in text_of(ROOT / "shim/common/log/README.md").splitlines() if row.startswith("| `")]
        told = {name.removeprefix("phases_us.") for row in rows for name in re.findall(r"`([\w.]+)`", row)}
        lines = re.findall(r"^SWITCHYARD_(PHASE|COUNT|SPLIT)\((\w+), ", (ROOT / "shim/common/log/fields.def").read_text(), re.M)
        self.assertGreater(len(lines), 0)
        for macro, name in lines:
            for field in (f"{name}_inter", f"{name}_intra") if macro == "SPLIT" else (name,):
                with self.subTest(field=field):
                    self.assertIn(field, told)


class Policies(unittest.TestCase):
    def test_examples_pass_check(self):
        checked = []
        for document in readmes():
            for block in re.findall(r"^```json\n(.*?)^```$", text_of(document), re.DOTALL | re.MULTILINE):
                with self.subTest(document=name_of(document), block=block):
                    if "rules" not in json.loads(block):
                        continue
                    with tempfile.TemporaryDirectory() as folder:
                        path = pathlib.Path(folder) / "readme.policy.json"
                        path.write_text(block, encoding="utf-8")
                        output_of("check", str(path))
                    checked.append(name_of(document))
        self.assertIn("README.md", checked)


def anchors_of(document):
    """As GitHub names a document's headings."""
    headings = re.findall(r"^#+ (.*)$", without_code(text_of(document)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def paths_in(text):
    """What stands in backticks and begins with a folder of ours. A word with a placeholder (<name>, NAME) is none."""
    for quoted in re.findall(r"`([^`\n]+)`", without_code(text)):
        for word in re.split(r"[\s=,]+", re.sub(r"\{[^}]*\}", "*", quoted)):
            word = word.rstrip(".:;")
            if re.fullmatch(rf"(?:{'|'.join(FOLDERS)}|\.ci)/[\w.*/+-]*", word) and not re.search(r"\b[A-Z]+\b(?!\.md)", word):
                yield word


class Places(unittest.TestCase):
    def test_links(self):
        for document in documents():
            for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text_of(document))):
                if re.match(r"\w+:", target):
                    continue
                with self.subTest(document=name_of(document), target=target):
                    path, _, anchor = target.partition("#")
                    place = document.parent / path if path else document
                    self.assertTrue(place.exists(), "leads nowhere")
                    if anchor:
                        self.assertIn(anchor, anchors_of(place))

    def test_paths(self):
        number = 0
        for document in documents():
            for path in paths_in(text_of(document)):
                with self.subTest(document=name_of(document), path=path):
                    self.assertTrue(any(ROOT.glob(path.rstrip("/"))), "is not there")
                    number += 1
        self.assertGreater(number, 0)


class BuildTree(unittest.TestCase):
    """What a reader finds who has built and not installed."""

    @classmethod
    def setUpClass(cls):
        cls.tree = pathlib.Path(shutil.which(COMMAND)).resolve().parents[1]

    def test_paths(self):
        number = 0
        for document in documents():
            for path in re.findall(r"\bbuild/(share\b[\w./-]*|bin/switchyard(?![\w-]))", text_of(document)):
                with self.subTest(document=name_of(document), path=path):
                    self.assertTrue((self.tree / path.rstrip("./")).exists(), "is not in the build tree")
                    number += 1
        self.assertGreater(number, 3)

    def test_what_check_says(self):
        number = 0
        for document in documents():
            for path, said in re.findall(r"^\$ switchyard check build/(\S+)\n(.*)$", text_of(document), re.MULTILINE):
                with self.subTest(document=name_of(document), path=path):
                    self.assertEqual(output_of("check", str(self.tree / path)), f"{self.tree}/{said.removeprefix('build/')}\n")
                    number += 1
        self.assertGreater(number, 0)

    def test_few_cores(self):
        """Open MPI starts no more ranks than there are cores, unless it is told to."""
        self.assertIn("mpirun --oversubscribe -n 8", text_of(ROOT / "README.md").split("## Use it")[0])


class Length(unittest.TestCase):
    def test_newcomers_finish_them(self):
        for name, most in MOST_LINES.items():
            with self.subTest(document=name):
                self.assertLessEqual(len(text_of(ROOT / name).splitlines()), most)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        COMMAND = sys.argv.pop(1)
    unittest.main()
