"""Figures 7 to 9 of the TuNA paper: the radix."""

import math

from paper import Figure, Outcome, Picture, Table, best, enumerate_words, in_words, times, us
from tuna_runs import (AS_PUBLISHED, PAPER, SIZES, gains_table, measured_by_the_paper, message_us, native, of_the_paper, ours,
                       points, predicted_points, predictions, published, slow_points, sweep)

LARGE_BLOCKS = "A block is forwarded several times, so that with large blocks its bytes cost more than the messages that are spared."


def trends(scale):
    """Figure 7: time over radix, with a small, a middle and a large block."""
    blocks = (16, 1024, 16384)
    ranks = min(scale.most_ranks, 128)  # a large radix with large blocks takes the simulator hours beyond
    runs = {block: sweep(scale, ranks, block) for block in blocks}

    def outcome(measurements):
        tables, series, found = [], {}, {}
        for block, run in runs.items():
            results = measurements.results(run)
            as_published = points(published(results))
            found[block] = best(published(results))["parameters"]["radix"]
            series[f"{in_words(block)}, as published"] = as_published
            series[f"{in_words(block)}, ours"] = points(ours(results))
            tables.append(Table(f"{in_words(block)}; native {us(native(results)['median_us'])} us",
                                ["radix", *[radix for radix, _ in as_published]],
                                [["as published, us", *[us(time) for _, time in as_published]],
                                 ["ours, us", *[us(time) for _, time in points(ours(results))]]]))
        small, middle, large = (found[block] for block in blocks)
        return Outcome(tables, [Picture("time-over-radix", f"tuna on {ranks} ranks", "radix", series)],
                       f"With {ranks} ranks the best radix as published is {small} for {in_words(blocks[0])}, {middle} for "
                       f"{in_words(blocks[1])} and {large} for {in_words(blocks[2])}.",
                       small <= middle <= large and small <= 4 and large > math.isqrt(ranks),
                       "The borders between the three trends lie where a message's overhead equals its bytes' time: another "
                       "machine and fewer ranks move them.")
    return Figure(PAPER, "7", "Three trends of TuNA over its radix",
                  "With small blocks the time grows with the radix, with middle ones it is U-shaped, with large ones it falls.",
                  list(runs.values()), outcome)


def tuna_and_mpi(point, results):
    """A row of figure 8, and how many times faster the published tuna is."""
    ranks, block = point
    mpi, paper, mine = native(results)["median_us"], best(published(results)), best(ours(results))
    gain = mpi / paper["median_us"]
    return [ranks, in_words(block), us(mpi), f"{us(paper['median_us'])} (radix {paper['parameters']['radix']})", times(gain),
            f"{us(mine['median_us'])} (radix {mine['parameters']['radix']})", times(mpi / mine["median_us"])], gain


RADIX_HEADER = ["ranks", "largest block", "MPI, us", "tuna as published, us", "faster", "tuna, us", "faster"]


def faster_as_published(results):
    return native(results)["median_us"] / best(published(results))["median_us"]


def rows_of(found, sizes=None):
    """Of figure 8, by point; of some sizes or all."""
    return {point: tuna_and_mpi(point, results) for point, results in found.items() if sizes is None or point[1] in sizes}


def tables_of(rows_by_caption):
    return [Table(caption, RADIX_HEADER, [row for row, _ in rows.values()]) for caption, rows in rows_by_caption.items() if rows]


