"""Benchmarks of collectives for scripts/evidence: the OSU micro-benchmarks and the Intel MPI Benchmarks. Their tables have a time for
each block size; a part of a run is a range of sizes, and its time the geometric mean of their times."""

import re
import statistics
from pathlib import Path

import in_turn

RANGES = ((1, 64), (128, 4096), (8192, 1 << 20))  # bytes
COLLECTIVES = ("alltoallv", "alltoallw", "alltoall", "allgather", "allgatherv")


def part(collective, low, high):
    """Its name in the results. `evidence` reads it again."""
    return f"{collective} {low}:{high}"


def parts_of(collective, times):
    """The seconds of each range, of microseconds by block size."""
    if missing := [size for size in (1, RANGES[-1][1]) if size not in times]:
        raise in_turn.Failed(f"the table of {collective} has no row of {missing[0]} bytes")
    return {part(collective, low, high): statistics.geometric_mean(time for size, time in times.items() if low <= size <= high) / 1e6
            for low, high in RANGES}


def repetitions(place):
    """Of each size. Ranks that share cores take long for a MiB."""
    return max(20, 800 // place.ranks)


# ---- OSU ------------------------------------------------------------------------------------------------------------------

def osu(folder, place, _):
    """A case for each osu_COLLECTIVE in the folder. Validation (-c) makes each call several times, so it has a run of its own."""
    for collective in COLLECTIVES:
        program = Path(folder) / f"osu_{collective}"
        if program.exists():
            sizes, times = ("-m", f"1:{RANGES[-1][1]}"), repetitions(place)
            yield in_turn.Case("OSU", collective, (str(program), *sizes, "-i", str(times), "-x", str(times // 10)), Path(folder),
                               number_of_sizes, parts=osu_parts(collective), log_detail=(),
                               validation=(str(program), *sizes, "-i", "1", "-x", "0", "-c"))


def number_of_sizes(output):
    """With -c each row ends in Pass or Fail."""
    rows = osu_rows(output)
    if not rows or any(row[-1] == "Fail" for row in rows):
        raise in_turn.Failed("OSU: no table, or a row that did not pass its validation")
    return f"{len(rows)} sizes"


def osu_rows(output):
    return [line.split() for line in output.splitlines() if re.match(r"\d+ +[\d.]+", line)]


def osu_parts(collective):
    def read(output):
        return parts_of(collective, {int(row[0]): float(row[1]) for row in osu_rows(output)})
    return read


# ---- IMB ------------------------------------------------------------------------------------------------------------------

def imb(program, place, folder):
    """One run of the four collectives that IMB has."""
    names = [name.capitalize() for name in COLLECTIVES if name != "alltoallw"]
    command = (str(program), "-npmin", str(place.ranks), "-msglog", "0:20", "-iter", str(repetitions(place)), *names)
    yield in_turn.Case("IMB", "MPI1", command, Path(folder), ended_well, parts=imb_parts, log_detail=())


def ended_well(output):
    """IMB checks data only where it was built for that (-DCHECK); its last line is there if all ran."""
    if "# All processes entering MPI_Finalize" not in output or re.search(r"(?i)defects *= *[^0\s]|error", output):
        raise in_turn.Failed("IMB did not end well")
    return "complete"


def imb_parts(output):
    found = {}
    for section in re.split(r"(?m)^# Benchmarking ", output)[1:]:
        collective = section.split()[0].lower()
        rows = re.findall(r"(?m)^ +(\d+) +\d+ +[\d.]+ +[\d.]+ +([\d.]+)", section)  # the mean of the ranks, as OSU has it
        found |= parts_of(collective, {int(size): float(average) for size, average in rows})
    return found
