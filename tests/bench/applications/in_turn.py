"""Runs a program bare and under switchyard by several ways, in turn, on one node or on hosts of namespaces. Results are JSON:
a list of cases; a case has the times of each round by way."""

import dataclasses
import datetime
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
import mpi_families  # noqa: E402

SWITCHYARD = ROOT / "build/bin/switchyard"
RECORDED = ROOT / "tests/bench/results/applications"
NO_HOSTS = 77  # exit status of tests/hosts/hosts.py where no hosts can be made


class Failed(RuntimeError):
    """A program failed, or its result is wrong. The text says what to do about the failure."""


class NoHosts(Failed):
    """The kernel makes no hosts of namespaces."""


# ---- what is run ----------------------------------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Way:
    """How a program's collectives run. `words`: options of `switchyard run`; None runs the program without switchyard."""
    name: str
    words: tuple | None = ()


BARE = Way("bare", None)
NATIVE = Way("native", ("--force", "alltoall:native;alltoallv:native;alltoallw:native;allgather:native;allgatherv:native"))
DEFAULT = Way("default policy")


def forced(spec):
    """The way of a text such as `alltoallv:tuna;alltoall:tuna`. Its name is the algorithm of alltoallv, or else the text."""
    parts = dict(part.split(":", 1) for part in spec.split(";") if ":" in part)
    return Way(parts.get("alltoallv", spec), ("--force", spec))


def by_policy(file):
    return Way(Path(file).name, ("--policy", str(Path(file).resolve())))


def chosen_ways(options, otherwise):
    """The ways of --policy and --force, or `otherwise`. Bare and native come first: all others are compared with them."""
    ways = [*map(by_policy, options.policy or []), *map(forced, options.force or [])] or list(otherwise)
    names = [way.name for way in ways]
    if len(set(names)) < len(names):
        raise Failed(f"two ways have one name: {', '.join(names)}")
    return [BARE, NATIVE, *ways]


