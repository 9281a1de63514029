"""Logs for the readers, the same in each run of this file: finished, partial, summed up, damaged and hostile ones.

`write_all(folder)` makes a folder of runs for each name in `LOGS`. The lines have the fields of shim/common/log/README.md; their times
come from a random generator with a fixed seed.
"""

import json
import random

POLICY = {
    "version": 1,
    "rules": [
        {"name": "small blocks", "when": {"collective": "alltoallv", "max_block_bytes": {"max": 512}},
         "use": {"algorithm": "tuna", "radix": 2}},
        {"name": "one node", "when": {"collective": "allgather", "nodes": {"max": 1}}, "use": {"algorithm": "shared"}},
        {"name": "never", "when": {"collective": "alltoall", "ranks": {"min": 5000}}, "use": {"algorithm": "pairwise"}},
    ],
    "otherwise": {"algorithm": "native"},
}
ALGORITHMS = {
    "native": ({}, None, "otherwise"),
    "tuna": ({"radix": 2, "metadata": "fused", "in_flight": 32}, "small blocks", "rule"),
    "shared": ({}, "one node", "rule"),
}


class Log:
    """One run: `call()` adds lines, `write()` makes its folder."""

    def __init__(self, name, ranks=8, nodes=2, started="2026-11-21T09:30:00+0100", seed=1, **more):
        self.name, self.ranks, self.nodes = name, ranks, nodes
        self.random = random.Random(f"{name} {seed}")
        self.lines, self.at_us, self.sequences = [], 100.0, {}
        self.run = {
            "switchyard": "1.0.0", "complete": True, "program": name, "command_line": [f"./{name}", "<input>"], "started": started,
            "pid": 1000 + seed, "mpi_library": "Open MPI v4.1.4", "network": "tcp", "ranks": ranks,
            "hosts": [{"host": f"node{node}", "ranks": ranks // nodes} for node in range(nodes)], "mpi_init_seen": True,
            "settings": {"SWITCHYARD": "on", "SWITCHYARD_DETAIL": "calls"}, "policy_file": "made.policy.json",
            "policy": json.dumps(POLICY), **more}

    def call(self, collective, algorithm, block, mean_us, spread=1.1, comm="world", agree_us=0.0, ranks=None, **more):
        """`spread`: slowest rank over the mean."""
        ranks = ranks or self.ranks
        nodes = min(self.nodes, ranks)
        mean = round(mean_us * self.random.uniform(0.95, 1.1), 3)
        parameters, rule, reason = ALGORITHMS[algorithm]
        self.sequences[comm] = self.sequences.get(comm, 0) + 1
        messages = 0 if algorithm == "native" else ranks - 1
        sent = block * (ranks - 1)
        line = {
            "call": len(self.lines) + 1, "comm": comm, "seq": self.sequences[comm], "collective": collective, "binding": "c", "ranks": ranks,
            "nodes": nodes, "ranks_per_node": -(-ranks // nodes), "max_block_bytes": block,
            "sent_bytes": {"min": sent // 2, "mean": 3 * sent // 4, "max": sent}, "buffer": "host", "in_place": False,
            "algorithm": algorithm, "parameters": parameters, "rule": rule, "reason": reason,
            "time_us": {"min": round(mean / spread, 3), "mean": mean, "max": round(mean * spread, 3), "slowest_rank": ranks // 2},
            "phases_us": {"agree": agree_us, "stage": 0.0, "exchange": round(mean - agree_us, 3)}, "messages": messages,
            "wire_bytes": messages * block, "rounds": messages and 3, "messages_inter": messages // 2,
            "messages_intra": messages - messages // 2, "wire_bytes_inter": messages // 2 * block,
            "wire_bytes_intra": (messages - messages // 2) * block, "begin_us": round(self.at_us, 3), **more}
        self.at_us += mean * spread + self.random.uniform(5, 20)
        self.lines.append(line)
        return line

    def write(self, folder, file="calls.jsonl", text=None):
        """As `folder`/NAME.TIME.PID/, with `text` in place of the lines where it is given."""
        run = folder / f"{self.name}.20261121-0930{self.run['pid'] % 60:02}.{self.run['pid']}"
        run.mkdir(parents=True)
        if self.run["complete"]:
            calls = sum(line.get("calls", 1) for line in self.lines)
            routed = sum(line.get("calls", 1) for line in self.lines if line["algorithm"] != "native")
            at_end = {"calls_seen": calls, "calls_routed": routed, "records_dropped": 0, "wall_s": round(2e-6 * self.at_us, 6), "seen": []}
            self.run = {**self.run, **at_end, **self.run}
        (run / "run.json").write_text(json.dumps(self.run, indent=2) + "\n", encoding="utf-8")
        if text is None:
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in self.lines)
        (run / file).write_text(text, encoding="utf-8", errors="surrogateescape")


def usual(folder):
    log = Log("usual")
    for block in (8, 300, 5000, 70_000):
        for _ in range(6):
            log.call("alltoallv", "tuna" if block <= 512 else "native", block, 20 + block / 100)
    for _ in range(5):
        log.call("allgather", "native", 64, 12)
    log.write(folder)


def late_rank(folder):
    log = Log("late_rank")
    for _ in range(20):
        log.call("alltoall", "native", 1024, 900, spread=4.5)
    log.write(folder)


def slow_start_and_cliff(folder):
    log = Log("slow_start_and_cliff", ranks=4, nodes=1)
    for number in range(100):
        log.call("allgather", "shared", 4096, 3000 if number < 3 else 20)
    for block, mean in ((1024, 30), (2048, 900), (8192, 90)):
        for _ in range(30):
            log.call("alltoallv", "native", block, mean)
    log.write(folder)


def agreement(folder):
    log = Log("agreement")
    for number in range(40):
        log.call("alltoallv", "tuna" if number % 4 else "native", 64 if number % 4 else 4096, 50, agree_us=22.5)
    log.write(folder)


def communicators(folder):
    log = Log("communicators")
    for number in range(24):
        log.call("alltoallv", "tuna", 128, 25, comm=f"{number % 5}:{1 + number // 5}", ranks=4)
    log.write(folder)


def devices_and_looks(folder):
    log = Log("devices_and_looks", network="rdma")
    for number in range(12):
        staged = number % 2
        line = log.call("alltoallv", "tuna", 512, 60, buffer="device", transfer="staged" if staged else "direct",
                        moves={"looks": 8, "to_itself_bytes": 4000, "sent_bytes": 20_000, "partners": 14, "empty_blocks": 42, "most_partners": 3})
        if staged:
            line["phases_us"].update(copy_in=7.5, copy_out=5.25)
    log.call("alltoallw", "native", 2**30, 400_000, near_int_limit=True, large_count=True)
    log.write(folder)


def phases(folder):
    log = Log("phases")
    for _ in range(8):
        log.call("alltoallv", "tuna", 256, 80,
                 algorithm_us={"prepare": 2.5, "metadata": 10.0, "data": 40.0, "rearrange": 20.0})
    log.write(folder)


def summary(folder):
    log = Log("summary")
    log.call("alltoallv", "tuna", 256, 40_000, calls=1000)
    log.call("alltoallv", "native", 65_536, 90_000, calls=300)
    log.write(folder, "summary.jsonl")


def counted(folder):
    seen = [{"collective": "allreduce", "calls": 800, "time_us": {"mean": 9000.0, "max": 12_000.5, "sum": 72_000.0}, "sent_bytes": 6400},
            {"collective": "ialltoallv", "calls": 16, "time_us": {"mean": 300.0, "max": 310.0, "sum": 2400.0}, "sent_bytes": 1 << 20}]
    native = {"components": [{"name": "tuned", "priority": 30}, {"name": "basic", "priority": 10}], "forced": {"alltoall": "bruck"},
              "settings": [{"name": "coll_tuned_priority", "value": "91", "from": "environment"}], "libraries": ["libucc.so.1"]}
    log = Log("counted", seen=seen, native=native)
    for _ in range(10):
        log.call("alltoall", "native", 32, 15)
    log.write(folder)


def partial(folder):
    log = Log("partial", complete=False)
    for number in range(9):
        log.call("alltoallv", "native", 100, 30, **({"ranks_seen": 5} if number == 8 else {}))
    log.write(folder)


def empty(folder):
    Log("empty").write(folder)


def two_programs(folder):
    for seed, name in enumerate(("first", "second")):
        log = Log(name, seed=seed)
        for _ in range(4):
            log.call("alltoallv", "native", 64 << seed, 20)
        log.write(folder)


def native_runs(folder, algorithm="native", mean=100):
    for seed in range(6):
        log = Log("paired", seed=seed, started=f"2026-11-21T09:3{seed}:00+0100")
        for _ in range(30):
            log.call("alltoallv", algorithm, 256, mean)
            log.call("allgather", "native", 8, 10)
        log.write(folder)


def tuned_runs(folder):
    native_runs(folder, "tuna", 60)


def damaged(folder):
    """A line that is cut, one that is none, numbers that are too large, text in place of numbers."""
    log = Log("damaged")
    for _ in range(5):
        log.call("alltoallv", "native", 100, 30)
    good = [json.dumps(line, separators=(",", ":")) for line in log.lines]
    bad = [good[0][:100], "not JSON", "[]", "null", good[1].replace('"ranks":8', '"ranks":-8'), good[1].replace('"ranks":8', '"ranks":1e300'),
           good[2].replace('"max_block_bytes":100', '"max_block_bytes":"many"'), good[2].replace('"mean":', '"mean":-'), "{}"]
    log.write(folder, text="\n".join(good + bad) + "\n" + good[3][:50])


def hostile(folder):
    """Names that would change a terminal, a page or a table."""
    log = Log("hostile", mpi_library="\x1b[31mred\x1b[0m", command_line=["./app", "<script>alert(1)</script>", "a|b", "\r\n"])
    for name in ("\x1b]0;title\x07", "<b>bold</b>", "a,b\";--", "x" * 300, "\u202eright to left"):
        log.call("alltoallv", "tuna", 100, 30, rule=name)
        log.call(name, "native", 100, 30)
    log.write(folder)


LOGS = (usual, late_rank, slow_start_and_cliff, agreement, communicators, devices_and_looks, phases, summary, counted, partial, empty,
        two_programs, damaged, hostile)
RUNS = (native_runs, tuned_runs)  # to compare
COMPARED = (("native_runs", "tuned_runs"), ("usual", "agreement"), ("native_runs", "partial"))


def write_all(folder):
    for log in LOGS + RUNS:
        log(folder / log.__name__)
    (folder / "made.policy.json").write_text(json.dumps(POLICY, indent=2) + "\n", encoding="utf-8")
