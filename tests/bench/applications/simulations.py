"""Simulation codes of Debian for scripts/evidence. Their energies must be the same in all runs, as far as they print them."""

import re
from pathlib import Path

import in_turn
from kernels import INPUTS, must_say, same_lines

LAMMPS_INPUT = Path(__file__).resolve().parents[2] / "preload/demo/lammps-pppm.in"
# Debian 12's LAMMPS uses memory of FFTW that it has freed, and dies if the heap has shrunk (config/recipes/problems.md). So
# malloc keeps the heap, and large chunks in it, as it learns to do by itself.
KEEP_HEAP = ("env", f"MALLOC_TRIM_THRESHOLD_={1 << 30}", f"MALLOC_MMAP_THRESHOLD_={32 << 20}")


def lammps(program, _, folder):
    rows = same_lines(r"(?m)^ +\d+(?: +-?[\d.]+){6} *$", "LAMMPS", "rows of energies")
    command = (*KEEP_HEAP, str(program), "-in", str(LAMMPS_INPUT), "-log", "none")
    yield in_turn.Case("LAMMPS", "ionic melt, PPPM", command, folder, rows)


def quantum_espresso(program, _, folder):
    """pw.x: eight atoms of silicon, self-consistent."""
    energy = must_say(r"(?m)^! +total energy += +(-[\d.]+ Ry)$(?=[\s\S]*JOB DONE)", "Quantum ESPRESSO")
    yield in_turn.Case("Quantum ESPRESSO", "8 atoms of silicon", (str(program), "-in", str(INPUTS / "silicon.in")), folder, energy)


def cp2k(program, _, folder):
    yield in_turn.Case("CP2K", "2 molecules of water", (str(program), str(INPUTS / "water.inp")), folder, cp2k_energy)


def cp2k_energy(output):
    """To 8 digits behind the point: more are as the sums of the ranks come out."""
    found = re.search(r"(?m)^ ENERGY\| Total FORCE_EVAL.* (-\d+\.\d{8})\d*$", output)
    if not found or "SCF run converged" not in output or "PROGRAM ENDED AT" not in output:
        raise in_turn.Failed("CP2K: no energy, or it did not end well")
    return f"energy {found[1]} hartree"
