"""The adaptive mode: what is tried, on all ranks alike, what stays, what it costs in messages, and what is left of it
at the end. No test asserts a time; where one has to be sure who wins, native is made slow."""

import collections
import json
import os
import re
import unittest

from harness import FEW_RANKS, OPENMPI, SHIM, PreloadTest, client

TRIALS = 4
OURS = [{"algorithm": "spread_out"}, {"algorithm": "pairwise"}]
MOST_OF_PROOF = 42  # calls
REASONS = {"adaptive: trial", "adaptive: proof", "adaptive: best of 3", "adaptive: re-check"}
NOT_LONG_ENOUGH_TO_DRIFT = 8 * (3 * TRIALS + MOST_OF_PROOF)


class AdaptiveTest(PreloadTest):
    def policy(self, candidates=None, when=None, trials=TRIALS, rules=(), name="by trial"):
        use = {"algorithm": "adaptive", "candidates": candidates or OURS, "trials": trials}
        when = {"collective": "alltoallv"} if when is None else when
        rules = list(rules) + [{"name": name, "when": when, "use": use}]
        return self.write("adaptive.policy.json",
                          {"version": 1, "rules": rules, "otherwise": {"algorithm": "native"}})

    def job(self, np, *words, **options):
        """A job whose results are those of a plain run, and whose log has every call. `allreduces` is printed, too."""
        plain = self.plain_once(np, client("c_route"), *words)
        options["policy"] = options.get("policy") or self.policy()
        result = self.launch(np, client("c_route"), *words, **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual(result.digest, plain.digest)
        return result

    def learned(self, result):
        """What run.json says, and the policy, which `switchyard check` accepts; None where there is none."""
        path = os.path.join(result.log(), "learned.policy.json")
        lessons = result.run_json()["adaptive"]
        if not os.path.exists(path):
            if lessons:
                self.assertIn("; learned: none of ", result.closing_line)
            return lessons, None
        said = re.search(r"; (learned\.policy\.json: .* won \d+ of \d+ kinds? of calls.*; \d+ of \d+ calls were trials, "
                         r"which lost [^;]*)", result.closing_line)
        self.assertIsNotNone(said, result.closing_line)
        report = self.command("report", result.log())
        self.assertIn(said.group(1), " ".join(report.stdout.split()), report.everything())
        checked = self.command("check", path)
        self.assertEqual(checked.code, 0, checked.everything())
        with open(path, encoding="utf-8") as file:
            return lessons, json.load(file)

    def assert_tried(self, lines, lesson):
        """In turn, as often as it should be, then the best against native, and then one of the two, until all of them again
        if ever."""
        first = [line for line in lines if line["reason"] == "adaptive: trial"]
        algorithms = [one["use"]["algorithm"] for one in lesson["tried"]]
        self.assertEqual([line["algorithm"] for line in first[:len(algorithms)]], algorithms)
        counted = collections.Counter(line["algorithm"] for line in first)
        if lesson["re_checks"] == 0:
            for one in lesson["tried"]:
                self.assertEqual(counted[one["use"]["algorithm"]], one["trials"])
                if one["dropped"]:
                    self.assertLess(one["trials"], TRIALS + 1)
                else:
                    self.assertEqual(one["trials"], TRIALS)
            proof = [line for line in lines if line["reason"] == "adaptive: proof"]
            rest = lines[len(first) + len(proof):]
            self.assertEqual(lesson["trial_calls"], len(first) + len(proof))
            self.assertLessEqual({line["reason"] for line in rest}, {"adaptive: best of 3"})
            self.assertLessEqual(len({line["algorithm"] for line in proof} - {"native"}), 1)
            self.assertLessEqual(len(proof), MOST_OF_PROOF)
            if lesson["best"] is None:
                self.assertEqual(rest, [])
            else:
                self.assertLessEqual({line["algorithm"] for line in rest}, {algorithms[lesson["best"]]})
            if lesson["best"] and not lesson["tried"][0]["dropped"]:
                self.assertEqual(lesson["proof"]["candidate"], lesson["best"])
                self.assertGreater(lesson["proof"]["won"], lesson["proof"]["pairs"] / 2)
                self.assertLess(lesson["proof"]["ratio"], 1)


class Trials(AdaptiveTest):
    def test_each_in_turn_then_the_best(self):
        result = self.job(FEW_RANKS, "ragged:1000:80")
        lines = self.assert_logged(result)
        self.assertLessEqual({line["reason"] for line in lines}, REASONS)
        self.assertEqual({line["rule"] for line in lines}, {"by trial"})
        (lesson,), policy = self.learned(result)
        self.assertEqual((lesson["calls"], lesson["ranks"], lesson["rule"]), (80, FEW_RANKS, "by trial"))
        self.assertEqual(lesson["max_block_bytes"], {"min": 513, "max": 1024})
        self.assert_tried(lines, lesson)
        self.assertEqual(len(policy["rules"]), 1 if lesson["best"] else 0)

    def test_all_ranks_run_the_same(self):
        colors = ",".join(str(rank % 2) for rank in range(FEW_RANKS))
        words = ("ragged:100:20", "alltoall:64:20", f"split:{colors}", "ragged:100:20", "allgather:8:20")
        result = self.job(FEW_RANKS, *words, policy=self.policy(OURS + [{"algorithm": "ring"}], when={}),
                          settings={"SWITCHYARD_DETAIL": "ranks"})
        self.assert_logged(result)
        seen = collections.defaultdict(set)
        ranks = collections.Counter()
        for rank in range(FEW_RANKS):
            for line in result.calls(f"rank-{rank}.jsonl"):
                key = line["comm"], line["seq"]
                seen[key].add((line["algorithm"], line["reason"]))
                ranks[key] += 1
        self.assertEqual({key: said for key, said in seen.items() if len(said) > 1}, {})
        self.assertEqual(set(ranks.values()), {FEW_RANKS, (FEW_RANKS + 1) // 2, FEW_RANKS // 2} - {0})
        self.assertGreater(len({said for one in seen.values() for said in one}), 4)

    def test_each_size_by_itself(self):
        """Blocks of one power of two are learned together; also where sizes take turns."""
        result = self.job(2, *(["alltoallv:60", "alltoallv:600", "alltoallv:64"] * 15))
        lines = self.assert_logged(result)
        lessons, _ = self.learned(result)
        self.assertEqual([(one["max_block_bytes"]["max"], one["calls"]) for one in lessons], [(64, 30), (1024, 15)])
        for lesson in lessons:
            blocks = lesson["max_block_bytes"]
            self.assert_tried([line for line in lines
                               if blocks["min"] <= line["max_block_bytes"] <= blocks["max"]], lesson)

    def test_rest_ends_when_calls_change(self):
        """Blocks of another size in the middle of the rest: the choice stays until the ranks agree again."""
        result = self.job(FEW_RANKS, "ragged:100:60", "ragged:5000:100", "alltoallv_in_place:100:5", "ragged:100:40",
                          settings={"SWITCHYARD_DETAIL": "ranks"})
        self.assert_logged(result)
        first, large, *_ = self.learned(result)[0]
        self.assertEqual((first["max_block_bytes"]["max"], large["max_block_bytes"]["max"]), (128, 8192))
        self.assertGreater(first["calls"], 60)
        self.assertGreater(large["calls"], 20)
        self.assertEqual(sum(one["calls"] for one in self.learned(result)[0]), 205)
        ran = collections.defaultdict(set)
        for rank in range(FEW_RANKS):
            for line in result.calls(f"rank-{rank}.jsonl"):
                ran[line["comm"], line["seq"]].add((line["algorithm"], line["reason"]))
        self.assertEqual({len(said) for said in ran.values()}, {1})

    def test_in_place_by_itself(self):
        words = ["alltoallv:60", "alltoallv_in_place:60"] * 60
        result = self.job(2, *words)
        lessons, _ = self.learned(result)
        self.assertEqual([(one["in_place"], one["calls"]) for one in lessons], [(False, 60), (True, 60)])
        self.assert_tried([line for line in self.assert_logged(result) if line["in_place"]], lessons[1])

    def test_otherwise_and_every_collective(self):
        policy = self.write("otherwise.policy.json", {"version": 1, "rules": [], "otherwise": {
            "algorithm": "adaptive", "trials": 2, "candidates": [{"algorithm": "pairwise"}, {"algorithm": "ring"}]}})
        result = self.job(2, "alltoallv:8:9", "alltoall:8:9", "allgather:8:9", policy=policy)
        self.assert_logged(result)
        lessons, _ = self.learned(result)
        self.assertEqual([(one["collective"], one["rule"], one["tried"][1]["use"]["algorithm"]) for one in lessons],
                         [("alltoallv", None, "pairwise"), ("alltoall", None, "pairwise"), ("allgather", None, "ring")])

    def test_summary(self):
        result = self.job(2, "alltoallv:8:40", settings={"SWITCHYARD_DETAIL": "summary"})
        lines = result.calls("summary.jsonl")
        self.assertEqual(sum(line.get("calls", 1) for line in lines), 40)
        self.assertEqual(self.learned(result)[0][0]["calls"], 40)

    def test_log_off(self):
        result = self.job(2, "alltoallv:8:40", log="off")
        self.assertRegex(result.closing_line, r"40 calls seen, \d+ routed, log off")
        self.assertEqual([name for name in os.listdir(self.folder) if not name.endswith(".policy.json")], [])

    def test_report_counts_the_reasons(self):
        result = self.job(2, "alltoallv:8:40")
        counted = collections.Counter(line["reason"] for line in result.calls())
        report = self.command("report", result.log())
        self.assertEqual(report.code, 0, report.everything())
        for reason, calls in counted.items():
            self.assertRegex(report.stdout, rf"(?m)^ *[a-z]+ +{calls} .*, since {re.escape(reason)}$")
        self.assertNotIn("fell back", report.stdout)


class Agreement(AdaptiveTest):
    """How many allreduces it takes: times travel in the agreement, or in one of their own where there is none. Without memory
    that the ranks share."""

    CALLS = 64 + 3 * TRIALS + MOST_OF_PROOF  # the last of them tells what 63 before took

    def allreduces(self, *words, **options):
        options["settings"] = {"SWITCHYARD_SHARED_BYTES": "0"} | options.get("settings", {})
        result = self.job_without_oracle(*words, "allreduces", **options)
        least, most = map(int, re.search(r"allreduces=(\d+)\.\.(\d+)", result.stdout).groups())
        self.assertEqual(least, most)
        return least, result

    @staticmethod
    def agreed_before_rest(lesson):
        """Trials end when the next call begins, a proof when its last time is told, which is one call earlier."""
        return 16 if lesson["proof"] else 17

    def job_without_oracle(self, *words, **options):
        result = self.launch(2, client("c_route"), *words, **options)
        self.assert_ended_well(result)
        return result

    def setup(self, collective):
        """What a communicator's first routed call takes without any agreement of its own."""
        algorithm = "ring" if collective == "allgather" else "pairwise"
        return self.allreduces(f"{collective}:8", force=f"{collective}:{algorithm}")[0]

    def test_alltoallv_takes_no_more_than_its_agreement_and_none_at_rest(self):
        """After trials and proof 16 or 17 calls that are found alike, and then one in 63."""
        calls = 92 + MOST_OF_PROOF
        self.assertLess(calls, NOT_LONG_ENOUGH_TO_DRIFT)
        count, result = self.allreduces(f"alltoallv:8:{calls}", policy=self.policy())
        (lesson,) = result.run_json()["adaptive"]
        self.assertEqual(lesson["re_checks"], 0)
        agreed = lesson["trial_calls"] + self.agreed_before_rest(lesson)
        self.assertGreaterEqual(calls - agreed, 63)
        # And one at the first call: all ranks have memory for what will be learned.
        self.assertEqual(count, self.setup("alltoallv") + 1 + agreed + (calls - agreed) // 63)

    def test_no_rest_for_calls_that_take_turns(self):
        words = ["alltoallv:8", "alltoallv:100"] * 40
        count, _ = self.allreduces(*words, policy=self.policy())
        self.assertEqual(count, self.setup("alltoallv") + 2 + len(words))

    def test_no_rest_where_an_earlier_rule_looks_at_the_block(self):
        small = {"name": "small", "when": {"max_block_bytes": {"max": 4}}, "use": {"algorithm": "native"}}
        count, _ = self.allreduces("alltoallv:8:60", policy=self.policy(rules=[small]))
        self.assertEqual(count, self.setup("alltoallv") + 1 + 60)

    def test_no_rest_where_the_best_needs_the_block(self):
        """What wins is nobody's to say, but tuna alone is tried beside native, and either needs what it needs."""
        count, result = self.allreduces("world", "alltoallv:8:80", policy=self.policy([{"algorithm": "tuna", "radix": 2}]))
        (lesson,) = result.run_json()["adaptive"]
        is_native = lesson["tried"][lesson["best"]]["use"]["algorithm"] == "native"
        agreed = lesson["trial_calls"] + self.agreed_before_rest(lesson) if is_native else 80
        without, _ = self.allreduces("world")
        self.assertGreaterEqual(count - without, agreed)
        self.assertLess(count - without, agreed + 8) # the first call's

    def test_others_tell_each_other_while_they_try_and_then_every_64th_time(self):
        for collective, candidates in {"alltoall": OURS, "allgather": [{"algorithm": "ring"}]}.items():
            with self.subTest(collective=collective):
                policy = self.policy(candidates, when={"collective": collective})
                calls = f"{collective}:8:{self.CALLS}"
                count, result = self.allreduces(calls, policy=policy)
                (lesson,) = result.run_json()["adaptive"]
                self.assertEqual(lesson["re_checks"], 0)
                once = (self.CALLS - lesson["trial_calls"]) // 64
                self.assertEqual(count, self.setup(collective) + 1 + lesson["trial_calls"] + once)

    def test_nothing_where_only_native_is_left(self):
        words = ("world", "alltoallv:8:30")
        policy = self.policy([{"algorithm": "tuna", "radix": 64}])
        adaptive, result = self.allreduces(*words, policy=policy)
        native, _ = self.allreduces(*words)
        self.assertEqual(adaptive, native)
        (reason,) = {line["reason"] for line in result.calls()}
        self.assertRegex(reason, "^adaptive: only native can run here; tuna radix=64 .*: "
                                 "radix 64 is more than 2 ranks$")
        self.assertEqual({line["rule"] for line in result.calls()}, {"by trial"})


class Candidates(AdaptiveTest):
    def test_who_cannot_run_is_left_out(self):
        candidates = [{"algorithm": "tuna", "radix": 64}, *OURS, {"algorithm": "tuna", "memory_limit_bytes": 1}]
        # Four ranks: of fewer, tuna needs no memory.
        result = self.job(4, "alltoallv:8:40", policy=self.policy(candidates))
        lines = self.assert_logged(result)
        self.assertLessEqual({line["algorithm"] for line in lines}, {"native", "spread_out", "pairwise"})
        (lesson,), _ = self.learned(result)
        self.assertEqual([one["use"]["algorithm"] for one in lesson["tried"]],
                         ["native", "spread_out", "pairwise", "tuna"])
        self.assertEqual((lesson["tried"][3]["median_us"], lesson["tried"][3]["trials"]), (None, 0))

    def test_memory_that_one_rank_cannot_have(self):
        """tuna's workspace is not to be had on one rank (test_route.NoMemory): it is out on all of them, and the others
        are tried on."""
        words = ("alltoallv:8", "alltoall:8", "allgather:8", "memory:2:12", f"alltoallv:{4 << 20}:8")
        policy = self.policy([{"algorithm": "tuna", "radix": 2}, {"algorithm": "pairwise"}], trials=2)
        result = self.launch(4, client("c_route"), *words, policy=policy)
        self.assert_ended_well(result)
        lines = self.assert_logged(result)[3:]
        self.assertLessEqual({line["algorithm"] for line in lines}, {"native", "pairwise"})
        lesson = self.learned(result)[0][-1]
        native, tuna, pairwise = (one["trials"] for one in lesson["tried"])
        self.assertEqual((native, tuna), (2, 0))
        self.assertIn(pairwise, (1, 2))  # a first trial that takes many times as long as native is the last
        self.assertTrue(lesson["tried"][1]["dropped"])

    def test_a_rule_before_it(self):
        first = {"name": "large", "when": {"collective": "alltoallv", "max_block_bytes": {"min": 100}},
                 "use": {"algorithm": "spread_out"}}
        result = self.job(2, *(["alltoallv:120", "alltoallv:8"] * 15), policy=self.policy(rules=[first]))
        lines = self.assert_logged(result)
        self.assertEqual({line["reason"] for line in lines if line["max_block_bytes"] == 120}, {"rule"})
        self.assertEqual(self.learned(result)[0][0]["calls"], 15)


class Communicators(AdaptiveTest):
    def test_freed_early(self):
        """What was learned on communicators that are gone is kept, once for each kind of them."""
        result = self.job(FEW_RANKS, *(["dup", "alltoallv:8:15"] * 6), "world", "alltoallv:8:80")
        self.assert_logged(result)
        (lesson,), _ = self.learned(result)
        self.assertEqual((lesson["calls"], lesson["calls_of_measured_communicator"]), (6 * 15 + 80, 80))

    def test_freed_before_the_trials_end(self):
        result = self.job(2, *(["dup", "alltoallv:8:3"] * 5))
        (lesson,), policy = self.learned(result)
        self.assertEqual((lesson["best"], lesson["calls"], policy), (None, 15, None))

    def test_groups_that_learn_at_once(self):
        colors = "0,0,1,1" if OPENMPI else "0,1"
        result = self.job(FEW_RANKS, f"split:{colors}", "ragged:200:30", "world", "ragged:200:30")
        lessons, _ = self.learned(result)
        made = {(one["ranks"], one["calls"]) for one in lessons}
        self.assertEqual(made, {(2, 60), (4, 30)} if OPENMPI else {(1, 30), (2, 30), (3, 30)})


class Learned(AdaptiveTest):
    """With an MPI whose own collectives are slow, something else has to win."""

    def slow_native(self, policy, *words, np=FEW_RANKS):
        result = self.launch(np, client("c_route"), *words, policy=None, preload=[SHIM, client("c_slow_native.so")],
                             settings={"SWITCHYARD_POLICY": policy})
        self.assert_ended_well(result)
        self.assert_quiet(result)
        return result, self.assert_logged(result)

    WORDS = ("alltoallv:60:20", "alltoallv:100:20", "alltoallv:5000:20", "allgather:8:20")

    def test_taken_by_the_next_run(self):
        policy = self.write("both.policy.json", {"version": 1, "rules": [
            {"name": "vectors", "when": {"collective": "alltoallv"},
             "use": {"algorithm": "adaptive", "candidates": [{"algorithm": "pairwise"}], "trials": 3}}],
            "otherwise": {"algorithm": "adaptive", "candidates": [{"algorithm": "ring"}], "trials": 3}})
        result, lines = self.slow_native(policy, *self.WORDS)
        lessons, learned = self.learned(result)
        self.assertEqual([one["best"] for one in lessons], [1, 1, 1, 1])
        for lesson in lessons:
            self.assertGreater(lesson["regret_us"], 0)
        # A rule of alltoallv that looks at blocks would cost each call an agreement.
        self.assertEqual([(rule["use"]["algorithm"], rule["when"].get("max_block_bytes")) for rule in learned["rules"]],
                         [("pairwise", None), ("ring", {"min": 5, "max": 8})])
        self.assertIn("medians", learned["rules"][0]["because"])
        self.assertEqual(learned["otherwise"], {"algorithm": "native"})

        again, lines = self.slow_native(os.path.join(result.log(), "learned.policy.json"), *self.WORDS)
        self.assertEqual({line["reason"] for line in lines}, {"rule"})
        self.assertEqual({line["algorithm"] for line in lines}, {"pairwise", "ring"})
        self.assertEqual({line["rule"] for line in lines}, {rule["name"] for rule in learned["rules"]})
        self.assertNotIn("adaptive", again.run_json())


if __name__ == "__main__":
    unittest.main()
