"""Figures 12 to 16 of the TuNA paper: the proposed algorithms, those of MPI libraries, and MPI_Alltoallv."""

import math

from paper import Figure, Outcome, Picture, Table, best, doubling, in_words, pick, times, us
from runs import ProgramRun, option
from tuna_runs import PAPER, SIZES, native, of_the_paper, predicted_points, predictions, run_of, tuna_words

STANDARD = ("linear", "pairwise", "exclusive_or", "spread_out")


def standard(scale):
    """Figure 12: what MPI libraries do, and scattered over its block_count."""
    runs = {}
    for ranks, block in scale.points(SIZES):
        counts = ",".join(map(str, doubling(4, ranks - 1)[::2]))
        words = ["--algorithm", "+".join(STANDARD), "--algorithm", f"scattered:block_count={counts}"]
        runs[ranks, block] = run_of(scale, ranks, [*option("max-block", block), *words], block)

    def outcome(measurements):
        rows, wins = [], 0
        for (ranks, block), run in runs.items():
            results = measurements.results(run)
            scattered = best(pick(results, "scattered"))
            others = {name: best(pick(results, name)) for name in STANDARD if pick(results, name)}
            wins += all(scattered["median_us"] <= other["median_us"] for other in others.values())
            rows.append([ranks, in_words(block), us(native(results)["median_us"]),
                         *[us(others[name]["median_us"]) if name in others else "-" for name in STANDARD],
                         f"{us(scattered['median_us'])} (block_count {scattered['parameters']['block_count']})"])
        return Outcome([Table("us", ["ranks", "largest block", "MPI", *STANDARD, "scattered, best"], rows)], [],
                       f"Scattered at its best block_count is the fastest in {wins} of {len(rows)} points.",
                       wins * 2 > len(rows),
                       "Without congestion in the network, batches gain nothing over all messages at once.")
    return Figure(PAPER, "12", "The algorithms of MPI libraries",
                  "Scattered with its best block_count outperforms the others in most scenarios.", list(runs.values()), outcome)


