"""Runs scripts/figures with few ranks: its page must be complete, and an interrupted run goes on. No test looks at a verdict
of a real machine, or at a time."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/bench/figures"))

import page  # noqa: E402
import tuna_radix  # noqa: E402
import tuna_runs  # noqa: E402
from paper import PAPERS, Scale  # noqa: E402
from runs import Measurements, Run, RunFailed, Simulated  # noqa: E402


def figures(*words):
    return subprocess.run([ROOT / "scripts/figures", *map(str, words)], capture_output=True, text=True, timeout=300, check=False)


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def quick(self, *words):
        return figures("--quick", "--ranks", "4,8", "--ranks-per-node", "4", "--output", self.folder, *words)

    def test_a_paper(self):
        made = self.quick("two_phase_bruck")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(made.stdout, r"(?m)^two_phase_bruck 2: (agrees|does not agree)\. Zero rotation is the fastest ")
        folder = self.folder / "polaris-quick"
        text, html = (folder / "two_phase_bruck.md").read_text(), (folder / "two_phase_bruck.html").read_text()
        for words in ("Zero-rotation Bruck is the fastest everywhere", "### Figure 6", "| 8 | 128 bytes |",
                      "scripts/simulate --machine polaris --ranks 8"):
            self.assertIn(words, text)
        for picture in folder.glob("*.svg"):
            self.assertIn(picture.name, text)
            self.assertIn(f'src="{picture.name}"', html)
            self.assertIn("<svg", picture.read_text()[:1000])
        self.assertEqual(len(list(folder.glob("*.svg"))), 2)

        # Again: nothing is measured. A line that an interruption cut is.
        self.assertNotIn("runs, ", self.quick("two_phase_bruck").stderr)
        file = folder / "measurements.jsonl"
        lines = file.read_text().splitlines()
        file.write_text("\n".join([*lines[:-1], lines[-1][:40]]) + "\n")
        self.assertIn("1 of 1 runs", self.quick("two_phase_bruck").stderr)
        self.assertEqual((folder / "two_phase_bruck.md").read_text(), text)

    def test_what_cannot_be_measured(self):
        """A figure without results is on the page with the reason, and the exit status tells."""
        made = figures("two_phase_bruck", "--launcher", "false {ranks}", "--ranks", "4", "--output", self.folder)
        self.assertEqual(made.returncode, 1, made.stdout)
        self.assertRegex(made.stdout, r"(?m)^two_phase_bruck 6: not measured. false 4 .* ended with 1: no message$")
        self.assertIn("ended with 1", (self.folder / "launched/two_phase_bruck.html").read_text())

    def test_refusals(self):
        for words, reason in ((["--launcher", "mpirun"], "--launcher needs {ranks}"), (["--launcher", "x {ranks}"], "needs --ranks"),
                              (["--ranks", "1"], "2 ranks or more"), (["--ranks", "a"], "no list of numbers"),
                              (["tuna", "--record"], "for all papers"), (["nothing"], "invalid choice"), (["--ranks-per-node", "0"], "1 or more")):
            with self.subTest(words):
                made = figures(*words)
                self.assertEqual(made.returncode, 2)
                self.assertIn(reason, made.stderr)

    def test_every_figure(self):
        """Each figure of each paper has a claim, and is named once."""
        seen = set()
        for is_simulated in (True, False):
            for paper in PAPERS:
                model = "polaris" if is_simulated else ""
                for figure in __import__(paper).figures(Scale(True, (4, 8), 4, is_simulated, model)):
                    seen.add((paper, figure.number))
                    self.assertTrue(figure.claim.endswith("."), figure.number)
                    self.assertNotIn("|", figure.claim + figure.title + figure.note)
        wanted = {("tuna", number) for number in ("7", "8", "9", "10", "11", "12", "13", "14, N1", "14, N2", "15", "16, normal",
                                                  "16, power law")}
        self.assertLessEqual(wanted, seen)

    def test_a_verdict_follows_the_figures(self):
        """With times that the test makes up: radix 2 is the best for small blocks, then one in the middle, then a large one."""
        scale = Scale(True, (64,), 8, True)
        figure = tuna_radix.trends(scale)
        for winners, agrees in (((2, 8, 64), True), ((64, 8, 2), False)):
            measurements = Measurements(Simulated("polaris"), self.folder / str(agrees))
            for run, winner in zip(figure.runs, winners):
                results = [{"algorithm": "native", "parameters": {}, "median_us": 50.0, "max_block_bytes": 16}]
                for metadata, in_flight in (("separate", 1), ("fused", 32)):
                    results += [{"algorithm": "tuna", "median_us": 10.0 + abs(radix - winner), "max_block_bytes": 16,
                                 "parameters": {"radix": radix, "metadata": metadata, "in_flight": in_flight}}
                                for radix in tuna_runs.radices(64)]
                measurements.found[run.key()] = {"run": run.key(), "results": results}
            outcome = figure.outcome(measurements)
            self.assertEqual(outcome.agrees, agrees, outcome.ours)
            text = page.markdown([page.Shown(figure, outcome)], "Nowhere.", "none", lambda _: [])
            self.assertEqual("**does not agree**" in text, not agrees)

    def test_a_page_is_recorded_with_its_pictures(self):
        figure = tuna_radix.trends(Scale(True, (64,), 8, True))
        shown = page.Shown(figure, failure="not measured")
        shown.pictures = ["new.svg"]
        made, target = self.folder / "made", self.folder / "recorded"
        made.mkdir(), target.mkdir()
        (target / "old.svg").write_text("of an earlier page")
        (made / "new.svg").write_text("<svg/>")
        page.write([shown], made, "all", "Nowhere.", "none", lambda _: [])
        page.record([shown], made, "all", target)
        self.assertEqual(sorted(file.name for file in target.iterdir()), ["README.md", "new.svg"])
        self.assertEqual((target / "README.md").read_text(), (made / "all.md").read_text())

    def test_the_model_stands_beside_what_was_measured(self):
        """Figure 8 has a table of ranks that nobody simulates, as switchyard predict says, and counts it for the verdict."""
        scale = Scale(True, (4, 8), 4, True, "polaris")
        figure = tuna_radix.against_native(scale)
        measurements = Measurements(Simulated("polaris"), self.folder)
        measurements.measure([run for run in figure.runs if not run.is_kept])
        self.assertFalse((self.folder / "measurements.jsonl").exists(), "a prediction takes a moment, and is not kept")
        for run in (run for run in figure.runs if run.is_kept):
            parameters = {"radix": 2, "metadata": "fused", "in_flight": 32}
            measurements.found[run.key()] = {"results": [
                {"algorithm": "native", "parameters": {}, "median_us": 50.0, "max_block_bytes": 16},
                {"algorithm": "tuna", "parameters": parameters, "median_us": 5.0, "max_block_bytes": 16},
                {"algorithm": "tuna", "parameters": {**parameters, **tuna_runs.PUBLISHED}, "median_us": 10.0, "max_block_bytes": 16}]}
        outcome = figure.outcome(measurements)
        self.assertRegex(outcome.ours, r"faster as published in 6 of 6 points; ours at most 10.00 times. By the model, with 8,192 ranks")
        measured, expected = outcome.tables
        self.assertEqual(len(measured.rows), 6)
        self.assertEqual([row[:2] for row in expected.rows[:3]], [[512, "16 bytes"], [512, "256 bytes"], [512, "2 KiB"]])
        self.assertEqual(len(expected.rows), 12)
        loses = [row for row in expected.rows if float(row[4]) < 1]
        self.assertEqual(outcome.agrees, not loses)

    def test_a_run_without_results(self):
        measurements = Measurements(Simulated("polaris"), self.folder)
        with self.assertRaisesRegex(RunFailed, "not measured: 4 ranks, --max-block 16"):
            measurements.results(Run(4, ("--max-block", "16")))

    def test_results_of_another_build(self):
        measurements = Measurements(Simulated("polaris"), self.folder)
        run = Run(4, ("--max-block", "16"))
        line = {"run": run.key(), "stamp": "of another build", "results": []}
        (self.folder / "measurements.jsonl").write_text(json.dumps(line) + "\n")
        self.assertEqual(Measurements(Simulated("polaris"), self.folder).found, {})
        line["stamp"] = measurements.stamp
        (self.folder / "measurements.jsonl").write_text(json.dumps(line) + "\n")
        self.assertEqual(list(Measurements(Simulated("polaris"), self.folder).found), [run.key()])


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
