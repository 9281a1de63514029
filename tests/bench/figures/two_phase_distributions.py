"""Figures of the two-phase Bruck paper beyond figure 6: its distributions, its crossover, and what is not here."""

import maps
from paper import Figure, Outcome, Picture, Table, best, in_words, pick, times, us
from runs import Run, RunFailed, option

PAPER = "two_phase_bruck"
CONTENDERS = ("two_phase_bruck", "padded_bruck", "padded_alltoall", "spread_out")
# Mean blocks of N / 2 bytes each, but for power-law blocks, which are rare where they are large.
DISTRIBUTIONS = {"uniform": 1, "normal": 2, "power_law": 1}
WINDOWS = (100, 90, 75, 60, 50)
NO_TEXT = "The text of this section is not in the copy of the paper that we have; "


def time_of(results, name, block=None):
    return best(pick(results, name, block))["median_us"]


def run_of(scale, ranks, block, distribution, *words):
    return Run(ranks, (*option("max-block", block), *option("distribution", distribution), "--algorithm", "+".join(CONTENDERS), *words),
               scale.ranks_per_node, scale.precision(ranks, block))


def distributions(scale):
    runs = {(name, ranks, block): run_of(scale, ranks, block // divisor, name)
            for name, divisor in DISTRIBUTIONS.items() for ranks, block in scale.points((16, 128, 512))}

    def outcome(measurements):
        rows, wins = [], {}
        for (name, ranks, block), run in runs.items():
            results = measurements.results(run)
            mpi, found = time_of(results, "native"), {contender: time_of(results, contender) for contender in CONTENDERS}
            if found["two_phase_bruck"] < mpi:
                wins.setdefault(name, set()).add((ranks, block))
            rows.append([name, ranks, in_words(block), us(mpi), *[f"{us(time)} ({times(mpi / time)})" for time in found.values()]])
        numbers = {name: len(wins.get(name, ())) for name in DISTRIBUTIONS}
        points = len(runs) // len(DISTRIBUTIONS)
        return Outcome([Table("us, and times faster than MPI_Alltoallv", ["distribution", "ranks", "N", "MPI", *CONTENDERS], rows)], [],
                       f"Two-phase Bruck beats MPI in {numbers['uniform']} of {points} points with uniform blocks, in {numbers['normal']} with normal "
                       f"ones and in {numbers['power_law']} with those of a power law.",
                       all(wins.get("uniform", set()) <= wins.get(name, set()) for name in DISTRIBUTIONS),
                       "Where two-phase Bruck wins with uniform blocks only by a few per cent, blocks of another distribution with as many bytes "
                       "decide otherwise.")
    return Figure(PAPER, "of section 4.3", "Uniform, normal and power-law blocks",
                  "What two-phase Bruck gains with uniform blocks it also gains with normal and power-law ones.", list(runs.values()), outcome,
                  note=NO_TEXT + "the claim is what sections 1 and 4.1 say of it. Normal blocks have the mean N / 2 and the standard "
                       "deviation that the TuNA paper gives, power-law blocks its exponent.")


def windows(scale):
    ranks, blocks = scale.ranks[-1], (32, 256)
    runs = {(block, window): run_of(scale, ranks, block, f"window:{window}") for block in blocks for window in WINDOWS}
    predicted = {window: maps.crossings(scale, (ranks,), f"window:{window}") for window in WINDOWS} if scale.model else {}

    def crossing(measurements, window):
        if window not in predicted:
            return []
        found, = measurements.results(predicted[window])
        return [f"{found['formula_bytes']:.0f}" if found["formula_bytes"] else "never", found["model_bytes"] or "never"]

    def outcome(measurements):
        rows, series, ratios = [], {}, {}
        for (block, window), run in runs.items():
            results = measurements.results(run)
            mpi, found = time_of(results, "native"), {name: time_of(results, name) for name in CONTENDERS}
            ratios.setdefault(block, []).append(found["padded_bruck"] / found["two_phase_bruck"])
            rows.append([in_words(block), f"{100 - window} to {window} %", us(mpi), *[us(time) for time in found.values()],
                         times(ratios[block][-1]), *crossing(measurements, window)])
            for name in ("two_phase_bruck", "padded_bruck"):
                series.setdefault(f"{name}, {in_words(block)}", []).append((window, found[name]))
        narrowing = [f"{times(ratio[0])} to {times(ratio[-1])} with {in_words(block)}" for block, ratio in ratios.items()]
        header = ["N", "window", "MPI", *CONTENDERS, "padded / two-phase", *(["two-phase from, by formula", "by model"] if predicted else [])]
        return Outcome([Table(f"{ranks} ranks, us; from which N on two-phase Bruck is predicted to be the faster one, bytes", header, rows)],
                       [Picture("windows", f"a narrowing window, {ranks} ranks", "upper end of the window, % of N", series)],
                       f"From the widest to the narrowest window the time of padded over two-phase Bruck goes from {' and from '.join(narrowing)}.",
                       all(ratio[-1] < ratio[0] for ratio in ratios.values()),
                       "The time of a round of few bytes is its latency, which no window changes.")
    return Figure(PAPER, "of section 4.2", "Sensitivity to the window of block sizes",
                  "The narrower the window around the mean, the fewer bytes are padding, so the more padded Bruck gains on two-phase Bruck.",
                  [*runs.values(), *predicted.values()], outcome,
                  note=NO_TEXT + "the claim follows from section 3.3, whose formula has the ratio of largest and mean block. A window of "
                       "(100 - R) to R % of N has the mean N / 2 whatever R is.")


def crossover(scale):
    blocks = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
    runs = {ranks: Run(ranks, (*option("max-block", blocks), "--algorithm", "padded_bruck+two_phase_bruck", "--no-native"),
                       scale.ranks_per_node, scale.precision(ranks, blocks[-1])) for ranks in scale.ranks}
    more = tuple(ranks for ranks in maps.RANKS if ranks not in runs) if scale.model else ()
    predicted = maps.crossings(scale, (*runs, *more)) if scale.model else None

    def measured_from(results):
        """The smallest block from which on two-phase Bruck is faster at all larger ones."""
        first = None
        for block in reversed(blocks):
            if time_of(results, "padded_bruck", block) < time_of(results, "two_phase_bruck", block):
                break
            first = block
        return first

    def outcome(measurements):
        found = {ranks: measured_from(measurements.results(run)) for ranks, run in runs.items()}
        said = {one["ranks"]: one for one in measurements.results(predicted)} if predicted else {}
        rows = [[ranks, (found[ranks] or f"more than {blocks[-1]}") if ranks in found else "",
                 f"{said[ranks]['formula_bytes']:.0f}" if said else "", said[ranks]["model_bytes"] or "never" if said else ""]
                for ranks in (*runs, *more)]
        near = [ranks for ranks, block in found.items()
                if said and block and said[ranks]["formula_bytes"] / 2 <= block <= 2 * said[ranks]["formula_bytes"]]
        falling = [found[ranks] or 2 * blocks[-1] for ranks in runs]
        shares = [f"{times(block / said[ranks]['formula_bytes'])} with {ranks} ranks" for ranks, block in found.items() if said and block]
        return Outcome([Table("largest block from which on two-phase Bruck is faster than padded Bruck, bytes",
                              ["ranks", "measured", "by the formula", "by the model"], rows)], [],
                       "The more ranks, the smaller the block at which they cross. " * (falling == sorted(falling, reverse=True) and falling[0] > falling[-1])
                       + (f"Measured and by the formula it is {', '.join(shares)}." if shares else "There is no crossover, or no formula without a model."),
                       len(near) == len(found) and falling == sorted(falling, reverse=True),
                       "The formula has no copies and 4 bytes for a size. Here padding is copied, too, and sizes are packed into fewer bytes: both "
                       "are for two-phase Bruck, which so is the better one from smaller blocks on.")
    return Figure(PAPER, "of section 3.3", "From which block on two-phase Bruck beats padded Bruck",
                  "Padded Bruck is faster where (N - 8) (P + 1) beta < 4 alpha: with small blocks, and the less the more ranks.",
                  [*runs.values(), *([predicted] if predicted else [])], outcome,
                  note="alpha is a message's latency with both processors' overhead, beta a byte's time where all ranks of a node send through its "
                       "NIC: `switchyard predict` prints this crossover, `switchyard explain --machine` where a rule names one of the two.")


MISSING = {
    "of section 4.1": (
        "Weak scaling", "Two-phase Bruck scales better than MPI_Alltoallv to 32,768 processes of Theta.",
        "skipped: a figure of the paper of which we have no text; figure 6 has the same runs over ranks, and its model goes as far"),
    "of section 7": (
        "Other machines", "A part of the results holds on Cori and Stampede, too.",
        "skipped: needs models of Cori's and Stampede's networks, of which the paper gives no figures in the text that we have"),
}


def missing(number):
    title, claim, reason = MISSING[number]

    def outcome(_):
        raise RunFailed(reason)
    return Figure(PAPER, number, title, claim, [], outcome)


def figures(scale):
    return [crossover(scale), *([maps.map_of_two_phase(scale)] if scale.model else []), windows(scale), distributions(scale),
            *map(missing, MISSING)]
