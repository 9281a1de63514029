"""The log as the contract has it: fields and their types, run.json, levels of detail, directories, the closing line."""

import glob
import os
import re
import subprocess
import unittest

from harness import (FAMILY, FEW_RANKS, NATIVE_POLICY, SWITCHYARD, PreloadTest, clean_environment, client, launcher)

FORCE = "alltoallv:tuna:radix=2;allgather:ring"
NUMBER = (int, float)
FIELDS = {"call": int, "comm": str, "seq": int, "collective": str, "binding": str, "ranks": int, "nodes": int,
          "ranks_per_node": int, "max_block_bytes": int, "sent_bytes": dict, "buffer": str, "in_place": bool,
          "algorithm": str, "parameters": dict, "reason": str, "time_us": dict, "phases_us": dict, "messages": int,
          "wire_bytes": int}
PARTS = {"sent_bytes": {"min": int, "mean": NUMBER, "max": int},
         "time_us": {"min": NUMBER, "mean": NUMBER, "max": NUMBER, "slowest_rank": int},
         "phases_us": {"agree": NUMBER, "stage": NUMBER, "exchange": NUMBER}}


class Lines(PreloadTest):
    def check_types(self, line):
        for field, kind in FIELDS.items():
            self.assertIsInstance(line.get(field), kind, f"{field} in {line}")
        for field, parts in PARTS.items():
            for part, kind in parts.items():
                self.assertIsInstance(line[field].get(part), kind, f"{field}.{part} in {line}")
            self.assertLessEqual(line[field].get("min", 0), line[field].get("max", 0), line)
        self.assertLess(line["time_us"]["slowest_rank"], line["ranks"])

    def test_fields(self):
        result = self.launch(FEW_RANKS, client("c_basic"), force=FORCE)
        self.assert_ended_well(result)
        lines = self.assert_logged(result)
        for line in lines:
            self.check_types(line)
        self.assertEqual({line["collective"] for line in lines}, {"alltoallv", "alltoall", "allgather", "allgatherv", "alltoallw"})
        self.assertEqual({line["buffer"] for line in lines}, {"host"})
        self.assertEqual({line["in_place"] for line in lines}, {True, False})
        self.assertIn("world", {line["comm"] for line in lines})

    def test_sequence_counts_calls_of_a_communicator(self):
        result = self.launch(FEW_RANKS, client("c_basic"))
        by_comm = {}
        for line in self.assert_logged(result):
            by_comm.setdefault(line["comm"], []).append(line["seq"])
        self.assertGreater(len(by_comm), 3)
        for comm, sequence in by_comm.items():
            # Whether they count from 0 or 1, they count without holes.
            self.assertEqual(sequence, list(range(sequence[0], sequence[0] + len(sequence))), comm)

    def test_rule_is_named(self):
        policy = {"version": 1, "otherwise": {"algorithm": "native"}, "rules": [
            {"name": "all of them", "when": {"collective": "alltoallv"}, "use": {"algorithm": "pairwise"}}]}
        result = self.launch(2, client("c_basic"), policy=self.write("policy.json", policy))
        named = [line for line in self.assert_logged(result) if line["reason"] == "rule"]
        self.assertNotEqual(named, [])
        self.assertEqual({(line["rule"], line["algorithm"]) for line in named}, {("all of them", "pairwise")})

    def test_routed_calls_count_messages_and_bytes(self):
        result = self.launch(2, client("c_fork"), force="alltoall:zero_rotation_bruck")
        for line in self.assert_logged(result):
            self.assertEqual(line["algorithm"], "zero_rotation_bruck")
            self.assertGreaterEqual(line["messages"], 1)
            self.assertGreaterEqual(line["wire_bytes"], 4)

    def test_placement_is_in_the_log(self):
        result = self.launch(FEW_RANKS, client("c_fork"), settings={"SWITCHYARD_RANKS_PER_NODE": "1"})
        for line in self.assert_logged(result):
            self.assertEqual((line["nodes"], line["ranks_per_node"]), (FEW_RANKS, 1))


