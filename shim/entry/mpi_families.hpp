// The MPI families of mpi_families.def. The preloaded object includes this file, so nothing here allocates
// or links anything but libc.
#pragma once

#include <array>
#include <cstdlib>
#include <cstring>

namespace switchyard::shim {

// Fields as mpi_families.def describes them. Lists of words end with a null, or are full.
struct MpiFamily {
    using Words = std::array<const char*, 8>;
    const char* name = nullptr;
    const char* title = nullptr;
    Words library_says{};
    Words launcher_says{};
    Words libraries{};
    Words fortran_libraries{};
    Words rank_variables{};
    Words setting_prefixes{};
    Words gpu_queries{};
    const char* header_defines = nullptr;
    const char* suffix = nullptr;
    const char* oversubscribe = nullptr;
    const char* export_variable = nullptr;
    Words environment{};
    bool ranks_spin = false;
    Words packages{};
};

// The standard's own binary interface, which came with MPI-5. It is not a family of the table: Open MPI and
// MPICH have it in addition to their own interface, with the same launcher, in a separate library. No MPI is
// needed to build its back end.
struct StandardAbi {
    static constexpr const char* name = "abi";           // of the back end, as a family's
    static constexpr const char* library = "libmpi_abi"; // how the MPI library's file name begins
    static constexpr int major_version = 1;              // that the back end is made for
};

inline constexpr MpiFamily mpi_families[] = {
#define SWITCHYARD_MPI_FAMILY(family, ...) {.name = #family, __VA_ARGS__},
#include "mpi_families.def"
};

// The first family with a word for which `holds` is true; null if there is none.
template <typename Predicate>
const MpiFamily* family_with(MpiFamily::Words MpiFamily::*words, Predicate holds) {
    for (const MpiFamily& family : mpi_families)
        for (const char* word : family.*words)
            if (word != nullptr && holds(word)) return &family;
    return nullptr;
}

// The family by the version that its library or its launcher states; null if no family matches.
inline const MpiFamily* family_that_says(const char* version, MpiFamily::Words MpiFamily::*words) {
    return family_with(words, [version](const char* word) { return std::strstr(version, word) != nullptr; });
}

// The rank that an MPI launcher gave this process; null where the environment has none. PMIx
// serves several families.
inline const char* rank_by_mpi_launcher() {
    const char* rank = nullptr;
    family_with(&MpiFamily::rank_variables,
                [&rank](const char* name) { return (rank = std::getenv(name)) != nullptr; });
    return rank != nullptr ? rank : std::getenv("PMIX_RANK");
}

// The same, or the number that Slurm gave this process. Slurm also numbers programs without MPI.
inline const char* rank_by_any_launcher() {
    const char* rank = rank_by_mpi_launcher();
    return rank != nullptr ? rank : std::getenv("SLURM_PROCID");
}

} // namespace switchyard::shim
