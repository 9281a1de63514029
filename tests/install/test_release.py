"""`scripts/release`: what it refuses, the text of the tag, the recipe with a checksum, and what is in the source tarball.

The script runs in a small repository of its own, with a few of the documents, and stand-ins for the tests.
"""

import hashlib
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "release"
COPIED = ("scripts/release", "CMakeLists.txt", "CITATION.cff", "config/apptainer/switchyard.def",
          "config/spack/spack_repo/switchyard/repo.yaml", "config/spack/spack_repo/switchyard/packages/switchyard/package.py")
CHANGELOG = "# Changelog\n\n## Unreleased\n{unreleased}\n## 2.3.4 - 2031-05-06\n\n### Added\n\n- a [link](somewhere.md)\n\n## 2.3.3 - 2031-05-05\n\n- old\n"
PASSES, FAILS = "#!/bin/sh\nexit 0\n", "#!/bin/sh\necho FAILED; exit 1\n"
DOCUMENT_TESTS = ("include_directions", "retired_words", "preset_agreement", "citation")


def module_of(path):
    loader = SourceFileLoader("release", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


@unittest.skipUnless(shutil.which("git"), "no git here")
class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="switchyard-release-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        version = re.search(r"project\(switchyard VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        for name in COPIED:
            text = (ROOT / name).read_text(encoding="utf-8")
            self.write(name, text if name == "scripts/release" else text.replace(version, "2.3.4"))
        self.write("CITATION.cff", re.sub(r"date-released: .*", "date-released: 2031-05-06", self.text("CITATION.cff")))
        self.write("README.md", "switchyard-2.3.4-linux-x86_64.tar.gz\n")
        self.write("config/cmake/README.md", "switchyard_2.3.4_amd64.deb and switchyard-2.3.4.tar.gz\n")
        self.write("CHANGELOG.md", CHANGELOG.format(unreleased=""))
        self.write(".gitignore", "/build/\n")
        self.write("scripts/test", PASSES)
        for name in DOCUMENT_TESTS:
            self.write(f"tests/unit/{name}.py", "")
        (self.folder / "scripts/release").chmod(0o755)
        self.git("init", "-q")
        self.commit()

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            path.chmod(0o755)

    def git(self, *words):
        done = subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.invalid", *words], cwd=self.folder, capture_output=True,
                              text=True, check=True)
        return done.stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a state")

    def release(self, *words, version="2.3.4"):
        return subprocess.run([self.folder / "scripts/release", version, *words], cwd="/", capture_output=True, text=True, check=False)

    def refused(self, *words, version="2.3.4"):
        done = self.release(*(words or ("--check",)), version=version)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertTrue(done.stdout.endswith("Nothing is released\n"), done.stdout + done.stderr)
        return done.stdout

    def change(self, name, before, after):
        text = self.text(name)
        self.assertIn(before, text)
        self.write(name, text.replace(before, after))
        self.commit()


class Refusals(Repository):
    def test_ready(self):
        done = self.release("--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("is ready. Tests: none on record", done.stdout)
        self.assertFalse((self.folder / "build").exists())

    def test_changes_in_the_tree(self):
        self.write("new.txt", "text")
        self.assertIn("the tree has 1 changes that are not committed: new.txt", self.refused())

    def test_the_changelog(self):
        self.assertIn("CHANGELOG.md has no section `## 2.3.5 - ", self.refused(version="2.3.5"))
        self.write("CHANGELOG.md", CHANGELOG.format(unreleased="\n- one\n- two\n"))
        self.commit()
        self.assertIn("2 lines under Unreleased belong into a version", self.refused())
        self.write("CHANGELOG.md", CHANGELOG.format(unreleased="").replace("### Added\n\n- a [link](somewhere.md)\n", ""))
        self.commit()
        self.assertIn("CHANGELOG.md has no section", self.refused())
        self.write("CHANGELOG.md", CHANGELOG.format(unreleased="").replace("## Unreleased\n", "").replace("2031-05-06", "2031-02-30"))
        self.commit()
        said = self.refused()
        self.assertIn("2031-02-30 is no day", said)
        self.assertIn("no section `## Unreleased`", said)
        self.assertIn("CITATION.cff has another date-released", said)

    def test_each_place_of_the_version(self):
        places = module_of(SCRIPT).PLACES
        self.assertGreater(len(places), 5)
        for name in places:
            with self.subTest(name=name):
                before = self.text(name)
                self.change(name, "2.3.4", "2.3.3")
                self.assertIn(f"{name} has version 2.3.3, not 2.3.4", self.refused())
                self.write(name, before.replace("2.3.4", "next"))
                self.commit()
                self.assertIn(f"{name} names no version", self.refused())
                self.write(name, before)
                self.commit()
        self.assertEqual(self.release("--check").returncode, 0)

    def test_two_versions_in_one_document(self):
        self.write("README.md", "switchyard-2.3.4-linux-x86_64.tar.gz, switchyard-2.3.3-linux-aarch64.tar.gz\n")
        self.commit()
        self.assertIn("README.md has version 2.3.3, 2.3.4, not 2.3.4", self.refused())

    def test_a_document_s_test(self):
        self.write("tests/unit/retired_words.py", "raise AssertionError('a word')\n")
        self.commit()
        self.assertIn("tests/unit/retired_words.py fails: AssertionError: a word", self.refused())

    def test_a_tag_that_is_there(self):
        self.git("tag", "v2.3.4")
        self.assertIn("there is a tag v2.3.4 already", self.refused())

    def test_words(self):
        self.assertIn("1.0 is no version", self.refused("--check", version="1.0"))
        self.assertEqual(self.release("--untested").returncode, 2)

    def test_nobody_to_write_to(self):
        for contact in ("", "A", "A <b>", "A <b@localhost>"):
            with self.subTest(contact=contact):
                self.assertIn("the package needs somebody to write to", self.refused("--contact", contact, "--tested", "x"))
        self.assertFalse((self.folder / "build").exists())


class Tests(Repository):
    """Its tests come before anything is made. What is made then fails here, since there are no sources."""

    def setUp(self):
        super().setUp()
        if any(module_of(SCRIPT).problems_of_machine()):
            self.skipTest("this machine makes no release")

    def tested(self):
        path = self.folder / "build/release/tested"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def test_they_fail(self):
        self.write("scripts/test", FAILS)
        self.commit()
        self.assertIn("scripts/test failed", self.refused("--dry-run"))
        self.assertEqual(self.tested(), "")

    def test_the_long_ones_fail(self):
        self.write("scripts/test", '#!/bin/sh\n[ "$1" != --release ]\n')
        self.commit()
        self.assertIn("scripts/test --release failed", self.refused("--dry-run"))
        self.assertEqual(self.tested(), "")

    def test_the_tree_changes_meanwhile(self):
        self.write("scripts/test", f'#!/bin/sh\ntouch "{self.folder}/new"\n')
        self.commit()
        self.assertIn("the tree changed while the tests ran", self.refused("--dry-run"))
        self.assertEqual(self.tested(), "")

    def test_they_pass_once_for_a_commit(self):
        self.write("scripts/test", f'#!/bin/sh\necho "$@" >>"{self.folder}/build/ran"\n')
        self.commit()
        (self.folder / "build").mkdir()
        for _ in range(2):
            self.refused("--dry-run")
        self.assertEqual((self.folder / "build/ran").read_text(encoding="utf-8"), "\n--release\n")
        self.assertRegex(self.tested(), rf"^{self.git('rev-parse', 'HEAD')} scripts/test and scripts/test --release passed here")
        self.commit()
        self.refused("--dry-run")
        self.assertEqual((self.folder / "build/ran").read_text(encoding="utf-8"), "\n--release\n\n--release\n")

    def test_somebody_s_word(self):
        self.write("scripts/test", FAILS)
        self.commit()
        self.refused("--dry-run", "--tested", "CI run 512")
        self.assertIn("CI run 512", self.tested())
        self.assertIn("CI run 512", self.release("--check").stdout)

    def test_sources_that_do_not_build(self):
        self.write("scripts/build", FAILS)
        self.commit()
        self.assertIn("the source tarball does not build", self.refused("--dry-run", "--untested"))
        self.assertFalse((self.folder / "build/release/2.3.4-dry-run").exists())
        self.assertFalse((self.folder / "build/release/tested").exists())


class Texts(Repository):
    def setUp(self):
        super().setUp()
        self.script = module_of(self.folder / "scripts/release")

    def test_the_tag(self):
        self.assertEqual(self.script.tag_text("2.3.4"), "switchyard 2.3.4\n\nReleased on 2031-05-06.\n\nAdded:\n\n- a link\n")

    def test_the_recipe(self):
        """Beside the tarball the recipe has its checksum; the one in the tarball cannot, and takes the tag."""
        folder = self.folder / "build/release/2.3.4"
        folder.mkdir(parents=True)
        tarball = folder / "switchyard-2.3.4.tar.gz"
        tarball.write_bytes(b"sources")
        self.script.write_recipe(folder, "2.3.4", tarball)
        recipe = folder / "spack_repo/switchyard/packages/switchyard/package.py"
        text = recipe.read_text(encoding="utf-8")
        compile(text, recipe, "exec")
        self.assertIn(f'version("2.3.4", sha256="{hashlib.sha256(b"sources").hexdigest()}")', text)
        self.assertEqual(len(re.findall(r"^    version\(", text, re.M)), 1)
        url = re.search(r"^    url = (.*)$", text, re.M)[1]
        self.assertEqual(eval(url, {"pathlib": pathlib, "__file__": str(recipe)}), tarball.resolve().as_uri())  # pylint: disable=eval-used
        self.assertNotRegex(text, r"(?m)^    git = |branch=")
        self.assertTrue((folder / "spack_repo/switchyard/repo.yaml").exists())
        in_tree = self.text("config/spack/spack_repo/switchyard/packages/switchyard/package.py")
        self.assertIn('version("2.3.4", tag="v2.3.4")', in_tree)
        self.assertNotIn("sha256", in_tree)

    def test_checksums(self):
        folder = self.folder / "build/release/2.3.4"
        (folder / "below").mkdir(parents=True)
        for name in ("a", "below/b"):
            (folder / name).write_text(name, encoding="utf-8")
        self.script.write_checksums(folder)
        done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "a: OK\nbelow/b: OK\n"))


