#!/usr/bin/env python3
"""Runs a command in a small Slurm cluster of its own, on this machine:

    tests/slurm/slurm.py --plugin build/lib/slurm/switchyard.so -- srun --mpi=pmi2 -N 2 -n 4 --switchyard ./app

The cluster has two nodes, which are two daemons. It authenticates by a munge of its own. All files are in one folder,
all ports are free ones, and no file of the system is changed: a Slurm of this machine is not disturbed. All processes
of the cluster, jobs included, end with the `with` block, or with this program where that is killed.
"""

import argparse
import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

NODES = 2
CPUS = 8  # of each node. They are more than there are; ranks share the cores.
SKIPPED = 77  # ctest counts a test with this exit status as skipped
SECONDS = 15  # that the daemons get to come up
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "salloc", "scontrol", "scancel")
BECOME_PARENT_OF_ORPHANS = 36  # prctl(2): PR_SET_CHILD_SUBREAPER
SIGNAL_AT_PARENTS_DEATH = 1    # PR_SET_PDEATHSIG

CONFIGURATION = """
ClusterName=switchyard
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
PlugStackConfig={folder}/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/builtin
SelectType=select/linear
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=2
MessageTimeout=30
NodeName=n[0-1] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{node_ports}] CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE:4 MaxTime=5 State=UP
"""


class Impossible(Exception):
    """No Slurm can be started here. The text says why."""


def prctl(option, value):
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def free_ports(count):
    """Ports in a row, as Slurm's range of ports wants them."""
    for first in range(20000 + os.getpid() % 20000, 60000, count):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + count):
                stack.enter_context(socket.socket()).bind(("", port))
            return first
    raise Impossible("no free ports")


def last_line(path):
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if "error" in line or "fatal" in line]
        return lines[-1] if lines else "no reason given"
    return "it wrote no log"


class Cluster:
    """The daemons, for the time of a `with`. `environment` is what the commands of Slurm need to find them."""

    def __init__(self, plugin=None):
        self.plugin = plugin
        self.daemons = []

    def __enter__(self):
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        missing = [program for program in PROGRAMS if not shutil.which(program)]
        if missing:
            raise Impossible(f"{', '.join(missing)} not installed")
        prctl(BECOME_PARENT_OF_ORPHANS, 1)  # slurmstepd leaves its daemon's family, and is found all the same
        self.folder = tempfile.mkdtemp(prefix="switchyard-slurm-")
        os.chmod(self.folder, 0o755)
        self.environment = dict(os.environ, SLURM_CONF=self.file("slurm.conf"))
        try:
            self.configure()
            self.start_daemons()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, AttributeError, subprocess.TimeoutExpired):
            self.command("scancel", "--signal=KILL", "--user", pwd.getpwuid(os.geteuid()).pw_name, timeout=5)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=5)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.kill_orphans()
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def kill_orphans():
        """Steps that outlived their daemon: they are our children now."""
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            children = [int(pid) for pid in file.read().split()]
        for pid in children:
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                    if file.read().startswith("slurmstepd"):
                        os.kill(pid, signal.SIGKILL)
                        os.waitpid(pid, 0)

    def file(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(text)

    def configure(self):
        first = free_ports(NODES + 1)
        self.write("slurm.conf", CONFIGURATION.format(
            controller_port=first, node_ports=f"{first + 1}-{first + NODES}", folder=self.folder, cpus=CPUS,
            user=pwd.getpwuid(os.geteuid()).pw_name, host=socket.gethostname().split(".")[0]))
        self.write("cgroup.conf", "CgroupPlugin=disabled\n" if self.version() >= (23, 2) else "")
        self.write("plugstack.conf", f"optional {self.plugin}\n" if self.plugin else "")
        for name in ("state", *(f"spool-n{i}" for i in range(NODES))):
            os.mkdir(self.file(name))
        with open(self.file("munge.key"), "wb") as file:
            file.write(os.urandom(128))
        os.chmod(self.file("munge.key"), 0o600)

    @staticmethod
    def version():
        said = subprocess.run(["srun", "--version"], capture_output=True, text=True, check=False).stdout.split()
        return tuple(int(number) for number in said[-1].split(".")[:2]) if said else (0, 0)

    def start_daemons(self):
        self.start("munged", "--foreground", "--force", f"--socket={self.file('munge.socket')}",
                   f"--key-file={self.file('munge.key')}", f"--pid-file={self.file('munged.pid')}",
                   f"--log-file={self.file('munged.log')}", f"--seed-file={self.file('munged.seed')}")
        self.wait_until(lambda: os.path.exists(self.file("munge.socket")), "munged", "munged.out")
        self.start("slurmctld", "-D", "-f", self.file("slurm.conf"))
        for i in range(NODES):
            self.start("slurmd", "-D", "-f", self.file("slurm.conf"), "-N", f"n{i}")
        self.wait_until(self.nodes_are_idle, "Slurm", "slurmd-n0.log")

    def start(self, program, *arguments):
        with open(self.file(os.path.basename(program) + ".out"), "ab") as said:
            self.daemons.append(subprocess.Popen([program, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
                                                 stdout=said, stderr=said,
                                                 preexec_fn=lambda: prctl(SIGNAL_AT_PARENTS_DEATH, signal.SIGTERM)))

    def wait_until(self, what, name, log):
        end = time.monotonic() + SECONDS
        while not what():
            dead = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if dead or time.monotonic() > end:
                raise Impossible(f"{dead[0] if dead else name} does not come up: {last_line(self.file(log))}")
            time.sleep(0.1)

    def nodes_are_idle(self):
        said = self.command("scontrol", "--oneliner", "show", "nodes")
        return said.stdout.count("State=IDLE ") == NODES

    @contextlib.contextmanager
    def with_plugin(self, plugin):
        """Commands and new steps load this plug-in instead, for the time of a `with`."""
        with open(self.file("plugstack.conf"), encoding="utf-8") as file:
            before = file.read()
        self.write("plugstack.conf", f"optional {plugin}\n")
        try:
            yield
        finally:
            self.write("plugstack.conf", before)

    def command(self, *words, timeout=30, environment=None, **options):
        return subprocess.run(words, env=environment or self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout, check=False, **options)


def main():
    parser = argparse.ArgumentParser(description="Runs a command in a small Slurm cluster of its own.")
    parser.add_argument("--plugin", type=os.path.abspath, help="a SPANK plug-in that srun and slurmd load")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="srun, sbatch or another command, after --")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda signum, _: sys.exit(128 + signum))
    try:
        with Cluster(options.plugin) as cluster:
            return subprocess.run(options.command, env=cluster.environment, check=False).returncode
    except Impossible as why:
        print(f"no Slurm can be started here: {why}", file=sys.stderr)
        return SKIPPED
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
