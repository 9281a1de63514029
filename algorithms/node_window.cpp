#include "node_window.hpp"

#include "agree.hpp"
#include "copy.hpp"
#include "straight_blocks.hpp"

#include <climits>
#include <cstdlib>
#include <new>
#include <sched.h>
#include <thread>

namespace switchyard::algorithms {

namespace {

void rest_the_core() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

cpu_set_t own_core_set() {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        for (unsigned core = 0; core < std::min<unsigned>(std::thread::hardware_concurrency(), CPU_SETSIZE);
             ++core)
            CPU_SET(core, &mine);
    return mine;
}

// Slices count with 32 bits. At the border of a page the two halves share no cache line.
std::size_t half_bytes_of(const NodeMemory& memory) {
    return std::min<std::size_t>(memory.section_bytes(), std::size_t{1} << 31) / 128 * 64;
}

int node_of(const Group& group) {
    return group.node_map == nullptr ? 0 : group.node_map->node_of(group.rank);
}
int ranks_on_node(const Group& group) {
    return group.node_map == nullptr ? group.size : group.node_map->size_of(node_of(group));
}
int most_ranks_on_node(const Group& group) {
    return group.node_map == nullptr ? group.size : group.node_map->largest();
}
int rank_on_node(const Group& group, int local) {
    return group.node_map == nullptr ? local : group.node_map->rank_of(node_of(group), local);
}
int local_rank(const Group& group) {
    return group.node_map == nullptr ? group.rank : group.node_map->local_rank(group.rank);
}

// `others`: numbers of another rank.
void take_larger(std::span<std::uint64_t> numbers, const std::byte* others) {
    for (std::uint64_t& number : numbers) {
        std::uint64_t other = 0;
        std::memcpy(&other, others, sizeof other);
        number = std::max(number, other);
        others += sizeof other;
    }
}

} // namespace

int NodeWindow::own_cores() {
    const cpu_set_t mine = own_core_set();
    return CPU_COUNT(&mine);
}

int NodeWindow::cores_of(MPI_Comm node) {
    const cpu_set_t mine = own_core_set();
    cpu_set_t all = mine;
    PMPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, node);
    return CPU_COUNT(&all);
}

std::size_t NodeWindow::data_begin_of(int ranks) {
    return (sizeof(Header) + static_cast<std::size_t>(ranks) * sizeof(Slice) + 63) / 64 * 64;
}

// With more ranks than cores, a rank that spins keeps the rank that it waits for off its core.
NodeWindow::NodeWindow(const Group& group, std::size_t half_bytes, int cores)
    : comm_(group.carrier_comm()), rank_(local_rank(group)), size_(ranks_on_node(group)),
      half_bytes_(half_bytes), data_begin_(data_begin_of(size_)),
      capacity_(half_bytes > data_begin_ ? half_bytes - data_begin_ : 0),
      least_capacity_(half_bytes - std::min(half_bytes, data_begin_of(most_ranks_on_node(group)))),
      spins_(size_ > cores ? 0 : 1000), sections_(static_cast<std::size_t>(size_)),
      received_(static_cast<std::size_t>(size_)), places_(static_cast<std::size_t>(size_)) {}

NodeMemory::Place NodeWindow::offer(NodeMemory& memory) {
    const auto place = memory.lend();
    if (std::byte* const data = memory.data_at(place))
        for (const std::size_t half : {std::size_t{0}, half_bytes_of(memory)}) new (data + half) Header{};
    return place;
}

std::unique_ptr<NodeWindow> NodeWindow::join(const Group& group, NodeMemory& memory,
                                             std::span<const NodeMemory::Place> places, int cores) noexcept {
    try {
        const std::size_t half_bytes = half_bytes_of(memory);
        if (half_bytes == 0) return nullptr;
        std::unique_ptr<NodeWindow> window(new NodeWindow(group, half_bytes, cores));
        return window->capacity_ > 0 && window->map(group, memory, places) ? std::move(window) : nullptr;
    } catch (...) { // out of memory
        return nullptr;
    }
}

