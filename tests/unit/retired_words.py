#!/usr/bin/env python3
"""Words that the glossary of CONTRIBUTING.md retired are in no file.

A row of the glossary: the word, its meaning, the words that are not used for it. Those in code spans are looked for, as whole words.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("algorithms", "config", "policy", "scripts", "shim", "tests")
TEXTS = {".cpp", ".hpp", ".c", ".h", ".def", ".in", ".f90", ".F90", ".py", ".md", ".txt", ".cmake", ""}
KEPT = {"config/lgpl-2.1.txt", "config/third-party-licenses.txt"}


def glossary():
    """The retired words, each with the word that replaces it."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]*) \|$", text.partition("\n## Words\n")[2].partition("\n## ")[0], re.M)
    return {retired: word for word, instead_of in rows for retired in re.findall(r"`([^`]+)`", instead_of)}


def texts():
    for path in [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]:
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in TEXTS and path.is_file() and name not in KEPT and not name.startswith("tests/bench/results/"):
            if name not in ("CHANGELOG.md", "CONTRIBUTING.md"):
                yield name, path.read_text(encoding="utf-8", errors="replace")


class RetiredWords(unittest.TestCase):
    def test_no_file_has_one(self):
        retired = glossary()
        self.assertGreater(len(retired), 20)
        pattern = re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, sorted(retired, key=len, reverse=True))) + r")(?![\w-])")
        found = []
        count = 0
        for name, text in texts():
            count += 1
            for number, line in enumerate(text.splitlines(), 1):
                found += [f"{name}:{number}: {word[1]} (now: {retired[word[1]]})" for word in pattern.finditer(line)]
        self.assertGreater(count, 700)
        self.assertEqual(found, [], "\n" + "\n".join(found))


if __name__ == "__main__":
    unittest.main()
