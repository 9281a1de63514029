"""Figures 2 to 4 of the in-place paper. Each rank has so many bytes in all, in blocks of random sizes."""

from paper import PHASES, Figure, Outcome, Picture, Table, best, in_words, phase, pick, share, times, us
from runs import Run, option

PAPER = "in_place"


def total_bytes(scale):
    """Of each rank. The paper has 100 MB; a simulation holds all ranks in one memory."""
    return (1 << 20) if scale.is_quick else (10 << 20)


def ranks_of(scale):
    """At most 64 simulated: each phase of each rank is simulated, and its bytes are really there."""
    return [32, 64] if scale.is_simulated and scale.most_ranks > 64 else scale.ranks


def per_node(scale):
    """Few, so that 32 ranks are on several nodes, too."""
    return min(scale.ranks_per_node, 8)


def run_of(scale, ranks, total, *specifications, distribution="uniform", more=()):
    """Uniform blocks of 0 to twice the mean make `total` bytes."""
    words = ["--in-place", *option("max-block", 2 * total // ranks)]
    for specification in specifications:
        words += ["--algorithm", specification]
    if distribution != "uniform":
        words += option("distribution", distribution)
    words += more
    return Run(ranks, tuple(words), per_node(scale), "1e-7" if scale.is_simulated else "")


def time_of(result):
    return result["median_us"]


def buffers(scale):
    total = total_bytes(scale)
    auxiliary = total // 100
    runs = {ranks: run_of(scale, ranks, total, f"in_place:auxiliary_bytes={auxiliary}:buffers="
                          f"{','.join(map(str, sorted({1, 2, ranks // 8, ranks // 2})))}") for ranks in ranks_of(scale)}

    def outcome(measurements):
        rows, series, gains = [], {}, []
        for ranks, run in runs.items():
            found = sorted(pick(measurements.results(run), "in_place"), key=lambda r: r["parameters"]["buffers"])
            for result in found:
                rows.append([ranks, result["parameters"]["buffers"], us(time_of(result))])
            series[f"{ranks} ranks"] = [(r["parameters"]["buffers"], time_of(r)) for r in found]
            gains.append(time_of(found[0]) / min(map(time_of, found)))
        return Outcome([Table(f"{in_words(total)} a rank, 1 % of auxiliary memory", ["ranks", "buffers", "us"], rows)],
                       [Picture("in-place-buffers", "in place: number of buffers", "buffers", series)],
                       f"With {list(runs)[-1]} ranks the best number of buffers is {times(gains[-1])} times as fast as one buffer.",
                       gains[-1] > 1.05 and gains[-1] >= gains[0],
                       "Few ranks seldom want the same buffer.")
    return Figure(PAPER, "2, left", "Number of auxiliary buffers",
                  "More auxiliary buffers of the same memory shorten the exchange, above all with many ranks.",
                  list(runs.values()), outcome)


def memory(scale):
    total = total_bytes(scale)
    shares = (0.1, 1, 10, 100)
    sizes = {share: max(1, int(total * share / 100)) for share in shares}
    runs = {ranks: run_of(scale, ranks, total, f"in_place:auxiliary_bytes={','.join(map(str, sizes.values()))}")
            for ranks in ranks_of(scale)}

    def outcome(measurements):
        rows, steps = [], {}
        for ranks, run in runs.items():
            results = measurements.results(run)
            found = {share: time_of(pick(results, "in_place", auxiliary_bytes=size)[0]) for share, size in sizes.items()}
            steps[ranks] = found
            rows.append([ranks, us(best(pick(results, "native"))["median_us"]), *[us(time) for time in found.values()]])
        last = steps[list(runs)[-1]]
        return Outcome([Table(f"{in_words(total)} a rank, us by auxiliary memory (% of these); MPI has a second buffer",
                              ["ranks", "MPI", *[f"{share} %" for share in shares]], rows)], [],
                       f"With {list(runs)[-1]} ranks 10 % is {times(last[0.1] / last[10])} times as fast as 0.1 %, and 100 % is "
                       f"{times(last[10] / last[100])} times as fast as 10 %.",
                       last[0.1] / last[10] > 1.1 and last[10] / last[100] < last[0.1] / last[10],
                       "More memory lets more of a phase go at once; the simulated network is already full with less.")
    return Figure(PAPER, "2, right", "Auxiliary memory",
                  "Up to 10 % of auxiliary memory shorten the exchange much, more than 10 % hardly.", list(runs.values()), outcome)


def sizes(scale):
    totals = [total_bytes(scale) // divisor for divisor in (64, 8, 1)]
    runs = {(total, ranks): run_of(scale, ranks, total, f"in_place:auxiliary_bytes={max(1, total // 100)}")
            for total in totals for ranks in ranks_of(scale)}

    def outcome(measurements):
        rows, series = [], {}
        for (total, ranks), run in runs.items():
            results = measurements.results(run)
            mine, mpi = best(pick(results, "in_place")), best(pick(results, "native"))
            rows.append([in_words(total), ranks, us(time_of(mpi)), us(time_of(mine)), times(time_of(mine) / time_of(mpi))])
            series.setdefault(in_words(total), []).append((ranks, time_of(mine)))
        growth = {name: points[-1][1] / points[0][1] for name, points in series.items()}
        first, last = in_words(totals[0]), in_words(totals[-1])
        return Outcome([Table("1 % of auxiliary memory", ["bytes a rank", "ranks", "MPI, us", "in_place, us", "in_place / MPI"], rows)],
                       [Picture("in-place-sizes", "in place: bytes of a rank", "ranks", series)],
                       f"From {ranks_of(scale)[0]} to {ranks_of(scale)[-1]} ranks the time grows {times(growth[first])} times with "
                       f"{first}, {times(growth[last])} times with {last}.", growth[first] >= growth[last],
                       "The phases of small messages are few.")
    return Figure(PAPER, "3, left", "Bytes of a rank",
                  "With few bytes the time depends on the number of ranks, with many it grows more slowly.",
                  list(runs.values()), outcome)


def parts(scale):
    total = total_bytes(scale)
    runs = {ranks: run_of(scale, ranks, total, f"in_place:auxiliary_bytes={total // 100}", more=PHASES[not scale.is_simulated])
            for ranks in ranks_of(scale)}

    def outcome(measurements):
        rows, requests, data = [], [], []
        for ranks, run in runs.items():
            mine = best(pick(measurements.results(run), "in_place"))
            whole = sum(mine["phases_us"].values())
            requests.append(phase(mine, "metadata"))
            data.append(phase(mine, "data") / whole)
            rows.append([ranks, *[f"{us(phase(mine, name))} ({share(phase(mine, name), whole)})"
                                  for name in ("data", "metadata", "update")]])
        first, last = list(runs)[0], list(runs)[-1]
        return Outcome([Table(f"{in_words(total)} a rank, 1 % of auxiliary memory; us, the mean over the ranks (share)",
                              ["ranks", "data", "requests", "updates of the index sets"], rows)], [],
                       f"Data take {share(data[-1], 1)} of the time with {last} ranks; requests take {us(requests[0])} us with {first} "
                       f"ranks and {us(requests[-1])} us with {last}.",
                       min(data) > 0.5 and requests[-1] > requests[0],
                       "A rank that waits for a request waits for a partner that still moves data.")
    return Figure(PAPER, "3, right", "Parts of the time",
                  "Most of the time goes into data; requests cost little, but more with more ranks; updates of the index sets cost "
                  "little.", list(runs.values()), outcome,
                  note="The simulator charges the copies of an update, and not the search in the index sets."
                  if scale.is_simulated else "")


def sparse(scale):
    total, ranks = total_bytes(scale), ranks_of(scale)[-1]
    partners = [k for k in (4, 16, 64) if k < ranks]
    runs = {k: Run(ranks, ("--in-place", *option("max-block", total // k), *option("distribution", f"sparse:{k}"),
                           "--algorithm", f"in_place:auxiliary_bytes={total // 100}"), per_node(scale),
                   "1e-7" if scale.is_simulated else "") for k in partners}

    def outcome(measurements):
        rows, found = [], []
        for k, run in runs.items():
            results = measurements.results(run)
            mine, mpi = best(pick(results, "in_place")), best(pick(results, "native"))
            found.append(time_of(mine))
            rows.append([k, us(time_of(mpi)), us(time_of(mine)), times(time_of(mine) / time_of(mpi))])
        return Outcome([Table(f"{ranks} ranks, {in_words(total)} a rank to so many random ranks, 1 % of auxiliary memory",
                              ["partners", "MPI, us", "in_place, us", "in_place / MPI"], rows)], [],
                       f"Between the fewest and the most partners the time varies {times(max(found) / min(found))} times.",
                       max(found) / min(found) < 1.5,
                       "Random partners load a rank unevenly when they are few: who gets most sets the time.")
    return Figure(PAPER, "4, left", "Sparse redistribution",
                  "The time is almost independent of the number of partners.", list(runs.values()), outcome,
                  note="The right half compares MADRE's two algorithms.")


def figures(scale):
    return [buffers(scale), memory(scale), sizes(scale), parts(scale), sparse(scale)]
