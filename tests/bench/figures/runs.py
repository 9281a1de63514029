"""Runs of the benchmark, on a simulated machine or by a launcher, and of the model. What was measured is kept, so that a run of figures that was
interrupted goes on where it stopped."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


class RunFailed(RuntimeError):
    """A command ended with an error; the text has the command and its last line."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One start of the benchmark: its options, and the ranks."""
    ranks: int
    words: tuple  # options of the benchmark, without --format
    ranks_per_node: int = 32  # of a simulated machine; a launcher places the ranks itself
    precision: str = ""  # of the simulator: events within so many seconds count as one
    iterations: int = 1  # simulated ones. The first finds its ranks as the call before left them
    machine: str = ""  # of config/simgrid, where it is not the page's
    needs_whole_machine, is_kept = False, True

    def key(self):
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    def name(self):
        place = f" of {self.machine}" if self.machine else ""
        return f"{self.ranks} ranks{place}, {shlex.join(self.words)}"

    def commands(self, machine):
        return [machine.command(self)]

    def measured(self, machine):
        report = json.loads(output_of(machine.command(self)))
        if not report["verified"]:
            raise RunFailed(f"{shlex.join(machine.command(self))}: wrong data was received")
        return report["results"]


@dataclasses.dataclass(frozen=True)
class ProgramRun:
    """A program of tests/bench/apps, really run, in turn by several ways: `native`, or an algorithm for its alltoallv."""
    ranks: int
    program: str  # without the MPI's name
    words: tuple
    ways: tuple
    rounds: int = 5
    needs_whole_machine, is_kept = True, True

    def key(self):
        return json.dumps(dataclasses.asdict(self), sort_keys=True)

    def name(self):
        return f"{self.ranks} ranks, {self.program} {shlex.join(self.words)}"

    def commands(self, machine):
        return [self.command(machine, way) for way in self.ways]

    def command(self, machine, way):
        switchyard = [str(ROOT / "build/bin/switchyard"), "run", "--log", "off", "--force", f"alltoallv:{way}", "--"]
        return [*switchyard, *shlex.split(machine.launcher.replace("{ranks}", str(self.ranks))),
                str(ROOT / f"build/bin/switchyard-app-{self.program}-{machine.mpi}"), *self.words]

    def measured(self, machine):
        """Results as the benchmark has them: medians over the rounds, of the whole program and of its collectives."""
        taken = {way: [] for way in self.ways}
        for _ in range(self.rounds):
            for way in self.ways:
                taken[way].append(times_in(output_of(self.command(machine, way)), way))
        return [{"algorithm": way, "parameters": {}, "median_us": statistics.median(wall for wall, _ in found),
                 "in_collectives_us": statistics.median(collectives for _, collectives in found)}
                for way, found in taken.items()]


@dataclasses.dataclass(frozen=True)
class Prediction:
    """What the model says of ranks that nobody has. It takes a moment, so it is not kept."""
    machine: str
    ranks: tuple
    ranks_per_node: int
    blocks: tuple  # bytes
    algorithms: tuple
    distribution: str = "uniform"
    needs_whole_machine, is_kept = False, False

    def key(self):
        return json.dumps({"kind": type(self).__name__, **dataclasses.asdict(self)}, sort_keys=True)

    def name(self):
        return f"model of {self.machine}"

    def command(self):
        words = [word for algorithm in self.algorithms for word in option("algorithm", algorithm)]
        return [str(ROOT / "build/bin/switchyard"), "predict", *option("machine", self.machine), *option("ranks", self.ranks),
                *option("ranks-per-node", self.ranks_per_node), *option("max-block", self.blocks), *distributed(self.distribution), *words]

    def commands(self, _):
        return [self.command()]

    def measured(self, _):
        """Results as the benchmark has them, each with its ranks."""
        report = json.loads(output_of([*self.command(), "--format", "json"]))
        return [{"algorithm": result["algorithm"], "parameters": result["parameters"], "median_us": result["time_us"],
                 "ranks": point["ranks"], "max_block_bytes": point["max_block_bytes"]}
                for point in report["points"] for result in point["results"]]


def times_in(output, way):
    """Wall time and time in collectives, microseconds, as a program of tests/bench/apps prints them."""
    seconds = re.search(r"(?m)^wall time +([\d.]+) s\nin collectives +([\d.]+) s\nok ", output)
    if not seconds:
        raise RunFailed(f"a program printed no times, or found a wrong result, by {way}")
    return tuple(float(value) * 1e6 for value in seconds.groups())


def output_of(command):
    # As root, Open MPI wants to be asked twice.
    allowed = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, env=allowed)
    if ended.returncode != 0:
        last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        raise RunFailed(f"{shlex.join(command)} ended with {ended.returncode}: {last}")
    return ended.stdout


def option(name, values):
    """The words of an option: `--name a,b` of a list."""
    return (f"--{name}", ",".join(map(str, values)) if isinstance(values, (list, tuple)) else str(values))


