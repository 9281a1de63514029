#!/usr/bin/env python3
"""Prints time and memory that `switchyard report` needs for a long log: read_log.py SWITCHYARD [calls].

The log is generated: calls of three collectives, four algorithms, two communicators and all block sizes up to 1 MiB. Each line
has every field that a run writes.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time

KINDS = [("alltoallv", "tuna", {"radix": 4, "metadata": "fused", "in_flight": 32}, "small blocks, many ranks"),
         ("alltoallv", "scattered", {"block_count": 32}, "larger blocks"),
         ("alltoall", "native", {}, "left alone"), ("allgather", "bruck", {}, "gathers")]


def line(number):
    collective, algorithm, parameters, rule = random.choice(KINDS)
    ranks = random.choice((8, 16))
    block = int(2 ** random.uniform(0, 20))
    mean = round(20 + block / 500 * random.uniform(0.8, 1.6), 3)
    return mean, {
        "comm": "world" if ranks == 16 else "0:3", "seq": number, "collective": collective,
        "binding": "c", "ranks": ranks, "nodes": 2, "ranks_per_node": ranks // 2, "max_block_bytes": block,
        "sent_bytes": {"min": block, "mean": 1.5 * block, "max": 3 * block}, "buffer": "host", "in_place": False,
        "algorithm": algorithm, "parameters": parameters, "rule": rule, "reason": "rule",
        "time_us": {"min": round(0.7 * mean, 3), "mean": mean, "max": round(1.4 * mean, 3), "slowest_rank": number % 8},
        "phases_us": {"agree": round(0.1 * mean, 3), "stage": 0.18, "exchange": round(0.8 * mean, 3)}, "messages": 6,
        "wire_bytes": 3 * block, "rounds": 2, "messages_inter": 4, "messages_intra": 2, "wire_bytes_inter": 2 * block,
        "wire_bytes_intra": block}


def write_log(folder, calls):
    random.seed(1)
    # Ten thousand different calls, repeated: to make the log should not take longer than to read it.
    pool = [(mean, json.dumps(fields, separators=(",", ":"))[1:]) for mean, fields in map(line, range(10000))]
    begin = 0.0
    with open(os.path.join(folder, "calls.jsonl"), "w", encoding="utf-8") as file:
        for number in range(1, calls + 1):
            mean, fields = random.choice(pool)
            begin += 1.7 * mean
            file.write(f'{{"call":{number},"begin_us":{begin:.3f},{fields}\n')
    with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as file:
        json.dump({"switchyard": "1.0.0", "complete": True, "program": "generated", "ranks": 16,
                   "hosts": [{"host": "a", "ranks": 8}, {"host": "b", "ranks": 8}], "wall_s": 1.01e-6 * begin}, file)


def measure(command):
    """Wall time and processor time in seconds, and peak memory in MiB."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command} failed")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    switchyard, calls = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
    with tempfile.TemporaryDirectory() as folder:
        write_log(folder, calls)
        page, trace = os.path.join(folder, "page.html"), os.path.join(folder, "trace.json")
        policy = os.path.join(folder, "policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "rules": [{"name": "small", "when": {"max_block_bytes": {"max": 500}},
                                                "use": {"algorithm": "spread_out"}}],
                       "otherwise": {"algorithm": "native"}}, file)
        size = os.path.getsize(os.path.join(folder, "calls.jsonl"))
        print(f"{calls} calls, {size / 1e6:.0f} MB")
        for name, command in [("report", ["report", folder]), ("report --html", ["report", folder, "--html", page]),
                              ("explain --log", ["explain", policy, "--log", folder]),
                              ("report A B", ["report", folder, folder]),
                              ("report --trace", ["report", folder, "--trace", trace])]:
            wall, used, memory = measure([switchyard, *command])
            print(f"{name:15} {wall:6.1f} s, {used:6.1f} s of processor time, {memory:5.0f} MiB")
        print(f"page {os.path.getsize(page) / 1e3:.0f} kB, trace {os.path.getsize(trace) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
