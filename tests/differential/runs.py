"""Runs of client programs under a build: what was chosen, counted and sent, and logs of every sort for the readers."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in ("preload", "hosts", "faults"):
    sys.path.insert(0, str(HERE.parent / folder))

import harness  # noqa: E402
import hosts as several  # noqa: E402
from faults import can_mount  # noqa: E402

# (name, ranks, client program with its words, options of `switchyard run`); settings are words NAME=VALUE among the options
EVERY_ALLTOALLV = ["world", *(f"{word}:{block}" for block in (1, 1000, 70_000) for word in ("ragged", "one_hot", "alltoallv"))]
EVERY_OTHER = ["world", *(f"{word}:{block}" for block in (8, 5000) for word in (
    "alltoall", "alltoall_in_place", "typed", "gaps", "allgather", "allgather_in_place", "gathers", "gathers_in_place"))]
ORDINARY = (
    ("basic", 4, ["c_basic"], []),
    ("datatypes", 3, ["c_datatypes"], []),
    ("calls", 4, ["c_route", *EVERY_ALLTOALLV, *EVERY_OTHER, "reversed", "ragged:100:5", "self", "alltoallv:8:3"], ["--detail", "ranks"]),
    ("partners", 3, ["c_moves", "turns", "60"], []),
    ("communicators", 3, ["c_comms", "40", "10"], ["--detail", "summary"]),
    ("threads", 2, ["c_threads", "3", "20"], []),
    ("neighbours", 4, ["c_neighbor", "5", "8"], []),
    ("counted", 3, ["c_counted"], ["--detail", "all"]),
)
TIMES = {"time_us", "phases_us", "algorithm_us", "begin_us", "call"}


def registry(build):
    return json.loads(subprocess.run([build / "bin/switchyard", "algorithms", "--json"], check=True, capture_output=True).stdout)


def forced(build):
    """A job for each algorithm of the registry, on an odd number of ranks in emulated nodes of two, where that is possible."""
    for algorithm in registry(build):
        spec = f"{algorithm['collective']}:{algorithm['name']}"
        if algorithm["collective"].startswith("neighbor_"):
            program, words = "c_neighbor", ["7", "4"]
        else:
            program, words = "c_route", EVERY_ALLTOALLV if algorithm["collective"] == "alltoallv" else EVERY_OTHER
        for placement in ((), ("SWITCHYARD_RANKS_PER_NODE=2",)):
            options = ["--force", spec, "--detail", "phases" if placement else "calls", *placement]
            yield f"{spec.replace(':', '-')}{'-nodes' if placement else ''}", 3, [program, *words], options


def jobs(build):
    yield from ORDINARY
    yield from forced(build)


def command(build, ranks, program, options, log):
    settings = dict(option.split("=") for option in options if option.startswith("SWITCHYARD_"))
    options = [option for option in options if not option.startswith("SWITCHYARD_")]
    run = [build / "bin/switchyard", "run", "--log", log, *options, "--", harness.client(program[0]), *program[1:]]
    return [*harness.launcher(ranks, settings), *map(str, run)]


def run(build, name, ranks, program, options, logs):
    """Its log in a folder of `logs`; None where the program is not built for this MPI."""
    if not harness.client_exists(program[0]):
        return None
    log = logs / name
    log.mkdir(parents=True)
    code, out, err = harness.finish(command(build, ranks, program, options, log), harness.environment_for(program), str(logs), 120)
    if code != 0:
        raise SystemExit(f"{name} ended with {code}\n{out[-2000:]}\n{err[-2000:]}")
    return log


def without_times(file):
    for text in file.read_text(encoding="utf-8").splitlines():
        yield {name: value for name, value in json.loads(text).items() if name not in TIMES}


def renamed(lines):
    """Threads make communicators in any order: here these are named by what was called on them."""
    on = {}
    for line in lines:
        on.setdefault(line.pop("comm", None), []).append(line)
    by_calls = sorted(on.values(), key=lambda of_one: json.dumps(sorted(of_one, key=lambda line: line.get("seq", 0))))
    return [{"comm": number, **line} for number, of_one in enumerate(by_calls) for line in of_one]


def facts(log, build):
    """Each line of a log without its times, by file, communicator, rank and number; what run.json counts. The same for every build."""
    found = {}
    for file in sorted(log.rglob("*.jsonl")):
        lines = list(without_times(file))
        for place, line in enumerate(renamed(lines) if log.name == "threads" else lines):
            key = (file.name, line.get("comm"), line.get("world_rank"), line.get("seq", place), line["collective"])
            found[key] = line
    for file in log.rglob("run.json"):
        content = json.loads(file.read_text(encoding="utf-8"))
        found["run.json"] = {name: content[name] for name in ("ranks", "hosts", "calls_seen", "calls_routed", "records_dropped", "settings")}
        settings = found["run.json"]["settings"]
        settings.pop("SWITCHYARD_LOG")
        settings["SWITCHYARD_POLICY"] = settings["SWITCHYARD_POLICY"].replace(str(build), "")
        found["run.json"]["seen"] = [(entry["collective"], entry["calls"], entry["sent_bytes"]) for entry in content["seen"]]
    return found


# ---- Logs of runs that do not end, or end where there is no room

STEPS = ["c_steps", "world:20", "comms:6:20", "threads:2:30", "self:9000", "long:100000:20"]


def killed(build, logs, moments=12):
    """Killed at moments of which some are in MPI_Init, some in calls, some in MPI_Finalize."""
    dice = random.Random("killed")
    for moment in range(moments):
        log = logs / f"killed-{moment}"
        log.mkdir(parents=True)
        job = subprocess.Popen(command(build, 2, STEPS, ["--force", "alltoallv:tuna"] if moment % 2 else [], log), cwd=logs,
                               env=harness.environment_for(STEPS), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + 20
        while not list(log.glob("*/ranks/*.ring")) and time.monotonic() < deadline and job.poll() is None:
            time.sleep(0.002)
        time.sleep(dice.uniform(0, 0.25))
        os.killpg(job.pid, signal.SIGKILL)
        subprocess.run(["pkill", "-KILL", "-f", str(log)], check=False)  # ranks in process groups of their own
        job.wait()
        yield log


def without_room(build, logs):
    """The disk is full before the log's lines, or in the middle of its records."""
    for size in ("1100k", "1400k", "6m"):
        if not can_mount():
            return
        disk, log = logs / "disk", logs / f"disk-{size}"
        disk.mkdir(parents=True, exist_ok=True)
        script = f'mount -t tmpfs -o size={size} none {disk} && "$@"; cp -r {disk} {log}'
        job = ["unshare", "-rm", "sh", "-c", script, "sh", *command(build, 2, ["c_steps", "world:5", "self:20000", "world:5"], [], disk)]
        harness.finish(job, harness.environment_for(()), str(logs), 120)
        yield log


