"""Kernels and mini-applications for scripts/evidence, each with its own check: NPB, heFFTe, 2DECOMP&FFT, parallel-RA, Graph500, HPCC,
mpi4py-fft. A function yields the cases of a path and a place; it may write into the scratch folder."""

import hashlib
import re
from pathlib import Path

import heffte
import in_turn
import parallel_ra_runs

INPUTS = Path(__file__).parent / "inputs"


def must_say(pattern, name):
    """A function that returns what the pattern's group finds, which all runs must share. Raises Failed where an output has no such line."""
    def find(output):
        found = re.search(pattern, output)
        if not found:
            raise in_turn.Failed(f"{name}: no line of the output is like {pattern!r}, so its own check failed")
        return " ".join(found[1].split())
    return find


def same_lines(pattern, name, what):
    """Likewise of all lines that the pattern finds: their number, and a digest of them."""
    def find(output):
        found = re.findall(pattern, output)
        if not found:
            raise in_turn.Failed(f"{name}: no line of the output is like {pattern!r}")
        return f"{len(found)} {what}, digest {hashlib.sha256(repr(found).encode()).hexdigest()[:8]}"
    return find


def npb(benchmark):
    """Of IS or FT: a file such as is.A.x has its class in its name."""
    def cases(program, _, folder):
        verified = must_say(r"(?m)^ *Verification +=  *(SUCCESSFUL)", f"NPB {benchmark}")
        yield in_turn.Case(f"NPB {benchmark}", f"class {Path(program).name.split('.')[1]}", (str(program),), folder, verified,
                           in_turn.number_in(r"(?m)^ *Time in seconds = +([\d.]+)", f"NPB {benchmark}"))
    return cases


def heffte_transform(program, *_):
    yield heffte.case_of(Path(program), (64, 64, 64), [], True)


def grid_of(ranks):
    """Rows and columns, as nearly equal as can be, rows the fewer."""
    rows = max(rows for rows in range(1, ranks + 1) if rows * rows <= ranks and ranks % rows == 0)
    return rows, ranks // rows


TWO_DECOMP_POINTS, TWO_DECOMP_TRANSFORMS = 96, 40


def two_decomp(program, place, folder):
    """A self-checking transform of its examples. The grid of ranks is given: its own choice is by time, and would differ from run to run."""
    name = Path(program).name
    points, transforms = TWO_DECOMP_POINTS, TWO_DECOMP_TRANSFORMS
    command = (str(program), *map(str, grid_of(place.ranks)), *[str(points)] * 3, str(transforms))
    error = must_say(r"(?m)^ *error / mesh point: +(\S+)$(?=[\s\S]*^ *fft_\w+ completed *$)", name)
    yield in_turn.Case("2DECOMP&FFT", f"{name}, {points} x {points} x {points}", command, folder, error)


def closure(folder, *_):
    program = (Path(folder) / "TC").resolve()
    shape = parallel_ra_runs.SIZES["TC"]
    with parallel_ra_runs.inputs("TC", program, shape) as place:
        yield parallel_ra_runs.case_of("TC", program, shape, place)


GRAPH_SCALE, GRAPH_ROOTS = 16, 16


def graph500(program, _, folder):
    """Each search is validated. An invalid run prints no TEPS."""
    edges = must_say(r"(?m)^median_nedge: +(\S+)$(?=[\s\S]*^median_TEPS: +[\d.e+]+$)", "Graph500")
    yield in_turn.Case("Graph500 BFS", f"scale {GRAPH_SCALE}", (str(program), str(GRAPH_SCALE), "-n", str(GRAPH_ROOTS)), folder, edges,
                       in_turn.number_in(r"(?m)^median_time: +([\d.e-]+)$", "Graph500"))


HPL_SIZE = 400  # small, and with it PTRANS and FFT: most of the time goes to RandomAccess and the bandwidth test


def hpcc(program, place, folder):
    """It reads hpccinf.txt and appends to hpccoutf.txt, both in its folder. HPL wants its ranks as a grid, RandomAccess a power of two.
    RandomAccess may lose one update of a hundred, and with 8 ranks it loses some, also without switchyard."""
    rows, columns = grid_of(place.ranks)
    lines = ["an input of HPL", "for HPCC", "HPL.out", "8 device out: a file", "1 problem size", f"{HPL_SIZE} N", "1 block size", "80 NB",
             "0 by rows", "1 grid", f"{rows} P", f"{columns} Q", "16.0 threshold", "1 panel factorisation", "2 right", "1",
             "4 NBMIN", "1", "2 NDIV", "1", "1 Crout", "1", "1 broadcast", "1", "1 lookahead", "2 swap", "64", "0", "0", "1", "8 alignment",
             "-", "0 more sizes of PTRANS", "0", "0 more block sizes of PTRANS", "0"]
    (folder / "hpccinf.txt").write_text("\n".join(lines) + "\n")
    passed = must_say(r"(?m)\A(?![\s\S]*(?:\(failed\)|FAILED))[\s\S]*^(Success=1)$", "HPCC")
    yield in_turn.Case("HPCC", "PTRANS, RandomAccess, FFT, HPL", (str(program),), folder, passed, output_file="hpccoutf.txt")


def mpi4py_fft(python, _, folder):
    script = INPUTS / "mpi4py_fft_transform.py"
    digest = must_say(r"(?m)^(digest \S+)\nverification SUCCESSFUL$", "mpi4py-fft")
    yield in_turn.Case("mpi4py-fft", "64 x 64 x 64", (str(python), str(script), "64", "40"), folder, digest,
                       in_turn.number_in(r"(?m)^time ([\d.]+) s$", "mpi4py-fft"))
