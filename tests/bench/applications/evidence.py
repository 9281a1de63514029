"""The table of scripts/evidence: programs that people know, bare and under the default policy, in pairs. A row that loses stays, and
says what the logs tell about the cause."""

import dataclasses
import statistics

import in_turn

DEFAULT = in_turn.DEFAULT.name
NO_PART_OF_THE_RUN = 0.05  # a share of collectives below which the spread of whole runs hides their gain
HEADER = ["program", "ranks", "bare", "policy", "ratio", "from", "to", "pairs won", "share of collectives", "in collectives",
          "why no gain"]


@dataclasses.dataclass(frozen=True)
class TableRow:
    """Of a program's wall time, or of the times that a benchmark prints of a range of blocks."""
    entry: dict
    part: str = ""  # of a benchmark; "" is the wall time

    def times(self, way):
        """Seconds of each round."""
        of = self.entry["ways"][way]
        return of["parts_s"][self.part] if self.part else of["wall_s"]

    def compared(self):
        return in_turn.compared(self.times(DEFAULT), self.times("bare"))

    def is_gain(self):
        return self.compared().median < 1


def rows_of(entry):
    return [TableRow(entry, part) for part in entry["ways"]["bare"].get("parts_s", [""])]


def inside(entry):
    """Time in collectives under the policy over the time with all calls left to MPI."""
    ways = entry["ways"]
    return in_turn.compared(ways[DEFAULT]["collectives_s"], ways["native"]["collectives_s"])


def share_of_collectives(entry):
    """Of the wall time with all calls left to MPI: what a policy could gain at most."""
    native = entry["ways"]["native"]
    return statistics.median(part / whole for part, whole in zip(native["collectives_s"], native["wall_s"]))


# ---- causes ---------------------------------------------------------------------------------------------------------------

def cause_of(row):
    """Why a row has no gain, from the times and the logs; empty for a gain in all pairs."""
    compared, entry = row.compared(), row.entry
    if compared.won == compared.pairs:
        return ""
    reasons = [*unsure(compared), *(causes_in_a_part(row) if row.part else causes_in_a_run(entry))]
    return "; ".join(reasons)


def unsure(compared):
    if 0 < compared.won < compared.pairs:
        yield f"not sure, {'faster' if compared.median < 1 else 'slower'} in {max(compared.won, compared.pairs - compared.won)} of {compared.pairs}"


def causes_in_a_part(row):
    used = algorithms_of(row.entry, row.part)
    yield "the policy leaves these calls to the MPI" if used == ["native"] else f"by {', '.join(used)}"


def range_of(part):
    """The collective and its least and largest block, of a part's name such as `alltoallv 1:64`."""
    collective, sizes = part.split(" ")
    return collective, *map(int, sizes.split(":"))


def algorithms_of(entry, part):
    collective, low, high = range_of(part)
    return sorted({block["algorithm"] for block in entry["ways"][DEFAULT]["blocks"]
                   if block["collective"] == collective and low <= block["up_to"] <= high})


def causes_in_a_run(entry):
    policy = entry["ways"][DEFAULT]
    share, ratio = share_of_collectives(entry), inside(entry)
    if policy["routed"] == 0:
        yield "no call is routed"
    if share < NO_PART_OF_THE_RUN:
        yield f"collectives are {in_percent(share)} of the run"
        return
    if ratio.median >= 1:
        yield f"collectives take {ratio.median:.2f}" + largest_loss(entry)
        if in_turn.agreement_share(policy) >= NO_PART_OF_THE_RUN:
            yield f"the agreement is {in_percent(in_turn.agreement_share(policy))} of them"
        return
    gained = statistics.median(entry["ways"]["native"]["collectives_s"]) - statistics.median(policy["collectives_s"])
    lost = statistics.median(policy["wall_s"]) - statistics.median(entry["ways"]["bare"]["wall_s"]) + gained
    yield f"collectives gain {in_words(gained)}, outside them {in_words(lost)} are lost"


def largest_loss(entry):
    """The collective that loses the most time, and by which algorithm."""
    native, policy = (entry["ways"][way]["collectives"] for way in ("native", DEFAULT))
    losses = {name: of["seconds"] - native[name]["seconds"] for name, of in policy.items() if name in native}
    worst = max(losses, key=losses.get, default=None)
    if worst is None or losses[worst] <= 0:
        return ""
    of = policy[worst]
    most = max(of["algorithms"], key=of["algorithms"].get)
    return f", most lost in {worst} up to {bytes_in_words(of['largest_block_bytes'])} by {most}"


# ---- text -----------------------------------------------------------------------------------------------------------------

def in_percent(share):
    return f"{100 * share:.0f} %"


def in_words(seconds):
    """Three digits, in s, ms or us."""
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if abs(seconds) * factor >= 1:
            return f"{three_digits(seconds * factor)} {unit}"
    return f"{three_digits(seconds * 1e6)} us"


def three_digits(value):
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:#.3g}".rstrip(".")


def bytes_in_words(number):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number} byte{'' if number == 1 else 's'}"


def part_in_words(part):
    collective, low, high = range_of(part)
    return f"{collective}, {bytes_in_words(low)} to {bytes_in_words(high)}"


def cells(row):
    entry, compared = row.entry, row.compared()
    name = f"{entry['application']}, {part_in_words(row.part) if row.part else entry['input']}"
    whole = ["-", "-"] if row.part else [in_percent(share_of_collectives(entry)), f"{inside(entry).median:.2f}"]
    return [name, in_turn.Place("", entry["ranks"], entry["hosts"]).words(), *(in_words(statistics.median(row.times(way))) for way in ("bare", DEFAULT)),
            f"{compared.median:.2f}", f"{compared.least:.2f}", f"{compared.largest:.2f}", f"{compared.won} of {compared.pairs}", *whole,
            cause_of(row)]


def markdown(cases, command):
    """All rows, then what failed, then what the programs call and how each run was checked."""
    measured = [case for case in cases if "failed" not in case]
    lines = []
    if measured:
        mpis = ", ".join(sorted({case["mpi"] for case in measured}))
        dates = sorted({case["date"] for case in measured})
        lines += [f"`{command}` ({mpis}; {' to '.join(dict.fromkeys([dates[0], dates[-1]]))}; pairs: {measured[0]['rounds']}):", "",
                  "| " + " | ".join(HEADER) + " |", "|---|---|" + "---:|" * (len(HEADER) - 3) + "---|"]
        lines += ["| " + " | ".join(cells(row)) + " |" for case in measured for row in rows_of(case)]
    failures = [f"{case['application']}, {case['input']}, {in_turn.Place('', case['ranks'], case['hosts']).words()}: failed. "
                f"{case['failed']}" for case in cases if "failed" in case]
    sentences = [*failures, *map(in_turn.calls_in_words, measured)]
    return "\n".join([*lines, "", *(f"- {sentence}" for sentence in dict.fromkeys(sentences))])
