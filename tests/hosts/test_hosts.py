#!/usr/bin/env python3
"""The shim in jobs across several hosts: placement, every node-aware algorithm, files of one host alone, and a host
that dies. ctest gives the MPI and the folders in the environment, as for tests/preload."""

import collections
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
import test_neighbor as neighbor  # noqa: E402
from harness import FAMILY, MPI, OPENMPI, SWITCHYARD, PreloadTest, Result, clean_environment, client, finish  # noqa: E402

FOLDER = None  # shared by all hosts; set before the tests run
EQUAL, RAGGED = (4, 4, 4, 4), (4, 3, 1, 4)

# Colors of world ranks: a communicator for each host, and three that hold one or two ranks of each.
EACH_HOST = ",".join(str(rank // 4) for rank in range(16))
THIRDS = ",".join(str(rank % 3) for rank in range(16))

# Block sizes in bytes, about. 70000 goes by rendezvous. Where waiting ranks spin, one call of 16 ranks takes 0.1 to
# 0.2 s on two cores (MPICH), else 2 to 5 ms (Open MPI).
SIZES = (1000,) if FAMILY.ranks_spin else (1, 1000, 70000)

# Algorithms to run: these, as far as the registry has them, and all others of it that need to know nodes. The flat
# algorithms show that the job itself is in order.
NODE_AWARE = {"alltoallv": ("tuna_coalesced", "tuna_staggered", "node_aware", "shared"), "alltoall": ("shared",),
              "alltoallw": ("node_aware",), "allgather": ("hierarchical", "multi_lane", "locality_aware_bruck", "shared"),
              "allgatherv": ("hierarchical", "multi_lane", "locality_aware_bruck", "shared")}
FLAT = {"alltoallv": ("tuna", "spread_out"), "alltoall": ("zero_rotation_bruck",), "allgather": ("bruck",),
        "allgatherv": ("bruck",), "alltoallw": ("tuna",)}

RAGGED_WORDS = {"alltoallv": "ragged", "alltoallw": "typed"}  # words of c_route


def registry():
    """The algorithms of the collectives that c_route calls. c_neighbor has the neighbourhood collectives."""
    listed = subprocess.run([SWITCHYARD, "algorithms", "--json"], capture_output=True, check=True).stdout
    return [algorithm for algorithm in json.loads(listed) if algorithm["collective"] in NODE_AWARE]


def knows_nodes(algorithm):
    by_name = algorithm["name"] in NODE_AWARE[algorithm["collective"]]
    if algorithm["collective"] == "alltoallw":  # it runs those of alltoallv, which run here already
        return by_name
    return by_name or any("node" in need for need in algorithm["needs"])


def chosen_algorithms():
    """Node-aware ones first."""
    all_of_them = registry()
    flat = [a for a in all_of_them if a["name"] in FLAT[a["collective"]]]
    return [a for a in all_of_them if knows_nodes(a)] + flat


def corners(algorithm, ranks):
    """Parameters to try: all presets; then each parameter at a few values, with the presets of the others."""
    chosen = [{}]
    for parameter in algorithm["parameters"] if knows_nodes(algorithm) else []:
        most = ranks if parameter.get("max") == "ranks" else parameter.get("max", 0)
        values = parameter.get("choices") or [value for value in (1, 2, 3, ranks) if parameter["min"] <= value <= most]
        chosen += [{parameter["name"]: value} for value in values]
    return chosen


class Plan:
    """A policy with an algorithm for each block size, so that one job runs all algorithms."""

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
        """Arguments for c_route. Its alltoallv and alltoallw are ragged, since uniform blocks hide mistakes."""
        for (collective, block), (_, parameters) in self.calls.items():
            if not (presets_only and parameters):
                yield f"{RAGGED_WORDS.get(collective, collective)}:{block}"


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
        run = [SWITCHYARD, "run", "--log", log or self.log, *options, "--", client(program), *map(str, words)]
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
        """Each line has the algorithm of its block size, or native and a reason: a need that is not met here, or a
        parameter too large for the ranks. Returns the names of the algorithms that ran."""
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
        """Counters of traffic between hosts, where the log has them: none on one host, some on several."""
        if line["nodes"] == 1:
            self.assertEqual((line.get("messages_inter", 0), line.get("wire_bytes_inter", 0)), (0, 0), line)
        elif "messages_inter" in line and line["algorithm"] != "native":
            self.assertGreater(line["messages_inter"], 0, line)
            self.assertGreater(line["wire_bytes_inter"], 0, line)

    def names_of(self, algorithms):
        return {(a["collective"], a["name"]) for a in algorithms}


class Placement(HostsTest):
    def test_cyclic(self):
        """Ranks placed in turn: neighbours are never on one host."""
        plan = Plan(16, sizes=(1000,))
        policy = self.write("policy.json", plan.policy())
        lines = self.run_job(*plan.words(presets_only=True), cyclic=True, options=["--policy", policy])
        self.assertEqual([entry["host"] for entry in self.hosts_of_ranks], [f"host{rank % 4}" for rank in range(16)])
        self.assert_placed(lines, 4, 4)
        self.check_choices(lines, plan)

    def test_ragged(self):
        """On hosts of 4, 3, 1 and 4 ranks some node-aware algorithm of each collective runs."""
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
        """On the world of four hosts, on a communicator for each host, and on three communicators with 1 or 2 ranks
        of each host. The program checks every byte."""
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
        # 12 of an allgather's 16 blocks come to each host from the others, so every host sends a share of them.
        gathered = sum(12 * line["max_block_bytes"] for line in lines
                       if (line["collective"], line["comm"]) == ("allgather", "world"))
        for i in range(4):
            self.assertGreater(self.hosts.sent_bytes(i) - before[i], gathered / 4, f"host{i}")

    @unittest.skipUnless(OPENMPI, "MPICH's spinning ranks take minutes for it")
    def test_against_the_library(self):
        """c_basic of tests/preload compares all kinds of layouts and communicators with PMPI_."""
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


class Neighbours(HostsTest):
    """Random topologies across the hosts. The program checks every byte, and says what the log should have."""
    TOPOLOGIES = 12 if OPENMPI else 6

    def check(self, algorithm, seed, **placement):
        """Returns the lines of the neighbourhood collectives, as far as these are routed."""
        options = ["--force", neighbor.forced(algorithm)] if algorithm in neighbor.ALGORITHMS else []
        log = tempfile.mkdtemp(dir=self.folder)
        result = self.job(seed, self.TOPOLOGIES, "keep_ranks", program="c_neighbor", options=options, log=log, **placement)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertGreater(min(neighbor.made(result).values()), 0, result.everything())
        lines = [line for line in result.calls() if line["collective"] in neighbor.COLLECTIVES]
        if neighbor.ROUTED:
            self.assert_logged(result)
            self.assertEqual(collections.Counter(map(neighbor.logged, lines)),
                             collections.Counter(call for call, _ in neighbor.promised(result)))
        return lines

    def check_algorithm(self, algorithm, **placement):
        """It takes all calls on communicators with several nodes. In the others no message leaves the node."""
        lines = self.check(algorithm, **placement)
        several_nodes = [line for line in lines if line["nodes"] > 1]
        self.assertEqual(several_nodes != [], neighbor.ROUTED)
        for line in several_nodes:
            self.assertEqual((line["algorithm"], line["reason"]), (algorithm, "forced"), line)
        for line in lines:
            if line["nodes"] == 1:
                self.assertEqual((line["messages_inter"], line["wire_bytes_inter"]), (0, 0), line)
        return lines

    def test_aggregated(self):
        placements = ({"seed": 21}, {"seed": 22, "ranks": RAGGED}, {"seed": 23, "cyclic": True})
        for placement in placements if OPENMPI else placements[1:2]:
            with self.subTest(**placement):
                self.check_algorithm("aggregated", **placement)

    def test_direct(self):
        self.check_algorithm("direct", seed=24, ranks=(2, 1, 2, 2))

    def test_shared_and_native(self):
        """`shared` is for one node: the communicators of several nodes go to MPI."""
        for line in self.check("shared", seed=25, ranks=(2, 1, 2, 2)):
            self.assertEqual(line["algorithm"], "shared" if line["nodes"] == 1 else "native", line)


class FilesOnOneHost(HostsTest):
    """Folders of the first host, which has rank 0. The others do not have them, or may not write to them."""
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
        """The log is complete, though most ranks could not write to it, and the folder has no other files."""
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
    # Of mpirun, which lost its daemon on the dead host, or of a rank, which lost its peer.
    ERROR = r"(?m)^(ORTE|PRTE) (was|has lost)|^mpirun|peer process has unexpectedly disconnected|^Abort|^\[mpiexec@host0\]"

    def reported_calls(self):
        """The number of calls that `switchyard report` finds while the job runs or after it broke off."""
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
        """Exit code and output of a job during which host3 dies. It has 20 seconds to end by itself."""
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
        """MPI ends the job with an error. The records of all ranks can be read; those of the other hosts also after
        the dead host's files are lost."""
        code, said = self.job_that_loses_a_host()
        if OPENMPI or said:  # MPICH 4.2's launcher may end before it passes on what a rank said
            self.assertRegex(said, self.ERROR)
        if not re.search("(?m)^PRTE has lost", said):  # then Open MPI 5.0.7 ends with 0, without switchyard, too
            self.assertNotEqual(code, 0, said)
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
    """hosts.py itself, started inside the namespaces of these tests, leaves nothing behind."""

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
        # Two folders are left: one of the run that goes on, and an empty one of the run that got SIGKILL.
        self.assertEqual(len(self.left()), 2)
        several.remove_leftovers()
        self.assertEqual(len(self.left()), 1)
        self.assertIsNone(other.poll())
        other.terminate()
        other.wait(timeout=10)
        self.assertEqual(self.left(), set())


if __name__ == "__main__":
    if MPI not in several.LAUNCHERS:
        print(f"skipped: hosts.py cannot start jobs of {MPI} across hosts")
        sys.exit(several.SKIPPED)
    try:
        FOLDER = several.enter()
    except several.Impossible as why:
        print(f"skipped: no hosts can be made here: {why}")
        sys.exit(several.SKIPPED)
    tempfile.tempdir = FOLDER
    os.environ["TMPDIR"] = FOLDER
    unittest.main(verbosity=2)
