// What a back end exports: the intercepted functions with their MPI types, each turned into a CallArgs.

#include "shim/back_end/arguments/call.hpp"
#include "shim/back_end/communicator/communicators.hpp"
#include "shim/back_end/process/clock.hpp"
#include "shim/back_end/run/life.hpp"
#include "shim/back_end/call/route.hpp"

#include <mutex>

namespace switchyard::shim {

namespace {

const Host* host = nullptr;

void* send_buffer(const void* buffer) {
    return const_cast<void*>(buffer);
} // never written to

int go(const CallArgs& call) {
    // MPI_Init was not seen: a program that uses sessions, or was loaded in an unusual way.
    static std::once_flag first;
    if (Communicators::current() == nullptr) std::call_once(first, [] { start_alone(*host); });
    return route(*host, call);
}

int alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
              void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm,
              Binding binding) {
    return go({Collective::alltoallv,
               binding,
               false,
               {send_buffer(sendbuf), Numbers::of(sendcounts), Numbers::of(sdispls), sendtype},
               {recvbuf, Numbers::of(recvcounts), Numbers::of(rdispls), recvtype},
               comm});
}

int alltoallv_c(const void* sendbuf, const std::int64_t* sendcounts, const std::int64_t* sdispls,
                MPI_Datatype sendtype, void* recvbuf, const std::int64_t* recvcounts,
                const std::int64_t* rdispls, MPI_Datatype recvtype, MPI_Comm comm, Binding binding) {
    return go({Collective::alltoallv,
               binding,
               true,
               {send_buffer(sendbuf), Numbers::of_wide(sendcounts), Numbers::of_wide(sdispls), sendtype},
               {recvbuf, Numbers::of_wide(recvcounts), Numbers::of_wide(rdispls), recvtype},
               comm});
}

// Alltoall and Allgather take the same arguments.
template <Collective collective, typename Count, bool large_count>
int uniform(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf, Count recvcount,
            MPI_Datatype recvtype, MPI_Comm comm, Binding binding) {
    return go({collective,
               binding,
               large_count,
               {send_buffer(sendbuf), Numbers::one(sendcount), Numbers::none(), sendtype},
               {recvbuf, Numbers::one(recvcount), Numbers::none(), recvtype},
               comm});
}

int init(int* argc, char*** argv, Binding binding) {
    const auto& mpi = functions_for(*host, binding);
    int code = retyped<int (*)(int*, char***)>(mpi.Init)(argc, argv);
    if (code == MPI_SUCCESS) start_with_world(*host);
    return code;
}

int init_thread(int* argc, char*** argv, int required, int* provided, Binding binding) {
    const auto& mpi = functions_for(*host, binding);
    int code = retyped<int (*)(int*, char***, int, int*)>(mpi.Init_thread)(argc, argv, required, provided);
    if (code == MPI_SUCCESS) start_with_world(*host);
    return code;
}

int intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* merged, Binding binding) {
    if (auto* communicators = Communicators::current()) communicators->process().merged_groups = true;
    const auto& mpi = functions_for(*host, binding);
    return retyped<int (*)(MPI_Comm, int, MPI_Comm*)>(mpi.Intercomm_merge)(intercomm, high, merged);
}

template <typename Words, typename Function>
void hand_over(Words& words, Function function) {
    words = retyped<Words>(function);
}

} // namespace

extern "C" __attribute__((visibility("default"))) const BackEnd* switchyard_back_end(const Host* found) {
    static BackEnd back_end;
    if (found->version != Host::current) return nullptr;
    host = found;
    Clock::begin();
    hand_over(back_end.Alltoallv, alltoallv);
    hand_over(back_end.Alltoallv_c, alltoallv_c);
    hand_over(back_end.Alltoall, uniform<Collective::alltoall, int, false>);
    hand_over(back_end.Alltoall_c, uniform<Collective::alltoall, std::int64_t, true>);
    hand_over(back_end.Allgather, uniform<Collective::allgather, int, false>);
    hand_over(back_end.Allgather_c, uniform<Collective::allgather, std::int64_t, true>);
    hand_over(back_end.Intercomm_merge, intercomm_merge);
    hand_over(back_end.Init, init);
    hand_over(back_end.Init_thread, init_thread);
    return &back_end;
}

} // namespace switchyard::shim
