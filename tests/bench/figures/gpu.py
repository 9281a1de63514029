"""Figures 2 to 5 and 9 of the GPU paper: times of device buffers, which no simulation has."""

import subprocess
from paper import Figure, Outcome, Table
from runs import ROOT, RunFailed

PAPER = "gpu"
CLAIMS = {
    "2": "Staging through the CPU with nonblocking messages beats a GPU-aware MPI with large blocks, on 128 GPUs of Lassen.",
    "3": "Staging through the CPU scales better than a GPU-aware MPI, from 8 to 128 GPUs of Lassen.",
    "4": "Stride algorithms on device buffers beat Cray MPICH's alltoallv on Tioga, the more the more GPUs.",
    "5": "Stride algorithms on device buffers are up to 2 times as fast as Cray MPICH's alltoallv at all sizes, on Tioga.",
}


def has_gpu():
    """Whether an NVIDIA driver with a GPU answers."""
    test = ("import ctypes; cuda = ctypes.CDLL('libcuda.so.1'); count = ctypes.c_int();"
            "raise SystemExit(cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)) or count.value < 1)")
    return subprocess.run(["/usr/bin/python3", "-c", test], stderr=subprocess.DEVNULL, check=False).returncode == 0


def measured():
    """The table that tests/device/run prints on a machine with a GPU, line by line."""
    ended = subprocess.run([ROOT / "tests/device/run"], stdout=subprocess.PIPE, text=True, check=False)
    lines = [line.strip("| \n").split("|") for line in ended.stdout.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line] for line in lines if not set("".join(line)) <= set("-: ")]
    if ended.returncode != 0 or len(rows) < 2:
        raise RunFailed(f"tests/device/run ended with {ended.returncode} and {max(0, len(rows) - 1)} lines of its table")
    return rows


def figure(number, claim):
    def outcome(_):
        if not has_gpu():
            raise RunFailed("skipped: no GPU is found here")
        header, *rows = measured()
        return Outcome([Table("tests/device/run", header, rows)], [], "The table has what this machine reaches.", False,
                       "One machine with one GPU has no network between GPUs, of which the paper's figure tells.")
    return Figure(PAPER, number, "All-to-allv of device buffers", claim, [], outcome,
                  note="Tied to hardware: the GPUs and the network of Lassen or Tioga.")


def weak_scaling():
    """Figure 9: an application with GPUs of its own for each rank. The TuNA paper's page has weak scaling without."""
    def outcome(_):
        raise RunFailed("skipped: needs Beatnik with Kokkos, Cabana and heFFTe built for GPUs, and 2 nodes of 4 GPUs or more")
    return Figure(PAPER, "9", "Weak scaling of Beatnik",
                  "Staging through the CPU with nonblocking messages takes a half to a third of a GPU-aware MPI's time at large problem "
                  "sizes, in weak scaling on 8 to 512 GPUs of Lassen.", [], outcome,
                  note="Tied to hardware: a rank for each GPU of Lassen, whose bytes stay the same.")


def figures(_):
    return [*(figure(number, claim) for number, claim in CLAIMS.items()), weak_scaling()]
