"""Figures 12 to 16 of the TuNA paper: the proposed algorithms, those of MPI libraries, and MPI_Alltoallv."""

import dataclasses
import math

import applications
from paper import Figure, Outcome, Picture, Table, best, doubling, in_words, pick, times, us
from runs import ProgramRun, distributed, option
from tuna_runs import (MODEL_RANKS, PAPER, SIZES, gains_table, message_us, native, of_the_paper, predicted_points, predictions, run_of,
                       slow_points, tuna_words)

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


def gain_of_coalesced(results):
    return native(results)["median_us"] / best(pick(results, "tuna_coalesced"))["median_us"]


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What a figure compares, and what the paper says of it. `winners`: those that beat MPI_Alltoallv, as the paper says. `first`: whether
    coalesced is the best of the proposed. Of the model: its ranks and blocks, none for a figure without it."""
    number: str
    title: str
    claim: str
    distribution: str = "uniform"
    blocks: tuple = SIZES
    winners: tuple = PROPOSED
    first: bool = False
    note: str = ""
    model_ranks: tuple = MODEL_RANKS
    model_blocks: tuple = ()
    of_paper: dict = dataclasses.field(default_factory=dict)  # times coalesced is faster, by ranks and largest block

    def size_in_words(self, block):
        return self.distribution if self.distribution.startswith("fft") else in_words(block)

    def run(self, scale, ranks, block, machine=""):
        words = [*option("max-block", block), *all_words(scale, ranks), *distributed(self.distribution)]
        return run_of(scale, ranks, words, FIXED_BYTES.get(self.distribution, block), machine)

    def predictions(self, machine):
        """Also of the points that the paper has in words."""
        settings = ("tuna:radix=2..ranks", "tuna_coalesced:radix=2,8,32:block_count=8,64,512", *CONTENDERS[2:])
        ranks, blocks = ({point[axis] for point in self.of_paper} for axis in (0, 1))
        return predictions(machine if self.model_blocks else "", *settings, ranks=tuple(sorted({*self.model_ranks, *ranks})),
                           blocks={*self.model_blocks, *blocks}, distribution=self.distribution)

    def parts_in_words(self, expected, slow):
        """Of the first gain that the paper names: the algorithm's part, and the part of slow messages."""
        point, gain = next(iter(self.of_paper.items()))
        here, there = (times(gain_of_coalesced(found[point])) for found in (expected, slow))
        return f" By the model with {point[0]:,} ranks and {self.size_in_words(point[1])} coalesced is {here} times as fast where " \
               f"MPI takes {message_us(expected):.1f} us a message, and {there} times where it takes {message_us(slow):.1f} us (the " \
               f"paper: {gain} times)."

    def rows(self, found):
        """By point: a row, and the times of all contenders at their best parameters."""
        return {point: proposed_and_mpi(point, results, self.size_in_words(point[1])) for point, results in found.items()}

    def holds(self, found):
        """Whether the claim is true of all of a list of times by contender."""
        wins, first = victories(found)
        return all(wins[name] == len(found) for name in self.winners) and (not self.first or first * 2 > len(found))


def found_in(rows):
    return [found for _, found in rows.values()]


FORWARDED_BYTES = "A forwarded block costs its bytes several times, and staggered sends nearly as many messages to other nodes as " \
                  "MPI_Alltoallv sends at all: the cost of a message, however high, gains it nothing."


def condition_of(holds_here, holds_there):
    """Under which a claim is true: on the page's machine, or with messages that cost what the paper measured."""
    if holds_here == holds_there:
        return ""
    return "if a message costs what the paper measured" if holds_there else "if a message costs as little as on this machine"


