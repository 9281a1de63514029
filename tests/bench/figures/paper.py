"""A figure of a paper: what it needs measured, the paper's claim, and how ours compares."""

import dataclasses


@dataclasses.dataclass
class Table:
    caption: str
    header: list
    rows: list


@dataclasses.dataclass
class Picture:
    """Lines over a logarithmic axis. `series`: name to a list of (x, y)."""
    name: str
    title: str
    x_title: str
    series: dict
    y_title: str = "microseconds"
    marks: dict = dataclasses.field(default_factory=dict)  # name to y: a horizontal line


@dataclasses.dataclass
class Outcome:
    tables: list
    pictures: list
    ours: str  # one sentence: what we found
    agrees: bool
    reason: str = ""  # why not, where it does not agree
    condition: str = ""  # under which it agrees, if it does not always


@dataclasses.dataclass
class Figure:
    paper: str  # key: tuna, two_phase_bruck, ...
    number: str  # "7"
    title: str
    claim: str  # of the paper, in one sentence; of a figure of our own, what we expect
    runs: list  # of runs.Run
    outcome: object  # a function: Measurements to Outcome
    note: str = ""  # where a figure is tied to hardware, or differs from the paper's
    is_our_own: bool = False  # the paper has no such figure


PAPERS = {
    "tuna": "Configurable non-uniform all-to-all (TuNA)",
    "two_phase_bruck": "Optimizing the Bruck algorithm for non-uniform all-to-all (two-phase Bruck)",
    "allgather": "A locality-aware Bruck allgather",
    "in_place": "In-place alltoallv",
    "gpu": "All-to-allv on GPUs",
}


@dataclasses.dataclass(frozen=True)
class Scale:
    """How much is measured."""
    is_quick: bool
    ranks: tuple  # of alltoallv figures, growing
    ranks_per_node: int
    is_simulated: bool
    model: str = ""  # machine file of `switchyard predict`; none for a launcher
    machine: str = "polaris"  # of the paper: whose claims a figure has
    slow_messages: str = ""  # machine whose messages cost what the paper measured, for the model and simulated

    @property
    def most_ranks(self):
        return self.ranks[-1]

    def precision(self, ranks, block):
        """Of the simulator, seconds. With many bytes it follows many messages at once: coarser moments spare hours, and move times
        by up to 2 %."""
        return "1e-7" if self.is_simulated and (block >= 4096 or ranks > 256 or ranks * block >= 1 << 16) else ""

    def points(self, blocks):
        """Pairs of ranks and a largest block in bytes. A simulation of more than these takes hours."""
        most = (1 << 17) if self.is_simulated else float("inf")
        return [(ranks, block) for ranks in self.ranks for block in blocks if ranks * block <= most]


# Options of the benchmark, by whether the ranks are real: a simulation says the phases of algorithms without being asked.
PHASES = {False: (), True: ("--phases",)}


# ---- reading the benchmark's results ---------------------------------------------------------------------------------------

def name_of(result):
    return ":".join([result["algorithm"]] + [f"{key}={value}" for key, value in result["parameters"].items()])


def pick(results, algorithm, block=None, **parameters):
    """The results of an algorithm, all of them or those of a block size (bytes) and of some parameters."""
    return [r for r in results if r["algorithm"] == algorithm and block in (None, r["max_block_bytes"])
            and all(r["parameters"].get(key) == value for key, value in parameters.items())]


def best(results):
    """The fastest; the results may not be empty."""
    return min(results, key=lambda r: r["median_us"])


def phase(result, *names):
    """Microseconds of these phases of an algorithm, the mean over the ranks."""
    return sum(result["phases_us"].get(name, 0) for name in names)


def share(part, whole):
    return f"{100 * part / whole:.0f}%" if whole > 0 else "-"


def us(value):
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def times(value):
    return f"{value:.2f}"


def in_words(size):
    """Bytes as people say them."""
    for unit, scale in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= scale and size % scale == 0:
            return f"{size // scale} {unit}"
    return f"{size} bytes"


def enumerate_words(words):
    words = list(map(str, words))
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def doubling(first, last):
    """first, twice first, ..., and at the end last."""
    values = []
    while first < last:
        values.append(first)
        first *= 2
    return [*values, last]