class Directories(PreloadTest):
    def test_name_and_run_json(self):
        policy = self.write("policy.json", dict(NATIVE_POLICY, rules=[]))
        with open(policy, encoding="utf-8") as file:
            policy_text = file.read()
        result = self.launch(2, client("c_fork"), policy=policy)
        self.assertRegex(os.path.basename(result.log()), r"^c_fork\.[^/]*\d[^/]*\.\d+$")
        with open(os.path.join(result.log(), "run.json"), encoding="utf-8") as file:
            text = file.read()
        run = result.run_json()
        self.assertEqual(run["ranks"], 2)
        self.assertTrue(any(word in text for word in FAMILY.library_says), text)
        self.assertNotRegex(run["mpi_library"], r"[\x00-\x09\x0b-\x1f\x7f]", "MPICH's own text has tabs")
        self.assertIn("SWITCHYARD_DETAIL", text)
        self.assertIn(client("c_fork"), text)
        self.assertTrue(any(value == policy_text for value in self.all_strings(run)), "the whole policy text")
        self.assertIsInstance(run.get("hosts"), (list, dict))

    def all_strings(self, value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for part in value.values():
                yield from self.all_strings(part)
        elif isinstance(value, list):
            for part in value:
                yield from self.all_strings(part)

    def test_nothing_is_overwritten(self):
        """Runs that start in the same second, and runs one after the other, into one folder."""
        log = self.path("logs")
        command = launcher(1, {}) + [SWITCHYARD, "run", "--policy", self.native_policy(), "--log", log, "--",
                                     client("c_fork")]
        jobs = [subprocess.Popen(command, env=clean_environment(), cwd=self.folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL) for _ in range(3)]
        self.assertEqual([job.wait(timeout=60) for job in jobs], [0, 0, 0])
        self.launch(1, client("c_fork"), log=log)
        self.assertEqual(len(glob.glob(os.path.join(log, "*", "calls.jsonl"))), 4)

    def test_no_rank_files_stay_behind(self):
        result = self.launch(2, client("c_fork"))
        self.assertEqual(sorted(os.listdir(result.log())), ["calls.jsonl", "run.json"])

    def test_default_folder(self):
        environment = dict(clean_environment(), SWITCHYARD_POLICY=self.native_policy())
        command = launcher(1, {}) + [SWITCHYARD, "run", "--", client("c_fork")]
        subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, timeout=60, check=True)
        self.assertEqual(len(os.listdir(self.path("switchyard-logs"))), 1)


class FileModes(PreloadTest):
    def test_nobody_else_may_write(self):
        """Whatever the umask is. SWITCHYARD_LOG_MODE says who may read."""
        for setting, mode in ((None, 0o644), ("0640", 0o640), ("0600", 0o600)):
            with self.subTest(setting=setting):
                before = os.umask(0)
                try:
                    settings = {"SWITCHYARD_DETAIL": "ranks"}
                    if setting:
                        settings["SWITCHYARD_LOG_MODE"] = setting
                    result = self.launch(2, client("c_fork"), settings=settings)
                finally:
                    os.umask(before)
                self.assert_logged(result)
                for name in os.listdir(result.log()):
                    self.assertEqual(os.stat(os.path.join(result.log(), name)).st_mode & 0o777, mode, name)
                self.assertEqual(os.stat(result.log()).st_mode & 0o022, 0)


