// What a back end exports: the intercepted functions. A collective becomes a CallArgs.

#include "call/counted_call.hpp"
#include "run/lifecycle.hpp"
#include "shim/back_end/arguments/words.hpp"
#include "shim/back_end/call/route.hpp"
#include "shim/back_end/communicator/communicators.hpp"
#include "shim/back_end/communicator/freeing.hpp"
#include "shim/back_end/process/clock.hpp"

#include <mutex>
#include <utility>

namespace switchyard::shim {

namespace {

const LoadedMpi* loaded = nullptr;

int go(const CallArgs& call) {
    // MPI_Init was not seen: a program that uses sessions, or was loaded in an unusual way.
    static std::once_flag first;
    if (Communicators::current() == nullptr) [[unlikely]]
        std::call_once(first, [] { start_alone(*loaded); });
    const InsideCall inside;
    const int code = route(*loaded, call);
    inside.end();
    return code;
}

// What the entry calls for a collective's function: its words, then who called.
template <std::size_t>
using AWord = Word;
template <Collective collective, bool large_count, typename Positions>
struct Handler;
template <Collective collective, bool large_count, std::size_t... i>
struct Handler<collective, large_count, std::index_sequence<i...>> {
    static int handle(AWord<i>... words, Binding binding) {
        return go(call_of<collective, large_count>({words...}, binding));
    }
};
template <Collective collective, bool large_count>
using HandlerOf = Handler<collective, large_count, std::make_index_sequence<number_of_words(collective)>>;

// The same for a function that is only counted.
template <Counted counted, bool large_count, auto function, typename Positions>
struct CountedHandler;
template <Counted counted, bool large_count, auto function, std::size_t... i>
struct CountedHandler<counted, large_count, function, std::index_sequence<i...>> {
    static int handle(AWord<i>... words, Binding binding) {
        return see<counted, large_count>(functions_for(*loaded, binding).*function, binding, words...);
    }
};
template <Counted counted, bool large_count, auto function>
using CountedHandlerOf =
    CountedHandler<counted, large_count, function, std::make_index_sequence<traits_of(counted).words>>;

int start(MPI_Request* request, Binding binding) {
    return see_start(retyped<int (*)(MPI_Request*)>(functions_for(*loaded, binding).Start), binding, request);
}

int startall(int count, MPI_Request* requests, Binding binding) {
    const auto function = retyped<int (*)(int, MPI_Request*)>(functions_for(*loaded, binding).Startall);
    return see_startall(function, binding, count, requests);
}

int request_free(MPI_Request* request, Binding binding) {
    const auto function = retyped<int (*)(MPI_Request*)>(functions_for(*loaded, binding).Request_free);
    return see_request_free(function, request);
}

int init(int* argc, char*** argv, Binding binding) {
    const auto& mpi = functions_for(*loaded, binding);
    int code = retyped<int (*)(int*, char***)>(mpi.Init)(argc, argv);
    if (code == MPI_SUCCESS) start_with_world(*loaded);
    return code;
}

int init_thread(int* argc, char*** argv, int required, int* provided, Binding binding) {
    const auto& mpi = functions_for(*loaded, binding);
    int code = retyped<int (*)(int*, char***, int, int*)>(mpi.Init_thread)(argc, argv, required, provided);
    if (code == MPI_SUCCESS) start_with_world(*loaded);
    return code;
}

int intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* merged, Binding binding) {
    if (auto* communicators = Communicators::current()) communicators->process().merged_groups = true;
    const auto& mpi = functions_for(*loaded, binding);
    return retyped<int (*)(MPI_Comm, int, MPI_Comm*)>(mpi.Intercomm_merge)(intercomm, high, merged);
}

// MPI_Comm_free and MPI_Comm_disconnect.
template <auto function>
int free_comm(MPI_Comm* comm, Binding binding) {
    const auto forwarded = retyped<int (*)(MPI_Comm*)>(functions_for(*loaded, binding).*function);
    Communicators* const communicators = Communicators::current();
    if (comm == nullptr || communicators == nullptr) return forwarded(comm);
    const Freeing freeing(*comm, *communicators);
    const int code = forwarded(comm);
    freeing.end();
    return code;
}

template <typename Words, typename Function>
void hand_over(Words& words, Function function) {
    words = retyped<Words>(function);
}

} // namespace

extern "C" __attribute__((visibility("default"))) constexpr std::uint32_t switchyard_back_end_version =
    LoadedMpi::current;

extern "C" __attribute__((visibility("default"))) const BackEnd* switchyard_back_end(const LoadedMpi* found) {
    static BackEnd back_end;
    if (found->version != LoadedMpi::current) return nullptr; // an entry that does not look at our version
    loaded = found;
    Clock::begin();
#define SWITCHYARD_COLLECTIVE(name, function, ...)                                                           \
    back_end.function = HandlerOf<Collective::name, false>::handle;                                          \
    back_end.function##_c = HandlerOf<Collective::name, true>::handle;
#include "algorithms/collectives.def"
#define SWITCHYARD_COUNTED(name, function, ...)                                                              \
    back_end.function = CountedHandlerOf<Counted::name, false, &MpiFunctions::function>::handle;             \
    back_end.function##_c = CountedHandlerOf<Counted::name, true, &MpiFunctions::function##_c>::handle;
#define SWITCHYARD_PERSISTENT(name, function, ...)                                                           \
    back_end.function##_init =                                                                               \
        CountedHandlerOf<Counted::name##_init, false, &MpiFunctions::function##_init>::handle;               \
    back_end.function##_init_c =                                                                             \
        CountedHandlerOf<Counted::name##_init, true, &MpiFunctions::function##_init_c>::handle;
#include "shim/entry/counted.def"
    hand_over(back_end.Start, start);
    hand_over(back_end.Startall, startall);
    hand_over(back_end.Request_free, request_free);
    hand_over(back_end.Comm_free, free_comm<&MpiFunctions::Comm_free>);
    hand_over(back_end.Comm_disconnect, free_comm<&MpiFunctions::Comm_disconnect>);
    hand_over(back_end.Intercomm_merge, intercomm_merge);
    hand_over(back_end.Init, init);
    hand_over(back_end.Init_thread, init_thread);
    return &back_end;
}

} // namespace switchyard::shim
