"""Runs a client program under a launcher, with or without the shim, and reads its output and its log.

ctest gives the MPI and the folders in the environment: SWITCHYARD_MPI, SWITCHYARD_TEST_OUTPUT and
SWITCHYARD_TEST_CLIENTS. They do not reach the job, as the shim warns of SWITCHYARD_ variables that it does not know.
SWITCHYARD_TEST_RUNTIME is a library for LD_PRELOAD in all ranks: a sanitizer's (tests/sanitize).
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))

import mpi_families  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
MPI = os.environ.get("SWITCHYARD_MPI", "openmpi")
OUTPUT = os.environ.get("SWITCHYARD_TEST_OUTPUT", os.path.join(ROOT, "build"))
CLIENTS = os.environ.get("SWITCHYARD_TEST_CLIENTS", os.path.join(ROOT, "build", MPI, "clients"))
SWITCHYARD = os.path.join(OUTPUT, "bin", "switchyard")
SHIM = os.path.join(OUTPUT, "lib", "libswitchyard.so")
DEFAULT_POLICY = os.path.join(OUTPUT, "share", "switchyard", "default.policy.json")
RUNTIME = os.environ.get("SWITCHYARD_TEST_RUNTIME")
PYTHON = "/usr/bin/python3"

FAMILY = mpi_families.families()[MPI]
OPENMPI = MPI == "openmpi"  # tests that ask this run with another family as with MPICH: fewer ranks, fewer calls
NATIVE_POLICY = {"version": 1, "rules": [], "otherwise": {"algorithm": "native"}}

# Where waiting ranks spin, and are more than the cores, a call takes tens of milliseconds. So they are made to yield, apart
# from jobs that name what is preloaded themselves.
YIELD = os.path.join(CLIENTS, "yield_while_waiting.so")
FEW_RANKS = 3 if FAMILY.ranks_spin else 4


def client(name):
    return os.path.join(CLIENTS, name)


def client_exists(name):
    return os.path.exists(client(name))


def mpi4py_works():
    probe = [PYTHON, "-c", "import mpi4py"]
    return OPENMPI and os.path.exists(PYTHON) and subprocess.run(probe, capture_output=True).returncode == 0


class Result:
    """Exit code, output and logs of one job. `logs` are the run directories, sorted by name."""

    def __init__(self, code, stdout, stderr, log_folder):
        self.code = code
        self.stdout = stdout
        self.stderr = stderr
        found = sorted(os.listdir(log_folder)) if log_folder and os.path.isdir(log_folder) else []
        self.logs = [os.path.join(log_folder, name) for name in found]

    def _printed(self, pattern):
        found = re.search(pattern, self.stdout)
        return found.group(1) if found else None

    @property
    def calls_made(self):
        """The program's own count of its calls, once per communicator; None where it printed none."""
        calls = self._printed(r"(?m)^(?:ok|made) calls=(\d+)")
        return int(calls) if calls else None

    @property
    def digest(self):
        return self._printed(r"digest=([0-9a-fA-F]+)")

    @property
    def lines_of_ours(self):
        """The shim's lines on stderr."""
        return [line for line in self.stderr.splitlines() if line.startswith("switchyard: ")]

    @property
    def warnings(self):
        return [line for line in self.lines_of_ours if line.startswith("switchyard: warning: ")]

    @property
    def closing_line(self):
        closing = [line for line in self.lines_of_ours if "calls seen" in line]
        return closing[-1] if closing else None

    def log(self):
        """The one run directory."""
        if len(self.logs) != 1:
            raise AssertionError(f"{len(self.logs)} run directories: {self.logs}\n{self.everything()}")
        return self.logs[0]

    def run_json(self):
        with open(os.path.join(self.log(), "run.json"), encoding="utf-8") as file:
            return json.load(file)

    def calls(self, name="calls.jsonl"):
        with open(os.path.join(self.log(), name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def everything(self):
        return f"exit code {self.code}\n--- stdout\n{self.stdout[-4000:]}\n--- stderr\n{self.stderr[-4000:]}"


def clean_environment():
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SWITCHYARD") and k != "LD_PRELOAD"}
    if os.path.exists(YIELD):
        kept["LD_PRELOAD"] = YIELD
    kept.update(mpi_families.environment(), OMP_NUM_THREADS="1", OMPI_MCA_btl_vader_single_copy_mechanism="none")
    return kept


def environment_for(words):
    """For a job with these words. More than half the time of a start of Open MPI is the look for networks of cm and UCX, which it
    does not take here. A test that limits a rank's memory keeps them: its limits are for an MPI that has looked."""
    environment = clean_environment()
    if OPENMPI and not any(str(word).startswith("memory:") for word in words):
        environment.setdefault("OMPI_MCA_pml", "ob1")
        environment.setdefault("OMPI_MCA_osc", "^ucx")
    return environment


def launcher(np, exported):
    """The command that starts `np` ranks. `exported` goes into the ranks alone, not into the launcher itself."""
    if RUNTIME:
        others = exported.get("LD_PRELOAD") or (YIELD if os.path.exists(YIELD) else "")
        exported = dict(exported, LD_PRELOAD=f"{RUNTIME}:{others}")
    return mpi_families.launcher(FAMILY, np, exported)


def finish(command, environment, folder, timeout):
    """Like subprocess.run, but the time limit ends all ranks of a job. A sanitizer takes its time."""
    timeout *= 4 if RUNTIME else 1
    process = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            out, err = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        code = f"none: still running after {timeout} s"
    return code, text_of(out), text_of(err)


def called_unloaded_code(stderr):
    """A rank called code that is no longer there. orte_finalize of Open MPI 4.1.4 unloads mca_pmix_ext3x, and only then stops
    its progress thread, which may still have an event of this component to handle (gdb's stacks of a core; once in a
    thousand jobs or less, on loaded machines). Where that thread is ending, libgcc looks for the component's tables, and no stack is
    printed. No library of ours is ever unloaded."""
    frame = r"\n\[[^]]*\] \[ {}\] .*"
    called = r"Failing at address: (\w+)" + frame.format(0) + frame.format(1) + r"\[\1\]"
    unwound = r"Failing at address: \w+\n(?!\[\S+\] \[)"
    return OPENMPI and re.search(f"{called}|{unwound}", stderr)


def text_of(output):
    """PRRTE writes a zero byte before what a rank says, where it has printed a message of its own."""
    return output.decode("utf-8", "replace").replace("\0", "")


class PreloadTest(unittest.TestCase):
    """A test with a folder of its own, in which its jobs run and leave their logs."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="switchyard-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.jobs = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        if isinstance(content, (dict, list)):
            content = json.dumps(content)
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def native_policy(self):
        return self.write("native.policy.json", NATIVE_POLICY)

    def plain(self, np, program, *arguments, exported=None, timeout=60):
        """The program without the shim."""
        command = launcher(np, exported or {}) + [program, *map(str, arguments)]
        return Result(*finish(command, environment_for(arguments), self.folder, timeout), None)

    _plain_results = {}

    def plain_once(self, np, program, *arguments):
        """A plain run for comparison, made once for all tests of a module. It must end well. Where the MPI itself hangs
        (Open MPI 6.0.0rc2 with threads), nothing is compared."""
        key = (np, program, arguments)
        if key not in self._plain_results:
            result = self.plain(np, program, *arguments, timeout=120)
            if not isinstance(result.code, int):
                self.skipTest(f"{MPI} itself does not end")
            self.assert_ended_well(result)
            self._plain_results[key] = result
        return self._plain_results[key]

    def launch(self, np, program, *arguments, policy=None, force=None, settings=None, log=None, preload=None,
               exported=None, timeout=60):
        """The program under the shim: by `switchyard run`, or by LD_PRELOAD if `preload` lists objects."""
        self.jobs += 1
        log = log or self.path(f"logs-{self.jobs}")
        environment = environment_for(arguments)
        environment.update(settings or {})
        words = [program, *map(str, arguments)]
        if preload is None:
            options = ["--policy", policy or self.native_policy(), "--log", log]
            options += ["--force", force] if force else []
            words = [SWITCHYARD, "run", *options, "--", *words]
            command = launcher(np, exported or {}) + words
        else:
            inside = {"LD_PRELOAD": ":".join(preload), "SWITCHYARD_LOG": log,
                      "SWITCHYARD_POLICY": policy or self.native_policy()}
            if force:
                inside["SWITCHYARD_FORCE"] = force
            inside.update(settings or {})
            inside.update(exported or {})
            command = launcher(np, inside) + words
        before = set(os.listdir(log)) if os.path.isdir(log) else set()
        code, out, err = finish(command, environment, self.folder, timeout)
        if called_unloaded_code(err):
            print(f"once more: {MPI} called code that it had unloaded\n{err}", file=sys.stderr)
            for run in set(os.listdir(log)) - before if os.path.isdir(log) else ():
                shutil.rmtree(os.path.join(log, run), ignore_errors=True)
            code, out, err = finish(command, environment, self.folder, timeout)
        return Result(code, out, err, log)

    def command(self, *arguments, timeout=60):
        """The command `switchyard` itself, outside any job."""
        return Result(*finish([SWITCHYARD, *arguments], clean_environment(), self.folder, timeout), None)

    def assert_ended_well(self, result):
        self.assertEqual(result.code, 0, result.everything())
        self.assertRegex(result.stdout, r"(?m)^ok ", result.everything())

    def assert_quiet(self, result):
        """The shim printed the closing line and nothing else."""
        self.assertEqual(result.warnings, [], result.everything())
        self.assertEqual(len(result.lines_of_ours), 1, result.everything())

    def assert_closing(self, result, seen, routed=None):
        self.assertIsNotNone(result.closing_line, result.everything())
        if seen == 0:
            self.assertIn("no calls seen", result.closing_line)
            return
        found = re.match(r"switchyard: (\d+) calls seen, (\d+) routed, log in (.+)$", result.closing_line)
        self.assertIsNotNone(found, result.closing_line)
        self.assertEqual(int(found.group(1)), seen, result.everything())
        if routed is not None:
            self.assertEqual(int(found.group(2)), routed, result.everything())

    def assert_logged(self, result):
        """The log has a line for each call, numbered without holes. The closing line has the same count."""
        lines = result.calls()
        self.assertEqual(len(lines), result.calls_made, result.everything())
        self.assertEqual([line["call"] for line in lines], list(range(1, len(lines) + 1)))
        self.assert_closing(result, result.calls_made)
        return lines
