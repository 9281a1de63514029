#!/usr/bin/env python3
"""`switchyard --version` names the commit of the sources: in a clone, in a clone with changes, in a tarball, and without git.

Usage: commit_of_sources.py PATH_OF_SWITCHYARD [unittest's arguments]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = "switchyard"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout.strip()


class Version(unittest.TestCase):
    def test_version_and_commit(self):
        version = re.search(r"project\(switchyard VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        said = run(COMMAND, "--version")
        found = re.fullmatch(r"switchyard ([\d.]+) \(commit ([0-9a-f]{12}|unknown)(-dirty)?\)", said)
        self.assertIsNotNone(found, said)
        self.assertEqual(found[1], version)
        if not (ROOT / ".git").exists() or found[2] == "unknown":
            self.skipTest("not built in a clone")
        self.assertEqual(run("git", "-C", ROOT, "cat-file", "-t", found[2]), "commit")


@unittest.skipUnless(shutil.which("git"), "no git here")
class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sources = pathlib.Path(folder.name) / "sources"
        self.file = pathlib.Path(folder.name) / "commit.cpp"
        (self.sources / "config").mkdir(parents=True)
        shutil.copy(ROOT / "config" / "commit.txt", self.sources / "config")
        shutil.copy(ROOT / ".gitattributes", self.sources)

    def git(self, *words, folder=None):
        return run("git", "-c", "user.name=A", "-c", "user.email=a@b.invalid", *words, cwd=folder or self.sources)

    def make_clone(self, folder=None):
        self.git("init", "-q", folder=folder)
        self.git("add", "-A", folder=folder)
        self.git("commit", "-q", "-m", "first", folder=folder)
        return self.git("rev-parse", "HEAD", folder=folder)[:12]

    def commit(self, sources=None):
        run("cmake", f"-DSOURCES={sources or self.sources}", f"-DFILE={self.file}", "-P", ROOT / "config/cmake/Commit.cmake")
        return re.search(r'commit = "(.*)";', self.file.read_text(encoding="utf-8"))[1]

    def test_a_clone(self):
        commit = self.make_clone()
        self.assertEqual(self.commit(), commit)
        self.git("tag", "-a", "v1.0.0", "-m", "a tag is not a commit")
        self.assertEqual(self.commit(), commit)
        (self.sources / "switchyard-logs").mkdir()
        self.assertEqual(self.commit(), commit)

    def test_changes(self):
        commit = self.make_clone()
        with (self.sources / ".gitattributes").open("a", encoding="utf-8") as file:
            file.write("# more\n")
        self.assertEqual(self.commit(), commit + "-dirty")

    def test_nothing_is_written_anew_without_a_reason(self):
        self.make_clone()
        self.commit()
        before = self.file.stat().st_mtime_ns
        self.commit()
        self.assertEqual(self.file.stat().st_mtime_ns, before)
        self.git("commit", "-q", "--allow-empty", "-m", "second")
        self.commit()
        self.assertNotEqual(self.file.stat().st_mtime_ns, before)

    def test_a_tarball(self):
        commit = self.make_clone()
        unpacked = self.sources.parent / "unpacked"
        unpacked.mkdir()
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=self.sources, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", unpacked], input=archive, check=True)
        self.assertEqual(self.commit(unpacked), commit)

    def test_no_repository_and_another_one_around(self):
        self.assertEqual(self.commit(), "unknown")
        self.make_clone(self.sources.parent)
        self.assertEqual(self.commit(), "unknown")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        COMMAND = sys.argv.pop(1)
    unittest.main()
