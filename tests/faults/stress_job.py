"""One job of `stress`: the program under its settings, disturbed, and what its log should have."""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "preload"))

from harness import SWITCHYARD, clean_environment, client, launcher, text_of  # noqa: E402

PROGRAM = client("c_stress")
TROUBLE = ("FAILED", "HANGS", "CRASHED")


class Job:
    """Runs in a folder of its own. Its output is read while it runs: it names the ranks' processes, which are stopped now and
    then, and looked at where they hang."""

    def __init__(self, command, environment, folder, timeout, disturbance=None, looks_at_stacks=False):
        self.command, self.environment, self.folder, self.timeout = command, environment, folder, timeout
        self.disturbance, self.looks_at_stacks = disturbance, looks_at_stacks
        self.lines, self.errors, self.pids = [], "", []
        self.stacks = ""
        self.code = None

    def run(self):
        process = subprocess.Popen(self.command, env=self.environment, cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        readers = [threading.Thread(target=self.read_lines, args=(process.stdout,)),
                   threading.Thread(target=self.read_errors, args=(process.stderr,))]
        for reader in readers:
            reader.start()
        try:
            self.code = process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.look_at_stacks()
            self.code = f"none: still running after {self.timeout} s"
            self.end(process)
        for reader in readers:
            reader.join()
        process.stdout.close()
        process.stderr.close()
        return self

    def end(self, process):
        """The launcher has a chance to end its ranks."""
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def read_lines(self, stream):
        for line in stream:
            line = text_of(line).rstrip("\n")
            if line.startswith("pids "):
                self.pids = [int(word) for word in line.split()[1:]]
                if self.disturbance:
                    self.disturbance.start(self.pids)
                continue
            if line.startswith("ok ") and self.disturbance:
                self.disturbance.stop()
            if line.startswith("HANGS"):
                self.look_at_stacks()
            self.lines.append(line)
        if self.disturbance:
            self.disturbance.stop()

    def read_errors(self, stream):
        self.errors = text_of(stream.read())

    def look_at_stacks(self):
        if self.disturbance:
            self.disturbance.stop()
        if not self.looks_at_stacks or self.stacks or not shutil.which("gdb"):
            return
        for pid in 2 * self.pids:  # a second time, since a rank may move without getting on
            told = subprocess.run(["gdb", "-batch", "-p", str(pid), "-ex", "thread apply all bt"], capture_output=True,
                                  check=False)
            self.stacks += f"== process {pid}\n{text_of(told.stdout)}\n"

    @property
    def troubles(self):
        return [line for line in self.lines if line.startswith(TROUBLE)]

    def counts(self):
        """Of the program's last line, as numbers and texts; None where it has none."""
        for line in self.lines:
            if line.startswith("ok "):
                return dict(word.split("=") for word in line.split()[1:])
        return None

    @property
    def own_lines(self):
        return [line for line in self.errors.splitlines() if line.startswith("switchyard: ")]


class StoppedRanks:
    """Stops one of the ranks after the other for up to 0.2 s."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.over = threading.Event()
        self.thread = None

    def start(self, pids):
        self.thread = threading.Thread(target=self.work, args=(pids,))
        self.thread.start()

    def work(self, pids):
        while not self.over.wait(self.random.uniform(0.01, 0.4)):
            pid = self.random.choice(pids)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
                time.sleep(self.random.choice([0.001, 0.01, 0.05, 0.2]))
                os.kill(pid, signal.SIGCONT)

    def stop(self):
        self.over.set()
        if self.thread:
            self.thread.join()


@contextlib.contextmanager
def busy_loops(number):
    """Other programs that want the cores."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def command_of(round_, options, folder):
    """The job's command, its environment and its log's folder."""
    environment = clean_environment() | round_.settings
    words = [SWITCHYARD, "run", "--log", os.path.join(folder, "logs") if round_.has_log else "off"]
    if round_.policy is not None:
        path = os.path.join(folder, "policy.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(round_.policy, file, indent=1)
        words += ["--policy", path]
    program = {"seed": round_.seed, **round_.program, **options}
    words += ["--", PROGRAM, *(f"{name}={value}" for name, value in program.items())]
    return launcher(round_.ranks, {}) + words, environment


def complaints_of_log(folder, round_, counts):
    """What the log of a run that went well should have, and has not."""
    runs = os.listdir(folder)
    if len(runs) != 1:
        return [f"{len(runs)} logs: {runs}"]
    log = os.path.join(folder, runs[0])
    calls, made = int(counts["calls"]), int(counts["made"])

    def lines(pattern):
        for name in sorted(os.listdir(log)):
            if re.fullmatch(pattern, name):
                with open(os.path.join(log, name), encoding="utf-8") as file:
                    yield from map(json.loads, file)

    with open(os.path.join(log, "run.json"), encoding="utf-8") as file:
        run = json.load(file)
    found = []

    def expect(what, got, expected):
        if got != expected:
            found.append(f"{what}: {got}, expected {expected}")

    def look_at_sums(sums):
        """A rank has room for 8192 slots of sums, and a kind of calls takes up to four."""
        summed, dropped = sum(sums), run.get("records_dropped")
        if not dropped:
            expect("calls in summary.jsonl", summed, calls)
        elif len(sums) < 8192 // 4 or summed >= calls:
            found.append(f"{dropped} records dropped, {len(sums)} lines of {summed} calls, {calls} calls made")

    expect("run.json, complete", run.get("complete"), True)
    expect("run.json, calls_seen", run.get("calls_seen"), calls)
    detail = round_.settings["SWITCHYARD_DETAIL"]
    if detail == "summary":
        look_at_sums([line.get("calls", 1) for line in lines(r"summary\.jsonl")])
        return found
    expect("run.json, records_dropped", run.get("records_dropped"), 0)
    last = {}
    for number, line in enumerate(lines(r"calls\.jsonl"), 1):
        if line["call"] != number or line["seq"] != last.get(line["comm"], 0) + 1:
            found.append(f"calls.jsonl, line {number}: call {line['call']}, seq {line['seq']} of {line['comm']}")
            break
        last[line["comm"]] = line["seq"]
    else:
        number = sum(last.values())
        expect("lines in calls.jsonl", number, calls)
    if detail in ("ranks", "all"):
        expect("lines of the ranks", sum(1 for _ in lines(r"rank-\d+\.jsonl")), made)
    return found


def complaints(job, round_, folder):
    """Why the round is a failure; nothing where it is none."""
    if job.troubles or job.code != 0 or job.counts() is None:
        return job.troubles or [f"exit code {job.code}"]
    found = []
    counts = job.counts()
    if round_.settings.get("SWITCHYARD") == "off":
        return [f"a line of a shim that is off: {line}" for line in job.own_lines]
    if len(job.own_lines) != 1:
        found.append(f"{len(job.own_lines)} lines of the shim: {job.own_lines}")
    closing = re.match(r"switchyard: (\d+) calls seen, (\d+) routed", (job.own_lines or [""])[-1])
    if closing is None or closing.group(1) != counts["calls"]:
        found.append(f"{counts['calls']} calls made, and the closing line is {job.own_lines[-1:]}")
    if round_.has_log:
        found += complaints_of_log(os.path.join(folder, "logs"), round_, counts)
    return found
