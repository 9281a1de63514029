"""What the figures of the TuNA paper have in common: settings, sweeps over the radix, and the model's points."""

import math

from paper import doubling, pick
from runs import Prediction, Run, option

PAPER = "tuna"
PUBLISHED = {"metadata": "separate", "in_flight": 1}  # tuna as the paper has it: sizes in messages of their own, round by round
AS_PUBLISHED = ":metadata=separate:in_flight=1"
SIZES = (16, 256, 2048)  # largest blocks, bytes
FIRST_RANKS = 512  # of the paper's figures
MODEL_RANKS = (512, 2048, 8192, 16384)


def radices(ranks):
    return sorted({*doubling(2, ranks), math.isqrt(ranks - 1) + 1})


def tuna_words(ranks, suffix=""):
    return ("--algorithm", f"tuna:radix={','.join(map(str, radices(ranks)))}{suffix}")


def run_of(scale, ranks, words, block=0):
    return Run(ranks, tuple(words), scale.ranks_per_node, scale.precision(ranks, block))


def sweep(scale, ranks, block, distribution="uniform"):
    """tuna at all radices, as published and as ours, beside native."""
    words = [*option("max-block", block), *tuna_words(ranks), *tuna_words(ranks, AS_PUBLISHED)]
    if distribution != "uniform":
        words += option("distribution", distribution)
    return run_of(scale, ranks, words, block)


def published(results):
    return [r for r in pick(results, "tuna") if all(r["parameters"][key] == value for key, value in PUBLISHED.items())]


def ours(results):
    return [r for r in pick(results, "tuna") if r["parameters"]["metadata"] == "fused"]


def native(results, block=None):
    return pick(results, "native", block)[0]


def points(results):
    return [(r["parameters"]["radix"], r["median_us"]) for r in sorted(results, key=lambda r: r["parameters"]["radix"])]


def predictions(scale, *algorithms):
    """By the model, up to the ranks of the paper. A list, empty where the machine has no model."""
    return [Prediction(scale.model, MODEL_RANKS, 32, SIZES, ("native", *algorithms))] if scale.model else []


def predicted_points(measurements, predicted):
    """Ranks, largest block, results."""
    results = [result for run in predicted for result in measurements.results(run)]
    points_there = dict.fromkeys((r["ranks"], r["max_block_bytes"]) for r in results)
    return {(ranks, block): [r for r in results if (r["ranks"], r["max_block_bytes"]) == (ranks, block)]
            for ranks, block in points_there}


def of_the_paper(points_there):
    """Those with as many ranks as the paper has, or all where there are none."""
    return [point for point in points_there if point[0] >= FIRST_RANKS] or list(points_there)
