#include "ulfm.hpp"

#include "shim/back_end/device/symbols.hpp"

namespace switchyard::shim {

namespace {

// Open MPI 5 and 6 say by this attribute of MPI_COMM_WORLD whether it is turned on. Other MPIs have ULFM's
// functions but not all that we look for: there nobody could tell whether a communicator was revoked.
[[maybe_unused]] constexpr int key_of_openmpi = 12; // MPI_FT

bool is_turned_on() {
#ifdef OPEN_MPI
    int* is_on = nullptr;
    int found = 0;
    return PMPI_Comm_get_attr(MPI_COMM_WORLD, key_of_openmpi, static_cast<void*>(&is_on), &found) ==
               MPI_SUCCESS &&
           found != 0 && *is_on != 0;
#else
    return false;
#endif
}

} // namespace

bool Ulfm::has_dead(MPI_Comm comm) const {
    MPI_Group dead = MPI_GROUP_NULL;
    if (failed(comm, &dead) != MPI_SUCCESS) return false;
    int size = 0;
    PMPI_Group_size(dead, &size);
    PMPI_Group_free(&dead);
    return size > 0;
}

bool Ulfm::is_revoked_here(MPI_Comm comm) const {
    int revoked = 0;
    return is_revoked(comm, &revoked) == MPI_SUCCESS && revoked != 0;
}

bool Ulfm::all_know_no_dead(MPI_Comm comm) const {
    int none = has_dead(comm) ? 0 : 1;
    return agree(comm, &none) == MPI_SUCCESS && none != 0;
}

const Ulfm* ulfm_of_mpi() {
    static Ulfm functions;
    using device::find_function;
    const bool has_all = find_function(RTLD_DEFAULT, "PMPIX_Comm_is_revoked", functions.is_revoked) &&
                         find_function(RTLD_DEFAULT, "PMPIX_Comm_revoke", functions.revoke) &&
                         find_function(RTLD_DEFAULT, "PMPIX_Comm_get_failed", functions.failed) &&
                         find_function(RTLD_DEFAULT, "PMPIX_Comm_agree", functions.agree);
    return has_all && is_turned_on() ? &functions : nullptr;
}

} // namespace switchyard::shim
