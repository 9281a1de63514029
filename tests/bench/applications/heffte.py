"""A run of heFFTe's benchmark speed3d_c2c, and how its output is read."""

import re
import shlex
from pathlib import Path

import in_turn

TRANSFORMS = 15


def error_of_transform(output):
    """speed3d says of itself whether its way back gave the input; its exit status does not. A run and its repetition print
    the same digits."""
    error = re.search(r"(?m)^Max error: +(\S+)$", output)
    if not error or "ERROR" in output:
        raise in_turn.Failed(f"speed3d_c2c reports a wrong result: {' '.join(output.split())[-300:]}")
    return f"error {error[1]}"


def case_of(program, points, rest, is_paper):
    number = [] if any(re.match(r"-n\d|-nruns", word) for word in rest) else [f"-nruns{TRANSFORMS}"]
    command = (str(program), "fftw", "double", *map(str, points), *number, *rest)
    words = " x ".join(map(str, points if points[2] > 1 else points[:2])) + (f" {shlex.join(rest)}" if rest else "")
    return in_turn.Case("heFFTe", words, command, program.parent if is_paper else Path.cwd(), error_of_transform,
                        in_turn.number_in(r"(?m)^Time per run: +([\d.e+-]+) \(s\)$", "speed3d_c2c"))
