// Calls whose bytes come near 2 GiB (2^31 bytes): programs and MPI libraries that count bytes in 32 bits then
// pass counts and displacements that turned negative, and crash far from the cause (mpifileutils #186, WRF
// #2156, ParMETIS #6).
#pragma once

#include "shim/report/read/profile.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::report {

// First what a rank said on stderr while the program ran. Then a sentence for each group in which a rank sends
// half of 2 GiB or more to the other ranks in a call, or passes such a count or displacement; the most bytes
// first. `alltoallv, 4 ranks, up to 512 MiB, native: a rank sends up to 1.5 GiB in a call, 75% of
// 2 GiB`
std::vector<std::string> near_two_gib_sentences(const Profile& profile);

// What the sentences are about.
inline constexpr const char* near_two_gib_title = "Calls near the end of 32-bit counts";
inline constexpr const char* near_two_gib_note =
    "from 2 GiB on, counts and displacements in bytes do not fit in 32 bits: programs that keep them in an "
    "int crash, "
    "often far from here. With more ranks or a larger problem look at these calls first";

} // namespace switchyard::shim::report
