#!/usr/bin/env python3
"""Makes several hosts of namespaces on one machine, and runs an MPI job across them:

    tests/hosts/hosts.py --hosts 4 --ranks 4 --mpi openmpi -- build/bin/switchyard run -- ./app

A host has a network, hostname, mount and IPC namespace of its own. MPI sees another name, address, boot id and shared
memory, takes the host for another machine, and uses TCP between hosts. mpirun starts on the first host. It reaches the
others by an agent in place of ssh; like ssh, the agent passes no environment on. All hosts share the machine's files,
as on a cluster; only FOLDER/local is each host's own.

All hosts and the bridge between them live inside one outer set of namespaces. This program is its first process: when
it ends, the kernel takes down all processes, networks and mounts inside. None of them has a name outside, so several
runs do not disturb each other. Root is not needed where the kernel lets anybody make user namespaces.
"""

import argparse
import contextlib
import fcntl
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import mpi_families  # noqa: E402

LAUNCHERS = ("openmpi", "mpich")  # of these families `Hosts.launcher` knows the options for several hosts
SUBNET = "10.0.0.0/24"
MOST_HOSTS = 250
LEFTOVERS = "switchyard-hosts-"
INSIDE = "INSIDE_HOSTS_FOLDER"  # set in the program that runs inside: its folder
ALIVE = "INSIDE_HOSTS_ALIVE"    # likewise: the end of a pipe; the program outside holds the other end
SKIPPED = 77                    # ctest counts a test with this exit status as skipped

# The first process of a host. It mounts the host's own file systems over the inherited ones. A new /sys is needed as
# UCX looks there for network devices, and it shows those of the namespace that mounted it. UCX takes hosts with equal
# boot ids for one machine, so each host gets its own.
HOST = """
hostname "$1"
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs tmpfs "$2/local"
mount --bind "$2/etc_hosts" /etc/hosts
cat /proc/sys/kernel/random/uuid >"$2/$1.boot_id"
mount --bind "$2/$1.boot_id" /proc/sys/kernel/random/boot_id
ip link set lo up
echo ready
exec sleep infinity
"""

# In place of ssh: AGENT [options] HOST COMMAND. A shell on the host runs the command.
AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec nsenter --target "$(cat "%(folder)s/$host.pid")" --net --uts --ipc --mount -- \\
    env -i HOME="$HOME" PATH="$PATH" LANG="$LANG" sh -c "$*"
"""


class Impossible(Exception):
    """No hosts can be made here. The text says why."""


# ---- Going inside ----

def namespaces(as_user):
    """The command that starts a program as the first process of namespaces of its own."""
    words = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    return words + (["--user", "--map-root-user"] if as_user else []) + ["--"]


def how_to_enter():
    """The command of `namespaces`, after a trial with one host. In most containers root may not make namespaces; it may
    then still make a user namespace, as anybody may."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [tool for tool in ("ip", "unshare", "nsenter", "mount", "hostname") if not shutil.which(tool)]
    if missing:
        raise Impossible(f"{', '.join(missing)} not installed")
    whys = []
    for as_user in ([False, True] if os.geteuid() == 0 else [True]):
        command = namespaces(as_user)
        with tempfile.TemporaryDirectory(prefix=LEFTOVERS) as folder:
            trial = subprocess.run([*command, sys.executable, "-B", os.path.abspath(__file__), "--trial"],
                                   env=dict(os.environ, **{INSIDE: folder}), stdin=subprocess.DEVNULL,
                                   capture_output=True, text=True, timeout=60, check=False)
        if trial.returncode == 0:
            return command
        whys.append((trial.stderr.strip().splitlines() or ["no reason given"])[-1])
    raise Impossible("; in a user namespace: ".join(whys))


def remove_leftovers():
    """Removes the empty folders of runs that were killed. Nobody holds their locks any more."""
    for folder in glob.glob(os.path.join(tempfile.gettempdir(), LEFTOVERS + "*")):
        with contextlib.suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.rmdir(folder)
            finally:
                os.close(lock)


def stop(signum, _frame):
    sys.exit(128 + signum)


def enter():
    """Runs this program a second time, inside, with the same arguments. Returns only in that second program, with the
    folder that all hosts share. The first one waits for it and ends with the same code. Raises Impossible."""
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
    if INSIDE in os.environ:
        return settle()
    command = how_to_enter()
    remove_leftovers()
    folder = tempfile.mkdtemp(prefix=LEFTOVERS)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    alive, held = os.pipe()
    process = None
    try:
        process = subprocess.Popen([*command, sys.executable, "-B", *sys.argv], pass_fds=[alive],
                                   env=dict(os.environ, **{INSIDE: folder, ALIVE: str(alive)}))
        code = process.wait()
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    finally:
        if process:
            process.kill()
            process.wait()
        os.rmdir(folder)
        os.close(held)
    sys.exit(code if code >= 0 else 128 - code)


def end_with(pipe):
    """The other end of the pipe closes when the program outside ends. Then this process ends, and with it all
    others."""
    while os.read(pipe, 1):
        pass
    os._exit(1)


