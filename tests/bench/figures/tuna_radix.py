"""Figures 7 to 9 of the TuNA paper: the radix."""

import math

from paper import Figure, Outcome, Picture, Table, best, enumerate_words, in_words, times, us
from tuna_runs import (AS_PUBLISHED, PAPER, SIZES, native, of_the_paper, ours, points, predicted_points, predictions, published,
                       sweep)


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


def against_native(scale):
    """Figure 8: tuna at its best radix, and MPI_Alltoallv."""
    runs = {(ranks, block): sweep(scale, ranks, block) for ranks, block in scale.points(SIZES)}
    model = predictions(scale, "tuna:radix=2..ranks", f"tuna:radix=2..ranks{AS_PUBLISHED}")

    def outcome(measurements):
        header = ["ranks", "largest block", "MPI, us", "tuna as published, us", "faster", "tuna, us", "faster"]
        measured = {point: measurements.results(run) for point, run in runs.items()}
        rows = {point: tuna_and_mpi(point, results) for point, results in measured.items()}
        expected = {point: tuna_and_mpi(point, results) for point, results in predicted_points(measurements, model).items()}
        series = {}
        for (ranks, block), results in measured.items():
            series.setdefault(f"MPI_Alltoallv, {in_words(block)}", []).append((ranks, native(results)["median_us"]))
            series.setdefault(f"tuna, {in_words(block)}", []).append((ranks, best(ours(results))["median_us"]))
        judged = of_the_paper(rows)
        wins = sum(rows[point][1] > 1 for point in judged)
        judged_ranks = enumerate_words(dict.fromkeys(ranks for ranks, _ in judged))
        words = f"With {judged_ranks} ranks it is faster as published in {wins} of {len(judged)} points; ours at most " \
                f"{max((rows[point][0][-1] for point in judged), key=float)} times."
        if expected:
            paper, mine = (expected[8192, 16][0][column] for column in (4, 6))
            words += f" By the model, with 8,192 ranks and 16 bytes {paper} times as published, and ours {mine}."
        return Outcome([Table("best radix of each; times faster than MPI_Alltoallv", header, [row for row, _ in rows.values()]),
                        *([Table("the same, by the model", header, [row for row, _ in expected.values()])] if expected else [])],
                       [Picture("tuna-and-native", "tuna at its best radix", "ranks", series)], words,
                       all(gain > 1 for _, gain in [*(rows[point] for point in judged), *expected.values()]),
                       "An MPI of the simulator and of the model takes half a microsecond for a message; the paper's took 6.3 with "
                       "8,192 ranks and 16 bytes (51.8 ms). So large blocks, forwarded several times, lose more than messages cost.")
    return Figure(PAPER, "8", "TuNA at its best radix, and MPI_Alltoallv",
                  "TuNA beats MPI_Alltoallv up to 2 KiB on Polaris, 29 times with 8,192 ranks and 16 bytes.",
                  [*runs.values(), *model], outcome)


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
