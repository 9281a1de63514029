"""Figures 7 to 16 of the TuNA paper. In brackets: the section that describes them."""

import math

from paper import Figure, Outcome, Picture, Table, best, doubling, enumerate_words, in_words, pick, times, us
from runs import Prediction, ProgramRun, Run, option

PAPER = "tuna"
PUBLISHED = {"metadata": "separate", "in_flight": 1}  # tuna as the paper has it: sizes in messages of their own, round by round
AS_PUBLISHED = ":metadata=separate:in_flight=1"


FIRST_RANKS = 512  # of the paper's figures
MODEL_RANKS = (512, 2048, 8192, 16384)


def radices(ranks):
    return sorted({*doubling(2, ranks), math.isqrt(ranks - 1) + 1})


def tuna_words(ranks, suffix=""):
    return ("--algorithm", f"tuna:radix={','.join(map(str, radices(ranks)))}{suffix}")


def is_large(block):
    return block >= 4096


def run_of(scale, ranks, words, block=0):
    """With large blocks the simulator follows many messages at once: coarser moments spare hours."""
    precision = "1e-7" if scale.is_simulated and (is_large(block) or ranks > 256) else ""
    return Run(ranks, tuple(words), scale.ranks_per_node, precision)


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


SIZES = (16, 256, 2048)


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


def hierarchical_words(scale, ranks, name):
    nodes, q = max(2, ranks // scale.ranks_per_node), scale.ranks_per_node
    partners = (nodes - 1) * (q if name == "tuna_staggered" else 1)
    counts = [count for count in (1, 8, 64, 512) if count < partners] + [partners]
    intra = sorted({2, math.isqrt(q - 1) + 1, q})
    return ("--algorithm", f"{name}:radix={','.join(map(str, intra))}:block_count={','.join(map(str, counts))}")


def hierarchical(scale):
    """Figure 10: coalesced and staggered, over the radix inside a node and the batches between nodes."""
    ranks, blocks = scale.most_ranks, (16, 2048)
    runs = {block: run_of(scale, ranks, [*option("max-block", block), *hierarchical_words(scale, ranks, "tuna_coalesced"),
                                         *hierarchical_words(scale, ranks, "tuna_staggered")], block) for block in blocks}
    model = predictions(scale, "tuna_coalesced", "tuna_staggered")

    def outcome(measurements):
        tables, ratio, batch, words = [], {}, {}, ""
        for block, run in runs.items():
            results, rows = measurements.results(run), []
            for name in ("tuna_coalesced", "tuna_staggered"):
                for result in sorted(pick(results, name), key=lambda r: r["median_us"]):
                    parameters = result["parameters"]
                    rows.append([name, parameters["radix"], parameters["block_count"], us(result["median_us"])])
            fastest = {name: best(pick(results, name)) for name in ("tuna_coalesced", "tuna_staggered")}
            ratio[block] = fastest["tuna_staggered"]["median_us"] / fastest["tuna_coalesced"]["median_us"]
            batch[block] = fastest["tuna_staggered"]["parameters"]["block_count"]
            tables.append(Table(f"{ranks} ranks, {in_words(block)}", ["algorithm", "radix in a node", "block_count", "us"], rows))
        small, large = blocks
        expected = {point: best(pick(results, "tuna_staggered"))["median_us"] / best(pick(results, "tuna_coalesced"))["median_us"]
                    for point, results in predicted_points(measurements, model).items()}
        if expected:
            tables.append(Table("how many times as fast coalesced is, by the model", ["ranks", *map(in_words, SIZES)],
                                [[ranks, *[times(expected[ranks, block]) for block in SIZES]] for ranks in MODEL_RANKS]))
            words = f" By the model {times(expected[8192, small])} times with 8,192 ranks and {in_words(small)}."
        return Outcome(tables, [], f"Coalesced is {times(ratio[small])} times as fast as staggered with {in_words(small)}, "
                       f"{times(ratio[large])} times with {in_words(large)}; staggered's best block_count is {batch[small]} and "
                       f"{batch[large]}.{words}",
                       ratio[small] > 1 and ratio[large] < ratio[small] and batch[large] <= batch[small],
                       "Few nodes leave few partners, so batches hardly matter.")
    return Figure(PAPER, "10", "Coalesced and staggered hierarchical TuNA",
                  "Coalesced is far faster with small blocks (17 times with 8,192 ranks and 16 bytes), staggered catches up with "
                  "large ones; larger blocks want smaller batches.", [*runs.values(), *model], outcome)


def parts(scale):
    """Figure 11: where the time goes. The benchmark does not time phases: messages tell the same."""
    ranks = scale.most_ranks
    run = run_of(scale, ranks, [*option("max-block", 16), "--algorithm", "tuna_coalesced+tuna_staggered"])

    def outcome(measurements):
        results = measurements.results(run)
        rows = [[r["algorithm"], us(r["median_us"]), r["messages"] - r["messages_inter"], r["messages_inter"],
                 r["wire_bytes"] - r["wire_bytes_inter"], r["wire_bytes_inter"]]
                for r in results if r["algorithm"] != "native"]
        coalesced, staggered = pick(results, "tuna_coalesced")[0], pick(results, "tuna_staggered")[0]
        return Outcome([Table(f"{ranks} ranks, 16 bytes, default parameters; of the rank that sends most",
                              ["algorithm", "us", "messages in the node", "to other nodes", "bytes in the node",
                               "bytes to other nodes"], rows)], [],
                       f"Staggered sends {staggered['messages_inter']} messages to other nodes, coalesced "
                       f"{coalesced['messages_inter']}; all else is the same.",
                       staggered["messages_inter"] > coalesced["messages_inter"] and
                       staggered["median_us"] > coalesced["median_us"])
    return Figure(PAPER, "11", "Parts of coalesced and staggered", "The communication between nodes dominates staggered.",
                  [run], outcome, note="Messages and bytes for the paper's times of phases.")


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
        runs[ranks, block] = run_of(scale, ranks, words, block)
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


def figures(scale):
    fixed = "The sizes are those of the paper's shapes at so many ranks."
    return [
        trends(scale), against_native(scale), winning_radices(scale), hierarchical(scale), parts(scale), standard(scale),
        compared(scale, "13", "The proposed algorithms, scattered and MPI_Alltoallv",
                 "All proposed algorithms beat MPI_Alltoallv, coalesced the most.", has_model=True),
        compared(scale, "14, N1", "FFT, first shape", "All three are faster than MPI_Alltoallv in an FFT.", "fft1", (16,),
                 note=fixed),
        compared(scale, "14, N2", "FFT, second shape", "All three are faster than MPI_Alltoallv in an FFT.", "fft2", (16,),
                 note=fixed),
        path_finding(scale),
        compared(scale, "16, normal", "Blocks of a normal distribution",
                 "Tuna and coalesced are about 3 times faster than MPI_Alltoallv with 4,096 ranks.", "normal", (256,),
                 PROPOSED[:2]),
        compared(scale, "16, power law", "Blocks of a power-law distribution",
                 "Tuna and coalesced outperform MPI_Alltoallv, the more the more ranks.", "power_law", (256,),
                 PROPOSED[:2]),
    ]
