"""What `switchyard report` and `explain` say of real runs."""

import csv
import io
import json
import os
import shutil
import unittest

from harness import FEW_RANKS, NATIVE_POLICY, PreloadTest, client

NASTY = "<script>document.title='owned';fetch('http://127.0.0.1:9/')</script> \"'&"
POLICY = {"version": 1, "otherwise": {"algorithm": "native"}, "rules": [
    {"name": NASTY, "when": {"collective": "alltoallv", "max_block_bytes": {"max": 64}},
     "use": {"algorithm": "tuna", "radix": 2}},
    {"name": "larger", "when": {"collective": "alltoallv"}, "use": {"algorithm": "pairwise"}},
    {"name": "for nobody", "when": {"ranks": {"min": 5000}}, "use": {"algorithm": "spread_out"}}]}


class Reports(PreloadTest):
    """One run of a real program with detail `ranks`, and all that is asked about it."""

    def run_program(self):
        result = self.launch(FEW_RANKS, client("c_basic"), policy=self.write("policy.json", POLICY),
                             settings={"SWITCHYARD_DETAIL": "ranks"})
        self.assert_ended_well(result)
        return result

    def ask(self, *arguments):
        answer = self.command(*arguments)
        self.assertEqual(answer.code, 0, answer.everything())
        return answer

    def assert_narrow(self, text):
        self.assertEqual([line for line in text.splitlines() if len(line) > 110], [])

    def test_formats_agree_with_the_log(self):
        result = self.run_program()
        lines = result.calls()
        text = self.ask("report", result.log()).stdout
        self.assertRegex(text, rf"(?m)^{len(lines)} calls, \d+ routed;")
        self.assert_narrow(text)
        report = json.loads(self.ask("report", result.log(), "--format", "json").stdout)
        groups = report["groups"]
        self.assertEqual(report["totals"]["calls"], len(lines))
        self.assertEqual(sum(group["calls"] for group in groups), len(lines))
        self.assertEqual({group["rule"] for group in groups}, {line["rule"] for line in lines})
        spent = sum(line["time_us"]["mean"] * line["ranks"] for line in lines) / FEW_RANKS
        self.assertAlmostEqual(report["totals"]["total_us"], spent, delta=0.01 + 1e-6 * spent)
        self.assertAlmostEqual(sum(group["total_us"] for group in groups), spent, delta=0.1 + 1e-6 * spent)
        rows = list(csv.DictReader(io.StringIO(self.ask("report", result.log(), "--format", "csv").stdout)))
        self.assertEqual([(row["algorithm"], int(row["calls"]), row["rule"]) for row in rows],
                         [(group["algorithm"], group["calls"], group["rule"] or "") for group in groups])

    def test_the_latest_run_of_a_folder(self):
        result = self.run_program()
        answer = self.ask("report", os.path.dirname(result.log()))
        self.assertIn(result.log(), answer.stdout)

    def test_trace(self):
        result = self.run_program()
        self.ask("report", result.log(), "--trace", self.path("trace.json"))
        with open(self.path("trace.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        lines = result.calls()
        slices = [event for event in events if event["ph"] == "X"]
        parts = [event for event in slices if event["cat"] == "part"]
        calls = [event for event in slices if event["cat"] != "part"]
        self.assertEqual(sum(event["pid"] == 1 for event in calls), len(lines))
        self.assertEqual(sum(event["pid"] == 2 for event in calls), sum(line["ranks"] for line in lines))
        self.assertEqual({event["tid"] for event in calls if event["pid"] == 2}, set(range(1, FEW_RANKS + 1)))
        self.assertEqual({event["args"]["call"] for event in calls if event["pid"] == 2},
                         {line["call"] for line in lines})
        agreed = {line["call"] for line in lines if line["phases_us"]["agree"] > 0}
        self.assertEqual({event["args"]["call"] for event in parts
                          if event["pid"] == 1 and event["name"] == "agreement"}, agreed)
        self.assertTrue(agreed)
        of_call = {(event["pid"], event["tid"], event["args"]["call"]): event for event in calls}
        for part in parts:
            whole = of_call[part["pid"], part["tid"], part["args"]["call"]]
            self.assertGreaterEqual(part["ts"], whole["ts"])
            self.assertLessEqual(part["ts"] + part["dur"], whole["ts"] + whole["dur"] + 0.001)

    def test_comparison(self):
        first = self.run_program()
        second = self.launch(FEW_RANKS, client("c_basic"), policy=self.write("native.json", NATIVE_POLICY))
        answer = self.ask("report", first.log(), second.log())
        self.assertIn("tuna radix=2", answer.stdout)
        self.assertIn("-> native", answer.stdout)
        self.assert_narrow(answer.stdout)
        groups = json.loads(self.ask("report", first.log(), second.log(), "--format", "json").stdout)["groups"]
        self.assertEqual({group["in"] for group in groups}, {"both"}, "the same program makes the same calls")
        for side in "ab":
            self.assertEqual(sum(group[f"calls_{side}"] for group in groups), first.calls_made)

    def test_two_folders_of_runs(self):
        """Runs in turn, of a policy that routes and one that does not, and a killed run between them."""
        native = self.write("native.json", NATIVE_POLICY)
        policies = {"a": self.write("policy.json", POLICY), "b": native}
        for _ in range(2):
            for folder, policy in policies.items():
                result = self.launch(FEW_RANKS, client("c_basic"), policy=policy, log=self.path(folder))
                self.assert_ended_well(result)
        killed = shutil.copytree(result.logs[0], self.path("b/killed"))
        with open(os.path.join(killed, "run.json"), encoding="utf-8") as file:
            run = json.load(file)
        with open(os.path.join(killed, "run.json"), "w", encoding="utf-8") as file:
            json.dump(dict(run, complete=False), file)

        text = self.ask("report", self.path("a"), self.path("b")).stdout
        self.assert_narrow(text)
        self.assertIn("B: killed is left out: PARTIAL, it did not reach MPI_Finalize\n", text)
        self.assertRegex(text, rf"(?m)^A: c_basic, {FEW_RANKS} ranks on 1 node, 2 runs$")
        self.assertRegex(text, r"(?m)^wall time .* (faster|slower) in [12] of 2 pairs$")
        self.assertRegex(text, r"(?m)^in collectives .* (faster|slower) in [12] of 2 pairs$")
        self.assertRegex(text.split("\n\n")[-1],
                         r"\AB (may be (faster|slower)|is as often slower as faster): it takes \d[^\n]*(\n[^\n]+)*\.\n\Z")
        report = json.loads(self.ask("report", self.path("a"), self.path("b"), "--format", "json").stdout)
        self.assertEqual(len(report["comparisons"]), 1)
        self.assertEqual(report["comparisons"][0]["wall"]["pairs"], 2)
        self.assertEqual(report["comparisons"][0]["runs_b"], 2)
        self.assertEqual(sum(group["calls_a"] for group in report["groups"]), 2 * result.calls_made)
        self.assertEqual(sum(group["calls_b"] for group in report["groups"]), 2 * result.calls_made)
        rows = list(csv.DictReader(io.StringIO(
            self.ask("report", self.path("a"), self.path("b"), "--format", "csv").stdout)))
        self.assertEqual({(row["program"], row["runs_a"], row["runs_b"]) for row in rows}, {("c_basic", "2", "2")})
        # Without OTHER the latest run counts.
        self.assertIn("this is the latest", self.ask("report", self.path("a")).stderr)

    def test_policy_on_the_log_it_made(self):
        result = self.run_program()
        answer = self.ask("explain", self.path("policy.json"), "--log", result.log(), "--coverage", "--plot",
                          self.path("coverage.svg"))
        self.assertIn(f"0 of {result.calls_made} calls would run differently", answer.stdout)
        self.assertRegex(answer.stdout, r"Rules that never fire\n.*\n +3 \"for nobody\" +no call matches")
        self.assert_narrow(answer.stdout)
        with open(self.path("coverage.svg"), encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("<svg"))
        native = self.ask("explain", self.write("native.json", NATIVE_POLICY), "--log", result.log())
        routed = sum(line["algorithm"] != "native" for line in result.calls())
        self.assertIn(f"{routed} of {result.calls_made} calls would run differently", native.stdout)

    def test_what_goes_wrong_is_said_in_a_sentence(self):
        result = self.run_program()
        log = result.log()
        for arguments, sentence in [
                (["report", self.path("nothing")], "there is no "),
                (["report", self.folder + "/policy.json"], "is a file"),
                (["report", self.folder], "is no run's log"),
                (["report", log, "--html", "/dev/full"], "/dev/full cannot be written: No space left on device"),
                (["report", log, "--html", self.path("no/page.html")], "cannot be written"),
                (["report", log, log, "--trace", self.path("trace.json")], "--trace takes one log: two runs have no common time"),
                (["report", log, log, "--html", "/dev/full"], "/dev/full cannot be written: No space left on device"),
                (["report", log, self.path("nothing")], "there is no "),
                (["report", self.folder, log], "is no run's log"),
                (["explain", self.path("policy.json")], "--collective is missing, or one of --log"),
                (["explain", self.path("policy.json"), "--log", log, "--ranks", "4"], "take one of the two")]:
            answer = self.command(*arguments)
            self.assertNotEqual(answer.code, 0, arguments)
            self.assertIn(sentence, answer.stderr, arguments)
            self.assertEqual(len(answer.stderr.splitlines()), 1, answer.everything())
        self.assertEqual([name for name in os.listdir(self.folder) if "page" in name or "unfinished" in name], [])
        with open(os.path.join(log, "run.json"), encoding="utf-8") as file:
            run = json.load(file)
        calls = os.path.join(log, "calls.jsonl")
        with open(calls, encoding="utf-8") as file:
            lines = file.readlines()
        with open(calls, "w", encoding="utf-8") as file:
            file.writelines(lines[:-3])
        self.assertIn("\n3 calls of the run are missing: the file is truncated\n", self.ask("report", log).stdout)
        os.remove(calls)
        os.mkfifo(calls)
        answer = self.command("report", log)
        self.assertEqual(answer.code, 1)
        self.assertEqual(answer.stderr, f"switchyard: {calls} is not a regular file, so it is not read\n")
        run["switchyard"] = "9.0.0"
        with open(os.path.join(log, "run.json"), "w", encoding="utf-8") as file:
            json.dump(run, file)
        answer = self.command("report", log)
        self.assertEqual(answer.code, 1)
        self.assertRegex(answer.stderr, r"written by switchyard 9\.0\.0; this one reads logs of versions \d+\.x")


if __name__ == "__main__":
    unittest.main()
