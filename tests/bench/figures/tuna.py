"""Figures 7 to 16 of the TuNA paper."""

import tuna_compared
import tuna_hierarchical
import tuna_radix
from tuna_compared import PROPOSED, compared


def figures(scale):
    fixed = "The sizes are those of the paper's shapes at so many ranks."
    return [
        tuna_radix.trends(scale), tuna_radix.against_native(scale), tuna_radix.winning_radices(scale),
        tuna_hierarchical.hierarchical(scale), tuna_hierarchical.parts(scale), tuna_compared.standard(scale),
        compared(scale, "13", "The proposed algorithms, scattered and MPI_Alltoallv",
                 "All proposed algorithms beat MPI_Alltoallv, coalesced the most.", has_model=True),
        compared(scale, "14, N1", "FFT, first shape", "All three are faster than MPI_Alltoallv in an FFT.", "fft1", (16,),
                 note=fixed),
        compared(scale, "14, N2", "FFT, second shape", "All three are faster than MPI_Alltoallv in an FFT.", "fft2", (16,),
                 note=fixed),
        tuna_compared.path_finding(scale),
        compared(scale, "16, normal", "Blocks of a normal distribution",
                 "Tuna and coalesced are about 3 times faster than MPI_Alltoallv with 4,096 ranks.", "normal", (256,),
                 PROPOSED[:2]),
        compared(scale, "16, power law", "Blocks of a power-law distribution",
                 "Tuna and coalesced outperform MPI_Alltoallv, the more the more ranks.", "power_law", (256,),
                 PROPOSED[:2]),
    ]
