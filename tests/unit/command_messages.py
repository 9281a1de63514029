#!/usr/bin/env python3
"""What `switchyard` prints where no MPI is needed: problems of policies with their lines, what explain assumes, coverage.

Usage: command_messages.py PATH_OF_SWITCHYARD [unittest's arguments]
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
from xml.etree import ElementTree

COMMAND = "switchyard"
PROCESSORS = len(os.sched_getaffinity(0))

POLICY = """{
  // Comments are allowed.
  "version": 1,
  "rules": [
    { "name": "small", "when": { "collective": "alltoallv", "ranks": {"min": 4}, "max_block_bytes": {"max": 512} },
      "use": { "algorithm": "tuna", "radix": 2 } },
    { "when": { "collective": "allgather", "ranks": {"max": 64} }, "use": { "algorithm": "ring" } }
  ],
  "otherwise": { "algorithm": "native" } }
"""
PLACES = """{ "version": 1, "otherwise": { "algorithm": "native" }, "rules": [
    { "when": { "buffer": "device" }, "use": { "algorithm": "pairwise" } },
    { "when": { "in_place": true }, "use": { "algorithm": "pairwise" } } ] }"""


class CommandTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text="", name="my.policy.json"):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def ask(self, *words, code=0):
        done = subprocess.run([COMMAND, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr


class Check(CommandTest):
    def problems(self, text):
        return self.ask("check", self.write(text), code=1).splitlines()

    def test_comments_and_rules_without_names(self):
        first, *advice = self.ask("check", self.write(POLICY)).splitlines()
        self.assertEqual(first, "my.policy.json: OK, 2 rules, otherwise native")
        self.assertIn('set direct_from to 513 in rule "small" instead of max_block_bytes', "\n".join(advice))

    def test_file_and_line_and_rule(self):
        lines = self.problems(POLICY.replace('"radix": 2', '"radix": 1').replace('"ring"', '"rign"'))
        self.assertEqual([line.split(": ")[:2] for line in lines],
                         [["my.policy.json:6", "/rules/0/use/radix (rule 1)"],
                          ["my.policy.json:7", "/rules/1/use/algorithm (rule 2)"]])

    def test_trailing_comma(self):
        text = POLICY.replace('"ring" } }', '"ring" } },')
        column = len(text.splitlines()[6])
        self.assertEqual(self.problems(text), [f"my.policy.json:7:{column}: a trailing comma: nothing follows it before the "
                                               "closing bracket; delete the comma"])

    def test_words_of_the_field(self):
        lines = self.problems(POLICY.replace("max_block_bytes", "block_size").replace('"allgather"', '"gatherv"'))
        self.assertIn('unknown key "block_size", did you mean "max_block_bytes"?', lines[0])
        self.assertEqual(lines[1], "my.policy.json:7: /rules/1/when/collective (rule 2): switchyard routes MPI_Alltoallv, "
                                   "MPI_Alltoall, MPI_Allgather, MPI_Allgatherv, MPI_Alltoallw, MPI_Neighbor_alltoallv, "
                                   "MPI_Neighbor_alltoall, MPI_Neighbor_allgather and MPI_Neighbor_allgatherv; "
                                   "MPI_Gatherv is not routed")


class Explain(CommandTest):
    def explain(self, *words, policy=POLICY, code=0):
        return self.ask("explain", self.write(policy), *words, code=code)

    def assumed(self, *words, policy=POLICY):
        lines = self.explain("--collective", "alltoallv", *words, policy=policy).splitlines()
        found = [line.removeprefix("assumed: ") for line in lines if line.startswith("assumed: ")]
        return found[0].split("; ") if found else []

    def test_nothing_is_assumed(self):
        self.assertEqual(self.assumed("--ranks", "8", "--ranks-per-node", "4", "--max-block", "64"), [])
        self.assertEqual(self.assumed("--ranks", "8", "--nodes", "4", "--max-block", "64"), [])

    def test_this_machine(self):
        ranks = 64 * PROCESSORS
        one_each = f"{PROCESSORS} rank{'s' if PROCESSORS > 1 else ''} per node, one for each processor of this machine"
        block = "a largest block of 0 bytes (--max-block)"
        self.assertEqual(self.assumed("--ranks", str(ranks)), [one_each + " (--ranks-per-node)", block])
        said = self.explain("--collective", "alltoallv", "--ranks", str(ranks))
        self.assertIn(f"on 64 nodes (at most {PROCESSORS} on one)", said)
        self.assertIn("on 1 node (at most 1 on one)", self.explain("--collective", "alltoallv", "--ranks", "1"))

    def test_only_what_a_rule_looks_at(self):
        given = ("--ranks", "8", "--ranks-per-node", "4", "--max-block", "64")
        host, apart = "host buffers (--buffer)", "a call that is not in place (--in-place)"
        self.assertEqual(self.assumed(*given, policy=PLACES), [host, apart])
        self.assertEqual(self.assumed(*given, "--in-place", policy=PLACES), [host])
        self.assertEqual(self.assumed(*given, "--buffer", "device", policy=PLACES),
                         [apart, "an MPI that is not GPU-aware (--gpu-aware)"])

    def test_a_collective_that_is_not_routed(self):
        said = self.explain("--collective", "MPI_Ialltoallw", "--ranks", "4", code=105)
        self.assertIn("MPI_Ialltoallw is not routed", said)

    def test_coverage(self):
        whole = self.explain("--coverage")
        self.assertIn("per node, one for each processor of this machine", whole)
        for collective in ("alltoallv", "alltoall", "allgather", "allgatherv", "alltoallw"):
            self.assertIn(f"\n{collective}\n", whole)
        self.assertIn("  1 \"small\": tuna", whole)
        self.assertIn("  2: ring", whole)

    def test_coverage_of_one_collective_and_one_number_of_ranks(self):
        said = self.explain("--coverage", "--collective", "allgather", "--ranks", "12", "--ranks-per-node", "4")
        self.assertIn("\nallgather\n", said)
        self.assertNotIn("\nalltoallv\n", said)
        rows = [line for line in said.splitlines() if line[:6].strip().isdigit()]
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0].split(), ["12"] + ["2"] * 25)

    def test_what_does_not_fit_together(self):
        for words in (["--coverage", "--max-block", "4"], ["--plot", "a.svg", "--nodes", "4"],
                      ["--log", "nowhere", "--collective", "alltoallv"]):
            with self.subTest(words=words):
                self.assertIn("take one of the two", self.explain(*words, code=1))


SHOW = "import json, os, sys; json.dump([sys.argv[1:], dict(os.environ)], sys.stdout)"


class Run(CommandTest):
    """The environment and the words of the program that `switchyard run` starts."""

    SETTINGS = {"--policy": "SWITCHYARD_POLICY", "--log": "SWITCHYARD_LOG", "--force": "SWITCHYARD_FORCE",
                "--detail": "SWITCHYARD_DETAIL"}
    VALUES = ("a=b c", "+a", "[a]")

    def started(self, *options, command=None, words=(), environment=None):
        """The program's words, its environment as far as we change it, and what we say."""
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith("SWITCHYARD") and name not in ("LD_PRELOAD", "ASAN_OPTIONS")}
        before = clean | (environment or {})
        done = subprocess.run([command or COMMAND, "run", *options, sys.executable, "-c", SHOW, *words], cwd=self.folder, env=before,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        seen, after = json.loads(done.stdout)
        return seen, {name: after.get(name) for name in {*before, *after} if before.get(name) != after.get(name)}, done.stderr

    def ended(self, *words):
        done = subprocess.run([COMMAND, "run", *words], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    def preload(self):
        return str(pathlib.Path(COMMAND).resolve().parents[1] / "lib" / "libswitchyard.so")

    def test_each_option_sets_its_variable(self):
        ours = {"LD_PRELOAD": self.preload(), "ASAN_OPTIONS": "verify_asan_link_order=0"}
        self.assertEqual(self.started(), ([], ours, ""))
        for option, variable in self.SETTINGS.items():
            for value in self.VALUES:
                for given in ([option, value], [f"{option}={value}"]):
                    with self.subTest(given=given):
                        self.assertEqual(self.started(*given, "--"), ([], ours | {variable: value}, ""))
        for value in self.VALUES:
            options = [word for option in self.SETTINGS for word in (option, value)]
            self.assertEqual(self.started(*options), ([], ours | dict.fromkeys(self.SETTINGS.values(), value), ""))

    def test_what_was_set_before(self):
        before = {"LD_PRELOAD": "libasan.so.8:libnone.so", "ASAN_OPTIONS": "detect_leaks=0", "SWITCHYARD_LOG": "a"}
        for value in self.VALUES:
            done = subprocess.run([COMMAND, "run", "--log", value, "--", "/bin/sh", "-c", 'echo "$LD_PRELOAD $ASAN_OPTIONS $SWITCHYARD_LOG"'],
                                  env=os.environ | before, capture_output=True, text=True, check=False)
            self.assertEqual(done.stdout, f"libasan.so.8:{self.preload()}:libnone.so verify_asan_link_order=0:detect_leaks=0 {value}\n")

    def test_words_of_the_program(self):
        words = ["--log", "x", "--", "-h", "--help", "", "a b", "run", "%%", "--policy=p"]
        for options in ((), ("--",), ("--log=+a", "--"), ("--log", "+a")):
            self.assertEqual(self.started(*options, words=words)[0], words)
        self.assertEqual(self.started(words=["[1,2]", "{}"])[0], ["[1,2]", "{}"])

    def test_exit_codes(self):
        self.write("#!/bin/none\n", "script")
        for options in ((), ("--log=+a",)):
            self.assertEqual(self.ended(*options, "--", "sh", "-c", "exit 3"), (3, ""))
            self.assertEqual(self.ended(*options, "no-such-program"),
                             (127, "switchyard: cannot run no-such-program: No such file or directory\n"))
            self.assertEqual(self.ended(*options, "./script"), (126, "switchyard: cannot run ./script: Permission denied\n"))

    def test_words_that_are_not_understood(self):
        read_on = "\nOptions and examples: switchyard run --help\n"
        for words, sentence in (((), "program is required"), (("--",), "program is required"), (("--log", "a"), "program is required"),
                                (("--lgo", "a", "b"), 'not known: --lgo, did you mean "--log"?'),
                                (("--details", "--", "a"), 'not known: --details, did you mean "--detail"?'),
                                (("--log",), "--log: 1 required DIR missing")):
            with self.subTest(words):
                code, said = self.ended(*words)
                self.assertGreater(code, 100)
                self.assertEqual(said, f"switchyard run: {sentence}{read_on}")
        code, said = self.ended("--log=a", "--log=b", "sh")
        self.assertGreater(code, 100)
        self.assertTrue(said.startswith("switchyard run: --log"), said)
        self.assertIn("--detail DETAIL", self.ask("run", "--log", "a", "--help", "--", "sh"))

    def test_an_installation_without_its_object(self):
        (self.folder / "bin").mkdir()
        command = shutil.copy(COMMAND, self.folder / "bin" / "switchyard")
        missing = f"switchyard: warning: {self.folder.resolve()}/lib/libswitchyard.so is missing; no call is routed or logged\n"
        for value in self.VALUES:
            self.assertEqual(self.started("--log", value, command=command), ([], {"SWITCHYARD_LOG": value}, missing))


class Config(CommandTest):
    def test_what_is_forced_is_read(self):
        for force, warning in (("alltoallv:tuna:radix=4", None), ("alltoallv:tnua", 'unknown algorithm "tnua", did you mean "tuna"?')):
            with self.subTest(force):
                done = subprocess.run([COMMAND, "config"], env=os.environ | {"SWITCHYARD_FORCE": force}, capture_output=True, text=True,
                                      check=False)
                self.assertEqual(done.returncode, 1 if warning else 0, done.stdout)
                said = [line for line in done.stdout.splitlines() if line.startswith("warning: ")]
                self.assertEqual(len(said), 1 if warning else 0, said)
                self.assertIn(warning or "", "".join(said))


MACHINE = """{ "switchyard_machine": 1, "name": "mine",
  "network": {"latency_us": 1, "overhead_us": 0.2, "pair_bytes_per_us": 10000}, "node": {"memory_bytes": 1e9} }
"""


class Predict(CommandTest):
    def predict(self, *words, machine=MACHINE, code=0):
        return self.ask("predict", "--machine", self.write(machine, "mine.json"), *words, code=code)

    def test_all_settings_best_first(self):
        heading, titles, *rows = self.predict("--ranks", "64", "--ranks-per-node", "8", "--max-block", "16").splitlines()
        self.assertRegex(heading, "alltoallv, 64 ranks on 8 nodes, blocks uniform of up to 16 bytes, predicted for mine; "
                                  r"buffers 1\.\d KiB a rank")
        self.assertEqual(titles.split("  ")[0], "algorithm")
        for name in ("tuna radix=2 ", "tuna radix=64 ", "node_aware", "spread_out", "native (assumed)"):
            self.assertTrue(any(row.startswith(name) for row in rows), name)
        *rows, _, crossover = rows
        self.assertTrue(crossover.startswith("on 64 ranks two_phase_bruck is faster than padded_bruck from"), crossover)
        times = [float(re.search(r"  ([\d.]+)  ", row)[1]) for row in rows[:-1]]
        self.assertEqual(times, sorted(times))

    def test_forms(self):
        words = ("--ranks", "16,32", "--ranks-per-node", "8", "--max-block", "16,64", "-a", "tuna:radix=2,4", "-n", "1")
        document = json.loads(self.predict(*words, "--format", "json"))
        self.assertEqual([(p["ranks"], p["nodes"], p["max_block_bytes"]) for p in document["points"]],
                         [(16, 2, 16), (16, 2, 64), (32, 4, 16), (32, 4, 64)])
        result = document["points"][0]["results"][0]
        self.assertAlmostEqual(sum(result["spent_us"].values()), result["time_us"])
        titles, *lines = self.predict(*words, "--format", "csv").splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual({line.count(",") for line in lines}, {titles.count(",")})

    def test_many_ranks(self):
        said = self.predict("--ranks", "8192", "--ranks-per-node", "64", "--max-block", "16", "-n", "3", machine=MACHINE.replace("1e9", "1e12"))
        self.assertEqual(len(said.splitlines()), 2 + 3)

    def test_from_which_block_on_two_phase_bruck_is_faster(self):
        words = ("--ranks", "64", "--ranks-per-node", "8", "-a", "padded_bruck", "-a", "two_phase_bruck")
        said = self.predict(*words).splitlines()[-1]
        # (N - 8) * 65 < 4 * 1.4 us * 10000 bytes / us, which 8 ranks share
        found = re.fullmatch(r"on 64 ranks two_phase_bruck is faster than padded_bruck from blocks of ([\d,]+) bytes on by the formula "
                             r"of its paper, from ([\d,]+) bytes on by the model", said)
        self.assertIsNotNone(found, said)
        formula, model = (int(number.replace(",", "")) for number in found.groups())
        self.assertAlmostEqual(formula, 8 + 4 * 1.4 * 10000 / 8 / 65, delta=2)
        crossing, = json.loads(self.predict(*words, "--format", "json"))["crossovers"]
        self.assertEqual((crossing["ranks"], crossing["model_bytes"], int(crossing["formula_bytes"]) + 1), (64, model, formula))
        for block, first in ((model - 1, "padded_bruck"), (model, "two_phase_bruck")):
            point, = json.loads(self.predict(*words, "--max-block", str(block), "--format", "json"))["points"]
            self.assertEqual(point["results"][0]["algorithm"], first, block)
        # A narrower window pads less; equal blocks are not padded at all.
        narrow, = json.loads(self.predict(*words, "--distribution", "window:60", "--format", "json"))["crossovers"]
        self.assertGreater(narrow["formula_bytes"], 2 * formula)
        self.assertIn("never by the formula of its paper", self.predict(*words, "--distribution", "equal"))
        self.assertNotIn("is faster than", self.predict(*words[:-2], "-a", "tuna"))

    def test_explain_says_where_padded_and_two_phase_bruck_cross(self):
        policy = self.write("""{ "version": 1, "otherwise": { "algorithm": "native" }, "rules": [
            { "when": { "max_block_bytes": {"max": 64} }, "use": { "algorithm": "padded_bruck" } } ] }""")
        words = ("--collective", "alltoallv", "--ranks", "64", "--ranks-per-node", "8", "--max-block")
        said = self.ask("explain", policy, *words, "16")
        self.assertIn("two_phase_bruck is faster than padded_bruck if (largest block - 8) * 65 > 4 * latency * bandwidth", said)
        self.assertIn("(--machine says from which block on)", said)
        crossing, = json.loads(self.predict("--ranks", "64", "--ranks-per-node", "8", "--format", "json"))["crossovers"]
        said = self.ask("explain", policy, *words, "16", "--machine", self.write(MACHINE, "mine.json"))
        self.assertIn(f": on mine from blocks of {int(crossing['formula_bytes']) + 1} bytes on; {crossing['model_bytes']} bytes by the model", said)
        self.assertNotIn("padded_bruck if", self.ask("explain", policy, *words, "128"))
        self.assertIn("no machine nowhere", self.ask("explain", policy, *words, "16", "--machine", "nowhere", code=1))

    def test_a_map_of_ranks_and_blocks(self):
        words = ("--ranks", "16,32,256", "--ranks-per-node", "8", "--max-block", "1,1024,65536", "-a", "native", "-a", "tuna:radix=2..ranks")
        self.assertEqual(self.predict(*words, "--map", "map.svg"), "")
        text = (self.folder / "map.svg").read_text(encoding="utf-8")
        tree = ElementTree.fromstring(text)
        tips = ["".join(tip.itertext()) for tip in tree.iter("{http://www.w3.org/2000/svg}title")]
        points = {(p["ranks"], p["max_block_bytes"]): p["results"] for p in json.loads(self.predict(*words, "--format", "json"))["points"]}
        for (ranks, block), results in points.items():
            tip, = (tip for tip in tips if tip.startswith(f"{ranks} ranks, blocks up to {block >> 10} KiB\n" if block > 1 else
                                                          f"{ranks} ranks, blocks up to 1 B\n"))
            self.assertTrue(tip.split("\n")[1].startswith(results[0]["algorithm"]), tip)
        winners = {results[0]["algorithm"] for results in points.values()}
        self.assertEqual(winners, {"native", "tuna"}, "a map with one colour shows nothing")
        self.assertLessEqual(winners, set(tips), "the legend")
        document = json.loads(self.predict(*words, "--map", "map.svg", "--format", "json"))
        self.assertEqual(len(document["points"]), 9)
        self.assertIn("map.svg", self.predict(*words, "--map", "nowhere/map.svg", code=1))

    def test_memory_is_said_before(self):
        said = self.predict("--ranks", "4096", "--ranks-per-node", "64", "--max-block", "65536", code=1)
        self.assertRegex(said, "^switchyard: with 4096 ranks and blocks of up to 65536 bytes the buffers of 64 ranks need "
                               r"16\.\d GiB on a node, and a node of mine has 953\.7 MiB\n$")
        asked = subprocess.run([COMMAND, "predict", "--machine", "mine.json", "--ranks", "4096", "--ranks-per-node", "64",
                                "--max-block", "1024"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertRegex(asked.stderr, r"^switchyard: with 4096 ranks .*, \d+ settings would need .* or more on a node, and a node of mine "
                                       r"has .*: left out\n$")

    def test_bad_input(self):
        for machine, message in ((MACHINE.replace("10000", "-3"), "mine.json: /network/pair_bytes_per_us must be a number above 0, not -3"),
                                 (MACHINE.replace('"latency_us": 1, ', ""), "mine.json: /network/latency_us is missing")):
            self.assertEqual(self.predict("--ranks", "8", machine=machine, code=1), f"switchyard: {message}\n")
        self.assertIn("no machine nowhere: give a machine file, or one of aurora, fugaku, fugaku_slow_messages, polaris, "
                      "polaris_slow_messages",
                      self.ask("predict", "--machine", "nowhere", "--ranks", "8", code=1))
        self.assertIn("radix 9 is more than 8 ranks", self.predict("--ranks", "8", "-a", "tuna:radix=9", code=1))

    def test_a_policy_for_ranks_that_nobody_has(self):
        said = self.ask("tune", "-o", "far.policy.json", "--predict", "--machine", "polaris", "--ranks", "2048", "--ranks-per-node", "32",
                        "--collective", "alltoallv", "--max-block", "16,256")
        self.assertIn("predicted, not measured: where you have the ranks, give --launcher", said)
        self.assertIn("OK", self.ask("check", "far.policy.json"))
        policy = json.loads((self.folder / "far.policy.json").read_text(encoding="utf-8"))
        self.assertGreater(len(policy["rules"]), 0)
        for rule in policy["rules"]:
            self.assertEqual(rule["when"]["ranks"], {"min": 2048, "max": 2048})
            self.assertIn("Predicted for polaris", rule["because"])

    def test_the_limits_of_the_doctor_are_those_of_its_document(self):
        """The help has the figures from the code; the document repeats them."""
        said = " ".join(self.ask("doctor", "--help").split())
        cliff, = re.findall(r"a call takes at least ([\d.]+) times as long as a call that moves more", said)
        guideline, = re.findall(r"a function takes at least ([\d.]+) times as long as other functions", said)
        generality, = re.findall(r"or at least ([\d.]+) times as long as a special one", said)
        text = (pathlib.Path(__file__).resolve().parents[2] / "shim/tune/README.md").read_text(encoding="utf-8")
        rows = re.findall(r"(?m)^\| (cliff|guideline) \| ([\d.]+) times as long \|", text)
        self.assertEqual(rows, [("cliff", cliff), ("guideline", guideline), ("guideline", generality)])
        repetitions, = re.findall(r"in (\d+) repetitions", said)
        self.assertIn(f"each of {'no one two three four five six seven'.split()[int(repetitions)]} repetitions", " ".join(text.split()))
        least, = re.findall(r"is about (\d+) us at least", said)
        self.assertIn(f"be about {least} us at least", " ".join(text.split()))

    def test_what_goes_with_predicted_times(self):
        for words in (["--predict", "--ranks", "8"], ["--predict", "--machine", "polaris"], ["--machine", "polaris"],
                      ["--predict", "--machine", "polaris", "--ranks", "8", "--simulate", "polaris"], ["--ranks-per-node", "4"],
                      ["--predict", "--machine", "polaris", "--ranks", "8", "--budget", "1m"],
                      ["--predict", "--machine", "polaris", "--ranks", "8", "--mpi", "mpich"],
                      ["--predict", "--machine", "polaris", "--launcher", "mpirun", "--ranks-per-node", "4"]):
            with self.subTest(words=words):
                done = subprocess.run([COMMAND, "tune", "-o", "p.json", *words], cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertGreaterEqual(done.returncode, 100, done.stderr)


class Completion(CommandTest):
    """What bash offers, with the words as bash splits them: at blanks, colons and equal signs."""

    def completed(self, line, function="_switchyard"):
        words = [word for part in line.split(" ") for word in ([*re.findall(r"[:=]|[^:=]+", part)] or [""])]
        self.write(self.ask("completion"), "completion")
        script = (f'source ./completion\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); {function}\n'
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", *words], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split("\n")) - {""}

    def test_values(self):
        collectives = {"alltoallv", "alltoall", "allgather", "allgatherv", "alltoallw"}
        for line, words in {
                "switchyard explain p.json --collective ": collectives | {
                    "neighbor_alltoallv", "neighbor_alltoall", "neighbor_allgather", "neighbor_allgatherv"},
                "switchyard explain p.json --collective allg": {"allgather", "allgatherv"},
                "switchyard explain p.json --buffer ": {"host", "device"},
                "switchyard explain p.json --buffer d": {"device"},
                "switchyard explain p.json --gpu-aware ": {"yes", "no"},
                "switchyard explain p.json --ranks ": set(),
                "switchyard report --format ": {"text", "csv", "json"},
                "switchyard report --format=": {"text", "csv", "json"},
                "switchyard report --format=js": {"json"},
                "switchyard run --detail ": {"calls", "ranks", "summary", "phases", "all"},
                "switchyard run --log o": {"off"},
                "switchyard run --force allgather:r": {"ring", "recursive_doubling"},
                "switchyard run --force allgather:": {"native", "ring", "bruck", "recursive_doubling", "dissemination",
                                                      "hierarchical", "multi_lane", "multi_lane_ring", "locality_aware_bruck", "shared"},
                "switchyard run --force=alltoallv:tuna_c": {"tuna_coalesced"},
                "switchyard tune --collective alltoallv,allg": {"alltoallv,allgather", "alltoallv,allgatherv"},
                "switchyard tune --collective ": collectives,
                "switchyard tune --distribution ": {"uniform", "normal", "power_law", "fft1", "fft2", "sparse", "equal",
                                                   "partition", "window"},
                "switchyard tune --max-block 8,": set(),
                "switchyard tune --simulate p": {"polaris"},
                "switchyard doctor --collective allg": {"allgather", "allgatherv"},
                "switchyard doctor --format c": {"csv"},
                "switchyard predict --collective allg": {"allgather", "allgatherv"},
                "switchyard predict --format ": {"text", "csv", "json"},
                "switchyard predict --ranks ": set()}.items():
            with self.subTest(line=line):
                self.assertEqual(self.completed(line), words)
        self.assertLessEqual({"openmpi", "mpich"}, self.completed("switchyard tune --mpi "))

    def test_words_that_are_not_understood(self):
        """One sentence that names the command and the word, then where the help is: no help of fifty lines around it."""
        for words, sentence in ((["explain"], "switchyard explain: policy is required"),
                                (["explain", "--polcy"], "switchyard explain: policy is required; not known: --polcy"),
                                (["check", "a", "b"], "switchyard check: not known: b"),
                                (["predict", "--machine", "polaris", "--ranks", "1"],
                                 "switchyard predict: --ranks: Value 1 not in range 2 to 1048576")):
            with self.subTest(words):
                ended = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
                self.assertNotEqual(ended.returncode, 0)
                self.assertEqual(ended.stdout, "")
                self.assertEqual(ended.stderr.splitlines(),
                                 [sentence, f"Options and examples: switchyard {words[0]} --help"])
        ended = subprocess.run([COMMAND, "explian"], capture_output=True, text=True, check=False)
        self.assertNotEqual(ended.returncode, 0)
        self.assertTrue(ended.stderr.startswith('switchyard: A subcommand is required; not known: explian, did you mean "explain"?\n'), ended.stderr)
        self.assertIn("explain", ended.stderr)

    def test_every_option_with_a_name_for_a_value(self):
        """An option whose value is one of some words offers them; one with a file offers files."""
        self.write("x")
        for command in ("run", "explain", "report", "tune", "doctor", "predict"):
            for option, kind in re.findall(r"(--[a-z-]+) ([A-Z]+)", self.ask(command, "--help")):
                with self.subTest(command=command, option=option):
                    offered = self.completed(f"switchyard {command} {option} ")
                    if kind in ("NAME", "ANSWER", "FORMAT", "DETAIL", "SPEC"):
                        self.assertGreater(len(offered), 1)
                    elif kind in ("FILE", "PLATFORM"):
                        self.assertIn("my.policy.json", offered)
                    elif kind in ("N", "BYTES", "TIME"):
                        self.assertEqual(offered, set())

    def test_names_with_blanks(self):
        self.write("{}", "my own.json")
        self.assertEqual(self.completed("switchyard check my"), {"my own.json"})

    def test_folders_for_reports(self):
        self.write("{}", "afile")
        (self.folder / "afolder").mkdir()
        self.assertEqual(self.completed("switchyard report a"), {"afolder"})
        self.assertEqual(self.completed("switchyard check a"), {"afile", "afolder"})

    def test_behind_mpirun(self):
        def behind(line):
            return self.completed(line, "_switchyard_behind_launcher")

        self.assertEqual(behind("mpirun -n 8 switchyard run --det"), {"--detail"})
        self.assertEqual(behind("mpirun -n 8 --oversubscribe build/bin/switchyard run --detail s"), {"summary"})
        self.assertEqual(behind("mpirun -n 8 switchyard exp"), {"explain"})
        self.assertIn("sort", behind("mpirun -n 8 switchyard run -- sor"))
        self.assertEqual(behind("mpirun -n 8 ./app --det"), set())  # bash goes on with its own way
        self.write(self.ask("completion"), "completion")
        done = subprocess.run(["bash", "-c", "complete -W own mpirun; source ./completion; complete -p mpirun mpiexec"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "complete -W 'own' mpirun\n"
                                      "complete -o bashdefault -o default -F _switchyard_behind_launcher mpiexec\n")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        COMMAND = os.path.abspath(sys.argv.pop(1))
    unittest.main()
