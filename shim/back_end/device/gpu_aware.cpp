#include "gpu_aware.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/votes.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/entry/mpi_families.hpp"
#include "symbols.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstddef>

namespace switchyard::shim::device {

namespace {

constexpr int gpu_support_cuda = 0, gpu_support_hip = 2; // MPICH's MPIX_GPU_SUPPORT_*

constexpr std::size_t message = 4096;

// ---- A signal as an answer ------------------------------------------------------------------------------

sigjmp_buf way_back;
pthread_t asking;
std::array<struct sigaction, 2> before;
constexpr std::array signals = {SIGSEGV, SIGBUS};

// A fault in another thread belongs to the program: its own handler gets it.
void leave_fault(int signal) {
    if (pthread_equal(pthread_self(), asking) != 0) siglongjmp(way_back, 1);
    for (std::size_t i = 0; i < signals.size(); ++i)
        if (signals[i] == signal) sigaction(signal, &before[i], nullptr);
}

class FaultsCaught {
  public:
    FaultsCaught() {
        asking = pthread_self();
        struct sigaction action {};
        action.sa_handler = leave_fault;
        for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before[i]);
    }
    FaultsCaught(const FaultsCaught&) = delete;
    FaultsCaught& operator=(const FaultsCaught&) = delete;
    ~FaultsCaught() {
        for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before[i], nullptr);
    }
};

enum class Exchange { went_well, failed, broke_off };

// No object with a destructor may live here: a fault leaves the function by a jump.
[[gnu::noinline]] Exchange exchange(const void* from, void* to, MPI_Comm comm) {
    if (sigsetjmp(way_back, 1) != 0) return Exchange::broke_off;
    const int code =
        PMPI_Sendrecv(from, message, MPI_BYTE, 0, 0, to, message, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? Exchange::went_well : Exchange::failed;
}

// ---- The question ---------------------------------------------------------------------------------------

// Device memory for two messages, and a stream.
struct Place {
    const Runtime& runtime;
    std::byte* memory;
    Runtime::Stream stream;

    explicit Place(const Runtime& r)
        : runtime(r), memory(static_cast<std::byte*>(r.allocate(2 * message))), stream(r.create_stream()) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
        if (stream != nullptr) runtime.destroy_stream(stream);
        if (memory != nullptr) runtime.free(memory);
    }
    bool is_good() const { return memory != nullptr && stream != nullptr; }
    bool copy(void* to, const void* from, std::size_t bytes) const {
        return runtime.copy(to, from, bytes, stream) && runtime.wait(stream);
    }
};

// Bytes that differ from the memory's previous contents.
std::array<std::byte, 2 * message> contents() {
    std::array<std::byte, 2 * message> bytes{};
    for (std::size_t i = 0; i < message; ++i) bytes[i] = static_cast<std::byte>(i * 7 + (i >> 8) + 1);
    return bytes;
}

bool exchange_with_self(Place& place) {
    auto bytes = contents();
    if (!place.copy(place.memory, bytes.data(), bytes.size())) return false;
    MPI_Comm comm = algorithms::mpi_of(algorithms::create_private(algorithms::comm_of(MPI_COMM_SELF)));
    if (comm == MPI_COMM_NULL) return false;
    Exchange outcome{};
    {
        const FaultsCaught caught;
        outcome = exchange(place.memory, place.memory + message, comm);
    }
    if (outcome == Exchange::broke_off) {
        place.memory = nullptr; // a message may still be under way: it keeps its memory and its communicator
        return false;
    }
    PMPI_Comm_free(&comm);
    std::array<std::byte, 2 * message> arrived{};
    if (outcome == Exchange::failed || !place.copy(arrived.data(), place.memory, arrived.size()))
        return false;
    return std::equal(bytes.begin(), bytes.begin() + message, arrived.begin() + message);
}

} // namespace

bool mpi_claims_gpu_support() {
    const auto claims = [](const char* name) {
        int (*query)() = nullptr;
        return find_function(RTLD_DEFAULT, name, query) && query() != 0;
    };
    if (family_with(&MpiFamily::gpu_queries, claims) != nullptr) return true;
    int (*query)(int, int*) = nullptr;
    if (!find_function(RTLD_DEFAULT, "MPIX_GPU_query_support", query)) return false;
    for (const int kind : {gpu_support_cuda, gpu_support_hip}) {
        int is_supported = 0;
        if (query(kind, &is_supported) == MPI_SUCCESS && is_supported != 0) return true;
    }
    return false;
}

bool MpiSupport::takes(const Runtime& runtime, const Location& location, GpuAware setting) {
    if (setting == GpuAware::no) return false;
    std::call_once(asked_,
                   [&] { // the user's word counts like the library's: it is tried
                       if (setting == GpuAware::detect && !mpi_claims_gpu_support()) return;
                       takes_ = mpi_moves_device_memory(runtime, location);
                       if (!takes_)
                           warn("the MPI library claims to take device buffers, but a trial failed; device "
                                "buffers are staged");
                   });
    return takes_;
}

bool mpi_moves_device_memory(const Runtime& runtime, const Location& location) {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) return true;
    const Within within(runtime, location);
    if (!within) return false;
    Place place(runtime);
    return place.is_good() && exchange_with_self(place);
}

} // namespace switchyard::shim::device
