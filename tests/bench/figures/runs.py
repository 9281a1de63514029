"""Runs of the benchmark, on a simulated machine or by a launcher. What was measured is kept, so that a run of figures that was
interrupted goes on where it stopped."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


@dataclasses.dataclass(frozen=True)
class Run:
    """One start of the benchmark: its options, and the ranks."""
    ranks: int
    words: tuple  # options of the benchmark, without --format
    ranks_per_node: int = 32  # of a simulated machine; a launcher places the ranks itself
    precision: str = ""  # of the simulator: events within so many seconds count as one

    def key(self):
        return json.dumps(dataclasses.asdict(self), sort_keys=True)


def option(name, values):
    """The words of an option: `--name a,b` of a list."""
    return (f"--{name}", ",".join(map(str, values)) if isinstance(values, (list, tuple)) else str(values))


class RunFailed(RuntimeError):
    """The benchmark ended with an error; the text has its command and its last line."""


class Simulated:
    """A machine of config/simgrid. The same run takes the same simulated time again, so one iteration is enough."""
    is_simulated = True
    program = ROOT / "build/bin/switchyard-bench-smpi"

    def __init__(self, name):
        self.name = name
        self.slots = os.cpu_count() or 1  # a simulation uses one core

    def sentence(self):
        return f"Simulated machine {self.name}: its model is config/simgrid/{self.name}.xml."

    def stamp(self):
        return digest_of(self.program, ROOT / f"config/simgrid/{self.name}.xml", ROOT / "config/simgrid/settings.json")

    def command(self, run):
        simulate = [str(ROOT / "scripts/simulate"), "--machine", self.name, "--ranks", str(run.ranks),
                    "--ranks-per-node", str(run.ranks_per_node)]
        if run.precision:
            simulate += ["--precision", run.precision]
        return [*simulate, *run.words, "--iterations", "1", "--warmup", "0", "--format", "json"]


class Launched:
    """A real machine, reached by a launcher: `{ranks}` in it stands for the number of ranks."""
    is_simulated = False
    slots = 1

    def __init__(self, launcher, program):
        self.name, self.launcher, self.program = "launched", launcher, Path(program)

    def sentence(self):
        return f"Real machine, by `{self.launcher}`; medians of the slowest rank."

    def stamp(self):
        return digest_of(self.program) + self.launcher

    def command(self, run):
        return [*shlex.split(self.launcher.replace("{ranks}", str(run.ranks))), str(self.program), *run.words,
                "--time-limit", "2", "--format", "json"]


def digest_of(*files):
    digest = hashlib.sha256()
    for file in files:
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
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.machine.slots) as pool:
            pending = {pool.submit(self._measured, run): run for run in missing}
            for done, future in enumerate(concurrent.futures.as_completed(pending), 1):
                run = pending[future]
                try:
                    self._add(run, future.result())
                except RunFailed as failure:
                    self.failed[run.key()] = str(failure)
                print(f"{done} of {len(missing)} runs, {time.monotonic() - began:.0f} s: {run.ranks} ranks, "
                      f"{shlex.join(run.words)}", file=sys.stderr, flush=True)

    def _measured(self, run):
        command, began = self.machine.command(run), time.monotonic()
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode != 0:
            last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
            raise RunFailed(f"{shlex.join(command)} ended with {ended.returncode}: {last}")
        report = json.loads(ended.stdout)
        if not report["verified"]:
            raise RunFailed(f"{shlex.join(command)}: wrong data was received")
        return {"command": shlex.join(command), "seconds": round(time.monotonic() - began, 1), "results": report["results"]}

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
            raise RunFailed(self.failed.get(run.key(), f"not measured: {run.ranks} ranks, {shlex.join(run.words)}"))
        return self.found[run.key()]["results"]

    def command_of(self, run):
        command = self.found[run.key()]["command"] if run.key() in self.found else shlex.join(self.machine.command(run))
        return command.replace(f"{ROOT}/", "")
