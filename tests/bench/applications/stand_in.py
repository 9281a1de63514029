#!/usr/bin/python3
"""Stands in for parallel-RA's TC, freevars and kcfa, heFFTe's speed3d_c2c, NPB's is.S.x and an osu_alltoallv, by its name. It reads
what the scripts write and prints what the scripts read. Its collectives are those of the program in STAND_IN_CALLS.

  STAND_IN_WRONG   the result is wrong: always, or only `under` switchyard
  STAND_IN_FAILS   it ends with status 3
  STAND_IN_CALLS   "" makes no call

Relations that it names, as freevars and kcfa do:
  ../data/g4470/App_4_33 ../data/g4470/Lam_4_36 ../data/g4470/Var_2_5 ../data/g4470/Prog_1_13 ../data/g4470/Step_33_2
"""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path


def relation(path):
    """The rows of a relation; its size, columns and bytes must agree."""
    rows, columns = map(int, Path(path + ".size").read_text().split())
    data = Path(path).read_bytes()
    assert len(data) == 8 * rows * columns, path
    return list(struct.iter_unpack(f"<{columns}Q", data))


def closure(edges):
    """All pairs of which the first reaches the second."""
    after = {}
    for first, second, _ in edges:
        after.setdefault(first, []).append(second)
    pairs = set()
    for start in after:
        reached, waiting = set(), list(after[start])
        while waiting:
            vertex = waiting.pop()
            if vertex not in reached:
                reached.add(vertex)
                waiting += after.get(vertex, [])
        pairs |= {(start, vertex) for vertex in reached}
    return len(pairs)


def iterations():
    for number in range(3):
        print("\t".join([str(number), *["1e-06"] * 7, "0.5"]))


def sizes(words):
    """A line of microseconds for each block size, and with -c whether its data are right."""
    low, high = map(int, words[words.index("-m") + 1].split(":"))
    size = low
    while size <= high:
        print(size, f"{size / 100 + 1:.2f}", *(["Pass"] if "-c" in words else []))
        size *= 2


def say_result(name, more):
    if name == "TC":
        assert not relation("../data/g5955/path_2_1_2")
        iterations()
        print(f"T: {{2}}. ({closure(relation(sys.argv[1])) + more} total facts)")
    elif name.startswith("is."):
        print(f" Time in seconds =                     0.25\n Verification    =               {'UN' * more}SUCCESSFUL")
    elif name.startswith("osu_"):
        sizes(sys.argv)
    elif name == "speed3d_c2c":
        print(f"Time per run: 0.25 (s)\nTolerance:    1e-11\nMax error:    {1 + more}e-15")
    else:
        iterations()
        paths = re.findall(r"\.\./data/g\d+/\w+", __doc__)
        print(f"Total facts across all relations {sum(len(relation(path)) for path in paths) + more}")


def main():
    if "STAND_IN_FAILS" in os.environ:
        print("no licence", file=sys.stderr)
        sys.exit(3)
    # MPICH's launcher hands its ranks an open file.
    if os.environ["STAND_IN_CALLS"]:
        subprocess.run([os.environ["STAND_IN_CALLS"], "--graph", "power_law", "--size", "40"], stdout=subprocess.DEVNULL, check=True,
                       close_fds=False)
    if os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK")) == "0":
        wrong = os.environ.get("STAND_IN_WRONG")
        say_result(Path(sys.argv[0]).name, wrong is not None and (wrong != "under" or "SWITCHYARD_LOG" in os.environ))


main()