namespace {

bool introduce_to_neighbours(const Group& group, const NodeMemory& memory,
                             std::span<const NodeMemory::Place> places) {
    for (int local = 0; local < ranks_on_node(group); ++local)
        if (!memory.introduce_to(places[static_cast<std::size_t>(rank_on_node(group, local))])) return false;
    return true;
}

bool meet_guests(NodeMemory& memory) noexcept {
    try {
        memory.meet_guests();
        return true;
    } catch (...) { // out of memory
        return false;
    }
}

// `places` are the same on all ranks. Without memory a rank need not meet anybody.
bool can_meet(std::span<const NodeMemory::Place> places) {
    return std::ranges::all_of(places, [](const auto& place) { return static_cast<bool>(place); });
}

} // namespace

std::unique_ptr<NodeWindow> NodeWindow::meet_and_join(const Group& group, NodeMemory& memory,
                                                      std::span<const NodeMemory::Place> places,
                                                      int cores) noexcept {
    if (!can_meet(places)) return nullptr;
    const bool introduced = all_agree(memory.listen(), group.comm) &&
                            all_agree(introduce_to_neighbours(group, memory, places), group.comm);
    const bool met = meet_guests(memory);
    if (!introduced) return nullptr;
    auto window = met ? join(group, memory, places, cores) : nullptr;
    return all_agree(window != nullptr, group.comm) ? std::move(window) : nullptr;
}

// A node that was set by hand may be larger than a machine: then sections cannot be mapped.
bool NodeWindow::map(const Group& group, NodeMemory& memory, std::span<const NodeMemory::Place> places) {
    if (size_ == 1) return true;
    for (int local = 0; local < size_; ++local) {
        const auto rank = static_cast<std::size_t>(rank_on_node(group, local));
        std::byte* const section = memory.data_at(places[rank]);
        if (section == nullptr) return false;
        sections_[static_cast<std::size_t>(local)] = section;
    }
    memory.set_users(places[static_cast<std::size_t>(group.rank)], static_cast<std::uint32_t>(size_));
    return true;
}

#ifdef SWITCHYARD_SIMULATED

// Simulated ranks live in one process, so the memory of a rank is memory of all ranks.
std::unique_ptr<NodeWindow> NodeWindow::make(const Group& group, NodeMemory& memory) {
    const std::size_t half_bytes = half_bytes_of(memory);
    std::unique_ptr<NodeWindow> window(new NodeWindow(group, half_bytes, 1));
    if (window->least_capacity_ == 0) return nullptr;
    struct Share {
        std::shared_ptr<std::byte[]> section;
        std::shared_ptr<simulation::Meeting> meeting;
    };
    // calloc takes pages only where they are written.
    const Share own{{static_cast<std::byte*>(std::calloc(2, half_bytes)), std::free},
                    std::make_shared<simulation::Meeting>(window->size_)};
    const Share* const address = &own;
    std::vector<const Share*> shares(static_cast<std::size_t>(group.size));
    PMPI_Allgather(&address, sizeof address, MPI_BYTE, shares.data(), sizeof address, MPI_BYTE, group.comm);
    for (int local = 0; local < window->size_; ++local) {
        window->simulated_.push_back(shares[static_cast<std::size_t>(rank_on_node(group, local))]->section);
        window->sections_[static_cast<std::size_t>(local)] = window->simulated_.back().get();
    }
    window->meeting_ = shares[static_cast<std::size_t>(rank_on_node(group, 0))]->meeting;
    PMPI_Barrier(group.comm); // until here, others read `own`
    return window;
}

#else

