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

import allgather_formulas as formulas  # noqa: E402
import page  # noqa: E402
import tuna  # noqa: E402
import tuna_compared  # noqa: E402
import tuna_radix  # noqa: E402
import tuna_runs  # noqa: E402
import tuna_scale  # noqa: E402
import two_phase_distributions  # noqa: E402
from paper import PAPERS, Outcome, Scale  # noqa: E402
from runs import Measurements, Run, RunFailed, Simulated, slow_messages  # noqa: E402


def scale_of(machine, ranks=(4, 8)):
    return Scale(True, ranks, 4, True, machine, machine, slow_messages(machine))


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
        self.assertRegex(made.stdout, r"(?m)^two_phase_bruck 2, a: (agrees|does not agree)\. Zero rotation is the fastest ")
        folder = self.folder / "polaris-quick"
        text, html = (folder / "two_phase_bruck.md").read_text(), (folder / "two_phase_bruck.html").read_text()
        for words in ("Zero-rotation Bruck is the fastest everywhere", "### Figure 6", "| 8 | 128 bytes |",
                      "scripts/simulate --machine polaris --ranks 8"):
            self.assertIn(words, text)
        for picture in folder.glob("*.svg"):
            self.assertIn(picture.name, text)
            self.assertIn(f'src="{picture.name}"', html)
            self.assertIn("<svg", picture.read_text()[:1000])
        self.assertEqual(len(list(folder.glob("*.svg"))), 4)
        map_of_ranks = (folder / "two_phase_bruck-of-section-1-map.svg").read_text()
        self.assertIn("32768 ranks, blocks up to 4 KiB\n", map_of_ranks)
        for words in ("### Figure of section 3.3", "| 50 to 50 % |", "| power_law | 8 | 16 bytes |", "| 32768 |  |"):
            self.assertIn(words, text)

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
                              (["tuna", "--record"], "for all papers"),
                              (["--machine", "polaris_slow_messages", "--record"], "for the machines polaris, fugaku"),
                              (["--launcher", "x {ranks}", "--ranks", "4", "--record"], "for the machines polaris, fugaku"), (["nothing"], "invalid choice"), (["--ranks-per-node", "0"], "1 or more")):
            with self.subTest(words):
                made = figures(*words)
                self.assertEqual(made.returncode, 2)
                self.assertIn(reason, made.stderr)

    def test_every_figure(self):
        """Each figure of each paper has a claim, and is named once."""
        seen = set()
        for scale in (scale_of("polaris"), scale_of("fugaku"), Scale(True, (4, 8), 4, False)):
            for paper in PAPERS:
                figures_there = __import__(paper).figures(scale)
                self.assertEqual(len({figure.number for figure in figures_there}), len(figures_there))
                for figure in figures_there:
                    seen.add((paper, figure.number))
                    self.assertTrue(figure.claim.endswith("."), figure.number)
                    self.assertNotIn("|", figure.claim + figure.title + figure.note)
        of_fugaku = {"7", "8", "9", "10", "11", "12", "13", "14, N1", "14, N2", "16, normal", "16, power law"}
        self.assertLessEqual({("tuna", number) for number in (*of_fugaku, "15")}, seen)
        self.assertLessEqual(of_fugaku, {figure.number for figure in tuna.figures(scale_of("fugaku"))})

    def test_claims_are_the_machines_own(self):
        claims = {machine: next(figure.claim for figure in tuna.figures(scale_of(machine)) if figure.number == "8")
                  for machine in ("polaris", "fugaku")}
        self.assertIn("up to 2 KiB on Polaris, 29 times", claims["polaris"])
        self.assertIn("up to 16 KiB on Fugaku, 70.48 times", claims["fugaku"])

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

    def test_a_crossover_is_compared_with_the_formula(self):
        """With times that the test makes up: both algorithms cross at the formula's block, or far from it."""
        scale = Scale(True, (64, 128), 8, True, "polaris")
        figure = two_phase_distributions.crossover(scale)
        measurements = Measurements(Simulated("polaris"), self.folder)
        measurements.measure([run for run in figure.runs if not run.is_kept])
        said = {one["ranks"]: one["formula_bytes"] for run in figure.runs if not run.is_kept for one in measurements.results(run)}
        for factor, agrees in ((1, True), (1 / 8, False)):
            for run in (run for run in figure.runs if run.is_kept):
                measurements.found[run.key()] = {"results": [
                    {"algorithm": name, "parameters": {}, "max_block_bytes": block, "median_us": us}
                    for block in map(int, run.words[1].split(","))
                    for name, us in (("padded_bruck", block / factor), ("two_phase_bruck", said[run.ranks]))]}
            outcome = figure.outcome(measurements)
            self.assertEqual(outcome.agrees, agrees, outcome.ours)
            self.assertIn("The more ranks, the smaller the block", outcome.ours)

    def test_a_page_is_recorded_with_its_pictures(self):
        figure = tuna_radix.trends(Scale(True, (64,), 8, True))
        shown = page.Shown(figure, failure="not measured")
        shown.pictures = ["new.svg"]
        made, target = self.folder / "made", self.folder / "recorded"
        made.mkdir(), target.mkdir()
        (target / "old.svg").write_text("of an earlier page")
        (target / "another").mkdir()
        (target / "another/README.md").write_text("of another machine")
        (made / "new.svg").write_text("<svg/>")
        page.write([shown], made, "all", "Nowhere.", "none", lambda _: [])
        page.record([shown], made, "all", target, {"another": "another/README.md"})
        self.assertEqual(sorted(file.name for file in target.iterdir()), ["README.md", "another", "new.svg"])
        self.assertEqual((target / "another/README.md").read_text(), "of another machine")
        link = "The page of another: [another/README.md](another/README.md).\n\n"
        title, rest = (made / "all.md").read_text().split("\n\n", 1)
        self.assertEqual((target / "README.md").read_text(), f"{title}\n\n{link}{rest}")

    def measurements_of(self, figure, results):
        """The same made-up results for every simulated run of a figure, and the model's own."""
        measurements = Measurements(Simulated("polaris"), self.folder)
        measurements.measure([run for run in figure.runs if not run.is_kept])
        self.assertFalse((self.folder / "measurements.jsonl").exists(), "a prediction takes a moment, and is not kept")
        for run in (run for run in figure.runs if run.is_kept):
            measurements.found[run.key()] = {"results": results}
        return measurements

    def test_the_model_stands_beside_what_was_measured(self):
        """Figure 8 has tables of ranks that nobody simulates, as switchyard predict says, of the machine and of one whose messages are
        slow, and counts them for the verdict."""
        figure = tuna_radix.against_native(scale_of("polaris"))
        parameters = {"radix": 2, "metadata": "fused", "in_flight": 32}
        measurements = self.measurements_of(figure, [
            {"algorithm": "native", "parameters": {}, "median_us": 50.0, "max_block_bytes": 16},
            {"algorithm": "tuna", "parameters": parameters, "median_us": 5.0, "max_block_bytes": 16},
            {"algorithm": "tuna", "parameters": {**parameters, **tuna_runs.PUBLISHED}, "median_us": 10.0, "max_block_bytes": 16}])
        outcome = figure.outcome(measurements)
        self.assertRegex(outcome.ours, r"faster as published in 6 of 6 points; ours at most 10.00 times. By the model with 8,192 ranks")
        gains, measured, slow, expected, slow_expected = outcome.tables
        self.assertEqual([len(measured.rows), len(slow.rows)], [6, 2])
        self.assertEqual([row[:2] for row in gains.rows], [[8192, "16 bytes"], [8192, "1 KiB"]])
        for table in (expected, slow_expected):
            self.assertEqual([row[:2] for row in table.rows[:3]], [[512, "16 bytes"], [512, "256 bytes"], [512, "2 KiB"]])
            self.assertEqual(len(table.rows), 12)
        loses, loses_there = ([row for row in table.rows if float(row[4]) < 1] for table in (expected, slow_expected))
        half, as_measured, of_paper = map(float, gains.rows[0][2:])
        self.assertLess(half, as_measured, "where messages cost more, more is gained")
        self.assertEqual(outcome.agrees, not loses_there and of_paper / 2 < as_measured < 2 * of_paper)
        self.assertEqual(bool(outcome.condition), bool(loses))

    def test_a_condition_is_part_of_the_verdict(self):
        figure = tuna_radix.trends(Scale(True, (64,), 8, True))
        for agrees, condition, word in ((True, "if it rains", "agrees, if it rains"), (True, "", "agrees"),
                                        (False, "if it rains", "does not agree")):
            shown = page.Shown(figure, Outcome([], [], "Ours.", agrees, "Because.", condition))
            self.assertEqual(page.verdict(shown), word)
            self.assertIn(f"It **{word}**.", page.markdown([shown], "Nowhere.", "none", lambda _: []))

    def compared(self, here, there):
        """Figure 13 without the model, with made-up times by contender on the machine and on the one whose messages are slow."""
        scale = Scale(True, (4, 8), 4, True, "", "polaris", "polaris_slow_messages")
        figure = tuna_compared.compared(scale, tuna_compared.Comparison("13", "Compared", "A claim.", first=True))
        measurements = Measurements(Simulated("polaris"), self.folder)
        for run in figure.runs:
            measurements.found[run.key()] = {"results": [
                {"algorithm": name, "parameters": {}, "median_us": time, "max_block_bytes": 16}
                for name, time in (there if run.machine else here).items()]}
        return figure.outcome(measurements)

    def test_a_claim_can_be_true_of_slow_messages_alone(self):
        others = {"native": 10.0, "scattered": 10.0, "node_aware": 10.0}
        wins = {**others, "tuna": 6.0, "tuna_coalesced": 5.0, "tuna_staggered": 9.0}
        tuna_is_first = {**wins, "tuna": 4.0}
        loses = {**wins, "tuna_staggered": 11.0}
        for here, there, agrees, has_condition in ((wins, wins, True, False), (loses, wins, True, True), (wins, loses, True, True),
                                                   (loses, loses, False, False), (tuna_is_first, tuna_is_first, False, False)):
            outcome = self.compared(here, there)
            self.assertEqual((outcome.agrees, bool(outcome.condition)), (agrees, has_condition), outcome.ours)

    def test_our_own_figures_say_so(self):
        figure = tuna_scale.weak_scaling(scale_of("polaris"))
        text = page.markdown([page.Shown(figure, failure="not measured")], "Nowhere.", "none", lambda _: [])
        self.assertIn("### Our own figure: Weak scaling", text)
        self.assertIn("We expect: With constant bytes", text)
        self.assertNotIn("The paper: With constant", text)

    def test_weak_scaling_keeps_the_bytes_of_a_rank(self):
        """Of the simulated runs and of the model's."""
        for scale in (scale_of("polaris"), scale_of("fugaku")):
            whole = set()
            for run in tuna_scale.weak_scaling(scale).runs:
                if run.is_kept:
                    whole.add(run.ranks * int(run.words[run.words.index("--max-block") + 1]))
                else:
                    whole.add(run.ranks[0] * run.blocks[0])
            self.assertEqual(len(whole), 1)

    def test_few_messages_pass_a_card_that_limits_them(self):
        figure = tuna_scale.limit_of_messages(scale_of("polaris"))
        outcome = figure.outcome(self.measurements_of(figure, []))
        self.assertTrue(outcome.agrees, outcome.ours)
        self.assertIn("With 12,288 ranks MPI_Alltoallv takes 2.30 s", outcome.ours)

    def test_the_error_of_the_model(self):
        """Twice the model's times are no agreement, the model's own times are."""
        figure = tuna_scale.more_ranks(scale_of("polaris"))
        model = figure.runs[-1]
        for factor, agrees in ((1, True), (2, False)):
            measurements = self.measurements_of(figure, [])
            for run in figure.runs[:-1]:
                measurements.found[run.key()] = {"results": [
                    {**result, "median_us": factor * result["median_us"]} for result in measurements.results(model)
                    if result["ranks"] == run.ranks and not (result["algorithm"] == "native" and "--no-native" in run.words)]}
            outcome = figure.outcome(measurements)
            self.assertEqual(outcome.agrees, agrees, outcome.ours)
            self.assertIn("-50%" if factor == 2 else "+0%", outcome.ours)

    def test_the_formulas_of_the_allgather_paper(self):
        """As section 4 counts: with r regions, a power of the ranks of a region, log(r) messages go to other regions."""
        line = formulas.fitted([4, 8, 16], [1.4, 1.8, 2.6])
        self.assertAlmostEqual(line.alpha, 1)
        self.assertAlmostEqual(line.beta, 0.1)
        one = formulas.Postal(1, 0)
        none = formulas.Postal(0, 0)
        kept = formulas.FAR, formulas.NEAR
        try:
            formulas.FAR, formulas.NEAR = formulas.Link(one, one), formulas.Link(none, none)
            self.assertEqual(formulas.locality_aware(64, 4, 8), 3)
            self.assertEqual(formulas.bruck(64, 4, 8), 8)
            self.assertAlmostEqual(formulas.equation_4(64, 4, 8), 3)
            formulas.FAR, formulas.NEAR = formulas.Link(none, none), formulas.Link(one, one)
            self.assertEqual(formulas.locality_aware(64, 4, 8), 2 * (3 + 1))
            self.assertAlmostEqual(formulas.equation_4(64, 4, 8), 3 + 1)
            a_byte = formulas.Postal(0, 1)
            formulas.FAR, formulas.NEAR = formulas.Link(a_byte, a_byte), formulas.Link(none, none)
            self.assertEqual(formulas.bruck(64, 4, 8), 8 * (256 - 1))
            self.assertEqual(formulas.locality_aware(64, 4, 8), 8 * (4 + 16 + 64))
            formulas.FAR, formulas.NEAR = formulas.Link(none, none), formulas.Link(a_byte, a_byte)
            self.assertEqual(formulas.locality_aware(64, 4, 8), 8 * (256 - 1))
        finally:
            formulas.FAR, formulas.NEAR = kept

    def test_a_message_of_eight_kibibytes_waits_for_its_receiver(self):
        link = formulas.FAR
        self.assertEqual([link.postal(size) for size in (8191, 8192)], [link.eager, link.rendezvous])

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
