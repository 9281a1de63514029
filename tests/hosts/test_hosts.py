#!/usr/bin/env python3
"""The shim in jobs across several hosts: placement, every node-aware algorithm, files that only one host has, and a
host that dies. ctest says in the environment which MPI and which folders, as for tests/preload."""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "preload"))

import hosts as several  # noqa: E402
from harness import (MPI, OPENMPI, SWITCHYARD, PreloadTest, Result, clean_environment, finish, host)  # noqa: E402

FOLDER = None  # what all hosts share; set before the tests run
EQUAL, RAGGED = (4, 4, 4, 4), (4, 3, 1, 4)

# Colors of world ranks: a communicator for each host, and three that hold one or two ranks of each.
EACH_HOST = ",".join(str(rank // 4) for rank in range(16))
THIRDS = ",".join(str(rank % 3) for rank in range(16))

# Of blocks of about this many bytes; the second kind goes by rendezvous. MPICH's ranks spin, eight to a core of a small
# machine: 0.1 to 0.2 s a call of 16 ranks, where Open MPI takes 2 to 5 ms.
SIZES = (1, 1000, 70000) if OPENMPI else (1000,)

# Of the first set those run that the registry has, and whatever else in it needs to know nodes. The flat ones beside
# them say that the job itself is in order.
NODE_AWARE = {"alltoallv": ("tuna_coalesced", "tuna_staggered", "node_aware", "shared"), "alltoall": ("shared",),
              "allgather": ("hierarchical", "multi_lane", "locality_aware_bruck", "shared")}
FLAT = {"alltoallv": ("tuna", "spread_out"), "alltoall": ("zero_rotation_bruck",), "allgather": ("bruck",)}


def registry():
    listed = subprocess.run([SWITCHYARD, "algorithms", "--json"], capture_output=True, check=True).stdout
    return json.loads(listed)


def knows_nodes(algorithm):
    by_name = algorithm["name"] in NODE_AWARE[algorithm["collective"]]
    return by_name or any("node" in need for need in algorithm["needs"])


def chosen_algorithms():
    """Node-aware ones first."""
    all_of_them = registry()
    flat = [a for a in all_of_them if a["name"] in FLAT[a["collective"]]]
    return [a for a in all_of_them if knows_nodes(a)] + flat


def corners(algorithm, ranks):
    """Its presets, then each of its parameters at values of interest, the others at their presets."""
    chosen = [{}]
    for parameter in algorithm["parameters"] if knows_nodes(algorithm) else []:
        most = ranks if parameter.get("max") == "ranks" else parameter.get("max", 0)
        values = parameter.get("choices") or [value for value in (1, 2, 3, ranks) if parameter["min"] <= value <= most]
        chosen += [{parameter["name"]: value} for value in values]
    return chosen


class Plan:
    """A policy in which the size of a block says which algorithm it is for, so that one job runs them all."""

    def __init__(self, ranks, sizes=SIZES):
        self.ranks = ranks
        self.calls = {}  # (collective, block) -> (algorithm, parameters)
        for algorithm in chosen_algorithms():
            for parameters in corners(algorithm, ranks):
                for size in sizes:
                    while (algorithm["collective"], size) in self.calls:
                        size += 1
                    self.calls[algorithm["collective"], size] = (algorithm, parameters)

    def policy(self):
        rules = [{"name": f"{collective}, {block} bytes",
                  "when": {"collective": collective, "max_block_bytes": {"min": block, "max": block}},
                  "use": {"algorithm": algorithm["name"], **parameters}}
                 for (collective, block), (algorithm, parameters) in self.calls.items()]
        return {"version": 1, "rules": rules, "otherwise": {"algorithm": "native"}}

    def words(self, presets_only=False):
        """What c_route is asked for. Ragged alltoallv, since uniform blocks hide mistakes."""
        for (collective, block), (_, parameters) in self.calls.items():
            if not (presets_only and parameters):
                yield f"{'ragged' if collective == 'alltoallv' else collective}:{block}"


class HostsTest(PreloadTest):
    """A test with four hosts of its own."""

    def setUp(self):
        super().setUp()
        self.hosts = several.Hosts(FOLDER, 4)
        self.hosts.__enter__()
        self.addCleanup(self.hosts.__exit__)
        self.log = self.path("logs")

    def command_line(self, *words, ranks=EQUAL, cyclic=False, options=(), log=None, program="c_route"):
        options = [*options] if "--policy" in options else [*options, "--policy", self.native_policy()]
        run = [SWITCHYARD, "run", "--log", log or self.log, *options, "--", host(program), *map(str, words)]
        return self.hosts.launcher(MPI, ranks, cyclic, self.folder) + run

    def job(self, *words, log=None, **options):
        command = self.command_line(*words, log=log, **options)
        return Result(*finish(command, clean_environment(), self.folder, timeout=60), log or self.log)

    def run_job(self, *words, **options):
        """A job that ends well, without a warning, every call in the log. Returns its lines."""
        result = self.job(*words, **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.hosts_of_ranks = result.run_json()["hosts"]
        return self.assert_logged(result)

    def assert_placed(self, lines, nodes, ranks_per_node):
        self.assertEqual({(line["nodes"], line["ranks_per_node"]) for line in lines}, {(nodes, ranks_per_node)})

    def check_choices(self, lines, plan):
        """Every line is by the algorithm that its block is for; or says what that one needs and has not got here, or
        that a parameter is too much for the few ranks. Returns the names of algorithms that ran."""
        ran = set()
        for line in lines:
            self.check_counters(line)
            algorithm, parameters = plan.calls[line["collective"], line["max_block_bytes"]]
            if line["algorithm"] == algorithm["name"]:
                self.assertEqual(line["reason"], "rule", line)
                self.assertEqual({name: line["parameters"][name] for name in parameters}, parameters, line)
                ran.add((line["collective"], line["algorithm"]))
            else:
                self.assertEqual(line["algorithm"], "native", line)
                why = r"\bmore than \d+ ranks|node" if knows_nodes(algorithm) else r"\bmore than \d+ ranks"
                self.assertRegex(line["reason"], f"passed over: .*({why})", line)
        return ran

    def check_counters(self, line):
        """What went between hosts is told from what stayed on one (where the log tells)."""
        if line["nodes"] == 1:
            self.assertEqual((line.get("messages_inter", 0), line.get("wire_bytes_inter", 0)), (0, 0), line)
        elif "messages_inter" in line and line["algorithm"] != "native":
            self.assertGreater(line["messages_inter"], 0, line)
            self.assertGreater(line["wire_bytes_inter"], 0, line)

    def names_of(self, algorithms):
        return {(a["collective"], a["name"]) for a in algorithms}


class Placement(HostsTest):
    def test_cyclic(self):
        """The same hosts and ranks, but neighbours are never on one host."""
        plan = Plan(16, sizes=(1000,))
        policy = self.write("policy.json", plan.policy())
        lines = self.run_job(*plan.words(presets_only=True), cyclic=True, options=["--policy", policy])
        self.assertEqual([entry["host"] for entry in self.hosts_of_ranks], [f"host{rank % 4}" for rank in range(16)])
        self.assert_placed(lines, 4, 4)
        self.check_choices(lines, plan)

    def test_ragged(self):
        """A plan for hosts of 4, 3, 1 and 4 ranks does not end in the library's own collectives."""
        plan = Plan(12, sizes=(1000,))
        policy = self.write("policy.json", plan.policy())
        lines = self.run_job(*plan.words(presets_only=not OPENMPI), ranks=RAGGED, options=["--policy", policy])
        self.assertEqual([(entry["host"], entry["ranks"]) for entry in self.hosts_of_ranks],
                         [("host0", 4), ("host1", 3), ("host2", 1), ("host3", 4)])
        self.assert_placed(lines, 4, 4)
        ran = self.check_choices(lines, plan)
        nodes_known = self.names_of(a for a in chosen_algorithms() if knows_nodes(a))
        for collective in {collective for collective, name in nodes_known if name != "shared"}:
            self.assertTrue([name for c, name in ran & nodes_known if c == collective], f"{collective}: {ran}")


class Algorithms(HostsTest):
    def test_every_algorithm(self):
        """On the world of four hosts, on each host by itself, and on thirds of the world, which hold 1 or 2 ranks of
        each host. The program checks every byte."""
        plan = Plan(16)
        before = [self.hosts.sent_bytes(i) for i in range(4)]
        lines = self.run_job("world", *plan.words(),
                             f"split:{EACH_HOST}", *plan.words(presets_only=True),
                             f"split:{THIRDS}", *plan.words(presets_only=True),
                             "reversed", *plan.words(presets_only=True),
                             options=["--policy", self.write("policy.json", plan.policy())])
        self.assertEqual([(entry["host"], entry["ranks"]) for entry in self.hosts_of_ranks],
                         [(f"host{i}", 4) for i in range(4)])
        shapes = {(line["ranks"], line["nodes"], line["ranks_per_node"]) for line in lines}
        self.assertEqual(shapes, {(16, 4, 4), (4, 1, 4), (6, 4, 2), (5, 4, 2)})
        self.assert_placed([line for line in lines if line["comm"] == "world"], 4, 4)
        ran = self.check_choices(lines, plan)
        self.assertEqual(ran, self.names_of(chosen_algorithms()), "each of them ran somewhere")
        # Three quarters of an allgather's blocks are other hosts', and come at least once to each host, by wire.
        gathered = sum(12 * line["max_block_bytes"] for line in lines
                       if (line["collective"], line["comm"]) == ("allgather", "world"))
        for i in range(4):
            self.assertGreater(self.hosts.sent_bytes(i) - before[i], gathered / 4, f"host{i}")

    @unittest.skipUnless(OPENMPI, "MPICH's spinning ranks take minutes for it")
    def test_against_the_library(self):
        """The program of tests/preload that compares all kinds of layouts and communicators with PMPI_."""
        waiting = {}
        for algorithm in chosen_algorithms():
            waiting.setdefault(algorithm["collective"], []).append(algorithm["name"])
        while any(waiting.values()):
            force = ";".join(f"{collective}:{names.pop(0)}" for collective, names in waiting.items() if names)
            with self.subTest(force=force):
                log = tempfile.mkdtemp(dir=self.folder)
                result = self.job(program="c_basic", options=["--force", force], log=log)
                self.assert_ended_well(result)
                self.assert_quiet(result)
                lines = self.assert_logged(result)
                self.assertTrue([line for line in lines if line["reason"] == "forced"])
                self.assert_placed([line for line in lines if line["comm"] == "world"], 4, 4)


class FilesOnOneHost(HostsTest):
    """Folders of the first host, where rank 0 is, that the others do not have or may not write to."""
    WORDS = ("alltoallv:40:3", "alltoall:40", "allgather:40", f"split:{EACH_HOST}", "alltoallv:40:2")
    CALLS = 3 + 1 + 1 + 4 * 2

    def test_policy(self):
        policy = {"version": 1, "otherwise": {"algorithm": "native"}, "rules": [
            {"name": "only host0 knows", "when": {"collective": "alltoallv"}, "use": {"algorithm": "pairwise"}}]}
        path = os.path.join(self.hosts.local, "policy.json")
        with open(self.hosts.path(0, path), "w", encoding="ascii") as file:
            json.dump(policy, file)
        for i in range(1, 4):
            self.assertFalse(os.path.exists(self.hosts.path(i, path)))
        lines = self.run_job(*self.WORDS, options=["--policy", path])
        rules = {line["rule"] for line in lines if line["collective"] == "alltoallv"}
        self.assertEqual(rules, {"only host0 knows"})

    def check_log(self, result, log):
        """Complete, though most ranks could write nothing to it; nobody left anything else anywhere."""
        self.assert_ended_well(result)
        self.assert_quiet(result)
        result.logs = glob.glob(os.path.join(log, "*"))
        lines = self.assert_logged(result)
        self.assertEqual(len(lines), self.CALLS)
        self.assertEqual(sorted(os.listdir(result.log())), ["calls.jsonl", "run.json"])
        self.assertEqual({line["reason"] for line in lines if line["collective"] == "alltoallv"}, {"forced"})

    def test_log_folder_that_others_do_not_have(self):
        log = os.path.join(self.hosts.local, "logs")
        result = self.job(*self.WORDS, log=log, options=["--force", "alltoallv:pairwise"])
        self.check_log(result, self.hosts.path(0, log))
        for i in range(1, 4):
            self.assertEqual(glob.glob(self.hosts.path(i, log) + "/*/*"), [], f"host{i}")

    def test_log_folder_that_others_may_not_write_to(self):
        os.mkdir(self.log)
        for i in range(1, 4):
            several.run(*self.hosts.on(i, "mount", "--bind", self.log, self.log))
            several.run(*self.hosts.on(i, "mount", "-o", "remount,bind,ro", self.log))
        result = self.job(*self.WORDS, options=["--force", "alltoallv:pairwise"])
        self.check_log(result, self.log)


class DeadHost(HostsTest):
    CALLS = 20 if OPENMPI else 3
    # mpirun's, when its daemon on the dead host is gone, or a rank's, when its peer is.
    ERROR = r"(?m)^ORTE was|^mpirun|peer process has unexpectedly disconnected|^Abort|^\[mpiexec@host0\]"

    def reported_calls(self):
        """What can be read so far, by the other hosts, too."""
        report = self.command("report", *glob.glob(os.path.join(self.log, "*")))
        calls = re.search(r"(?m)^(\d+) calls", report.stdout) if report.code == 0 else None
        if calls:
            self.assertIn("PARTIAL", report.stdout)
        return int(calls.group(1)) if calls else 0

    def wait_until(self, what, seconds, message):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end, message)
            time.sleep(0.1)

    def job_that_loses_a_host(self):
        """Its exit code and what it said; as a launcher would, lets it run on only so long."""
        command = self.command_line("alltoallv:100:1000000", options=["--force", "alltoallv:tuna:radix=2"])
        with open(self.path("said"), "wb") as said:
            job = subprocess.Popen(command, env=clean_environment(), cwd=self.folder, stdout=said, stderr=said)
        try:
            self.wait_until(lambda: self.reported_calls() > self.CALLS, 30, "the job does not start")
            self.assertGreaterEqual(len(list(self.hosts.processes_of(3))), 4)
            self.hosts.kill_processes(3)
            code = job.wait(timeout=20)
        finally:
            job.kill()
            job.wait()
        with open(self.path("said"), encoding="utf-8") as file:
            return code, file.read()

    def test_one_host_dies(self):
        """MPI ends the job and says so. What the ranks recorded until then can be read; that of the other hosts also
        where the dead one's files are lost."""
        code, said = self.job_that_loses_a_host()
        self.assertNotEqual(code, 0, said)
        self.assertRegex(said, self.ERROR)
        self.assertNotIn("switchyard: warning", said)
        self.wait_until(lambda: not any(list(self.hosts.processes_of(i)) for i in range(4)), 10, "ranks are left")
        self.assertGreater(self.reported_calls(), self.CALLS)

        (log,) = glob.glob(os.path.join(self.log, "*"))
        for rank in range(12, 16):
            files = glob.glob(os.path.join(log, "ranks", f"{rank}.*"))
            self.assertNotEqual(files, [], os.listdir(os.path.join(log, "ranks")))
            for file in files:
                os.unlink(file)
        self.assertGreater(self.reported_calls(), self.CALLS)


@unittest.skipUnless(OPENMPI, "the same for any MPI")
class TakenDown(unittest.TestCase):
    """The script itself, started inside the namespaces of these tests, of which it knows nothing: nothing is left."""

    def start(self):
        command = [sys.executable, "-B", os.path.join(HERE, "hosts.py"), "--ranks", "2,2", "--", "sleep", "1234.5"]
        process = subprocess.Popen(command, env=clean_environment(), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def sleepers(self):
        found = 0
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(path, "rb") as file:
                    found += file.read() == b"sleep\0" + b"1234.5\0"
            except OSError:
                pass
        return found

    def wait_for_sleepers(self, number):
        end = time.monotonic() + 20
        while self.sleepers() != number and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.sleepers(), number)

    def left(self):
        return set(glob.glob(os.path.join(FOLDER, several.LEFTOVERS + "*")))

    def test_two_at_once_and_every_end(self):
        other = self.start()
        self.wait_for_sleepers(4)
        for how in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
            with self.subTest(signal=how.name):
                one = self.start()
                self.wait_for_sleepers(8)
                one.send_signal(how)
                one.wait(timeout=10)
                self.wait_for_sleepers(4)
        # The other one still uses its folder; that of the one that was killed outright is left, empty.
        self.assertEqual(len(self.left()), 2)
        several.remove_leftovers()
        self.assertEqual(len(self.left()), 1)
        self.assertIsNone(other.poll())
        other.terminate()
        other.wait(timeout=10)
        self.assertEqual(self.left(), set())


if __name__ == "__main__":
    try:
        FOLDER = several.enter()
    except several.Impossible as why:
        print(f"skipped: no hosts can be made here: {why}")
        sys.exit(several.SKIPPED)
    tempfile.tempdir = FOLDER
    os.environ["TMPDIR"] = FOLDER
    unittest.main(verbosity=2)
