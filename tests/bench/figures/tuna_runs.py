"""What the figures of the TuNA paper have in common: settings, sweeps over the radix, what the paper measured, and the points of
the model and of machines whose messages are slow."""

import dataclasses
import math

from paper import Table, doubling, in_words, pick, times
from runs import Prediction, Run, distributed, option

PAPER = "tuna"
PUBLISHED = {"metadata": "separate", "in_flight": 1}  # tuna as the paper has it: sizes in messages of their own, round by round
AS_PUBLISHED = ":metadata=separate:in_flight=1"
SIZES = (16, 256, 2048)  # largest blocks, bytes
FIRST_RANKS = 512  # of the paper's figures
MODEL_RANKS = (512, 2048, 8192, 16384)
PER_NODE = 32  # ranks of a node, in the paper's runs


@dataclasses.dataclass(frozen=True)
class Measured:
    """What the paper says in words of a machine. Times faster than MPI_Alltoallv: by ranks and largest block."""
    name: str
    up_to: int  # bytes: so far tuna beats MPI_Alltoallv
    message_us: float  # of MPI_Alltoallv with 8,192 ranks and 16 bytes: its time over its messages
    tuna: dict
    coalesced: dict
    tuna_ms: float  # with 8,192 ranks and 16 bytes, at the best radix


# Of coalesced on Polaris the paper names the sizes alone; the ranks are those of its sentence before.
POLARIS = Measured("Polaris", 2048, 6.3, {(8192, 16): 29, (8192, 1024): 5.62}, {(16384, 64): 11.68, (16384, 2048): 2.71}, 1.78)
FUGAKU = Measured("Fugaku", 16384, 49.9, {(8192, 16): 70.48, (8192, 1024): 7.26, (16384, 16384): 9.69},
                  {(16384, 16): 42.08, (16384, 8192): 2.20}, 5.79)


def measured_by_the_paper(scale):
    return FUGAKU if scale.machine == "fugaku" else POLARIS


def radices(ranks):
    return sorted({*doubling(2, ranks), math.isqrt(ranks - 1) + 1})


def tuna_words(ranks, suffix=""):
    return ("--algorithm", f"tuna:radix={','.join(map(str, radices(ranks)))}{suffix}")


def run_of(scale, ranks, words, block=0, machine=""):
    return Run(ranks, tuple(words), scale.ranks_per_node, scale.precision(ranks, block), machine=machine)


def sweep(scale, ranks, block, distribution="uniform", machine=""):
    """tuna at all radices, as published and as ours, beside native."""
    words = [*option("max-block", block), *tuna_words(ranks), *tuna_words(ranks, AS_PUBLISHED), *distributed(distribution)]
    return run_of(scale, ranks, words, block, machine)


def slow_points(scale, blocks):
    """Where a machine with slow messages is simulated: few ranks with the smallest block, since each run takes as long again."""
    most = 64 if scale.is_quick else 128
    return [(ranks, block) for ranks, block in scale.points(blocks[:1]) if ranks <= most] if scale.slow_messages else []


def published(results):
    return [r for r in pick(results, "tuna") if all(r["parameters"][key] == value for key, value in PUBLISHED.items())]


def ours(results):
    return [r for r in pick(results, "tuna") if r["parameters"]["metadata"] == "fused"]


def native(results, block=None):
    return pick(results, "native", block)[0]


def points(results):
    return [(r["parameters"]["radix"], r["median_us"]) for r in sorted(results, key=lambda r: r["parameters"]["radix"])]


def predictions(machine, *algorithms, ranks=MODEL_RANKS, blocks=SIZES, distribution="uniform"):
    """By the model, up to the ranks of the paper. A list, empty where there is no machine for the model."""
    return [Prediction(machine, ranks, PER_NODE, tuple(sorted(blocks)), ("native", *algorithms), distribution)] if machine else []


def predicted_points(measurements, predicted):
    """Ranks, largest block, results."""
    results = [result for run in predicted for result in measurements.results(run)]
    points_there = dict.fromkeys((r["ranks"], r["max_block_bytes"]) for r in results)
    return {(ranks, block): [r for r in results if (r["ranks"], r["max_block_bytes"]) == (ranks, block)]
            for ranks, block in points_there}


def of_the_paper(points_there):
    """Those with as many ranks as the paper has, or all where there are none."""
    return [point for point in points_there if point[0] >= FIRST_RANKS] or list(points_there)


def message_us(expected):
    """Of the MPI of the model: its time for each message and its bytes, with as many ranks as the paper says it of, or the most."""
    ranks, block = max((point for point in expected if point[0] <= 8192), key=lambda point: (point[0], -point[1]))
    return native(expected[ranks, block])["median_us"] / (ranks - 1)


def gains_table(what, expected, slow, gain_of, of_paper):
    """Which part of a gain is the algorithm's, and which the slow messages of the paper's MPI: `expected` and `slow` are points of the
    model, `of_paper` the paper's gains."""
    header = ["ranks", "largest block", *[f"MPI takes {message_us(found):.1f} us a message" for found in (expected, slow)],
              "the paper's"]
    rows = [[ranks, in_words(block), times(gain_of(expected[ranks, block])), times(gain_of(slow[ranks, block])), times(gain)]
            for (ranks, block), gain in of_paper.items()]
    return Table(f"how many times faster than MPI_Alltoallv {what} is, by the model", header, rows)