@dataclasses.dataclass(frozen=True)
class Place:
    mpi: str
    ranks: int
    hosts: int = 1

    def words(self):
        return f"{self.ranks} on one node" if self.hosts == 1 else f"{self.ranks} on {self.hosts} hosts"

    def launcher(self):
        if self.hosts == 1:
            return mpi_families.launcher(mpi_families.families()[self.mpi], self.ranks)
        return [str(ROOT / "tests/hosts/hosts.py"), "--hosts", str(self.hosts), "--ranks", str(self.ranks // self.hosts),
                "--mpi", self.mpi, "--"]


def place_of(options):
    if options.ranks % options.hosts:
        raise Failed(f"{options.ranks} ranks cannot be divided among {options.hosts} hosts")
    return Place(options.mpi, options.ranks, options.hosts)


@dataclasses.dataclass(frozen=True)
class Case:
    """A program with an input, and how its output is read."""
    application: str
    input: str  # in words
    command: tuple  # the program and its arguments
    folder: Path  # where it runs
    result: object  # a function: output to a text that all runs must share; raises Failed
    own_seconds: object = None  # a function: output to the seconds that the program itself reports
    parts: object = None  # a function: output to the seconds of each part of a benchmark, by the part's name
    output_file: str = ""  # in the folder: what the program writes there counts as output, too
    validation: tuple = ()  # a command that checks data and is not timed, as its checks would spoil the times
    log_detail: tuple = ("--detail", "summary")  # of a benchmark nothing: sums do not tell its sizes apart


# ---- a run ----------------------------------------------------------------------------------------------------------------

def command_of(case, place, way, log):
    # An agent in place of ssh passes no environment on, so the ranks get theirs from their command.
    ranks = ["env", "OMP_NUM_THREADS=1"]
    if way.words is not None:
        ranks += [str(SWITCHYARD), "run", *case.log_detail, "--log", log, *way.words, "--"]
    return [*place.launcher(), *ranks, *case.command]


def run(case, place, way):
    """Seconds of the program and of its collectives, calls, and the program's result."""
    with tempfile.TemporaryDirectory(prefix="switchyard-in-turn-") as log:
        command = command_of(case, place, way, log)
        remove_output_file(case)
        begin = time.monotonic()
        done = subprocess.run(command, cwd=case.folder, capture_output=True, text=True, check=False, errors="replace",
                              env={**os.environ, **mpi_families.environment()})
        wall = time.monotonic() - begin
        if done.returncode == NO_HOSTS and place.hosts > 1:
            raise NoHosts(done.stderr.strip() or "no hosts can be made here")
        if done.returncode != 0:
            said = [line for line in (done.stderr + done.stdout).splitlines() if re.search("[a-z]", line)]
            raise Failed(f"{shlex.join(command)} ended with {done.returncode}: {' / '.join(said[:3]) or 'no message'}")
        found = {"wall_s": wall} | what_is_said(case, done.stdout)
        return found if way.words is None else found | from_log(log)


def remove_output_file(case):
    if case.output_file:
        (case.folder / case.output_file).unlink(missing_ok=True)


def what_is_said(case, output):
    """The result and the times in a program's output."""
    if case.output_file:
        try:
            output += (case.folder / case.output_file).read_text(errors="replace")
        except OSError as error:
            raise Failed(f"{case.application} wrote no {case.output_file}: {error.strerror}") from error
    found = {"result": case.result(output)}
    return found | {key: read(output) for key, read in (("own_s", case.own_seconds), ("parts_s", case.parts)) if read}


def from_log(log):
    if not os.listdir(log):
        raise Failed("switchyard wrote no log: the program is not of this launcher's MPI, or MPI is linked into it statically")
    done = subprocess.run([SWITCHYARD, "report", "--format", "json", log], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"switchyard report ended with {done.returncode}: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    if report["run"]["partial"]:
        raise Failed("the log of a run is partial")
    totals = report["totals"]
    return {"collectives_s": totals["total_us"] / 1e6, "agree_s": totals["agree_us"] / 1e6, "calls": totals["calls"],
            "routed": totals["routed"], "groups": groups(report), "blocks": blocks(report), "mpi": name_of(report["run"]["mpi_library"])}


def name_of(mpi_library):
    """`Open MPI v4.1.4` or `MPICH 4.0.2` of the library's own text, "Open MPI v4.1.4, package: ..." or "MPICH Version: 4.0.2"."""
    return re.sub(r" Version:\s*", " ", mpi_library.split(",")[0].strip())


def groups(report):
    """By collective: calls, the largest block, seconds, and the algorithms with their numbers of calls."""
    found = {}
    for group in report["groups"]:
        of = found.setdefault(group["collective"], {"calls": 0, "largest_block_bytes": 0, "seconds": 0.0, "algorithms": {}})
        of["calls"] += group["calls"]
        of["largest_block_bytes"] = max(of["largest_block_bytes"], group["largest_max_block_bytes"])
        of["seconds"] += group["total_us"] / 1e6
        of["algorithms"][group["algorithm"]] = of["algorithms"].get(group["algorithm"], 0) + group["calls"]
    return found


def blocks(report):
    """By collective, range of blocks and algorithm: the number of calls. `up_to` is a power of 4."""
    found = {}
    for group in report["groups"]:
        key = group["collective"], int(group["block_up_to_bytes"]), group["algorithm"]
        found[key] = found.get(key, 0) + group["calls"]
    return [dict(zip(("collective", "up_to", "algorithm"), key), calls=calls) for key, calls in found.items()]


def measured(case, place, ways, rounds, say=lambda text: None):
    """The case's entry of the results. Each round starts with another way, so that no way always follows the same one."""
    taken = {way.name: [] for way in ways}
    for number in range(rounds):
        first = number % len(ways)
        for way in [*ways[first:], *ways[:first]]:
            taken[way.name].append(run(case, place, way))
            say(f"{case.application}, {place.words()}, round {number + 1} of {rounds}: {way.name} "
                f"{taken[way.name][-1]['wall_s']:.1f} s")
    results = {found["result"] for runs in taken.values() for found in runs}
    if len(results) != 1:
        raise Failed(f"{case.application}, {case.input}: results differ: {', '.join(sorted(results))}")
    native = taken["native"][-1]
    return {"application": case.application, "input": case.input, "result": results.pop(), "mpi": native["mpi"],
            "ranks": place.ranks, "hosts": place.hosts, "rounds": rounds, "date": datetime.date.today().isoformat(),
            "ways": {name: entry_of(runs) for name, runs in taken.items()}}


def entry_of(runs):
    entry = {key: [round(found[key], 6) for found in runs] for key in ("wall_s", "own_s", "collectives_s", "agree_s")
             if key in runs[0]}
    if "parts_s" in runs[0]:
        entry["parts_s"] = {name: [found["parts_s"][name] for found in runs] for name in runs[0]["parts_s"]}
    if "groups" in runs[0]:
        entry |= {key: runs[-1][key] for key in ("calls", "routed", "blocks")}
        entry["collectives"] = {name: of | {"seconds": median_of_group(runs, name)} for name, of in runs[-1]["groups"].items()}
    return entry


def median_of_group(runs, collective):
    return round(statistics.median(found["groups"][collective]["seconds"] for found in runs), 6)


# ---- tables ---------------------------------------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Comparison:
    """Of two lists of times, round by round."""
    median: float
    least: float
    largest: float
    won: int
    pairs: int


def compared(times, reference):
    ratios = [ours / theirs for ours, theirs in zip(times, reference)]
    return Comparison(statistics.median(ratios), min(ratios), max(ratios), sum(ratio < 1 for ratio in ratios), len(ratios))


HEADER = ["program", "ranks", "way", "in collectives, s", "over native", "from, to", "pairs won", "program's own time, s",
          "over bare", "pairs won"]


def rows_of(entry):
    """A row for each way; native's time in collectives and the bare program's own time are what the others are compared with."""
    place = Place("", entry["ranks"], entry["hosts"]).words()
    native, bare = entry["ways"]["native"], entry["ways"]["bare"]
    for name, way in entry["ways"].items():
        own = compared(way["own_s"], bare["own_s"])
        cells = ["-"] * 4
        if "collectives_s" in way:
            inside = compared(way["collectives_s"], native["collectives_s"])
            ratios = [f"{inside.median:.2f}", f"{inside.least:.2f} to {inside.largest:.2f}", f"{inside.won} of {inside.pairs}"]
            cells = [f"{statistics.median(way['collectives_s']):.3f}", *(["1", "-", "-"] if name == "native" else ratios)]
        own_cells = ["1", "-"] if name == "bare" else [f"{own.median:.2f}", f"{own.won} of {own.pairs}"]
        yield [f"{entry['application']}, {entry['input']}", place, name, *cells, f"{statistics.median(way['own_s']):.3f}",
               *own_cells]


def markdown(results):
    """The table for RESULTS.md, with the command and the MPI above, and below what the programs call."""
    cases = results["cases"]
    mpis, dates = sorted({case["mpi"] for case in cases}), sorted({case["date"] for case in cases})
    lines = [f"`{results['command']}` ({', '.join(mpis)}; {' to '.join(dict.fromkeys([dates[0], dates[-1]]))}; "
             f"rounds: {cases[0]['rounds']}):", "",
             "| " + " | ".join(HEADER) + " |", "|---|---|---|" + "---:|" * (len(HEADER) - 3)]
    lines += ["| " + " | ".join(row) + " |" for case in cases for row in rows_of(case)]
    sentences = [*map(calls_in_words, cases), *(sentence for case in cases for sentence in agreements_in_words(case))]
    return "\n".join([*lines, "", *(f"- {sentence}" for sentence in dict.fromkeys(sentences))])


def calls_in_words(case):
    calls = ", ".join(f"{of['calls']} {name} (largest block {of['largest_block_bytes']} bytes)"
                      for name, of in sorted(case["ways"]["native"]["collectives"].items()))
    return f"{case['application']}, {case['input']}, {case['ranks']} ranks: {calls}; result {case['result']}."


def agreement_share(way):
    """The part of a way's time in collectives in which ranks agree on the largest block."""
    return sum(way.get("agree_s", [0])) / (sum(way.get("collectives_s", [0])) or 1)


def agreements_in_words(case):
    """Where the agreement on the largest block takes a part of a way's time that counts."""
    shares = [f"{100 * agreement_share(way):.0f} % of the time of `{name}`" for name, way in case["ways"].items()
              if agreement_share(way) >= 0.05]
    if shares:
        yield f"{case['application']}, {Place('', case['ranks'], case['hosts']).words()}: the agreement takes {', '.join(shares)}."


# ---- files and options ----------------------------------------------------------------------------------------------------

def write(file, command, cases):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"command": command, "cases": cases}, indent=1) + "\n")