std::unique_ptr<NodeWindow> NodeWindow::make(const Group& group, NodeMemory& memory) {
    const auto own = offer(memory);
    std::vector<NodeMemory::Place> places(static_cast<std::size_t>(group.size));
    PMPI_Allgather(&own, sizeof own, MPI_BYTE, places.data(), sizeof own, MPI_BYTE, group.comm);
    MPI_Comm node = MPI_COMM_NULL;
    PMPI_Comm_split(group.comm, node_of(group), group.rank, &node);
    const int cores = cores_of(node);
    PMPI_Comm_free(&node);
    auto window = join(group, memory, places, cores);
    if (!all_agree(window != nullptr, group.comm)) window = meet_and_join(group, memory, places, cores);
    if (window) window->open(group);
    if (!window || !window->has_neighbours()) memory.take_back(own);
    return window;
}

#endif

NodeWindow::~NodeWindow() {
    if (is_open_ && size_ > 1)
        for (std::byte* section : sections_) NodeMemory::leave(section);
}

// Another rank may need this rank for a message, of the application or of ours to another node, before it
// comes here. Therefore a rank that waits lets MPI work again and again.
bool NodeWindow::wait_for(const Header& header) {
    for (int turn = 0; header.epoch.load(std::memory_order_acquire) < epoch_; ++turn) {
        if (turn % looks_per_probe_ == looks_per_probe_ - 1) {
            int arrived = 0;
            PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &arrived, MPI_STATUS_IGNORE);
            if (alarm_ != nullptr && alarm_->rings()) {
                is_broken_ = true;
                return false;
            }
        }
        if (turn < spins_)
            rest_the_core();
        else
            sched_yield();
        if (turn == INT_MAX - 1) turn = spins_;
    }
    return true;
}

void NodeWindow::find_places(const Group& group) {
    std::ranges::fill(places_, -1);
    for (int place = 0; place < group.size; ++place) {
        const int rank = group.rank_in_comm(place);
        const int local = group.node_map == nullptr ? rank : group.node_map->local_rank(rank);
        places_[static_cast<std::size_t>(local)] = place;
    }
}

// Blocks that go straight leave nothing here.
std::size_t NodeWindow::bytes_of(const Exchange& exchange) const {
    const SaidSizes sizes(exchange);
    std::size_t bytes = 0;
    for (const Block& block : exchange.send)
        if (!sizes.go_straight(block.size)) bytes += block.size;
    const std::size_t own = exchange.send_size(exchange.group.rank);
    return numbers_bytes_ + bytes - (sizes.go_straight(own) ? 0 : own);
}

void NodeWindow::write_blocks(const Exchange& exchange, const Half& half, std::uint64_t epoch) {
    Cut cut{epoch * capacity_, capacity_};
    std::size_t end = cut.next(numbers_bytes_).size;
    const SaidSizes sizes(exchange);
    for (int distance = 1; distance < size_; ++distance) {
        const int local = (rank_ + distance) % size_;
        const int destination = places_[static_cast<std::size_t>(local)];
        const std::size_t size = destination < 0 ? 0 : exchange.send_size(destination);
        if (sizes.go_straight(size)) {
            half.slices[local] = {Slice::mark, 0};
            continue;
        }
        const Block taken = cut.next(size);
        if (taken.size > 0)
            copy_bytes(half.data + end, exchange.send_to(destination) + taken.offset, taken.size);
        half.slices[local] = {static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(taken.size)};
        end += taken.size;
    }
}

Status NodeWindow::read_block(const Exchange& exchange, int local, const Half& half, std::uint64_t epoch) {
    const int source = places_[static_cast<std::size_t>(local)];
    if (source < 0) return {};
    const Slice slice = half.slices[rank_];
    const bool is_mark = slice.begin == Slice::mark;
    if (exchange.straight != nullptr && epoch == 0)
        exchange.straight->meets(source, is_mark ? exchange.max_block : slice.bytes);
    if (is_mark) return {};
    std::size_t& received = received_[static_cast<std::size_t>(local)];
    const bool fits = received + slice.bytes <= exchange.recv_size(source);
    if (fits) copy_bytes(exchange.recv_from(source) + received, half.data + slice.begin, slice.bytes);
    received += slice.bytes;
    return {fits ? MPI_SUCCESS : MPI_ERR_TRUNCATE};
}

