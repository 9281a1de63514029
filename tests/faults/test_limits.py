"""Limits on memory, descriptors, file sizes and locked memory, from the start or before MPI_Finalize."""

import re
import subprocess
import unittest

from faults import SHARED, STEPS, FaultTest, clean_environment, finish, in_shell, launcher

CALLS = ("world:10", "self:9000")


class FromTheStart(FaultTest):
    """The ranks run under `ulimit`. Where the MPI bears it, the program does under the shim."""

    def check(self, np, *limits):
        for limit in limits:
            with self.subTest(limit=limit):
                result = self.endure(np, *CALLS, inside=in_shell(f"ulimit {limit}"), options=SHARED)
                self.assertIsNotNone(result.closing_line)

    def test_few_descriptors(self):
        """The MPI's own need and a few more: some of our files open, some do not."""
        least = next(number for number in range(14, 64, 2) if self.bears(number))
        self.check(2, *(f"-n {least + more}" for more in (0, 2, 4)))

    def bears(self, number):
        command = [*launcher(2, {}), *in_shell(f"ulimit -n {number}"), STEPS, "world:1"]
        return finish(command, clean_environment(), self.folder, 10)[0] == 0

    def test_no_long_files(self):
        """In blocks of 512 bytes: no file, run.json alone, more than the ring."""
        self.check(1, *(f"-f {blocks}" for blocks in (0, 20, 1100)))

    def test_no_locked_memory(self):
        self.check(2, "-l 0")

    def test_little_memory(self):
        """The MPI's own need and some more: enough for the shim's code, not for all of its memory. Around 12 MiB the
        merge of the log would leave UCX no room for a message, and UCX ends a program that finds none."""
        need = self.need_kb()
        self.check(2, *(f"-v {need + more}" for more in (*range(11 << 10, 15 << 10, 128), 24 << 10, 60 << 10)))

    def need_kb(self):
        peak = "shell:grep VmPeak /proc/$PPID/status"
        _, told, _ = finish([*launcher(2, {}), STEPS, *CALLS, peak], clean_environment(), self.folder, 20)
        return int(re.search(r"VmPeak:\s+(\d+) kB", told).group(1))


def died_in_ob1(result):
    """Where no rank can have more memory, Open MPI lacks it, too, now and then: it printed a stack of signal 11 with none of our code."""
    frames = re.findall(r"\] \[ ?\d+\] (\S+)", result.stderr)
    return any("mca_pml_ob1.so" in frame for frame in frames) and not any("libswitchyard" in frame for frame in frames)


def deaths_in_vader():
    """The same where not even a stack was printed: how often the kernel's log names Open MPI's vader as what took signal 11. A log that
    nobody may read says nothing, and the signal counts as a fault of ours."""
    told = subprocess.run(["dmesg"], capture_output=True, text=True, errors="replace", check=False).stdout
    return sum("segfault" in line and "mca_btl_vader.so" in line for line in told.splitlines())


class BeforeTheEnd(FaultTest):
    """The merge fails on one rank or on all: all end without it, and the records can be read."""

    def check(self, limit, rank=-1, np=2):
        with self.subTest(limit=limit, rank=rank):
            for _ in range(4):
                before = deaths_in_vader()
                result = self.attacked(np, *CALLS, f"on:{rank}", limit)
                if result.code != 139 or not (died_in_ob1(result) or deaths_in_vader() > before):
                    break
            self.assert_as_bare(result, self.bare(np, *CALLS))
            self.assert_readable(result)

    def test_no_descriptors(self):
        self.check("files:3")
        self.check("files:3", rank=0)

    def test_no_long_files(self):
        """None, run.json alone, some lines."""
        for size in (0, 8192, 100_000):
            self.check(f"file_size:{size}", rank=0)
        self.check("file_size:0")

    def test_no_memory(self):
        self.check("memory:1", rank=0, np=3)
        self.check("memory:0", rank=1)
        self.check("memory:3")

    def test_no_memory_for_the_stack(self):
        """Below what is in use already: the stack of the merge has to be there."""
        self.check("memory:-2", rank=0, np=3)
        self.check("memory:-1")

    def test_while_recording(self):
        """Files of 300 KiB: the log must not be what kills the program (SIGXFSZ)."""
        result = self.endure(2, "world:5", f"file_size:{300 << 10}", "self:20000", "world:5")
        self.assertEqual(len(result.lines_of_ours), len(result.warnings) + 1, result.everything())


if __name__ == "__main__":
    unittest.main()