def against_native(scale):
    """Figure 8: tuna at its best radix, and MPI_Alltoallv."""
    runs = {(ranks, block): sweep(scale, ranks, block) for ranks, block in scale.points(SIZES)}
    slow_runs = {(ranks, block): sweep(scale, ranks, block, machine=scale.slow_messages)
                 for ranks, block in slow_points(scale, SIZES)}
    there = measured_by_the_paper(scale)
    settings = ("tuna:radix=2..ranks", f"tuna:radix=2..ranks{AS_PUBLISHED}")
    sizes = {*SIZES, there.up_to}
    model, slow_model = (predictions(machine, *settings, blocks=sizes | {block for _, block in there.tuna})
                         for machine in (scale.model, scale.slow_messages))

    def outcome(measurements):
        measured = {point: measurements.results(run) for point, run in runs.items()}
        rows, slow_rows = rows_of(measured), rows_of({point: measurements.results(run) for point, run in slow_runs.items()})
        expected, slow = (predicted_points(measurements, each) for each in (model, slow_model))
        series = {}
        for (ranks, block), results in measured.items():
            series.setdefault(f"MPI_Alltoallv, {in_words(block)}", []).append((ranks, native(results)["median_us"]))
            series.setdefault(f"tuna, {in_words(block)}", []).append((ranks, best(ours(results))["median_us"]))
        judged = of_the_paper(rows)
        judged_ranks = enumerate_words(dict.fromkeys(ranks for ranks, _ in judged))
        words = f"With {judged_ranks} ranks it is faster as published in {sum(rows[point][1] > 1 for point in judged)} of " \
                f"{len(judged)} points; ours at most {max((rows[point][0][-1] for point in judged), key=float)} times."
        expected_rows, slow_expected = rows_of(expected, sizes), rows_of(slow, sizes)
        tables = tables_of({
            "best radix of each; times faster than MPI_Alltoallv": rows,
            "the same, simulated with messages that cost what the paper measured": slow_rows,
            "the same, by the model": expected_rows,
            "the same, by the model, with messages that cost what the paper measured": slow_expected})
        wins_here = all(gain > 1 for _, gain in [*(rows[point] for point in judged), *expected_rows.values()])
        if not slow:
            return Outcome(tables, [picture(series)], words, wins_here, LARGE_BLOCKS)
        headline, gains = there.tuna[8192, 16], [faster_as_published(found[8192, 16]) for found in (expected, slow)]
        words += f" By the model with 8,192 ranks and 16 bytes it is {times(gains[0])} times faster as published where MPI " \
                 f"takes {message_us(expected):.1f} us a message, and {times(gains[1])} times where it takes the paper's {there.message_us} " \
                 f"us (the paper: {headline} times). There MPI's time is fitted and tuna's is not: it is " \
                 f"{best(published(slow[8192, 16]))['median_us'] / 1000:.2f} ms, the paper's {there.tuna_ms} ms."
        tables.insert(0, gains_table("tuna as published", expected, slow, faster_as_published, there.tuna))
        wins_there = all(gain > 1 for _, gain in [*slow_rows.values(), *slow_expected.values()])
        return Outcome(tables, [picture(series)], words, wins_there and headline / 2 < gains[1] < 2 * headline, LARGE_BLOCKS,
                       "" if wins_here else "if a message costs what the paper measured")

    def picture(series):
        return Picture("tuna-and-native", "tuna at its best radix", "ranks", series)
    return Figure(PAPER, "8", "TuNA at its best radix, and MPI_Alltoallv",
                  f"TuNA beats MPI_Alltoallv up to {in_words(there.up_to)} on {there.name}, {there.tuna[8192, 16]} times with 8,192 "
                  "ranks and 16 bytes.", [*runs.values(), *slow_runs.values(), *model, *slow_model], outcome)


def winning_radices(scale):
    """Figure 9: which radices are faster than MPI_Alltoallv. It needs the runs of figure 8."""
    runs = {(ranks, block): sweep(scale, ranks, block) for ranks, block in scale.points(SIZES)}

    def outcome(measurements):
        rows, shares = [], {}
        for (ranks, block), run in runs.items():
            results = measurements.results(run)
            limit = native(results)["median_us"]
            for name, variant in (("as published", published(results)), ("ours", ours(results))):
                winners = sorted(r["parameters"]["radix"] for r in variant if r["median_us"] < limit)
                shares.setdefault((name, ranks), []).append(len(winners) / len(variant))
                rows.append([ranks, in_words(block), name, f"{len(winners)} of {len(variant)}",
                             f"{winners[0]} to {winners[-1]}" if winners else "none"])
        fewest, most = (sum(share) / len(share) for share in
                        (shares["as published", ranks] for ranks in (scale.ranks[0], scale.most_ranks)))
        return Outcome([Table("radices that are faster than MPI_Alltoallv",
                              ["ranks", "largest block", "tuna", "radices that win", "from, to"], rows)], [],
                       f"As published {fewest:.0%} of the radices win with {scale.ranks[0]} ranks, "
                       f"{most:.0%} with {scale.most_ranks}.",
                       most > 0 and most >= fewest,
                       "Each radix near the ranks pays as many rounds as a linear algorithm, one after the other.")
    return Figure(PAPER, "9", "Radices at which TuNA beats MPI_Alltoallv",
                  "The smaller the blocks and the more the ranks, the wider the range of radices that win.",
                  list(runs.values()), outcome)
