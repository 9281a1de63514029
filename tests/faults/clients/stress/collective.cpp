#include "collective.hpp"

extern "C" {
[[gnu::weak]] int MPI_Alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                                  const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm);
[[gnu::weak]] int MPI_Alltoall_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                                 MPI_Comm);
[[gnu::weak]] int MPI_Allgather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype,
                                  MPI_Comm);
[[gnu::weak]] int MPI_Allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                                   const MPI_Aint[], MPI_Datatype, MPI_Comm);
[[gnu::weak]] int MPI_Alltoallw_c(const void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[],
                                  void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm);
}

namespace stress {

namespace {

const int* array_of(const std::vector<int>& values) {
    return values.empty() ? nullptr : values.data();
}

struct LargeWords {
    explicit LargeWords(const Words& words)
        : counts(words.counts.begin(), words.counts.end()),
          displacements(words.displacements.begin(), words.displacements.end()) {}
    const MPI_Count* count_array() const { return counts.empty() ? nullptr : counts.data(); }
    const MPI_Aint* displacement_array() const {
        return displacements.empty() ? nullptr : displacements.data();
    }

    std::vector<MPI_Count> counts;
    std::vector<MPI_Aint> displacements;
};

int invoke_large(Collective collective, const Words& send, const Words& recv, const void* from,
                 MPI_Comm comm) {
    const LargeWords s(send), r(recv);
    switch (collective) {
    case Collective::alltoall:
        return MPI_Alltoall_c(from, s.counts[0], send.types[0], recv.buffer, r.counts[0], recv.types[0],
                              comm);
    case Collective::alltoallv:
        return MPI_Alltoallv_c(from, s.count_array(), s.displacement_array(), send.types[0], recv.buffer,
                               r.count_array(), r.displacement_array(), recv.types[0], comm);
    case Collective::alltoallw:
        return MPI_Alltoallw_c(from, s.count_array(), s.displacement_array(), send.types.data(), recv.buffer,
                               r.count_array(), r.displacement_array(), recv.types.data(), comm);
    case Collective::allgather:
        return MPI_Allgather_c(from, s.counts[0], send.types[0], recv.buffer, r.counts[0], recv.types[0],
                               comm);
    default:
        return MPI_Allgatherv_c(from, s.counts[0], send.types[0], recv.buffer, r.count_array(),
                                r.displacement_array(), recv.types[0], comm);
    }
}

int invoke_nonblocking(Collective collective, const Words& send, const Words& recv, const void* from,
                       MPI_Comm comm, MPI_Request* request) {
    const auto *sendcounts = array_of(send.counts), *recvcounts = array_of(recv.counts);
    const auto *sdispls = array_of(send.displacements), *rdispls = array_of(recv.displacements);
    switch (collective) {
    case Collective::alltoall:
        return MPI_Ialltoall(from, send.counts[0], send.types[0], recv.buffer, recv.counts[0], recv.types[0],
                             comm, request);
    case Collective::alltoallv:
        return MPI_Ialltoallv(from, sendcounts, sdispls, send.types[0], recv.buffer, recvcounts, rdispls,
                              recv.types[0], comm, request);
    case Collective::alltoallw:
        return MPI_Ialltoallw(from, sendcounts, sdispls, send.types.data(), recv.buffer, recvcounts, rdispls,
                              recv.types.data(), comm, request);
    case Collective::allgather:
        return MPI_Iallgather(from, send.counts[0], send.types[0], recv.buffer, recv.counts[0], recv.types[0],
                              comm, request);
    default:
        return MPI_Iallgatherv(from, send.counts[0], send.types[0], recv.buffer, recvcounts, rdispls,
                               recv.types[0], comm, request);
    }
}

// From a C++ program a library in front of the MPI takes only the MPI_ name.
int invoke_usual(Collective collective, bool bare, const Words& send, const Words& recv, const void* from,
                 MPI_Comm comm) {
    const auto *sendcounts = array_of(send.counts), *recvcounts = array_of(recv.counts);
    const auto *sdispls = array_of(send.displacements), *rdispls = array_of(recv.displacements);
    switch (collective) {
    case Collective::alltoall:
        return (bare ? PMPI_Alltoall : MPI_Alltoall)(from, send.counts[0], send.types[0], recv.buffer,
                                                     recv.counts[0], recv.types[0], comm);
    case Collective::alltoallv:
        return (bare ? PMPI_Alltoallv : MPI_Alltoallv)(from, sendcounts, sdispls, send.types[0], recv.buffer,
                                                       recvcounts, rdispls, recv.types[0], comm);
    case Collective::alltoallw:
        return (bare ? PMPI_Alltoallw : MPI_Alltoallw)(from, sendcounts, sdispls, send.types.data(),
                                                       recv.buffer, recvcounts, rdispls, recv.types.data(),
                                                       comm);
    case Collective::allgather:
        return (bare ? PMPI_Allgather : MPI_Allgather)(from, send.counts[0], send.types[0], recv.buffer,
                                                       recv.counts[0], recv.types[0], comm);
    default:
        return (bare ? PMPI_Allgatherv : MPI_Allgatherv)(from, send.counts[0], send.types[0], recv.buffer,
                                                         recvcounts, rdispls, recv.types[0], comm);
    }
}

} // namespace

const char* name_of(Collective collective) {
    static constexpr const char* names[] = {"alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv"};
    return names[static_cast<int>(collective)];
}

const char* name_of_nonblocking(Collective collective) {
    static constexpr const char* names[] = {"ialltoall", "ialltoallv", "ialltoallw", "iallgather",
                                            "iallgatherv"};
    return names[static_cast<int>(collective)];
}

int invoke(Collective collective, Form form, const Words& send, const Words& recv, bool in_place,
           MPI_Comm comm, MPI_Request* request) {
    const void* from = in_place ? MPI_IN_PLACE : send.buffer;
    if (form == Form::large) return invoke_large(collective, send, recv, from, comm);
    if (form == Form::nonblocking) return invoke_nonblocking(collective, send, recv, from, comm, request);
    return invoke_usual(collective, form == Form::bare, send, recv, from, comm);
}

bool has_large(Collective collective) {
    switch (collective) {
    case Collective::alltoall: return MPI_Alltoall_c != nullptr;
    case Collective::alltoallv: return MPI_Alltoallv_c != nullptr;
    case Collective::alltoallw: return MPI_Alltoallw_c != nullptr;
    case Collective::allgather: return MPI_Allgather_c != nullptr;
    default: return MPI_Allgatherv_c != nullptr;
    }
}

} // namespace stress