Status NodeWindow::exchange(const Exchange& exchange) {
    if (size_ == 1) return copy_own_block(exchange);
    if (is_broken_) return {MPI_ERR_OTHER};
    numbers_bytes_ = 0;
    find_places(exchange.group);
    bytes_ = bytes_of(exchange);
    begin_epoch(0, epochs_for(bytes_),
                [&](const Half& half, std::uint64_t epoch) { write_blocks(exchange, half, epoch); });
    return finish(exchange);
}

Status NodeWindow::begin(const Exchange* exchange, std::span<std::uint64_t> numbers) {
    if (size_ == 1) return {};
    if (is_broken_) return {MPI_ERR_OTHER};
    numbers_bytes_ = numbers.size_bytes();
    if (exchange != nullptr) find_places(exchange->group);
    bytes_ = exchange != nullptr ? bytes_of(*exchange) : 0;
    begin_epoch(0, epochs_for(bytes_), [&](const Half& half, std::uint64_t epoch) {
        std::memcpy(half.data, numbers.data(), numbers.size_bytes());
        if (exchange != nullptr) write_blocks(*exchange, half, epoch);
    });
    for (int distance = 1; distance < size_; ++distance) {
        const Half half = half_of((rank_ + distance) % size_);
        if (!wait_for(*half.header)) return {MPI_ERR_OTHER};
        take_larger(numbers, half.data);
    }
    own_time_.pass();
    return {};
}

Status NodeWindow::finish(const Exchange& exchange) {
    Status status = copy_own_block(exchange);
    if (size_ == 1) return status;
    if (exchange.straight != nullptr && exchange.straight->has_some()) looks_per_probe_ = many_probes;
    const Status waited = go_on(
        bytes_, [&](const Half& half, std::uint64_t epoch) { write_blocks(exchange, half, epoch); },
        [&](int local, const Half& half, std::uint64_t epoch) {
            status.keep(read_block(exchange, local, half, epoch));
        });
    looks_per_probe_ = few_probes;
    status.keep(waited);
    return status;
}

std::byte* NodeWindow::room(std::size_t bytes) const {
    return size_ > 1 && !is_broken_ && bytes <= capacity_ ? half_of(rank_, epoch_ + 1).data : nullptr;
}

NodeWindow::Shown NodeWindow::show(std::span<const Block> offers) {
    if (size_ == 1) return {{}, false};
    if (is_broken_) return {{MPI_ERR_OTHER}, false};
    ++epoch_;
    const Half own = half_of(rank_);
    for (std::size_t local = 0; local < offers.size(); ++local)
        own.slices[local] = {static_cast<std::uint32_t>(offers[local].offset),
                             static_cast<std::uint32_t>(offers[local].size)};
    enter(own, offers.empty() ? 2 : 1);
    Shown shown{{}, !offers.empty()};
    for (int distance = 1; distance < size_; ++distance) {
        const Half half = half_of((rank_ + distance) % size_);
        if (!wait_for(*half.header)) return {{MPI_ERR_OTHER}, false};
        shown.by_all = shown.by_all && half.header->epochs == 1;
    }
    own_time_.pass();
    return shown;
}

Status NodeWindow::largest(std::span<std::uint64_t> numbers) {
    if (size_ == 1) return {};
    return run(
        numbers.size_bytes(),
        [&](const Half& half, std::uint64_t) {
            std::memcpy(half.data, numbers.data(), numbers.size_bytes());
        },
        [&](int, const Half& half, std::uint64_t) { take_larger(numbers, half.data); });
}

} // namespace switchyard::algorithms
