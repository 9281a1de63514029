"""Maps of ranks and blocks, which `switchyard predict` draws, and what it says of padded and two-phase Bruck."""

import dataclasses
import json

from paper import Figure, Outcome, Table, enumerate_words, in_words
from runs import Prediction, output_of, option

RANKS = (128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
BLOCKS = tuple(1 << bits for bits in range(3, 13))


@dataclasses.dataclass(frozen=True)
class Map(Prediction):
    """Predictions over ranks and blocks, and their picture."""

    def picture(self, name, title):
        return MapPicture(name, title, self)

    def winners(self, measurements):
        """The fastest result at each point, by ranks and then by block."""
        fastest = {}
        for result in measurements.results(self):
            row = fastest.setdefault(result["ranks"], {})
            block = result["max_block_bytes"]
            if block not in row or result["median_us"] < row[block]["median_us"]:
                row[block] = result
        return fastest


@dataclasses.dataclass(frozen=True)
class MapPicture:
    """A picture that writes itself (pictures.draw)."""
    name: str
    title: str
    map: Map

    def write(self, file):
        output_of([*self.map.command(), *option("map", file)])


@dataclasses.dataclass(frozen=True)
class Crossings(Prediction):
    """From which block on two-phase Bruck is faster than padded Bruck, by the formula and by the model."""

    def measured(self, _):
        return json.loads(output_of([*self.command(), "--format", "json"]))["crossovers"]


def crossings(scale, ranks, distribution="uniform"):
    return Crossings(scale.model, tuple(ranks), scale.ranks_per_node, (16,), ("padded_bruck", "two_phase_bruck"), distribution)


def widest_win(row, wins):
    """The largest block up to which the fastest results of a row are those that `wins` is true of; 0: not even the smallest."""
    widest = 0
    for block in sorted(row):
        if not wins(row[block]):
            break
        widest = block
    return widest


def up_to(size):
    return f"up to {in_words(size)}" if size else "nowhere"


def map_of_tuna(scale):
    """Figure 9 as a map, with more ranks than can be simulated."""
    drawn = Map(scale.model, RANKS[:-1], scale.ranks_per_node, BLOCKS, ("native", "tuna:radix=2..ranks:metadata=separate:in_flight=1"))

    def outcome(measurements):
        rows, shares = [], {}
        for ranks in drawn.ranks:
            found = [r for r in measurements.results(drawn) if r["ranks"] == ranks]
            row = [ranks]
            for block in BLOCKS:
                here = [r for r in found if r["max_block_bytes"] == block]
                limit, = (r["median_us"] for r in here if r["algorithm"] == "native")
                tuna = [r for r in here if r["algorithm"] == "tuna"]
                winning = sum(r["median_us"] < limit for r in tuna)
                shares[ranks, block] = winning / len(tuna)
                row.append(f"{winning} of {len(tuna)}")
            rows.append(row)
        by_ranks = [shares[ranks, 64] for ranks in drawn.ranks]
        by_block = [shares[drawn.ranks[-1], block] for block in BLOCKS]
        return Outcome([Table("radices (powers of two) that are faster than MPI_Alltoallv, by the model", ["ranks", *map(in_words, BLOCKS)], rows)],
                       [drawn.picture("map", "Where TuNA beats MPI_Alltoallv")],
                       f"Of the radices {by_block[0]:.0%} win with {drawn.ranks[-1]:,} ranks and {in_words(BLOCKS[0])}, "
                       f"{by_block[-1]:.0%} with {in_words(BLOCKS[-1])}; with 64 bytes {by_ranks[0]:.0%} win with {drawn.ranks[0]} ranks.",
                       all(small >= large for small, large in zip(by_block, by_block[1:])) and by_ranks[-1] > by_ranks[0],
                       "Radices near the ranks pay as many rounds as a linear algorithm, one after the other: their number grows as slowly "
                       "as that of the small radices.")
    return Figure("tuna", "9, map", "Where TuNA beats MPI_Alltoallv, by the model",
                  "The smaller the blocks and the more the ranks, the wider the range of radices that win.", [drawn], outcome,
                  note="TuNA as published, at its best radix. The number below a field's gain is that radix.")


def map_of_two_phase(scale):
    """The paper's parameter space where its algorithms beat spread-out."""
    ours = ("two_phase_bruck", "padded_bruck")
    drawn = Map(scale.model, RANKS, scale.ranks_per_node, BLOCKS, ("spread_out", *ours))

    def outcome(measurements):
        winners = drawn.winners(measurements)
        widest = {ranks: widest_win(row, lambda r: r["algorithm"] in ours) for ranks, row in winners.items()}
        padded = {ranks: widest_win(row, lambda r: r["algorithm"] == "padded_bruck") for ranks, row in winners.items()}
        rows = [[ranks, up_to(widest[ranks]), up_to(padded[ranks])] for ranks in drawn.ranks]
        return Outcome([Table("largest blocks with which they are the fastest, by the model",
                              ["ranks", "one of the two beats spread-out", "padded Bruck beats both"], rows)],
                       [drawn.picture("map", "Two-phase and padded Bruck, and spread-out")],
                       f"One of the two beats spread-out {up_to(widest[RANKS[0]])} with {RANKS[0]} ranks and {up_to(widest[RANKS[-1]])} with "
                       f"{RANKS[-1]:,}; padded Bruck is the fastest with {enumerate_words([r for r in RANKS if padded[r]] or ['no'])} ranks.",
                       all(widest.values()),
                       "The bytes that are forwarded grow with log2(ranks) / 2, and the ranks of a node share a NIC: so at some numbers of "
                       "ranks not even the smallest blocks are worth forwarding.")
    return Figure("two_phase_bruck", "of section 1", "Where two-phase and padded Bruck beat spread-out, by the model",
                  "A performance model carves out a region of ranks and blocks where the two algorithms beat the spread-out algorithm.",
                  [drawn], outcome, note="The number of the paper's figure is not in the part of the text that we have.")