@unittest.skipUnless((ROOT / ".git").exists() and shutil.which("git") and shutil.which("dpkg-query"), "no clone, or no Debian")
class SourceTarball(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="switchyard-sources-"))
        script = module_of(SCRIPT)
        cls.libraries = script.THIRD_PARTY
        cls.head = script.git("rev-parse", "HEAD")
        cls.tarballs = []
        for name in ("first", "second"):
            (cls.folder / name).mkdir()
            cls.tarballs.append(script.make_source_tarball(cls.head, "9.8.7", cls.folder / name))
        with tarfile.open(cls.tarballs[0]) as tar:
            cls.members = {member.name.removeprefix("switchyard-9.8.7/"): member for member in tar.getmembers()}
        cls.unpacked = cls.folder / "first" / "switchyard-9.8.7"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_the_files_of_the_commit_and_of_others(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-tree", "-r", "-z", "--name-only", self.head], capture_output=True, text=True, check=True)
        ours = set(filter(None, listed.stdout.split("\0")))
        files = {name for name, member in self.members.items() if not member.isdir()}
        self.assertEqual({name for name in files if not name.startswith("config/third-party/")}, ours)
        for name in ("nlohmann_json/nlohmann/json.hpp", "spdlog/spdlog/spdlog.h", "fmt/fmt/core.h", "CLI11/CLI/CLI.hpp", "hwloc/hwloc.h",
                     "hwloc/hwloc/autogen/config.h", "dygraphs/dygraph.min.js", "versions.txt"):
            self.assertIn(f"config/third-party/{name}", files)
        for library in self.libraries:
            self.assertIn(f"config/third-party/{library}/LICENSE", files)
        third_party = {name.split("/")[2] for name in files if name.startswith("config/third-party/")}
        self.assertEqual(third_party, {*self.libraries, "versions.txt"})
        parts = (ROOT / "config/cmake/Parts.cmake").read_text(encoding="utf-8")
        portable = (ROOT / "shim/bench/portable/CMakeLists.txt").read_text(encoding="utf-8")
        for library in self.libraries:
            self.assertRegex(parts + portable, rf"take_library\({library} |\{{third_party\}}/{library}\"")

    def test_the_commit(self):
        self.assertEqual((self.unpacked / "config/commit.txt").read_text(encoding="utf-8"), self.head + "\n")

    def test_the_same_bytes_each_time(self):
        self.assertEqual(*(tarball.read_bytes() for tarball in self.tarballs))
        self.assertEqual({(member.uid, member.gid, member.uname) for member in self.members.values()}, {(0, 0, "")})
        self.assertEqual(len({member.mtime for member in self.members.values()}), 1)
        programs = {name for name, member in self.members.items() if member.mode & 0o111 and not member.isdir()}
        self.assertLessEqual({"scripts/build", "scripts/test", "scripts/release"}, programs)
        self.assertNotIn("config/third-party/fmt/fmt/core.h", programs)

    def test_the_recipe_in_it_builds_from_a_tag(self):
        text = (self.unpacked / COPIED[-1]).read_text(encoding="utf-8")
        self.assertRegex(text, r'version\("[\d.]+", tag="v[\d.]+"\)')


class Places(unittest.TestCase):
    def test_one_version(self):
        """Of this tree. The README is looked at when a release is made."""
        script = module_of(SCRIPT)
        version = re.search(r"project\(switchyard VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
        found = [problem for problem in script.problems_of_versions(version) if not problem.startswith("README.md ")]
        self.assertEqual(found, [])
        self.assertIsNotNone(script.section_of(version))


if __name__ == "__main__":
    unittest.main()
