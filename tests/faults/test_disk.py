"""Disks that are full, or fill up: the program goes on, one line says so, and the report tells what is there.

The log lies on a small disk of its own (a tmpfs in a namespace), which is gone with the job. So the job copies it."""

import os
import re
import unittest

from faults import FaultTest, Result, can_mount

PAGE = 4 << 10
RECORD_FILES = 135 * PAGE  # of one rank: its ring of 512 KiB, six pages beside it, and the header of its .calls
ENOUGH = 64 << 20


@unittest.skipUnless(can_mount(), "no namespace of mounts to be had")
class SmallDisk(FaultTest):
    def on_disk(self, options, *steps, np=2, **attack):
        """A run whose log lies on a disk with these options of mount. Its logs are the copies."""
        disk, kept = self.path("disk"), self.path(f"kept-{self.jobs}")
        os.makedirs(disk, exist_ok=True)
        script = f'mount -t tmpfs -o {options} none {disk} && "$@"; code=$?; cp -r {disk} {kept}; exit $code'
        around = ["unshare", "-rm", "sh", "-c", script, "sh"]
        result = self.attacked(np, *steps, around=around, log=disk, **attack)
        copy = Result(result.code, result.stdout, result.stderr, kept)
        copy.logs = [log for log in copy.logs if os.path.isdir(log)]
        return copy

    def leave(self, pages):
        """The step that fills the disk up to so many pages."""
        filler = self.path("disk/filler")
        return (f"shell:cat /dev/zero > {filler} 2> /dev/null; "
                f"truncate -s $(($(stat -c %s {filler}) - {pages * PAGE})) {filler}")

    def check(self, result, bare):
        """As bare; where a log was begun, the report reads it, and a log that claims to be complete is."""
        self.assert_as_bare(result, bare)
        for log in result.logs:
            told = self.command("report", log)
            self.assertIn(told.code, (0, 1), told.everything())
            if told.code == 0 and not self.report(log)["run"]["partial"]:
                self.check_complete(log, result)

    def check_complete(self, log, result):
        told = self.report(log)
        self.assertEqual(told["totals"]["calls"] + told["run"]["records_dropped"], result.calls_made, told)

    def test_full_from_the_start(self):
        steps = ("world:20", "self:100")
        bare = self.bare(2, *steps)
        for options in ("size=4k", "size=12k", "size=16k", "size=600k", "nr_inodes=2", "nr_inodes=3", "nr_inodes=5",
                        "nr_inodes=8"):
            with self.subTest(options=options):
                result = self.on_disk(options, *steps)
                self.check(result, bare)
                for warning in result.warnings:
                    self.assertRegex(warning, "No space left on device|cannot write to|could not be written")

    def test_full_while_recording(self):
        """Room for the ring, not for all records: the rest waits in memory for the end of the run."""
        steps = ("world:5", "self:20000", "world:5")
        bare = self.bare(2, *steps)
        result = self.on_disk(f"size={2 * RECORD_FILES + 8 * PAGE}", *steps)
        self.check(result, bare)
        self.assertEqual(len(result.warnings), 1, result.everything())

    def test_full_during_the_merge(self):
        """Room for the records, not for the lines: the records stay, and the report finds every call in them."""
        steps = ("world:5", "self:20000", "world:5")
        bare = self.bare(2, *steps)
        result = self.on_disk(f"size={2 * RECORD_FILES + (4 << 20)}", *steps)
        self.check(result, bare)
        self.assertEqual(len(result.warnings), 1, result.everything())
        self.assertEqual(self.report(result.logs[0])["totals"]["calls"], result.calls_made)

    def test_full_at_the_end(self):
        """With so many pages left: none, some of those that the lines and run.json take, all."""
        steps = ("world:5", "self:10")
        bare = self.bare(2, *steps)
        complete = set()
        for pages in (0, 1, 4, 9):
            with self.subTest(pages=pages):
                result = self.on_disk(f"size={ENOUGH}", *steps, self.leave(pages))
                self.check(result, bare)
                told = self.report(result.logs[0])
                self.assertEqual(told["totals"]["calls"], result.calls_made, told)
                self.assertEqual(told["run"]["partial"], len(result.warnings) == 1, result.everything())
                complete.add(not told["run"]["partial"])
        self.assertEqual(complete, {True, False})

    def test_full_before_the_ring(self):
        """Full when the ring is full for the first time: there is no file for records, and they wait in memory."""
        steps = ("world:5", self.leave(0), "self:9000", f"shell:rm {self.path('disk/filler')}", "self:9000", "world:5")
        result = self.on_disk(f"size={ENOUGH}", *steps)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [], result.everything())
        told = self.report(result.logs[0])
        self.assertEqual(told["run"]["records_dropped"], 0)
        self.assertEqual(told["totals"]["calls"], result.calls_made)

    def test_full_in_between(self):
        """Full for some calls only: they are counted, and the rest of the log is whole."""
        steps = ("world:5", "self:5000", self.leave(0), "self:9000", f"shell:rm {self.path('disk/filler')}", "self:9000", "world:5")
        result = self.on_disk(f"size={ENOUGH}", *steps)
        self.assert_ended_well(result)
        self.assertEqual(result.warnings, [], result.everything())
        told = self.report(result.logs[0])
        dropped = int(re.search(r"\((\d+) records dropped", result.closing_line).group(1))
        self.assertEqual(told["run"]["records_dropped"], dropped)
        self.assertGreaterEqual(told["totals"]["calls"] + dropped, result.calls_made)
        self.assertLess(dropped, 2 * 9000)


if __name__ == "__main__":
    unittest.main()
