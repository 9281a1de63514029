"""Bad policies, folders and settings: the program still ends right, with one clear line about what is wrong."""

import json
import os
import unittest

from harness import FAMILY, PreloadTest, client

GOOD = b'{"version": 1, "rules": [], "otherwise": {"algorithm": "native"}}'
ROUTING = {"version": 1, "rules": [], "otherwise": {"algorithm": "spread_out"}}


class BadInput(PreloadTest):
    def run_anyway(self, **options):
        result = self.launch(2, client("c_fork"), **options)
        self.assert_ended_well(result)
        self.assertIsNotNone(result.closing_line, result.everything())
        return result

    def one_warning(self, *, says=(), **options):
        """Right result, exit code 0, one warning that names the culprit, one closing line, nothing routed."""
        result = self.run_anyway(**options)
        self.assertEqual(len(result.warnings), 1, result.everything())
        self.assertEqual(len(result.lines_of_ours), 2, result.everything())
        for text in says:
            self.assertIn(text, result.warnings[0])
        self.assertLess(len(result.warnings[0]), 600, "a warning is a line to read, not the file itself")
        return result

    def bad_policy(self, content, says=()):
        path = self.write("bad.policy.json", content)
        result = self.one_warning(policy=path, says=[path, *says])
        self.assertEqual({line["algorithm"] for line in result.calls()}, {"native"})
        return result


class BadPolicies(BadInput):
    def test_missing(self):
        path = self.path("nowhere.json")
        result = self.one_warning(policy=path, says=[path])
        self.assertEqual({line["algorithm"] for line in result.calls()}, {"native"})

    def test_a_folder(self):
        self.one_warning(policy=self.folder, says=[self.folder])

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_unreadable(self):
        path = self.write("secret.json", GOOD)
        os.chmod(path, 0)
        self.one_warning(policy=path, says=[path])

    def test_empty(self):
        self.bad_policy(b"")

    def test_truncated(self):
        self.bad_policy(GOOD[:40])

    def test_trailing_comma(self):
        self.bad_policy(GOOD.replace(b"[]", b"[\n{},]"), says=["bad.policy.json:2:3: a trailing comma"])

    def test_comment_not_closed(self):
        self.bad_policy(GOOD + b" /* and so on", says=["bad.policy.json:1:", "comment"])

    def test_comments_are_allowed(self):
        text = f"// before\n{json.dumps(ROUTING)} /* and behind */"
        result = self.run_anyway(policy=self.write("commented.policy.json", text))
        self.assertEqual(result.warnings, [])

    def test_binary(self):
        self.bad_policy(bytes(range(256)) * 16)

    def test_not_utf8(self):
        self.bad_policy(GOOD.replace(b"native", b"nat\xff\xfeve"))

    def test_fifty_megabytes(self):
        self.bad_policy(b" " * (50 << 20) + GOOD)

    def test_fifty_megabytes_of_rules(self):
        self.bad_policy(b'{"version": 1, "rules": [' + b'{"use":{"algorithm":"tuna"}},' * 1_800_000 + b"]}")

    def test_deeply_nested(self):
        self.bad_policy(b"[" * 200_000)

    def test_deeply_nested_objects(self):
        self.bad_policy(b'{"version":1,"rules":[{"when":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}]}")

    def test_unknown_algorithm(self):
        rule = {"name": "mistyped", "when": {"ranks": {"min": 2}}, "use": {"algorithm": "tunna"}}
        self.bad_policy(dict(ROUTING, rules=[rule]), says=[":1: /rules/0/use/algorithm (rule 1): ", "tuna"])

    def test_wrong_type(self):
        self.bad_policy(dict(ROUTING, rules="none"), says=["/rules"])

    def test_one_host_only(self):
        """Rank 0's policy counts for all: another rank may have another file, or none."""
        policy = self.write("routing.json", ROUTING)
        variable = FAMILY.rank_variables[0]
        elsewhere = f'[ "${variable}" = 0 ] || export SWITCHYARD_POLICY=/nowhere/at/all'
        script = self.write("rank.sh", elsewhere + '\nexec "$@"\n')
        result = self.launch(2, "/bin/bash", script, client("c_basic"), policy=policy)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        routed = [line for line in self.assert_logged(result) if line["algorithm"] == "spread_out"]
        self.assertNotEqual(routed, [])


class BadSettings(BadInput):
    def test_force_that_does_not_parse(self):
        for spec in ("alltoallv", "alltoallv:tunna", "alltoallv:tuna:radix=", "alltoallv:tuna:radix=1", "::;;",
                     "gatherv:tuna:radix=2"):
            with self.subTest(force=spec):
                result = self.one_warning(settings={"SWITCHYARD_FORCE": spec}, says=["SWITCHYARD_FORCE"])
                self.assertEqual({line["algorithm"] for line in result.calls()}, {"native"})

    def test_unknown_variable(self):
        result = self.one_warning(settings={"SWITCHYARD_POLCY": "x"}, says=["SWITCHYARD_POLCY", "SWITCHYARD_POLICY"])
        self.assert_logged(result)

    def test_wrong_values(self):
        for name, value in (("SWITCHYARD_DETAIL", "everything"), ("SWITCHYARD_RANKS_PER_NODE", "-3"),
                            ("SWITCHYARD_VERBOSE", "very")):
            with self.subTest(variable=name):
                result = self.one_warning(settings={name: value}, says=[name])
                self.assert_logged(result)

    def test_set_to_nothing_is_not_set(self):
        result = self.run_anyway(settings={"SWITCHYARD_FORCE": "", "SWITCHYARD_DETAIL": ""})
        self.assert_quiet(result)


class BadLogFolders(BadInput):
    def no_log(self, folder):
        result = self.one_warning(log=folder, says=[folder])
        self.assertNotIn("log in", result.closing_line)

    def test_below_a_file(self):
        self.no_log(os.path.join(self.write("file", b""), "logs"))

    def test_in_a_filesystem_that_takes_none(self):
        self.no_log("/proc/switchyard-logs")


if __name__ == "__main__":
    unittest.main()
