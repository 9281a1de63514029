#!/usr/bin/env python3
"""`switchyard run` starts a program for each rank of a job, so it must cost little more than the program itself. Page faults
say so on a busy machine, too: most of a short process's time goes into them. Here are those of `switchyard run -- true`
beyond those of `true`.

Usage: start_cost.py PATH_OF_SWITCHYARD [unittest's arguments]
       start_cost.py --times STARTS PATH_OF_SWITCHYARD...      compares times of starts, on an idle machine
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
import unittest

COMMAND = "switchyard"
PROGRAM = shutil.which("true")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def under(command):
    return command, "run", "--", PROGRAM


def start(*words):
    """Milliseconds and page faults."""
    begin = time.perf_counter()
    child = os.posix_spawn(words[0], words, ENVIRONMENT)
    _, status, usage = os.wait4(child, 0)
    assert status == 0, words
    return (time.perf_counter() - begin) * 1e3, usage.ru_minflt


def page_faults(*words):
    return statistics.median(start(*words)[1] for _ in range(9))


def is_statically_linked():
    return "INTERP" not in subprocess.run(["readelf", "-lW", COMMAND], capture_output=True, text=True, check=True).stdout


class StartCost(unittest.TestCase):
    def test_page_faults(self):
        bare, ours = page_faults(PROGRAM), page_faults(*under(COMMAND))
        print(f"{PROGRAM}: {bare:.0f} page faults; under switchyard run: {ours - bare:.0f} more", file=sys.stderr)
        if not is_statically_linked():
            self.skipTest("this compiler has no static glibc")
        self.assertLess(ours - bare, 2.5 * bare)


def print_times(starts, commands):
    """Each command in turn, so that a busy moment meets all of them."""
    lines = [(PROGRAM,), *map(under, commands)]
    times = zip(*([start(*words)[0] for words in lines] for _ in range(starts)))
    for words, each in zip(lines, times):
        print(f"median {statistics.median(each):.3f} ms, least {min(each):.3f} ms  {' '.join(words)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--times"]:
        print_times(int(sys.argv[2]), sys.argv[3:])
    else:
        if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
            COMMAND = os.path.abspath(sys.argv.pop(1))
        unittest.main()
