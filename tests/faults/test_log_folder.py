"""The log's folder is harmed while the run goes on, or cannot be written from the start."""

import os
import subprocess
import unittest

from faults import MESSAGES, FaultTest, works

BEFORE, AFTER = ("world:5", "self:5000"), ("self:9000", "world:5", "threads:2:10")
# Root writes everywhere, unless it gives that up.
AS_USER = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]


def can_be_as_user():
    script = "cd $(mktemp -d) && mkdir -m 500 closed && ! touch closed/file 2> /dev/null"
    return works(*AS_USER, "sh", "-c", script)


class HarmedFolder(FaultTest):
    def harmed(self, script, *, log=None, **attack):
        """A run whose rank 0 runs the script between its calls; $log is the run's folder."""
        log = log or self.path("logs")
        step = f"shell:log=$(echo {log}/c_steps.*); {script}"
        result = self.attacked(2, *BEFORE, step, *AFTER, log=log, **attack)
        self.assert_ended_well(result)
        self.assertEqual(result.digest, self.bare(2, *BEFORE, *AFTER).digest)
        self.assertLessEqual(len(result.warnings), 1, result.everything())
        return result

    def test_removed(self):
        """Nothing is left to report on; nothing of it comes back."""
        result = self.harmed("rm -rf $log")
        self.assertEqual(result.logs, [])
        self.assertEqual(len(result.warnings), 1, result.everything())

    def test_all_logs_removed(self):
        self.harmed(f"rm -rf {self.path('logs')}")
        self.assertFalse(os.path.exists(self.path("logs")))

    def test_records_removed(self):
        """The last records are in mapped memory still; the others are counted."""
        result = self.harmed("rm -rf $log/ranks")
        told = self.report(result.log())
        self.assertGreaterEqual(told["totals"]["calls"] + told["run"]["records_dropped"], result.calls_made)
        self.assertFalse(told["run"]["partial"])

    def test_renamed(self):
        """The run holds its folder: the log goes on where it is now."""
        result = self.harmed(f"mv $log {self.path('elsewhere')}")
        told = self.report(self.path("elsewhere"))
        self.assertEqual(told["totals"]["calls"], result.calls_made)

    def test_replaced_by_a_link(self):
        """The victim's files stay as they are, whatever they are called."""
        victim = self.path("victim")
        os.makedirs(os.path.join(victim, "ranks"))
        names = ["run.json", "calls.jsonl", "ranks/0.calls", "ranks/0.ring", "ranks/0.names", "ranks/1.ring"]
        for name in names:
            self.write(os.path.join("victim", name), "precious")
        for what in ("mv $log $log.old; ln -s {} $log", "rm -rf $log; ln -s {} $log",
                     "rm -rf $log/ranks; ln -s {}/ranks $log/ranks", "ln -s {}/calls.jsonl $log/calls.jsonl",
                     "rm $log/run.json; ln -s {}/run.json $log/run.json"):
            with self.subTest(what=what):
                subprocess.run(["rm", "-rf", self.path("logs")], check=True)
                self.harmed(what.format(victim))
                for name in names:
                    with open(os.path.join(victim, name), encoding="ascii") as file:
                        self.assertEqual(file.read(), "precious", name)
                self.assertEqual(sorted(os.listdir(victim)), ["calls.jsonl", "ranks", "run.json"])

    def test_files_of_others_in_the_way(self):
        """A file, a folder or a pipe has the name of the lines already. The records stay."""
        for what in ("touch $log/calls.jsonl", "mkdir $log/calls.jsonl", "mkfifo $log/calls.jsonl"):
            with self.subTest(what=what):
                subprocess.run(["rm", "-rf", self.path("logs")], check=True)
                result = self.harmed(what)
                self.assertEqual(len(result.warnings), 1, result.everything())
                told = self.report(result.log())
                self.assertEqual(told["totals"]["calls"], result.calls_made)

    @unittest.skipUnless(can_be_as_user(), "root cannot give up its rights on files here")
    def test_made_unwritable(self):
        result = self.harmed("chmod 500 $log", inside=AS_USER)
        self.assertEqual(len(result.warnings), 1, result.everything())
        os.chmod(result.log(), 0o700)
        self.assertEqual(self.report(result.log())["totals"]["calls"], result.calls_made)

    @unittest.skipUnless(can_be_as_user(), "root cannot give up its rights on files here")
    def test_unwritable_from_the_start(self):
        os.mkdir(self.path("closed"), mode=0o500)
        result = self.endure(2, *BEFORE, inside=AS_USER, log=self.path("closed"))
        self.assertEqual(len(result.warnings), 1, result.everything())
        self.assertIn(self.path("closed"), result.warnings[0])
        self.assertIn("log off", result.closing_line)


class LostRecords(FaultTest):
    def test_taken_by_a_cleaner(self):
        """Files that lie about for long may be tidied away; the run still ends, and its log is whole."""
        step = f"shell:rm {self.path('logs')}/*/ranks/*"
        result = self.attacked(2, "world:2", step, "world:2", log=self.path("logs"), options=MESSAGES)
        self.assert_as_bare(result, self.bare(2, "world:2", "world:2"))
        lines = self.assert_logged(result)
        self.assertEqual({line["reason"] for line in lines}, {"forced"})


if __name__ == "__main__":
    unittest.main()