def settle():
    """Inside: makes the bridge, and an empty folder that nobody outside sees."""
    folder = os.environ.pop(INSIDE)
    pipe = os.environ.pop(ALIVE, None)
    if pipe:
        os.set_inheritable(int(pipe), False)
        threading.Thread(target=end_with, args=[int(pipe)], daemon=True).start()
    run("mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", folder)
    run("ip", "link", "add", "bridge", "type", "bridge")
    run("ip", "link", "set", "bridge", "up")
    run("ip", "link", "set", "lo", "up")
    return folder


def run(*words):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode != 0:
        raise Impossible(f"{' '.join(words)}: {done.stdout.strip()}")


# ---- Hosts ----

class Hosts:
    """host0, host1, ... for the time of a `with`. They share `folder`, but each has its own `local` in it."""

    def __init__(self, folder, count):
        if not 1 <= count <= MOST_HOSTS:
            raise ValueError(f"{count} hosts: 1 to {MOST_HOSTS} can be had")
        self.folder = folder
        self.names = [f"host{i}" for i in range(count)]
        self.processes = []  # the first process of each host

    @property
    def local(self):
        return os.path.join(self.folder, "local")

    @property
    def agent(self):
        return os.path.join(self.folder, "agent")

    def __enter__(self):
        try:
            self.raise_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def raise_all(self):
        os.makedirs(self.local, exist_ok=True)
        with open(os.path.join(self.folder, "etc_hosts"), "w", encoding="ascii") as file:
            file.write("127.0.0.1 localhost\n")
            file.writelines(f"{self.address(i)} {name}\n" for i, name in enumerate(self.names))
        with open(self.agent, "w", encoding="utf-8") as file:
            file.write(AGENT % {"folder": self.folder})
        os.chmod(self.agent, 0o755)
        for name in self.names:
            self.processes.append(subprocess.Popen(
                ["unshare", "--net", "--uts", "--ipc", "--mount", "--", "sh", "-euc", HOST, "sh", name, self.folder],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        for i, name in enumerate(self.names):
            self.connect(i, name)

    def connect(self, i, name):
        process = self.processes[i]
        said = process.stdout.readline().strip()
        if said != "ready":
            raise Impossible(f"{name}: {said}")
        with open(os.path.join(self.folder, name + ".pid"), "w", encoding="ascii") as file:
            file.write(str(process.pid))
        run("ip", "link", "add", f"port{i}", "type", "veth", "peer", "name", "eth0", "netns", str(process.pid))
        run("ip", "link", "set", f"port{i}", "master", "bridge", "up")
        run(*self.on(i, "ip", "address", "add", f"{self.address(i)}/24", "dev", "eth0"))
        run(*self.on(i, "ip", "link", "set", "eth0", "up"))

    def __exit__(self, *_):
        for i, process in enumerate(self.processes):
            self.kill_processes(i)
            process.kill()
            process.wait()
            process.stdout.close()
            # The port goes with the namespace some time after the last process. It is removed at once, for the next
            # host.
            subprocess.run(["ip", "link", "delete", f"port{i}"], capture_output=True, check=False)
        self.processes = []

    @staticmethod
    def address(i):
        return f"10.0.0.{i + 1}"

    def on(self, i, *words, folder=None):
        """The command that runs `words` on host i, in `folder` or the current folder."""
        return ["nsenter", "--target", str(self.processes[i].pid), "--net", "--uts", "--ipc", "--mount", "--",
                "env", "-C", folder or os.getcwd(), *words]

    def path(self, i, path):
        """The path of one of host i's own files, from here."""
        return f"/proc/{self.processes[i].pid}/root{path}"

    def sent_bytes(self, i):
        """Bytes that host i has sent to the others so far."""
        with open(self.path(i, "/sys/class/net/eth0/statistics/tx_bytes"), encoding="ascii") as file:
            return int(file.read())

    def processes_of(self, i):
        """All processes on host i but the first. (A process may end meanwhile: its namespace cannot be read then.)"""
        first = self.processes[i].pid
        with contextlib.suppress(OSError):
            network = os.readlink(f"/proc/{first}/ns/net")
            for entry in os.listdir("/proc"):
                with contextlib.suppress(OSError):
                    if entry.isdigit() and int(entry) != first and os.readlink(f"/proc/{entry}/ns/net") == network:
                        yield int(entry)

    def kill_processes(self, i):
        """Kills all processes on host i, as when a machine goes down. Unlike then, its kernel still closes
        connections."""
        killed = True
        while killed:
            killed = False
            for pid in self.processes_of(i):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed = True

    def launcher(self, mpi, ranks, cyclic=False, folder=None):
        """The command that starts a job from the first host, with ranks[i] ranks on host i. Ranks are numbered one host
        after the other, or (cyclic) in turn."""
        words = {"openmpi": self.openmpi, "mpich": self.mpich}[mpi]
        slots = ",".join(f"{name}:{count}" for name, count in zip(self.names, ranks) if count > 0)
        return self.on(0, *words(ranks, slots, cyclic), "-n", str(sum(ranks)), folder=folder)

    def openmpi(self, _ranks, slots, cyclic):
        # There are more ranks than cores, so they have to yield while they wait. By default they do so only where
        # they are more than the slots.
        settings = {"pml": "ob1", "btl_tcp_if_include": SUBNET, "oob_tcp_if_include": SUBNET,
                    "mpi_yield_when_idle": "1"}
        if starts_by_prrte():
            settings |= {"plm_ssh_agent": self.agent, "prte_tmpdir_base": self.local, "btl": "tcp,sm,self",
                         "smsc": "^cma"}
        else:
            settings |= {"plm_rsh_agent": self.agent, "orte_tmpdir_base": self.local, "btl": "tcp,vader,self",
                         "btl_vader_single_copy_mechanism": "none"}
        words = ["mpirun.openmpi"]
        for name, value in settings.items():
            words += ["--mca", name, value]
        return [*words, "--bind-to", "none", "--map-by", "node" if cyclic else "slot", "--host", slots]

    def mpich(self, ranks, slots, cyclic):
        if cyclic and not may_be_cyclic("mpich", ranks):
            raise ValueError(NOT_CYCLIC)
        words = ["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", self.agent, "-iface", "eth0"]
        preloaded = os.environ.get("LD_PRELOAD", "").split()  # -genv would hide it from the ranks
        if mpich_may_hang():
            preloaded.append(built_finalize_fix(self.folder))
        if preloaded:
            words += ["-genv", "LD_PRELOAD", ":".join(preloaded)]
        return [*words, *(["-ppn", "1"] if cyclic else []), "-hosts", slots]


# ---- What is peculiar to an MPI ----

def starts_by_prrte():
    """True for Open MPI 5 and later, where the launcher's own settings have other names."""
    said = subprocess.run(["mpirun.openmpi", "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"\(Open MPI\) (\d+)", said)
    return bool(version) and int(version[1]) >= 5


NOT_CYCLIC = "MPICH's launcher places ranks in turn only where all hosts have equally many"


def may_be_cyclic(mpi, ranks):
    """MPICH's launcher goes round all hosts, whatever number of ranks a host shall have."""
    return mpi != "mpich" or len(set(ranks)) == 1


def mpich_may_hang():
    """True for MPICH before 4.2: see mpich_finalize.c."""
    said = subprocess.run(["mpiexec.mpich", "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"Version:\s+(\d+)\.(\d+)", said)
    return bool(version) and (int(version[1]), int(version[2])) < (4, 2)


def built_finalize_fix(folder):
    """Built where it is needed, as few places need it."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mpich_finalize.c")
    built = os.path.join(folder, "mpich_finalize.so")
    if not os.path.exists(built):
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", source, "-o", built, "-ldl"],
                       check=True)
    return built


# ---- By hand ----

def parsed():
    parser = argparse.ArgumentParser(
        description="Runs an MPI job across several hosts that are namespaces of this machine.",
        epilog="Example: hosts.py --hosts 4 --ranks 4 --mpi openmpi -- build/bin/switchyard run -- ./app")
    parser.add_argument("--hosts", type=int, metavar="N",
                        help="how many hosts (default: 4, or as many as --ranks lists)")
    parser.add_argument("--ranks", default="4", metavar="R[,R...]",
                        help="ranks on each host, one number or one for each host (default: 4)")
    parser.add_argument("--cyclic", action="store_true",
                        help="place ranks on the hosts in turn, not one host after the other")
    parser.add_argument("--mpi", choices=LAUNCHERS, default=LAUNCHERS[0], help="MPI of the job (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="make no hosts; say why not, where none can be made here")
    parser.add_argument("--trial", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="program that each rank runs, after --")
    options = parser.parse_args()
    try:
        listed = [int(count) for count in options.ranks.split(",")]
    except ValueError:
        parser.error(f"--ranks {options.ranks}: it takes numbers, separated by commas")
    count = options.hosts or (len(listed) if len(listed) > 1 else 4)
    options.ranks = listed * count if len(listed) == 1 else listed
    if len(options.ranks) != count or min(options.ranks) < 0 or sum(options.ranks) < 1 or count > MOST_HOSTS:
        parser.error(f"{count} hosts, at most {MOST_HOSTS}, and --ranks {','.join(map(str, listed))} do not fit")
    if options.cyclic and not may_be_cyclic(options.mpi, options.ranks):
        parser.error(NOT_CYCLIC)
    if not options.command and not options.check and not options.trial:
        parser.error("a COMMAND for the ranks is missing")
    return options


def job_environment():
    return os.environ | mpi_families.environment()


def main():
    options = parsed()
    try:
        if options.check:
            how_to_enter()
            return 0
        folder = enter()
        if options.trial:
            with Hosts(folder, 1):
                return 0
        with Hosts(folder, len(options.ranks)) as hosts:
            command = hosts.launcher(options.mpi, options.ranks, options.cyclic) + options.command
            return subprocess.run(command, env=job_environment(), check=False).returncode
    except Impossible as why:
        print(why if options.trial else f"no hosts can be made here: {why}", file=sys.stderr)
        return SKIPPED
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
