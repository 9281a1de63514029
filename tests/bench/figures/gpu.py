"""Figures of the GPU paper. Figure 6 needs no GPU; the others are times of device buffers, which no simulation has."""

import subprocess

import applications
from paper import Figure, Outcome, Table
from runs import ROOT, RunFailed

PAPER = "gpu"
CLAIMS = {
    "2": "Staging through the CPU with nonblocking messages beats a GPU-aware MPI with large blocks, on 128 GPUs of Lassen.",
    "3": "Staging through the CPU scales better than a GPU-aware MPI, from 8 to 128 GPUs of Lassen.",
    "4": "Stride algorithms on device buffers beat Cray MPICH's alltoallv on Tioga, the more the more GPUs.",
    "5": "Stride algorithms on device buffers are up to 2 times as fast as Cray MPICH's alltoallv at all sizes, on Tioga.",
}


# Beatnik (CUP-ECS/beatnik) solves with heFFTe's two-dimensional transforms.
BEATNIK = {
    "1": ("Alltoallv in Beatnik, CUDA-aware MPI and the best exchange", "The best exchange is nearly 1.5 times as fast as Lassen's own "
          "alltoallv with 128 GPUs.", "2 to 32 nodes"),
    "7": ("Beatnik as a whole", "MPI Advance's alltoallv in heFFTe makes Beatnik 2 to 3 times as fast.", "2 to 64 nodes"),
    "8": ("Beatnik, copy-to-CPU and CUDA-aware algorithms", "Copy-to-CPU nonblocking outperforms all CUDA-aware algorithms.", "64 nodes"),
    "9": ("Beatnik, weak scaling", "CUDA-aware algorithms win with medium messages; copy-to-CPU nonblocking is 2 to 3 times as fast as "
          "Spectrum MPI with large ones.", "2 to 128 nodes"),
    "10": ("Beatnik, strong scaling", "With few GPUs all algorithms beat CUDA-aware Spectrum MPI; with many, copy-to-CPU with the MPI's own "
           "alltoallv is the best.", "1 to 64 nodes"),
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


def beatnik(number, title, claim, nodes):
    def outcome(_):
        raise RunFailed(f"skipped: it needs Beatnik with Kokkos and Cabana, heFFTe built for CUDA, and {nodes} of four GPUs, as Lassen has")
    return Figure(PAPER, number, title, claim, [], outcome,
                  note="Tied to hardware: GPUs and a network between them. heFFTe's transforms without a GPU are figure 6.")


def figures(_):
    of_buffers = [figure(number, claim) for number, claim in CLAIMS.items()]
    first, *others = [beatnik(number, *words) for number, words in BEATNIK.items()]
    return [first, *of_buffers, applications.heffte(), *others]
