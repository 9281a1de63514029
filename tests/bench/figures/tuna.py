"""Figures 7 to 16 of the TuNA paper, and figures of our own about its claims."""

import maps
import tuna_compared
import tuna_hierarchical
import tuna_radix
import tuna_scale
from tuna_compared import PROPOSED, Comparison, compared
from tuna_runs import SIZES, measured_by_the_paper


def applications():
    """Figure 14. The sizes are fixed by the shapes, so each has one block."""
    note = "The sizes are those of the paper's shapes at so many ranks. The paper has the time of the application, on Fugaku; here it " \
           "is that of its exchanges."
    claim = "All three are faster than MPI_Alltoallv in an FFT."
    return [Comparison("14, N1", "FFT, first shape", claim, "fft1", (16,), note=note, model_blocks=(16,), of_paper={(8192, 16): 9.42}),
            Comparison("14, N2", "FFT, second shape", claim, "fft2", (16,), note=note, model_blocks=(16,), of_paper={(8192, 16): 4.01})]


def distributions():
    """Figure 16, with the paper's 1,024 bytes and smaller ones, which more ranks can be simulated with."""
    ranks = (512, 4096, 32768)
    return [Comparison("16, normal", "Blocks of a normal distribution",
                       "Tuna and coalesced are about 3 times faster than MPI_Alltoallv with 4,096 ranks.", "normal", (256, 1024),
                       PROPOSED[:2], model_ranks=ranks, model_blocks=(1024,), of_paper={(4096, 1024): 3.63}),
            Comparison("16, power law", "Blocks of a power-law distribution",
                       "Tuna and coalesced outperform MPI_Alltoallv, the more the more ranks.", "power_law", (256, 1024),
                       PROPOSED[:2], model_ranks=ranks, model_blocks=(1024,))]


def figures(scale):
    there = measured_by_the_paper(scale)
    all_proposed = Comparison(
        "13", "The proposed algorithms, scattered and MPI_Alltoallv",
        "All proposed algorithms beat MPI_Alltoallv, coalesced the most.", first=True, model_blocks=SIZES,
        of_paper=there.coalesced, note=f"The paper's gains are {there.name}'s, of 16,384 ranks.")
    return [
        tuna_radix.trends(scale), tuna_radix.against_native(scale), tuna_radix.winning_radices(scale),
        *([maps.map_of_tuna(scale)] if scale.model else []),
        tuna_hierarchical.hierarchical(scale), tuna_hierarchical.parts(scale), tuna_compared.standard(scale),
        compared(scale, all_proposed), *[compared(scale, each) for each in applications()],
        # Its program runs on this machine, whichever is simulated.
        *([tuna_compared.path_finding(scale)] if scale.machine == "polaris" else []),
        *[compared(scale, each) for each in distributions()],
        *tuna_scale.figures(scale),
    ]