def on_hosts(build, logs):
    """The program runs on four hosts, of which each has a name of its own."""
    log = logs / "hosts"
    log.mkdir(parents=True)
    words = [build / "bin/switchyard", "run", "--log", log, "--", harness.client("c_route"), "world", "ragged:100:5", "ragged:9000:5", "allgather:8:5"]
    folder = logs / "shared-by-hosts"
    folder.mkdir()
    job = [sys.executable, str(HERE.parent / "hosts/hosts.py"), "--hosts", "4", "--ranks", "2", "--mpi", harness.MPI, "--", *map(str, words)]
    code, out, err = harness.finish(job, harness.clean_environment(), str(folder), 120)
    if code == several.SKIPPED:
        return
    if code != 0:
        raise SystemExit(f"four hosts: {code}\n{out[-2000:]}\n{err[-2000:]}")
    yield log


def spoiled(logs):
    """Copies of finished and killed logs in which bytes were changed, cut off and put in."""
    dice = random.Random("spoiled")
    for log in [log for log in logs if list(log.rglob("*.jsonl")) or list(log.rglob("*.ring"))]:
        copy = log.parent / f"{log.name}-spoiled"
        shutil.copytree(log, copy)
        for file in sorted(copy.rglob("*")):
            if file.is_file() and dice.random() < 0.7:
                content = bytearray(file.read_bytes())
                for _ in range(1 + len(content) // 4000):
                    if content:
                        at = dice.randrange(len(content))
                        content[at:at + dice.choice((0, 1, 1, 1, 8))] = dice.randbytes(dice.choice((0, 1, 1, 1)))
                file.write_bytes(content)
        yield copy