class Detail(PreloadTest):
    def test_ranks(self):
        """A line per rank and call beside the usual ones, whatever their file is called."""
        result = self.launch(2, client("c_fork"), settings={"SWITCHYARD_DETAIL": "ranks"}, force=FORCE)
        self.assert_quiet(result)
        self.assert_logged(result)
        others = [name for name in os.listdir(result.log()) if name.endswith(".jsonl") and name != "calls.jsonl"]
        lines = [line for name in others for line in result.calls(name)]
        self.assertEqual(len(lines), 2 * result.calls_made)
        self.assertEqual({line["rank"] for line in lines}, {0, 1})

    def test_summary(self):
        """Fewer lines than calls, which still add up to all of them."""
        result = self.launch(2, client("c_basic"), settings={"SWITCHYARD_DETAIL": "summary"}, force=FORCE)
        self.assert_quiet(result)
        self.assert_closing(result, result.calls_made)
        (name,) = [name for name in os.listdir(result.log()) if name.endswith(".jsonl")]
        lines = result.calls(name)
        self.assertLess(len(lines), result.calls_made)
        self.assertEqual(sum(line.get("calls", 1) for line in lines), result.calls_made)

    def test_summary_where_ranks_call_differently(self):
        """What is each rank's own, as the function with large counts, makes no kind of calls: the ranks' sums would not meet."""
        for force in (FORCE, "alltoall:pairwise"):
            result = self.launch(3, client("c_legal"), "mix_functions", "30", settings={"SWITCHYARD_DETAIL": "summary"}, force=force)
            self.assert_ended_well(result)
            self.assert_closing(result, 30)
            self.assertEqual([line.get("calls") for line in result.calls("summary.jsonl")], [30], result.everything())


class ClosingLine(PreloadTest):
    def test_counts_and_path(self):
        result = self.launch(2, client("c_basic"), force="alltoallv:spread_out")
        lines = self.assert_logged(result)
        routed = sum(line["algorithm"] != "native" for line in lines)
        self.assertGreater(routed, 0)
        self.assert_closing(result, len(lines), routed)
        path = re.search(r"log in (.+)$", result.closing_line).group(1)
        self.assertEqual(os.path.realpath(os.path.join(self.folder, path)), os.path.realpath(result.log()))

    def test_what_the_agreement_cost(self):
        """The sentence stands there where the log's own figures make it worth one. What they are is up to the machine."""
        rule = {"name": "small blocks", "when": {"collective": "alltoallv", "max_block_bytes": {"max": 64}},
                "use": {"algorithm": "pairwise"}}
        policy = self.write("policy.json", {"version": 1, "rules": [rule], "otherwise": {"algorithm": "native"}})
        said = set()
        for words in (["ragged:4:20", "ragged:400:300"], ["alltoall:64:300"]):
            result = self.launch(FEW_RANKS, client("c_route"), *words, policy=policy, log=self.path(words[-1]))
            self.assert_logged(result)
            lines, wall = result.calls(), result.run_json()["wall_s"] * 1e6 * FEW_RANKS
            spent = sum(line["time_us"]["mean"] * line["ranks"] for line in lines)
            agreeing = sum(line["phases_us"]["agree"] * line["ranks"] for line in lines)
            worth = agreeing >= max(0.05 * spent, 0.01 * wall)
            found = re.search(r"log in .+?; (.+)% of the time in collectives spent agreeing: "
                              r'drop max_block_bytes of rule "small blocks"$', result.closing_line)
            self.assertEqual(found is not None, worth, result.everything())
            said.add(worth)
            if worth:
                self.assertAlmostEqual(float(found.group(1)), 100 * agreeing / spent, delta=0.1)
        self.assertIn(False, said, "without an agreement nothing is said of it")

    def test_no_calls_says_so(self):
        result = self.launch(2, client("c_io"), self.path("data"))
        self.assert_quiet(result)
        self.assert_closing(result, 0)

    def test_report_reads_a_complete_log(self):
        result = self.launch(2, client("c_basic"), force=FORCE)
        report = self.command("report", result.log())
        self.assertEqual(report.code, 0, report.everything())
        self.assertNotRegex(report.stdout, "(?i)partial")
        for word in (str(result.calls_made), "tuna", "ring", "alltoallv"):
            self.assertIn(word, report.stdout)


if __name__ == "__main__":
    unittest.main()