def all_words(scale, ranks):
    nodes = max(2, ranks // scale.ranks_per_node)
    intra = ",".join(map(str, sorted({2, math.isqrt(scale.ranks_per_node - 1) + 1, scale.ranks_per_node})))
    return [*tuna_words(ranks), "--algorithm", f"tuna_coalesced:radix={intra}:block_count={nodes - 1}",
            "--algorithm", f"tuna_staggered:radix={intra}", "--algorithm", "scattered+node_aware"]


FIXED_BYTES = {"fft1": 64, "fft2": 512}  # the largest block, whatever --max-block says
PROPOSED = ("tuna", "tuna_coalesced", "tuna_staggered")
CONTENDERS = (*PROPOSED, "scattered", "node_aware")


def proposed_and_mpi(point, results, size):
    """A row of figure 13, and the times of all contenders at their best parameters."""
    mpi = native(results)["median_us"]
    fastest = {name: best(pick(results, name))["median_us"] for name in CONTENDERS}
    return [point[0], size, us(mpi), *[f"{us(time)} ({times(mpi / time)})" for time in fastest.values()]], {"MPI": mpi, **fastest}


def victories(found):
    """Of a list of times by contender: in how many each of the proposed is faster than MPI, and coalesced the best of these."""
    wins = {name: sum(times_there[name] < times_there["MPI"] for times_there in found) for name in PROPOSED}
    return wins, sum(min(PROPOSED, key=times_there.get) == "tuna_coalesced" for times_there in found)


def victories_in_words(found):
    wins, first = victories(found)
    return f"tuna is faster than MPI in {wins['tuna']}, coalesced in {wins['tuna_coalesced']}, staggered in " \
           f"{wins['tuna_staggered']}; coalesced is the best of the three in {first}."


def compared(scale, number, title, claim, distribution="uniform", blocks=SIZES, winners=PROPOSED, note="", has_model=False):
    """The proposed algorithms at their best parameters, native and scattered: figures 13, 14 and 16. `winners`: those that beat
    MPI_Alltoallv, as the paper says."""
    runs = {}
    for ranks, block in scale.points(blocks):
        words = [*option("max-block", block), *all_words(scale, ranks)]
        if distribution != "uniform":
            words += option("distribution", distribution)
        runs[ranks, block] = run_of(scale, ranks, words, FIXED_BYTES.get(distribution, block))
    model = predictions(scale, "tuna:radix=2..ranks", *CONTENDERS[1:]) if has_model else []

    def outcome(measurements):
        header = ["ranks", "largest block", "MPI", *CONTENDERS]
        rows, series = {}, {}
        for point, run in runs.items():
            size = in_words(point[1]) if not distribution.startswith("fft") else distribution
            rows[point] = proposed_and_mpi(point, measurements.results(run), size)
            found = rows[point][1]
            series.setdefault(f"MPI_Alltoallv, {size}", []).append((point[0], found["MPI"]))
            series.setdefault(f"best of the paper's, {size}", []).append((point[0], min(found[name] for name in PROPOSED)))
        expected = {point: proposed_and_mpi(point, results, in_words(point[1]))
                    for point, results in predicted_points(measurements, model).items()}
        judged = [rows[point][1] for point in of_the_paper(rows)]
        all_found = [*judged, *[found for _, found in expected.values()]]
        words = f"Of {len(judged)} points {victories_in_words(judged)}"
        if expected:
            words += f" By the model, of {len(expected)} points {victories_in_words([found for _, found in expected.values()])}"
        return Outcome([Table("us, and times faster than MPI_Alltoallv; node_aware is our own", header,
                              [row for row, _ in rows.values()]),
                        *([Table("the same, by the model", header, [row for row, _ in expected.values()])] if expected else [])],
                       [Picture("compared", title, "ranks", series)], words,
                       all(victories(all_found)[0][name] == len(all_found) for name in winners),
                       "An MPI of the simulator and of the model takes half a microsecond for a message, the paper's several. "
                       "So large blocks, forwarded several times, lose more than messages cost; and staggered sends as many.")
    return Figure(PAPER, number, title, claim, [*runs.values(), *model], outcome, note)


def path_finding(scale):
    """Figure 15: the transitive closure of a graph, a program that is really run."""
    size, ways = ("1200" if scale.is_quick else "3000"), ("native", "tuna", "tuna_coalesced")
    ranks_list = (4, 8) if scale.is_simulated else scale.ranks
    runs = {ranks: ProgramRun(ranks, "transitive-closure", ("--graph", "power_law", "--size", size), ways) for ranks in ranks_list}

    def outcome(measurements):
        rows, wins = [], 0
        for ranks, run in runs.items():
            found = {result["algorithm"]: result for result in measurements.results(run)}
            native_us = found["native"]["in_collectives_us"]
            wins += min(found[way]["in_collectives_us"] for way in ways[1:]) < 0.95 * native_us
            rows.append([ranks, *[f"{us(found[way]['median_us'] / 1000)}, {us(found[way]['in_collectives_us'] / 1000)}"
                                  for way in ways]])
        return Outcome([Table("ms of the whole program, and of these in collectives; medians",
                              ["ranks", "MPI_Alltoallv", *ways[1:]], rows)], [],
                       f"The collectives gain more than 5 % by the paper's algorithms with {wins} of {len(rows)} numbers of ranks.",
                       wins == len(rows),
                       "On one machine a message is a copy, and the algorithms that spare messages copy more.")
    return Figure(PAPER, "15", "Path finding",
                  "TuNA and coalesced TuNA shorten a transitive closure: 6 and 8 times faster communication with 8,192 ranks.",
                  list(runs.values()), outcome,
                  note="A program cannot be simulated: with a simulated machine this figure runs on this one, with a few ranks.")
