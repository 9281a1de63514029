"""A log with more calls than the recorder has room for (16 million slots of each rank): the program is right, what was dropped is
counted and said, and the report reads the rest. Once the run ends, once it is killed."""

import json
import os
import re
import shutil
import tempfile
import time

from stress_job import SWITCHYARD, Job, StoppedRanks, command_of  # noqa: F401
from stress_settings import Round

from harness import clean_environment, finish

RANKS = 2
MOST_SLOTS = 16_000_000
HOURS = 2 * 3600


def report_of(log):
    code, told, errors = finish([SWITCHYARD, "report", "--format", "json", log], clean_environment(), "/", HOURS)
    if code != 0:
        raise SystemExit(f"switchyard report: {code}: {errors}")
    return json.loads(told)


def flood(calls, dies, folder):
    """What the program, its run.json, the report and the shim's lines say."""
    round_ = Round(seed=1, kind="default", ranks=RANKS)
    command, environment = command_of(round_, {"flood": calls, "dies": dies, "hang": HOURS}, folder)
    begin = time.monotonic()
    job = Job(command, environment, folder, HOURS).run()
    took = time.monotonic() - begin
    logs = os.path.join(folder, "logs")
    (log,) = (os.path.join(logs, name) for name in os.listdir(logs))
    with open(os.path.join(log, "run.json"), encoding="utf-8") as file:
        run = json.load(file)
    begin = time.monotonic()
    report = report_of(log)
    size = sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(log) for name in names)
    print(f"{calls} calls, {'killed' if dies else 'ended'}: {took:.0f} s, log of {size >> 20} MiB, "
          f"report in {time.monotonic() - begin:.0f} s", flush=True)
    return job, run, report


def complaints(job, run, report, calls, dies):
    found = [*job.troubles]

    def expect(what, holds):
        if not holds:
            found.append(what)

    told, dropped = report["totals"]["calls"], report["run"]["records_dropped"]
    print(f"  report: {told} calls, {dropped} records dropped", *job.own_lines, sep="\n  ")
    expect("the report has no more calls than fit", MOST_SLOTS // 2 * 0.9 < told < calls)
    if dies:
        expect("the report says PARTIAL", report["run"]["partial"])
        return found
    expect(f"exit code {job.code}", job.code == 0)
    expect("the program's last line", job.counts() and int(job.counts()["calls"]) == calls)
    expect("run.json has all calls", run["calls_seen"] == calls and run["complete"])
    expect("run.json has what was dropped", run["records_dropped"] == dropped >= (calls - told) * RANKS)
    said = re.match(rf"switchyard: {calls} calls seen, .* \((\d+) records dropped: no room\)", (job.own_lines or [""])[-1])
    expect("the closing line says what was dropped", said and int(said.group(1)) == dropped)
    return found


def run(calls):
    failed = False
    for dies in (0, 1):
        folder = tempfile.mkdtemp(prefix="switchyard-flood-", dir="/tmp")
        try:
            found = complaints(*flood(calls, dies, folder), calls, dies)
        finally:
            shutil.rmtree(folder)
        for line in found:
            print(f"  FAILED: {line}")
        failed = failed or bool(found)
    return 1 if failed else 0