def read(file):
    return json.loads(Path(file).read_text())


def add_options(parser, name, ranks):
    """The options that scripts for applications share."""
    parser.add_argument("--mpi", choices=mpi_families.families(), default="openmpi", help="default: %(default)s")
    parser.add_argument("--policy", type=Path, action="append", metavar="FILE", help="a way: under this policy (again for more)")
    parser.add_argument("--force", action="append", metavar="SPEC", help="a way: by these algorithms (again for more)")
    parser.add_argument("--ranks", type=int, default=ranks, help="all together (default: %(default)s)")
    parser.add_argument("--hosts", type=int, default=1, help="hosts of namespaces that share the ranks (default: one node)")
    parser.add_argument("--rounds", type=int, default=5, help="each runs every way once (default: %(default)s)")
    parser.add_argument("--paper", action="store_true", help="all cases of the page of figures, by the papers' algorithms")
    parser.add_argument("--output", type=Path, metavar="FILE", default=ROOT / f"build/applications/{name}.json",
                        help=f"default: build/applications/{name}.json")
    parser.add_argument("--record", action="store_true",
                        help=f"with --paper: write to {RECORDED.relative_to(ROOT)}/{name}.json, which scripts/figures shows")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="run nothing; print the table of such a file")


def check_options(parser, options):
    if options.record and not options.paper:
        parser.error("--record belongs to --paper")
    if options.paper and (options.policy or options.force):
        parser.error("--paper has its own ways: no --policy, no --force")
    if options.rounds < 1 or options.ranks < 2 or options.hosts < 1:
        parser.error("--rounds and --hosts are 1 or more, --ranks is 2 or more")
    if any(not file.exists() for file in options.policy or []):
        parser.error("a policy is missing: " + ", ".join(str(file) for file in options.policy if not file.exists()))


def carry_out(options, name, cases_and_places, ways, command):
    """Measures, writes the results after each case, and prints the table. Returns the exit status."""
    file = RECORDED / f"{name}.json" if options.record else options.output
    found = []
    try:
        for case, place in cases_and_places:
            found.append(measured(case, place, ways, options.rounds, lambda text: print(text, file=sys.stderr, flush=True)))
            write(file, command, found)
    except Failed as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return 1
    print(markdown(read(file)))
    return 0


def number_in(pattern, name):
    """A function that finds the only number of an output that this pattern has."""
    def find(output):
        matches = re.findall(pattern, output)
        if not matches:
            raise Failed(f"{name}: the output has no line like {pattern!r}")
        return float(matches[-1])
    return find
