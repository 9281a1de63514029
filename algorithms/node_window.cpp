#include "node_window.hpp"

#include "agree.hpp"
#include "copy.hpp"

#include <climits>
#include <new>
#include <sched.h>
#include <sys/statvfs.h>
#include <thread>

namespace switchyard::algorithms {

namespace {

// Whether /dev/shm has room. An MPI may map a file without looking for room, and touching memory that is not
// there kills the program. Where there is no /dev/shm, the answer is yes.
bool has_shared_memory(std::size_t bytes) {
    struct statvfs system {};
    if (statvfs("/dev/shm", &system) != 0) return true;
    return system.f_bavail * system.f_frsize / 2 > bytes;
}

// The number of cores that all ranks together may run on. A single rank may be bound to one core.
int cores_of(MPI_Comm comm) {
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        for (unsigned core = 0; core < std::min<unsigned>(std::thread::hardware_concurrency(), CPU_SETSIZE);
             ++core)
            CPU_SET(core, &mine);
    all = mine;
    PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, comm);
    return CPU_COUNT(&all);
}

void rest_the_core() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace

// A communicator of the ranks of this rank's node.
struct NodeWindow::Node {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, size = 1;

    explicit Node(const Group& group) {
        const int number = group.node_map == nullptr ? 0 : group.node_map->node_of(group.rank);
        if (PMPI_Comm_split(group.comm, number, group.rank, &comm) != MPI_SUCCESS) return;
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        PMPI_Comm_rank(comm, &rank);
        PMPI_Comm_size(comm, &size);
    }
    ~Node() {
        if (comm != MPI_COMM_NULL) PMPI_Comm_free(&comm);
    }
    // Whether all ranks of the node share memory. A node that was set by hand may be larger than a machine.
    // Collective.
    bool shares_memory() const {
        MPI_Comm sharing = MPI_COMM_NULL;
        int together = 0;
        if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing) != MPI_SUCCESS)
            return false;
        PMPI_Comm_size(sharing, &together);
        PMPI_Comm_free(&sharing);
        return together == size;
    }
};

NodeWindow::NodeWindow(const Group& group, const Node& node, std::size_t half_bytes)
    : comm_(group.comm), rank_(node.rank), size_(node.size), half_bytes_(half_bytes),
      data_begin_((sizeof(Header) + static_cast<std::size_t>(node.size) * sizeof(Slice) + 63) / 64 * 64),
      capacity_(half_bytes > data_begin_ ? half_bytes - data_begin_ : 0), spins_(0),
      sections_(static_cast<std::size_t>(node.size)), received_(static_cast<std::size_t>(node.size)),
      places_(static_cast<std::size_t>(node.size)) {}

std::unique_ptr<NodeWindow> NodeWindow::make(const Group& group, std::size_t bytes_per_rank) {
#ifdef SWITCHYARD_SIMULATED
    return nullptr; // simulated ranks take turns where they call MPI: a rank that spins keeps the others out
#endif
    // Slices count with 32 bits. At the border of a page the two halves share no cache line.
    const std::size_t half_bytes = std::min<std::size_t>(bytes_per_rank, std::size_t{1} << 31) / 128 * 64;
    if (half_bytes == 0) return nullptr;
    const Node node(group);
    std::unique_ptr<NodeWindow> window;
    bool good = node.comm != MPI_COMM_NULL;
    if (!all_agree(good, group.comm)) return nullptr;
    good = node.shares_memory();
    try {
        window.reset(new NodeWindow(group, node, half_bytes));
    } catch (...) { // out of memory
    }
    good = good && window && window->capacity_ > 0 &&
           has_shared_memory(2 * half_bytes * static_cast<std::size_t>(node.size));
    if (!all_agree(good, group.comm)) return nullptr;
    const int cores = cores_of(node.comm);
    // With more ranks than cores, a rank that spins keeps the rank that it waits for off its core.
    window->spins_ = node.size > cores ? 0 : 1000;
    if (!all_agree(window->allocate(node), group.comm)) return nullptr;
    return window;
}

