"""Figures of the papers' own applications, which `scripts/parallel-ra` and `scripts/heffte` run: TuNA 15, two-phase Bruck 9 to 12,
GPU 6. Neither program is part of the project, so a figure shows what was recorded, or what was run just now."""

import dataclasses
import json
import shlex
import subprocess
import sys

from paper import Figure, Outcome, Table, enumerate_words
from runs import ROOT, RunFailed

sys.path.insert(0, str(ROOT / "tests/bench/applications"))

import in_turn  # noqa: E402

SCRIPTS = {"parallel-ra": "FOLDER", "heffte": "HEFFTE"}  # and what stands for the path of the programs
_files = {}  # by script: results that were measured just now


def measure(script, path, folder):
    """Runs a script's cases. The figures then show these results in place of the recorded ones."""
    file = folder / f"{script}.json"
    ended = subprocess.run([ROOT / "scripts" / script, path, "--paper", "--output", file], stdout=subprocess.DEVNULL, check=False)
    if ended.returncode != 0 or not file.exists():
        sys.exit(f"scripts/{script} {path} ended with {ended.returncode}")
    _files[script] = file


@dataclasses.dataclass(frozen=True)
class ApplicationRun:
    """Results of a script, of some of its applications. They are read from a file, so they are not kept a second time."""
    script: str
    applications: tuple
    ranks = 0
    needs_whole_machine, is_kept = False, False

    def key(self):
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    def name(self):
        return f"scripts/{self.script}"

    def file(self):
        return _files.get(self.script, in_turn.RECORDED / f"{self.script}.json")

    def commands(self, _):
        if self.file().exists():
            return [shlex.split(in_turn.read(self.file())["command"])]
        return [[f"scripts/{self.script}", SCRIPTS[self.script], "--paper", "--record"]]

    def measured(self, _):
        if not self.file().exists():
            raise RunFailed(f"skipped: nothing is recorded. It needs built programs: `scripts/{self.script} --help` says which, and "
                            f"`scripts/figures --{self.script} {SCRIPTS[self.script]}` runs them")
        cases = [case for case in in_turn.read(self.file())["cases"] if case["application"] in self.applications]
        if not cases:
            raise RunFailed(f"skipped: {self.file().name} has no results of {enumerate_words(self.applications)}")
        return cases


def is_there(measurements, runs):
    """Whether there are runs, and each has results."""
    try:
        return bool([measurements.results(run) for run in runs])
    except RunFailed:
        return False


def table(cases, caption):
    return Table(caption, in_turn.HEADER, [row for case in cases for row in in_turn.rows_of(case)])


def caption_of(cases):
    return f"{cases[0]['mpi']}, {cases[0]['date']}, medians of {cases[0]['rounds']} rounds; all runs have the bare run's result"


def ratio(case, way):
    """Of a way's time in collectives to native's."""
    ways = case["ways"]
    return in_turn.compared(ways[way]["collectives_s"], ways["native"]["collectives_s"])


def is_faster(case, way):
    """By the sign of the rounds: more than by chance, where there are five of them."""
    found = ratio(case, way)
    return found.median < 1 and found.won >= 0.8 * found.pairs


def place(case):
    return in_turn.Place("", case["ranks"], case["hosts"]).words()


def ratios_in_words(cases, ways):
    return "; ".join(f"{case['application']} with {place(case)}: "
                     + ", ".join(f"{way} {ratio(case, way).median:.2f}" for way in ways) for case in cases)


def on_hosts(cases):
    return [case for case in cases if case["hosts"] > 1]


def agreement_in_words(cases, ways):
    """What part of the time on hosts the agreement is, which the papers' programs make as well."""
    shares = {way: max((in_turn.agreement_share(case["ways"][way]) for case in on_hosts(cases)), default=0) for way in ways}
    if max(shares.values()) < 0.05:
        return ""
    return "To find the largest block, as the paper's algorithms do, takes up to " + enumerate_words(
        [f"{100 * share:.0f} % of the time of {way}" for way, share in shares.items()]) + ". "


WITHOUT_AGREEMENT = "tuna:direct_from=4096"


def without_agreement(cases):
    counted = [case for case in on_hosts(cases) if WITHOUT_AGREEMENT in case["ways"]]
    if not counted:
        return ""
    return f"Without it (`direct_from`, our own) tuna takes {', '.join(f'{ratio(case, WITHOUT_AGREEMENT).median:.2f}' for case in counted)} " \
           "of the MPI's own time there. "


