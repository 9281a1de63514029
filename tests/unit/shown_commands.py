#!/usr/bin/env python3
"""The commands that documents show: `switchyard` takes their words and options, the algorithms that they force exist, and
those that need no MPI print what stands below them, on the recipes' policies and in the worked example.

Usage: shown_commands.py PATH_OF_SWITCHYARD [unittest's arguments]
"""

import importlib.machinery
import importlib.util
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import readme_agreement
from readme_agreement import ROOT, documents, name_of, text_of

COMMAND = "switchyard"
SUBCOMMANDS = ("run", "check", "explain", "algorithms", "tune", "prove", "doctor", "predict", "report", "config")
WORKED = ROOT / "config/examples/worked"
RECIPES = ROOT / "config/recipes"
SECONDS = 2  # A command whose words are wrong ends at once. One that begins to work is ended.


# ---- Commands in a document ----

def shell_lines(text):
    """The lines of its blocks that a reader types, each with its continuation."""
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        block = block.replace("\\\n", " ")
        for line in block.splitlines():
            if line.startswith("$ "):
                yield line[2:]
            elif kind in ("sh", "bash"):
                yield re.sub(r"(^|\s)#.*", "", line)


def quoted_lines(text):
    """What stands in backticks in its prose."""
    return re.findall(r"`([^`\n]+)`", readme_agreement.without_code(text))


def words_of(text):
    """As a shell splits it. A command inside quotation marks ends where they end."""
    split = shlex.shlex(text, posix=True, punctuation_chars="();<>|&")
    split.whitespace_split = True
    try:
        return list(split)
    except ValueError:
        return words_of(text[:max(text.rfind("'"), text.rfind('"'))])


def commands_in(line):
    """The words of each switchyard command in a line, from its subcommand on."""
    for found in re.finditer(rf"(?<![\w.-])switchyard (?=(?:{'|'.join(SUBCOMMANDS)})\b)", line):
        yield list(itertools.takewhile(lambda word: not re.fullmatch(r"[();<>|&]+", word), words_of(line[found.end():])))


def shown():
    """Each command with its document, and whether it is whole: in prose, words that others know may be left out."""
    for document in documents():
        text = text_of(document)
        for line, whole in [*((line, True) for line in shell_lines(text)), *((line, False) for line in quoted_lines(text))]:
            if "..." not in line:
                for words in commands_in(line):
                    yield document, words, whole


def words_after(words, option):
    """The values of an option: `--force X` or `--force=X`."""
    own = list(itertools.takewhile(lambda word: word != "--", words))
    return [value for word, value in zip(own, own[1:]) if word == option] + \
        [word.partition("=")[2] for word in own if word.startswith(option + "=")]


def rule_of(spec):
    """The rule that `--force alltoallv:tuna:radix=4` stands for."""
    collective, algorithm, *parameters = spec.split(":")
    use = {"algorithm": algorithm}
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        use[name] = int(value) if value.isdigit() else {"true": True, "false": False}.get(value, value)
    return {"when": {"collective": collective}, "use": use}


class InAFolder(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def said(self, words):
        """What a command says that finds no program and no launcher. The words that it does not take it names at once."""
        environment = {"PATH": "/nowhere", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen([COMMAND, *words], cwd=self.folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        try:
            return process.communicate(timeout=SECONDS)[1], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "", 0


class Words(InAFolder):
    def test_switchyard_takes_them(self):
        """Above 100 the exit status says that the words were not understood; 127 is that of a program that is not there."""
        tried = {}
        for document, words, whole in shown():
            with self.subTest(document=name_of(document), command=" ".join(words)):
                text, code = tried[tuple(words)] = tried.get(tuple(words)) or self.said(words)
                lacks = not whole and re.search(r"required( [A-Z]+ missing)?$", text.partition("\n")[0])
                self.assertTrue(not 100 <= code < 127 or lacks, f"exit {code}: {text}")
        self.assertGreater(len(tried), 80)

    def test_forced_algorithms_exist(self):
        forced = [force for _, words, _ in shown() for force in words_after(words, "--force")]
        for document in documents():
            for line in shell_lines(text_of(document)):
                forced += re.findall(r"SWITCHYARD_FORCE=([\w:=;]+)", line)
        specs = {spec for force in forced for spec in force.split(";")}
        self.assertGreater(len(specs), 5)
        for spec in sorted(specs):
            with self.subTest(spec=spec):
                policy = self.folder / "forced.policy.json"
                policy.write_text(json.dumps({"version": 1, "rules": [rule_of(spec)], "otherwise": {"algorithm": "native"}}))
                done = subprocess.run([COMMAND, "check", str(policy)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


# ---- Commands that need no MPI, with what they print ----

def make_of_the_example():
    """The script that makes the worked example anew, as a module: it knows how the page is read."""
    loader = importlib.machinery.SourceFileLoader("make_of_the_example", str(WORKED / "make"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = written
    return module


MAKE = make_of_the_example()


def needs_no_mpi(command):
    return re.match(r"cat |switchyard (?:check|explain|report) ", command)


class Outputs(InAFolder):
    def output_of(self, command):
        tools = {"PATH": f"{Path(COMMAND).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}
        return MAKE.output_of(command, self.folder, tools)

    def steps(self, document):
        return [step for block in MAKE.blocks_of(text_of(document)) for step in block.steps if needs_no_mpi(step.command)]

    def test_worked_example(self):
        for name in MAKE.KEPT:
            place = WORKED / name
            shutil.copytree(place, self.folder / name) if place.is_dir() else shutil.copy(place, self.folder)
        steps = self.steps(WORKED / "README.md")
        self.assertGreaterEqual({step.command.split()[1] if step.command.startswith("switchyard") else "cat" for step in steps},
                                {"cat", "check", "explain", "report"})
        for step in steps:
            with self.subTest(command=step.command):
                self.assertEqual(step.output, self.output_of(step.command), "has changed: run config/examples/worked/make")

    def test_claims_of_the_worked_example(self):
        blocks = MAKE.blocks_of(text_of(WORKED / "README.md"))
        self.assertGreater(sum(len(block.claims) for block in blocks), 5)
        if MAKE.TRIAL in text_of(WORKED / "README.md"):
            self.skipTest("the outputs are of a trial beside other work: config/examples/worked/make makes them anew")
        for block in blocks:
            self.assertEqual(block.failed_claims(), [])

    def test_recipes(self):
        """A policy has its file's name in a comment above it. Three dots in a line stand for any lines."""
        number = 0
        for page in sorted(RECIPES.glob("*.md")):
            named = r"^<!-- (\S+\.policy\.json) -->\n```json\n(.*?)^```$"
            for name, policy in re.findall(named, text_of(page), re.DOTALL | re.MULTILINE):
                (self.folder / name).write_text(policy, encoding="utf-8")
            for step in self.steps(page):
                if step.command.startswith("switchyard report"):
                    continue  # of a log that nobody kept
                with self.subTest(page=page.name, command=step.command):
                    number += 1
                    expected = ".*".join(re.escape(part) for part in re.split(r"(?m)^\.\.\.\n", step.output))
                    command = step.command.replace("build/share", str(Path(COMMAND).resolve().parents[1] / "share"))
                    self.assertRegex(self.output_of(command), re.compile(rf"\A{expected}\Z", re.DOTALL))
        self.assertGreaterEqual(number, 3)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        COMMAND = os.path.abspath(sys.argv.pop(1))
    unittest.main()