def compared(scale, comparison):
    """The proposed algorithms at their best parameters, native and scattered: figures 13, 14 and 16."""
    blocks = comparison.blocks
    runs = {point: comparison.run(scale, *point) for point in scale.points(blocks)}
    slow_runs = {point: comparison.run(scale, *point, scale.slow_messages) for point in slow_points(scale, blocks)}
    model, slow_model = (comparison.predictions(machine) for machine in (scale.model, scale.slow_messages))

    def outcome(measurements):
        rows, slow_rows = (comparison.rows({point: measurements.results(run) for point, run in each.items()})
                           for each in (runs, slow_runs))
        expected, slow = (predicted_points(measurements, each) for each in (model, slow_model))
        expected_rows, slow_expected = comparison.rows(expected), comparison.rows(slow)
        series = {}
        for (ranks, block), (_, found) in rows.items():
            size = comparison.size_in_words(block)
            series.setdefault(f"MPI_Alltoallv, {size}", []).append((ranks, found["MPI"]))
            series.setdefault(f"best of the paper's, {size}", []).append((ranks, min(found[name] for name in PROPOSED)))
        judged = [rows[point][1] for point in of_the_paper(rows)]
        words = f"Of {len(judged)} points {victories_in_words(judged)}"
        if expected:
            words += f" By the model, of {len(expected)} points {victories_in_words(found_in(expected_rows))}"
        there = [*found_in(slow_rows), *found_in(slow_expected)]
        if there:
            words += f" With messages that cost what the paper measured, of {len(there)} points {victories_in_words(there)}"
        captions = {"us, and times faster than MPI_Alltoallv; node_aware is our own": rows,
                    "the same, simulated with messages that cost what the paper measured": slow_rows,
                    "the same, by the model": expected_rows,
                    "the same, by the model, with messages that cost what the paper measured": slow_expected}
        tables = [Table(caption, ["ranks", "largest block", "MPI", *CONTENDERS], [row for row, _ in found.values()])
                  for caption, found in captions.items() if found]
        if slow and comparison.of_paper:
            tables.insert(0, gains_table("coalesced", expected, slow, gain_of_coalesced, comparison.of_paper))
            words += comparison.parts_in_words(expected, slow)
        holds_here = comparison.holds([*judged, *found_in(expected_rows)])
        holds_there = comparison.holds(there) if there else holds_here
        return Outcome(tables, [Picture("compared", comparison.title, "ranks", series)], words, holds_here or holds_there,
                       FORWARDED_BYTES, condition_of(holds_here, holds_there))
    return Figure(PAPER, comparison.number, comparison.title, comparison.claim,
                  [*runs.values(), *slow_runs.values(), *model, *slow_model], outcome, comparison.note)


def path_finding(scale):
    """Figure 15: transitive closures, of programs that are really run: parallel-RA's, where it was recorded, and our own."""
    size, ways = ("1200" if scale.is_quick else "3000"), ("native", "tuna", "tuna_coalesced")
    ranks_list = (4, 8) if scale.is_simulated else scale.ranks
    runs = {ranks: ProgramRun(ranks, "transitive-closure", ("--graph", "power_law", "--size", size), ways) for ranks in ranks_list}
    # A launcher is for another machine than the one that was recorded.
    recorded = [applications.PATH_FINDING] if scale.is_simulated else []

    def outcome(measurements):
        rows, wins = [], 0
        for ranks, run in runs.items():
            found = {result["algorithm"]: result for result in measurements.results(run)}
            native_us = found["native"]["in_collectives_us"]
            wins += min(found[way]["in_collectives_us"] for way in ways[1:]) < 0.95 * native_us
            rows.append([ranks, *[f"{us(found[way]['median_us'] / 1000)}, {us(found[way]['in_collectives_us'] / 1000)}"
                                  for way in ways]])
        own = Table("our own transitive closure on one node: ms of the whole program, and of these in collectives; medians",
                    ["ranks", "MPI_Alltoallv", *ways[1:]], rows)
        words = f"Our own program's collectives gain more than 5 % by the paper's algorithms with {wins} of {len(rows)} numbers of " \
                "ranks."
        if not applications.is_there(measurements, recorded):
            return Outcome([own], [], words, wins == len(rows),
                           "On one machine a message is a copy, and the algorithms that spare messages copy more.")
        table, of_the_library, agrees, reason = applications.path_finding(measurements.results(recorded[0]))
        return Outcome([table, own], [], f"{of_the_library} {words}", agrees, reason)
    return Figure(PAPER, "15", "Path finding",
                  "TuNA and coalesced TuNA shorten a transitive closure: 6 and 8 times faster communication with 8,192 ranks.",
                  [*runs.values(), *recorded], outcome,
                  note="A program cannot be simulated: with a simulated machine this figure runs on this one, with a few ranks.")