def distributed(name):
    """The words of a distribution of block sizes, none for the benchmark's own."""
    return () if name == "uniform" else option("distribution", name)


class Simulated:
    """A machine of config/simgrid. The same run takes the same simulated time again, so one iteration is enough."""
    is_simulated = True
    launcher, mpi = "mpirun.openmpi --oversubscribe -n {ranks}", "openmpi"  # of programs, which cannot be simulated
    program = ROOT / "build/bin/switchyard-bench-smpi"

    def __init__(self, name):
        self.name = name
        self.slots = os.cpu_count() or 1  # a simulation uses one core

    def sentence(self):
        return f"Simulated machine {self.name}: its model is config/simgrid/{self.name}.xml."

    def stamp(self):
        platforms = (ROOT / f"config/simgrid/{name}.xml" for name in (self.name, slow_messages(self.name)))
        return digest_of(self.program, *platforms, ROOT / "config/simgrid/settings.json")

    def command(self, run):
        simulate = [str(ROOT / "scripts/simulate"), "--machine", run.machine or self.name, "--ranks", str(run.ranks),
                    "--ranks-per-node", str(run.ranks_per_node)]
        if run.precision:
            simulate += ["--precision", run.precision]
        return [*simulate, *run.words, "--iterations", str(run.iterations), "--warmup", str(int(run.iterations > 1)), "--format", "json"]


class Launched:
    """A real machine, reached by a launcher: `{ranks}` in it stands for the number of ranks."""
    is_simulated = False
    slots = 1

    def __init__(self, launcher, program):
        self.name, self.launcher, self.program = "launched", launcher, Path(program)
        self.mpi = self.program.name.rsplit("-", 1)[-1]

    def sentence(self):
        return f"Real machine, by `{self.launcher}`; medians of the slowest rank."

    def stamp(self):
        return digest_of(self.program) + self.launcher

    def command(self, run):
        return [*shlex.split(self.launcher.replace("{ranks}", str(run.ranks))), str(self.program), *run.words,
                "--time-limit", "2", "--format", "json"]


def slow_messages(machine):
    """The machine of that kind whose messages cost what the TuNA paper measured, for the model and simulated."""
    return f"{machine}_slow_messages"


def digest_of(*files):
    """Of files that are there."""
    digest = hashlib.sha256()
    for file in files:
        if file.exists():
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


class Measurements:
    """All runs of one machine: results by run, in a file that has a line for each."""

    def __init__(self, machine, folder):
        self.machine, self.stamp = machine, machine.stamp()
        self.file = folder / "measurements.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self.found, self.failed = {}, {}
        if self.file.exists():
            for line in self.file.read_text().splitlines():
                self._keep(line)

    def _keep(self, line):
        """A line that was cut when a run was interrupted, or of another build, counts as not measured."""
        try:
            entry = json.loads(line)
            if entry["stamp"] == self.stamp:
                self.found[entry["run"]] = entry
        except (ValueError, KeyError, TypeError):
            pass

    def measure(self, runs):
        """Measures what is not there yet. A run that fails is kept out of the file, and is tried again next time."""
        missing = [run for run in dict.fromkeys(runs) if run.key() not in self.found]
        for run in missing:
            if not run.is_kept:
                self._predict(run)
        kept = sorted((run for run in missing if run.is_kept), key=lambda run: run.ranks)  # the long ones at the end
        self._measure([run for run in kept if not run.needs_whole_machine], self.machine.slots)
        self._measure([run for run in kept if run.needs_whole_machine], 1)

    def _predict(self, run):
        try:
            self.found[run.key()] = {"results": run.measured(self.machine)}
        except RunFailed as failure:
            self.failed[run.key()] = str(failure)

    def _measure(self, runs, at_once):
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            pending = {pool.submit(self._timed, run): run for run in runs}
            for done, future in enumerate(concurrent.futures.as_completed(pending), 1):
                run = pending[future]
                try:
                    self._add(run, future.result())
                except RunFailed as failure:
                    self.failed[run.key()] = str(failure)
                print(f"{done} of {len(runs)} runs, {time.monotonic() - began:.0f} s: {run.name()}", file=sys.stderr, flush=True)

    def _timed(self, run):
        began = time.monotonic()
        results = run.measured(self.machine)
        return {"seconds": round(time.monotonic() - began, 1), "results": results}

    def _add(self, run, measured):
        entry = {"run": run.key(), "stamp": self.stamp, **measured}
        for result in entry["results"]:
            result.pop("times_us", None)
        self.found[run.key()] = entry
        with self.file.open("a") as file:
            file.write(json.dumps(entry) + "\n")

    def results(self, run):
        """The benchmark's results of a run. Raises RunFailed where it has none."""
        if run.key() not in self.found:
            raise RunFailed(self.failed.get(run.key(), f"not measured: {run.name()}"))
        return self.found[run.key()]["results"]

    def commands_of(self, run):
        return [shlex.join(command).replace(f"{ROOT}/", "") for command in run.commands(self.machine)]
