"""Figures of the two-phase Bruck paper: here 2 and 6."""

import applications
import two_phase_distributions
from paper import PHASES, Figure, Outcome, Picture, Table, best, in_words, phase, pick, share, times, us
from runs import Prediction, Run, option

PAPER = "two_phase_bruck"
VARIANTS = ("basic_bruck", "basic_bruck_datatype", "modified_bruck", "modified_bruck_datatype", "zero_copy_bruck",
            "zero_rotation_bruck")
CONTENDERS = ("two_phase_bruck", "padded_bruck", "padded_alltoall", "spread_out")


def time_of(results, name):
    return best(pick(results, name))["median_us"]


def variant_runs(scale):
    return {ranks: Run(ranks, ("--collective", "alltoall", *option("max-block", 32), "--algorithm", "+".join(VARIANTS),
                               *PHASES[not scale.is_simulated]), scale.ranks_per_node, iterations=3) for ranks in scale.ranks}


def variants(scale):
    runs = variant_runs(scale)

    def outcome(measurements):
        rows, series, zero_rotation_first, datatypes_slower = [], {}, 0, 0
        for ranks, run in runs.items():
            results = measurements.results(run)
            found = {name: time_of(results, name) for name in VARIANTS}
            zero_rotation_first += min(found, key=found.get) == "zero_rotation_bruck"
            datatypes_slower += all(found[f"{name}_datatype"] >= found[name] for name in ("basic_bruck", "modified_bruck"))
            rows.append([ranks, us(time_of(results, "native")), *[us(time) for time in found.values()]])
            for name, time in found.items():
                series.setdefault(name, []).append((ranks, time))
        return Outcome([Table("alltoall of 32 bytes, us", ["ranks", "MPI", *VARIANTS], rows)],
                       [Picture("bruck-variants", "Bruck variants, 32 bytes", "ranks", series)],
                       f"Zero rotation is the fastest with {zero_rotation_first} of {len(rows)} numbers of ranks, and datatypes "
                       f"cost time with {datatypes_slower}.",
                       zero_rotation_first == len(rows) and datatypes_slower == len(rows),
                       "With 32 bytes the variants with copies differ by a microsecond or two, which is less than how long after each "
                       "other the ranks begin.")
    return Figure(PAPER, "2, a", "Variants of Bruck's alltoall",
                  "Zero-rotation Bruck is the fastest everywhere; MPI datatypes are slower than copies.",
                  list(runs.values()), outcome)


def breakdown(scale):
    """Figure 2 (b): rotations and rounds of the three variants with copies."""
    runs, names = variant_runs(scale), ("basic_bruck", "modified_bruck", "zero_rotation_bruck")

    def outcome(measurements):
        rows, shares = [], []
        for ranks, run in runs.items():
            found = {name: best(pick(measurements.results(run), name)) for name in names}
            shares.append(phase(found["basic_bruck"], "rotate") / sum(found["basic_bruck"]["phases_us"].values()))
            for name, result in found.items():
                parts = [phase(result, "rotate"), phase(result, "rearrange"), phase(result, "data")]
                rows.append([ranks, name, *map(us, parts), share(parts[0], sum(parts))])
        rotations = {name: sum(phase(best(pick(measurements.results(run), name)), "rotate") for run in runs.values()) for name in names}
        return Outcome([Table("alltoall of 32 bytes; us, the mean over the ranks",
                              ["ranks", "algorithm", "rotations", "copies in rounds", "messages", "share of rotations"], rows)], [],
                       f"Basic Bruck's rotations take {share(shares[0], 1)} of its time with {list(runs)[0]} ranks and "
                       f"{share(shares[-1], 1)} with {list(runs)[-1]}; zero rotation has none.",
                       shares[-1] > shares[0] and rotations["basic_bruck"] > rotations["modified_bruck"] and
                       rotations["zero_rotation_bruck"] == 0)
    return Figure(PAPER, "2, b", "Rotations and rounds of Bruck's variants",
                  "Basic Bruck has two rotations, modified Bruck one, zero rotation none; their share grows with the ranks.",
                  list(runs.values()), outcome)


MODEL_RANKS = (512, 2048, 8192, 32768)  # the paper's figure ends with the last


def by_point(results):
    """Of the model: results by ranks and largest block."""
    found = {}
    for result in results:
        found.setdefault((result["ranks"], result["max_block_bytes"]), []).append(result)
    return found


def row_of(ranks, block, mpi, found):
    return [ranks, in_words(block), us(mpi), *[f"{us(time)} ({times(mpi / time)})" for time in found.values()]]


def non_uniform(scale):
    blocks = (16, 128, 1024)
    runs = {(ranks, block): Run(ranks, (*option("max-block", block), "--algorithm", "+".join(CONTENDERS)), scale.ranks_per_node,
                                scale.precision(ranks, block))
            for ranks, block in scale.points(blocks)}
    model = [Prediction(scale.model, MODEL_RANKS, 32, blocks, ("native", *CONTENDERS))] if scale.model else []

    def outcome(measurements):
        rows, expected, series, wins, padded, wins_by_model = [], [], {}, 0, [], 0
        for (ranks, block), results in by_point(result for run in model for result in measurements.results(run)).items():
            mpi, found = time_of(results, "native"), {name: time_of(results, name) for name in CONTENDERS}
            wins_by_model += found["two_phase_bruck"] < mpi
            if found["padded_bruck"] < found["two_phase_bruck"]:
                padded.append(block)
            expected.append(row_of(ranks, block, mpi, found))
        for (ranks, block), run in runs.items():
            results = measurements.results(run)
            mpi, found = time_of(results, "native"), {name: time_of(results, name) for name in CONTENDERS}
            wins += found["two_phase_bruck"] < mpi
            if found["padded_bruck"] < found["two_phase_bruck"]:
                padded.append(block)
            rows.append(row_of(ranks, block, mpi, found))
            series.setdefault(f"MPI, {in_words(block)}", []).append((ranks, mpi))
            series.setdefault(f"two_phase_bruck, {in_words(block)}", []).append((ranks, found["two_phase_bruck"]))
        padded_words = f"up to {in_words(max(padded))}" if padded else "nowhere"
        by_model = f", and by the model in {wins_by_model} of {len(expected)}" if expected else ""
        header = ["ranks", "largest block", "MPI", *CONTENDERS]
        return Outcome([Table("us, and times faster than MPI_Alltoallv", header, rows),
                        *([Table("the same, by the model", header, expected)] if expected else [])],
                       [Picture("two-phase-bruck", "two-phase Bruck", "ranks", series)],
                       f"Two-phase Bruck beats MPI in {wins} of {len(rows)} points{by_model}; padded Bruck beats it {padded_words}.",
                       wins == len(rows) and wins_by_model == len(expected) and (not padded or max(padded) <= 128),
                       "With blocks of a KiB the bytes that are forwarded log2(ranks)/2 times cost more than messages do. Sizes "
                       "here are packed into few bytes, so padding spares less than in the paper.")
    return Figure(PAPER, "6", "Two-phase and padded Bruck",
                  "Two-phase Bruck beats MPI_Alltoallv at all numbers of ranks; padded Bruck beats it only for blocks up to 128 "
                  "bytes and few ranks.", [*runs.values(), *model], outcome)


def figures(scale):
    return [variants(scale), breakdown(scale), non_uniform(scale), *two_phase_distributions.figures(scale),
            *applications.two_phase_figures()]