// Allocates on all ranks of the node or on none. Collective.
bool NodeWindow::allocate(const Node& node) {
    if (size_ == 1) return true;
    MPI_Info info = MPI_INFO_NULL;
    PMPI_Info_create(&info);
    PMPI_Info_set(info, "alloc_shared_noncontig", "true"); // each rank's pages are near it
    void* own = nullptr;
    const auto bytes = static_cast<MPI_Aint>(2 * half_bytes_);
    MPI_Win window = MPI_WIN_NULL;
    bool good =
        PMPI_Win_allocate_shared(bytes, 1, info, node.comm, static_cast<void*>(&own), &window) == MPI_SUCCESS;
    PMPI_Info_free(&info);
    // Freeing is collective: a window that some ranks do not have cannot be freed.
    if (!all_agree(good, node.comm)) return false;
    window_ = window;
    PMPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    for (int rank = 0; rank < size_; ++rank) {
        MPI_Aint size = 0;
        int unit = 0;
        void* section = nullptr;
        good = good && PMPI_Win_shared_query(window_, rank, &size, &unit, static_cast<void*>(&section)) ==
                           MPI_SUCCESS;
        sections_[static_cast<std::size_t>(rank)] = static_cast<std::byte*>(section);
    }
    good = good && PMPI_Win_lock_all(MPI_MODE_NOCHECK, window_) == MPI_SUCCESS;
    for (int half = 0; half < 2 && good; ++half, ++epoch_) new (half_of(rank_).header) Header{};
    epoch_ = 0;
    return all_agree(good, node.comm); // also a barrier: no rank reads a header before it is written
}

NodeWindow::~NodeWindow() {
    if (window_ == MPI_WIN_NULL) return;
    PMPI_Win_unlock_all(window_);
    PMPI_Win_free(&window_);
}

// Another rank may need this rank for a message, of the application or of ours to another node, before it
// comes here. Therefore a rank that waits lets MPI work again and again.
void NodeWindow::wait_for(const Header& header) const {
    constexpr int often = 16; // looks between two probes; a probe costs more than a look
    for (int turn = 0; header.epoch.load(std::memory_order_acquire) < epoch_; ++turn) {
        if (turn % often == often - 1) {
            int arrived = 0;
            PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &arrived, MPI_STATUS_IGNORE);
        }
        if (turn < spins_)
            rest_the_core();
        else
            sched_yield();
        if (turn == INT_MAX - 1) turn = spins_;
    }
}

void NodeWindow::find_places(const Group& group) {
    std::ranges::fill(places_, -1);
    for (int place = 0; place < group.size; ++place) {
        const int rank = group.rank_in_comm(place);
        const int local = group.node_map == nullptr ? rank : group.node_map->local_rank(rank);
        places_[static_cast<std::size_t>(local)] = place;
    }
}

Status NodeWindow::exchange(const Exchange& exchange) {
    Status status = copy_own_block(exchange);
    if (size_ == 1) return status;
    find_places(exchange.group);
    std::size_t bytes = 0;
    for (int peer = 0; peer < exchange.group.size; ++peer)
        if (peer != exchange.group.rank) bytes += exchange.send_size(peer);
    run(
        bytes,
        [&](const Half& half, std::uint64_t epoch) {
            Cut cut{epoch * capacity_, capacity_};
            std::size_t end = 0;
            for (int distance = 1; distance < size_; ++distance) {
                const int local = (rank_ + distance) % size_;
                const int destination = places_[static_cast<std::size_t>(local)];
                const Block taken = cut.next(destination < 0 ? 0 : exchange.send_size(destination));
                if (taken.size > 0)
                    std::memcpy(half.data + end, exchange.send_to(destination) + taken.offset, taken.size);
                half.slices[local] = {static_cast<std::uint32_t>(end),
                                      static_cast<std::uint32_t>(taken.size)};
                end += taken.size;
            }
        },
        [&](int local, const Half& half) {
            const int source = places_[static_cast<std::size_t>(local)];
            if (source < 0) return;
            const Slice slice = half.slices[rank_];
            std::size_t& received = received_[static_cast<std::size_t>(local)];
            if (received + slice.bytes <= exchange.recv_size(source))
                copy_bytes(exchange.recv_from(source) + received, half.data + slice.begin, slice.bytes);
            else
                status.keep({MPI_ERR_TRUNCATE});
            received += slice.bytes;
        });
    return status;
}

} // namespace switchyard::algorithms
