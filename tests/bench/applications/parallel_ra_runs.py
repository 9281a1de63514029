"""Runs of parallel-RA's programs, with their inputs, and how their output is read."""

import contextlib
import re
import shutil
import tempfile
from pathlib import Path

import in_turn
import parallel_ra

PROGRAMS = ("TC", "freevars", "kcfa")
SIZES = {"TC": (1, 300), "freevars": (3, 60), "kcfa": (3, 20)}  # 250 to 350 iterations
ABSOLUTE = Path("/var/tmp/g6122")  # where freevars looks for its relations, whatever its arguments


def in_words(application, first, second):
    if application == "TC":
        return f"a chain of {second}" if first == 1 else f"a grid of {first} x {second}"
    return f"{2 ** first} terms of {second} nested {'functions' if application == 'freevars' else 'calls'}"


def number_of_tuples(application, expected):
    """Finds the number of tuples in an output; of a chain's closure the right number is known."""
    relation = r"(?m)^T: \{2\}\. \((\d+) total facts\)" if application == "TC" else r"(?m)^Total facts across all relations (\d+)"

    def find(output):
        found = int(in_turn.number_in(relation, application)(output))
        if expected not in (None, found):
            raise in_turn.Failed(f"{application} found {found} tuples, and {expected} are right")
        return f"{found} tuples"
    return find


def seconds_of_iterations(output):
    """The programs print a line for each iteration: its number, the times of its parts, and their sum."""
    lines = re.findall(r"(?m)^\d+\t(?:[\d.e+-]+\t){7}([\d.e+-]+)$", output)
    if not lines:
        raise in_turn.Failed("the program printed no times of iterations")
    return sum(map(float, lines))


@contextlib.contextmanager
def inputs(application, program, shape):
    """The folder where the program runs, with its relations where it looks for them."""
    with tempfile.TemporaryDirectory(prefix="switchyard-parallel-ra-") as name:
        folder = Path(name)
        (folder / "run").mkdir()
        is_absolute = application == "freevars"
        if is_absolute and ABSOLUTE.exists():
            raise in_turn.Failed(f"{ABSOLUTE} exists already; freevars reads its relations there, and this would replace them")
        try:
            if application == "TC":
                parallel_ra.write_graph(parallel_ra.grid(*shape), folder)
            elif application == "freevars":
                parallel_ra.write_all(program, parallel_ra.nested_functions(*shape), folder / "run")
            else:
                parallel_ra.write_all(program, parallel_ra.nested_calls(*shape), folder / "run")
            yield folder / "run"
        finally:
            if is_absolute:
                shutil.rmtree(ABSOLUTE, ignore_errors=True)


def case_of(application, program, shape, folder):
    is_graph = application == "TC"
    return in_turn.Case(application, in_words(application, *shape), (str(program), *(["edges"] if is_graph else [])), folder,
                        number_of_tuples(application, parallel_ra.closure_of_grid(*shape) if is_graph else None),
                        seconds_of_iterations)
