#include "call.hpp"

namespace switchyard::shim {

namespace {

using Vector = int (*)(const void*, const int*, const int*, MPI_Datatype, void*, const int*, const int*,
                       MPI_Datatype, MPI_Comm);
using VectorLarge = int (*)(const void*, const std::int64_t*, const std::int64_t*, MPI_Datatype, void*,
                            const std::int64_t*, const std::int64_t*, MPI_Datatype, MPI_Comm);
using Uniform = int (*)(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
using UniformLarge = int (*)(const void*, std::int64_t, MPI_Datatype, void*, std::int64_t, MPI_Datatype,
                             MPI_Comm);

template <typename Function, typename Words>
int vector_call(Words words, const CallArgs& call) {
    const auto& send = call.send;
    const auto& recv = call.recv;
    if constexpr (std::is_same_v<Function, Vector>)
        return retyped<Function>(words)(send.buffer, send.counts.ints(), send.displacements.ints(), send.type,
                                        recv.buffer, recv.counts.ints(), recv.displacements.ints(), recv.type,
                                        call.comm);
    else
        return retyped<Function>(words)(send.buffer, send.counts.wide(), send.displacements.wide(), send.type,
                                        recv.buffer, recv.counts.wide(), recv.displacements.wide(), recv.type,
                                        call.comm);
}

template <typename Function, typename Count, typename Words>
int uniform_call(Words words, const CallArgs& call) {
    const auto& send = call.send;
    const auto& recv = call.recv;
    return retyped<Function>(words)(send.buffer, static_cast<Count>(send.counts.value()), send.type,
                                    recv.buffer, static_cast<Count>(recv.counts.value()), recv.type,
                                    call.comm);
}

} // namespace

int call_native(const Host& host, const CallArgs& call) {
    const MpiFunctions& mpi = functions_for(host, call.binding);
    switch (call.collective) {
    case Collective::alltoallv:
        return call.large_count ? vector_call<VectorLarge>(mpi.Alltoallv_c, call)
                                : vector_call<Vector>(mpi.Alltoallv, call);
    case Collective::alltoall:
        return call.large_count ? uniform_call<UniformLarge, std::int64_t>(mpi.Alltoall_c, call)
                                : uniform_call<Uniform, int>(mpi.Alltoall, call);
    case Collective::allgather:
        return call.large_count ? uniform_call<UniformLarge, std::int64_t>(mpi.Allgather_c, call)
                                : uniform_call<Uniform, int>(mpi.Allgather, call);
    }
    return MPI_ERR_OTHER;
}

} // namespace switchyard::shim