def judged(cases, ways):
    """The claim is about communication that costs something, so cases on hosts count: each way that the claim names is faster in most
    of them."""
    counted = on_hosts(cases)
    wins = {way: sum(is_faster(case, way) for case in counted) for way in ways}
    words = f"Time in collectives over the MPI's own: {ratios_in_words(cases, ways)}. On hosts, where a message costs, " + \
        enumerate_words([f"{way} is faster in {won} of {len(counted)}" for way, won in wins.items()]) + "."
    return words, bool(counted) and all(2 * won > len(counted) for won in wins.values())


# Counted by the benchmark, for a rank on 4 hosts of 4.
FEW_RANKS = ("With 16 ranks few messages are there to spare: tuna sends 6 in two rounds, coalesced 6 in two rounds, 3 of them between "
             "hosts, in place of 15 at once, 12 of them between hosts. A round waits for the one before, and on two cores each wait is a "
             "turn of the other ranks. The paper has 8,192.")
PATH_FINDING = ApplicationRun("parallel-ra", ("TC",))


def path_finding(cases):
    """Figure 15 by the paper's own library: the table, the verdict in words, the verdict, and why not."""
    ways = ("tuna", "tuna_coalesced")
    words, agrees = judged(cases, ways)
    reason = agreement_in_words(cases, ways) + without_agreement(cases) + FEW_RANKS
    return table(cases, f"by parallel-RA: {caption_of(cases)}"), words, agrees, reason


TWO_PHASE_NOTE = ("The text that we have of the paper ends in its section 4.1, so the claim is its introduction's, and the inputs are "
                  "ours. It names neither the programs nor the terms: parallel-RA is its authors' library.")


def two_phase(number, title, applications):
    run = ApplicationRun("parallel-ra", applications)

    def outcome(measurements):
        cases = measurements.results(run)
        words, agrees = judged(cases, ("two_phase_bruck",))
        return Outcome([table(cases, caption_of(cases))], [], words, agrees, agreement_in_words(cases, ["two_phase_bruck"]) +
                       "With 16 ranks few messages are there to spare: 8, one after the other, in place of 15 at once. On two cores each "
                       "wait for one is a turn of the other ranks.")
    return Figure("two_phase_bruck", number, title,
                  "Two-phase Bruck makes graph mining and program analysis up to 15 % faster than a vendor's MPI_Alltoallv.",
                  [run], outcome, note=TWO_PHASE_NOTE)


def two_phase_figures():
    return [two_phase("9 to 12, graph mining", "Transitive closure by parallel-RA", ("TC",)),
            two_phase("9 to 12, program analysis", "Free variables and kCFA by parallel-RA", ("freevars", "kcfa"))]


STRIDES = ("stride_waitall", "stride_waitany", "stride_testany")


def heffte():
    run = ApplicationRun("heffte", ("heFFTe",))

    def outcome(measurements):
        cases = measurements.results(run)
        best = {id(case): min(STRIDES, key=lambda way, case=case: ratio(case, way).median) for case in cases}
        wins = [case for case in cases if is_faster(case, best[id(case)])]
        words = "; ".join(f"with {place(case)} {best[id(case)]} takes {ratio(case, best[id(case)]).median:.2f}" for case in cases)
        return Outcome([table(cases, caption_of(cases))], [],
                       f"Of Open MPI's time in alltoallv the best stride algorithm: {words}. It is faster in {len(wins)} of "
                       f"{len(cases)} cases.", 2 * len(wins) > len(cases),
                       "The paper's node has a core for each rank. Here the ranks of a core take turns: a stride of 5 waits for partners "
                       "that do not run, and Open MPI's linear, with all messages under way, does not.")
    return Figure("gpu", "6", "heFFTe on one node, without a GPU",
                  "Multi-pair nonblocking and test exchanges beat Open MPI's own linear and pairwise alltoallv with 8, 16 and 64 ranks.",
                  [run], outcome,
                  note="Up to 32 ranks Open MPI takes linear. Two-dimensional transforms, their side growing with the square root of the "
                  f"ranks as in the paper's table 2, from 256 points on in place of 4,096.")
