"""Figures 2 to 4 of the in-place paper. Each rank has so many bytes in all, in blocks of random sizes.

A simulation takes time for each message, hardly for its bytes. A block comes in some ten pieces, the fewer the more auxiliary
memory, and in each phase each rank asks each source that has data left. So here ranks have few bytes, and where there are more than 64
they ask in one MPI_Alltoall, as in_place does from 1,024 ranks on: with 128 ranks that is a quarter of the simulation's time.
"""

from paper import PHASES, Figure, Outcome, Picture, Table, best, in_words, phase, pick, share, times, us
from runs import Run, option

PAPER = "in_place"


def total_bytes(scale):
    """Of each rank. The paper has 100 MB; a simulation holds all ranks in one memory."""
    if scale.is_simulated:
        return (1 << 18) if scale.is_quick else (1 << 20)
    return (1 << 20) if scale.is_quick else (10 << 20)


def ranks_of(scale):
    """With 1 % of auxiliary memory."""
    if not scale.is_simulated or scale.most_ranks <= 64:
        return scale.ranks
    return (32, 64) if scale.is_quick else (64, 256)


def is_large(scale):
    return scale.is_simulated and not scale.is_quick and scale.most_ranks > 64


def way_of_requests(scale):
    """One for all ranks, so that their times can be compared."""
    return "alltoall" if scale.is_simulated and ranks_of(scale)[-1] > 64 else "by_ranks"


def per_node(scale):
    """Few, so that 32 ranks are on several nodes, too."""
    return min(scale.ranks_per_node, 8)


def run_of(scale, ranks, total, *specifications, distribution="uniform", more=()):
    """Uniform blocks of 0 to twice the mean make `total` bytes, and so do blocks of one size to few ranks."""
    name, _, partners = distribution.partition(":")
    words = ["--in-place", *option("max-block", total // int(partners) if name == "sparse" else 2 * total // ranks)]
    for specification in specifications:
        words += ["--algorithm", specification if "requests=" in specification else
                  f"{specification}:requests={way_of_requests(scale)}"]
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
    few = ranks_of(scale)
    # 0.1 % takes ten times the phases of 1 %.
    taken = {ranks: [share for share in shares if ranks == few[0] or share >= 1] for ranks in few}
    runs = {ranks: run_of(scale, ranks, total, f"in_place:auxiliary_bytes={','.join(str(sizes[share]) for share in taken[ranks])}")
            for ranks in few}

    def outcome(measurements):
        rows, steps = [], {}
        for ranks, run in runs.items():
            results = measurements.results(run)
            found = {share: time_of(pick(results, "in_place", auxiliary_bytes=sizes[share])[0]) for share in taken[ranks]}
            steps[ranks] = found
            rows.append([ranks, us(best(pick(results, "native"))["median_us"]),
                         *[us(found[share]) if share in found else "" for share in shares]])
        first, last = steps[few[0]], steps[few[-1]]
        return Outcome([Table(f"{in_words(total)} a rank, us by auxiliary memory (% of these); MPI has a second buffer",
                              ["ranks", "MPI", *[f"{share} %" for share in shares]], rows)], [],
                       f"With {few[0]} ranks 10 % is {times(first[0.1] / first[10])} times as fast as 0.1 %. With {few[-1]} ranks it is "
                       f"{times(last[1] / last[10])} times as fast as 1 %, and 100 % is {times(last[10] / last[100])} times as fast as 10 %.",
                       last[1] / last[10] > 1.1 and last[10] / last[100] < last[1] / last[10],
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
    # Few partners mean few messages, so a simulation can have more bytes, and single requests.
    total, ranks = total_bytes(scale) * (8 if scale.is_simulated else 1), ranks_of(scale)[-1]
    partners = [k for k in (4, 16, 64) if k < ranks]
    runs = {k: run_of(scale, ranks, total, f"in_place:auxiliary_bytes={total // 100}:requests=by_ranks", distribution=f"sparse:{k}")
            for k in partners}

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


def requests(scale):
    """What section 4 says in its first paragraph: requests by the MPI's alltoallv, since single messages hurt many ranks."""
    total, ways = total_bytes(scale) // 4, ("messages", "alltoallv", "alltoall")
    runs = {(ranks, partners): run_of(scale, ranks, total, f"in_place:auxiliary_bytes={max(1, total // 10)}:requests={','.join(ways)}",
                                      distribution=distribution)
            for ranks in ranks_of(scale) for partners, distribution in (("all", "uniform"), ("4", "sparse:4"))}

    def outcome(measurements):
        rows, gains = [], {}
        for (ranks, partners), run in runs.items():
            results = measurements.results(run)
            found = {way: time_of(pick(results, "in_place", requests=way)[0]) for way in ways}
            rows.append([ranks, partners, us(time_of(best(pick(results, "native")))), *map(us, found.values())])
            gains.setdefault(partners, []).append([found["messages"] / found[way] for way in ways[1:]])
        words = [f"With {partners} partners requests by alltoallv are {times(gain[-1][0])} times as fast as single messages with "
                 f"{ranks_of(scale)[-1]} ranks, by alltoall {times(gain[-1][1])} times" for partners, gain in gains.items()]
        return Outcome([Table(f"{in_words(total)} a rank, 10 % of auxiliary memory, us by the way of requests",
                              ["ranks", "partners", "MPI", *ways], rows)], [], ". ".join(words) + ".",
                       gains["all"][-1][0] > 1 and gains["all"][-1][0] > gains["all"][0][0],
                       "The simulated MPI's alltoallv is as many single messages, to ranks that are done, too, and has no trouble with many. Of "
                       "an MPI_Alltoall of few bytes each rank sends log2(ranks) messages: this is what in_place takes from 1,024 ranks on.")
    return Figure(PAPER, "4, requests", "Requests by the MPI's own collective",
                  "With 1,024 ranks and more, requests by MPI_Alltoallv are faster than single messages.", list(runs.values()), outcome,
                  note="The paper says so without a figure.")


def many_ranks(scale):
    """A figure of its own: with 1 % these ranks would send millions of messages. 1,024 ranks did not end in 50 minutes."""
    total, ranks = total_bytes(scale) // 4, 512
    run = run_of(scale, ranks, total, f"in_place:auxiliary_bytes={total // 10},{total}:requests=alltoall")

    def outcome(measurements):
        results = measurements.results(run)
        mpi = time_of(best(pick(results, "native")))
        tenth, whole = (time_of(pick(results, "in_place", auxiliary_bytes=size)[0]) for size in (total // 10, total))
        return Outcome([Table(f"{ranks} ranks, {in_words(total)} a rank, requests by alltoall, us; MPI has a second buffer",
                              ["MPI", "10 %", "100 %"], [[us(mpi), us(tenth), us(whole)]])], [],
                       f"With {ranks:,} ranks 100 % is {times(tenth / whole)} times as fast as 10 %, which takes {times(tenth / mpi)} times as long "
                       "as MPI's exchange into a second buffer.", tenth / whole < 1.5,
                       "With a tenth of the memory there are more phases, each of which takes an MPI_Alltoall.")
    return Figure(PAPER, f"2, right, {ranks} ranks", "Auxiliary memory with many ranks", "More than 10 % of auxiliary memory hardly shorten the exchange.",
                  [run], outcome)


def figures(scale):
    return [*([many_ranks(scale)] if is_large(scale) else []), buffers(scale), memory(scale), sizes(scale), parts(scale), sparse(scale), requests(scale)]
