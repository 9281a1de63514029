#!/usr/bin/python3
"""Stands in for a launcher and its benchmark. It answers with prepared times, so that a test knows what `switchyard tune` must
choose.

stand_in.py ANSWERS.json BENCHMARK ARGUMENTS..., or with `switchyard run ... --` before the benchmark. Keys of ANSWERS:
  ranks, nodes      of the world (8, 1)
  native            microseconds of native (10)
  times             microseconds, by `candidate` or `candidate@collective/block`
  default_time      microseconds of all other candidates (20)
  native_routed     microseconds of native calls under switchyard, by `collective/block`
  first_routed      microseconds of the very first call under switchyard
  fail_after        number of measurements, then it ends with status 3 and a word on stderr
  hang_after        number of measurements, then it prints nothing more
  log               file that gets a line for each launch
  real_launcher     words of a launcher that starts whatever is not the benchmark
Calls under switchyard take the time of the algorithm that its policy names.
"""

import json
import os
import sys
import time


def parts(words):
    part = []
    for word in [*words, "--then"]:
        if word == "--then":
            yield dict(zip(part[::2], part[1::2]))
            part = []
        else:
            part.append(word)


def routed(answers, policy, collective, ranks, block):
    for rule in policy["rules"]:
        when = rule["when"]
        sizes = when.get("max_block_bytes", {})
        if (when["collective"] == collective and when["ranks"]["min"] <= ranks <= when["ranks"]["max"]
                and sizes.get("min", 0) <= block <= sizes.get("max", block)):
            use = dict(rule["use"])
            name = ":".join([use.pop("algorithm"), *(f"{key}={value}" for key, value in use.items())])
            return time_of(answers, name, collective, block)
    return answers.get("native_routed", {}).get(f"{collective}/{block}", answers.get("native", 10))


def time_of(answers, name, collective, block):
    times = answers.get("times", {})
    return times.get(f"{name}@{collective}/{block}", times.get(name, answers.get("default_time", 20)))


def warmup_of(answers, name, us, iterations):
    times = [us] * iterations
    if name == "preloaded" and times:
        times[0] = answers.get("first_routed", us)
    return times


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        answers = json.load(file)
    words = sys.argv[2:]
    benchmarks = [i for i, word in enumerate(words) if os.path.basename(word).startswith("switchyard-bench-")]
    policy = None
    if "--policy" in words:
        with open(words[words.index("--policy") + 1], encoding="utf-8") as file:
            policy = json.load(file)
    if "log" in answers:
        with open(answers["log"], "a", encoding="utf-8") as file:
            file.write(" ".join(words) + "\n")
    if not benchmarks and "real_launcher" in answers:
        launcher = answers["real_launcher"]
        os.execvp(launcher[0], [*launcher, *words])
    for number, part in enumerate(parts(words[benchmarks[0] + 1:])):
        probe = "--algorithm" not in part
        if not probe and number >= answers.get("fail_after", 1 << 30):
            print("node 7 is on fire", file=sys.stderr)
            sys.exit(3)
        if not probe and number >= answers.get("hang_after", 1 << 30):
            time.sleep(60)
        collective, block = part["--collective"], int(part["--max-block"])
        ranks = int(part.get("--communicator-ranks", answers.get("ranks", 8)))
        iterations = min(int(part["--iterations"]), 400)
        native = answers.get("native", 10)
        results = [("native", native)]
        for name in part.get("--algorithm", "").split("+") if not probe else []:
            if name == "preloaded":
                results.append((name, routed(answers, policy, collective, ranks, block)))
            else:
                results.append((name, time_of(answers, name, collective, block)))
        nodes = answers.get("nodes", 1)
        print(json.dumps({
            "environment": {"mpi": "Stand-in MPI 1.0", "ranks": ranks, "nodes": nodes, "ranks_per_node": ranks // nodes,
                            "hosts": ["here"], "date": "2026-01-02T03:04:05+0000", "elapsed_seconds": 0.001},
            "verified": True,
            "results": [{"algorithm": name, "median_us": us, "largest_block_bytes": block, "times_us": [us] * iterations,
                         "warmup_us": warmup_of(answers, name, us, int(part["--warmup"]))}
                        for name, us in results]}), flush=True)


main()
