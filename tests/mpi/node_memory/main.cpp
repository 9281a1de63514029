// The memory of a node under stress: thousands of epochs of every kind, at sizes of every kind, in windows
// that are made and left again, by ranks that are late now and then. Every byte is checked. It knows no MPI
// library as an oracle, so that it also runs with threads as ranks (tests/threads), where thread sanitizer
// looks for races.
//
//   PROGRAM [WINDOWS [EPOCHS]]   so many windows, of so many epochs each
//   PROGRAM race                 two ranks write to one byte, and nothing orders them
#include "late_blocks.hpp"
#include "scarce_memory.hpp"

#include "algorithms/transport/memory/neighbour_memory.hpp"
#include "algorithms/transport/memory/node_blocks.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/votes.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <unistd.h>

using namespace switchyard::algorithms;
using namespace switchyard::tests;

namespace {

constexpr std::size_t large_section = std::size_t{2} << 20;
// Many large ones: where a section is lent once more, its memory is there already.
constexpr std::size_t section_sizes[] = {4096,          4096,          65536,         65536,
                                         large_section, large_section, large_section, large_section,
                                         large_section, large_section, large_section, large_section};
using Load = NodeWindow::Load;

// What this rank has seen.
struct Counts {
    std::uint64_t checks = 0, failures = 0, epochs = 0, windows = 0, cma_bytes = 0, shown = 0,
                  times_refused = 0;
    static constexpr std::size_t number = 7;
};
static_assert(sizeof(Counts) == Counts::number * sizeof(std::uint64_t));

struct Ranks {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, size = 1;
    Dice dice{1};     // that they share
    Dice own_dice{1}; // of this rank alone
    Delays delays{1};
    std::uint64_t turn = 0;
    Counts counts;

    std::size_t ranks() const { return static_cast<std::size_t>(size); }
    void check(bool good, const std::string& what) {
        ++counts.checks;
        if (!good && ++counts.failures <= 5)
            std::fprintf(stderr, "rank %d, turn %llu: %s\n", rank, static_cast<unsigned long long>(turn),
                         what.c_str());
    }
};

// ---- Sizes ----------------------------------------------------------------------------------------------

// Bytes of a block from one rank to another, by their numbers in the world.
using Sizes = std::function<std::size_t(int source, int destination)>;

std::size_t below(std::size_t limit, std::uint64_t seed, int a, int b) {
    return mixed(seed, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)) % limit;
}

// Nothing, few bytes, some, and more than an epoch has room for.
std::size_t of_every_kind(std::uint64_t seed, std::size_t section, int a, int b) {
    const std::size_t limits[] = {1, 20, 3000, section / 8, section, 3 * section};
    // Streams that fill a large section many times take too long.
    const std::size_t limit = std::min(limits[below(std::size(limits), seed, a, b)], std::size_t{300'000});
    return below(limit, seed + 1, a, b);
}

Sizes any_sizes(Ranks& all, std::size_t section) {
    const std::uint64_t seed = all.dice.roll(UINT32_MAX);
    const int hot_source = static_cast<int>(all.dice.roll(all.ranks())),
              hot_destination = static_cast<int>(all.dice.roll(all.ranks()));
    switch (all.dice.roll(6)) {
    case 0: return [seed](int, int) { return seed % 17; };
    case 1: return [=](int s, int d) { return below(40, seed, s, d); };
    case 2: return [=](int s, int d) { return below(9000, seed, s, d); };
    case 3:
        return [=](int s, int d) {
            return s == hot_source && d == hot_destination ? of_every_kind(seed, section, s, d) : 0;
        };
    default: return [=](int s, int d) { return of_every_kind(seed, section, s, d); };
    }
}

Sizes symmetric(const Sizes& sizes) {
    return [sizes](int s, int d) { return sizes(std::min(s, d), std::max(s, d)); };
}

// ---- A window -------------------------------------------------------------------------------------------

// Some of the ranks, which have a communicator: made once, since to make it all ranks meet.
struct SomeRanks {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, size = 1;
    std::vector<int> members; // their numbers in the world

    SomeRanks(const Ranks& all, int color) {
        PMPI_Comm_split(all.comm, color, all.rank, &comm);
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        PMPI_Comm_rank(comm, &rank);
        PMPI_Comm_size(comm, &size);
        members.resize(static_cast<std::size_t>(size));
        PMPI_Allgather(&all.rank, 1, MPI_INT, members.data(), 1, MPI_INT, comm);
    }
    SomeRanks(const SomeRanks&) = delete;
    SomeRanks& operator=(const SomeRanks&) = delete;
    ~SomeRanks() { PMPI_Comm_free(&comm); }
};

// All ranks, and parts of them that overlap: so a rank uses its section once more while somebody from another
// part may still read there.
std::vector<std::unique_ptr<SomeRanks>> all_parts(const Ranks& all) {
    std::vector<std::unique_ptr<SomeRanks>> parts;
    for (const int color : {0, all.rank / 2, all.rank % 2, (all.rank + 1) / 2 % 2, all.rank / 3})
        parts.push_back(std::make_unique<SomeRanks>(all, color));
    return parts;
}

// The nodes of a window's ranks.
NodeMap some_nodes(Ranks& all, const SomeRanks& part) {
    const bool in_turn = all.dice.once_in(2), are_pairs = all.dice.once_in(3);
    const int size = are_pairs ? 2 : part.size, nodes = (part.size + size - 1) / size;
    std::vector<std::uint64_t> ids;
    for (int rank = 0; rank < part.size; ++rank)
        ids.push_back(static_cast<std::uint64_t>(in_turn ? rank % nodes : rank / size));
    return NodeMap(ids);
}

class Window {
  public:
    Window(Ranks& all, const SomeRanks& part, NodeMemory& memory)
        : all_(all), part_(part), map_(some_nodes(all, part)), group_{.comm = comm_of(part.comm),
                                                                      .rank = part.rank,
                                                                      .size = part.size,
                                                                      .node_map = &map_},
          section_(memory.section_bytes()), window_(NodeWindow::make(group_, memory)) {
        const Load load = all.dice.one_of({Load::none, Load::others, Load::nobody});
        all_.check(window_ != nullptr, "no window");
        // On some ranks a ring cannot grow.
        is_scarce_ = all.dice.once_in(2);
        finds_no_memory_ = is_scarce_ && !all.own_dice.once_in(4);
        ++all_.counts.windows;
        if (window_) window_->assume(load);
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window() {
        if (window_) all_.counts.cma_bytes += window_->cma_bytes();
    }

    void run_epoch() {
        if (!window_) return;
        ++all_.turn;
        ++all_.counts.epochs;
        all_.delays.maybe();
        memory_is_scarce = finds_no_memory_;
        switch (all_.dice.roll(11)) {
        case 0:
        case 1: exchange(); break;
        case 2: exchange_in_place(); break;
        case 3: exchange_in_groups(); break;
        case 4: exchange_after_agreement(); break;
        case 5: gather_blocks(); break;
        case 6: gather_parts(); break;
        case 7: show(); break;
        case 8: find_largest(); break;
        case 9: send_in_vain(); break;
        case 10: send_past_a_late_rank(); break;
        }
        memory_is_scarce = false;
        all_.counts.times_refused = times_refused;
    }

  private:
    int node() const { return map_.node_of(part_.rank); }
    int own_local() const { return map_.local_rank(part_.rank); }
    int locals() const { return map_.size_of(node()); }
    int world(int local) const { return world_of(map_.rank_of(node(), local)); }
    int world_of(int rank) const { return part_.members[static_cast<std::size_t>(rank)]; }
    std::vector<int> neighbours() const { // by local rank
        std::vector<int> ranks;
        for (int local = 0; local < locals(); ++local) ranks.push_back(world(local));
        return ranks;
    }

    // ---- Blocks ----

    // `peers`: by block; this rank's sizes from or to them.
    std::vector<std::size_t> sent_sizes(const std::vector<int>& peers, const Sizes& sizes) const {
        std::vector<std::size_t> list;
        for (const int peer : peers) list.push_back(sizes(all_.rank, peer));
        return list;
    }
    std::vector<std::size_t> received_sizes(const std::vector<int>& peers, const Sizes& sizes) const {
        std::vector<std::size_t> list;
        for (const int peer : peers) list.push_back(sizes(peer, all_.rank));
        return list;
    }
    void fill_sent(Side& side, const std::vector<int>& peers) const {
        for (std::size_t i = 0; i < peers.size(); ++i) side.fill(i, all_.turn, all_.rank, peers[i]);
    }
    void fill_received(Side& side, const std::vector<int>& peers) const {
        for (std::size_t i = 0; i < peers.size(); ++i) side.fill(i, all_.turn, peers[i], all_.rank);
    }
    void compare(Status status, const Side& found, const Side& expected, const std::string& what) {
        all_.check(status.ok(), what + ": an error");
        const std::size_t wrong = first_difference(found.bytes(), expected.bytes()),
                          end = found.bytes().size();
        all_.check(wrong == end,
                   what + ": wrong byte at " + std::to_string(wrong) + " of " + std::to_string(end));
    }

    // ---- Kinds of epochs ----

    void exchange() { exchange(any_sizes(all_, section_)); }
    void exchange(const Sizes& sizes) {
        const auto peers = neighbours();
        Side sent(sent_sizes(peers, sizes), all_.own_dice),
            received(received_sizes(peers, sizes), all_.own_dice), expected = received;
        fill_sent(sent, peers);
        fill_received(expected, peers);
        const Side before = sent;
        const Status status =
            window_->exchange(LateBlocks{sent, all_.delays}, LateBlocks{received, all_.delays}, false);
        compare(status, received, expected, "exchange");
        all_.check(are_same(sent.bytes(), before.bytes()), "exchange: the send buffer changed");
    }

    // Some ranks exchange from a copy of what they send, as those do whose datatypes have gaps.
    void exchange_in_place() {
        const auto peers = neighbours();
        const Sizes sizes = symmetric(any_sizes(all_, section_));
        Side both(sent_sizes(peers, sizes), all_.own_dice), expected = both;
        fill_sent(both, peers);
        fill_received(expected, peers);
        Side copy = both; // it is only read
        const LateBlocks blocks{both, all_.delays}, copied{copy, all_.delays};
        if (all_.own_dice.once_in(3))
            compare(window_->exchange(copied, blocks, false), both, expected, "into a place in use");
        else
            compare(window_->exchange(blocks, blocks, true), both, expected, "in place");
    }

    // Of the node's ranks, those in one of up to three groups, by their ranks in the communicator.
    // Each knows its own alone.
    std::vector<int> own_group() {
        const auto groups = static_cast<int>(1 + all_.dice.roll(3));
        std::vector<int> members;
        for (int local = 0; local < locals(); ++local)
            if (local % groups == own_local() % groups) members.push_back(map_.rank_of(node(), local));
        return members;
    }

    template <typename Use>
    void with_groups(const std::string& what, const Use& use) {
        const auto members = own_group();
        std::vector<int> peers;
        for (const int member : members) peers.push_back(world_of(member));
        const Group group =
            group_.part(static_cast<int>(std::ranges::find(members, part_.rank) - members.begin()),
                        static_cast<int>(members.size()), members.data());
        const Sizes sizes = any_sizes(all_, section_);
        Side sent(sent_sizes(peers, sizes), all_.own_dice),
            received(received_sizes(peers, sizes), all_.own_dice), expected = received;
        fill_sent(sent, peers);
        const Exchange exchange{group, sent.base(), sent.blocks(), received.base(), received.blocks(), 0};
        const auto [status, is_finished] = use(exchange);
        if (is_finished) fill_received(expected, peers);
        compare(status, received, expected, what);
    }

    struct Came {
        Status status;
        bool is_finished;
    };

    void exchange_in_groups() {
        with_groups("in groups", [&](const Exchange& exchange) {
            return Came{window_->exchange(exchange), true};
        });
    }

    // One epoch for the blocks and for numbers, by which the ranks decide whether the blocks come.
    void exchange_after_agreement() {
        with_groups("after an agreement", [&](const Exchange& exchange) {
            const auto refuser = all_.dice.roll(2 * all_.ranks());
            std::array<std::uint64_t, 3> numbers{static_cast<std::uint64_t>(all_.rank), all_.turn, 0};
            const bool refuses = refuser == static_cast<std::uint64_t>(all_.rank);
            if (refuses) numbers[2] = 1;
            Status status = window_->begin(refuses ? nullptr : &exchange, numbers);
            all_.delays.maybe();
            const bool is_refused =
                refuser < all_.ranks() && std::ranges::count(neighbours(), static_cast<int>(refuser)) > 0;
            // A rank that is alone on its node asks nobody.
            all_.check(numbers[1] == all_.turn && (numbers[2] == 1) == is_refused &&
                           numbers[0] == static_cast<std::uint64_t>(world(locals() - 1)),
                       "the largest numbers");
            if (!is_refused) status.keep(window_->finish(exchange));
            return Came{status, !is_refused};
        });
    }

    void gather_blocks() {
        const auto peers = neighbours();
        const Sizes any = any_sizes(all_, section_), sizes = [&](int source, int) { return any(source, 0); };
        Side received(received_sizes(peers, sizes), all_.own_dice),
            expected = received, sent({sizes(all_.rank, 0)}, all_.own_dice);
        for (std::size_t i = 0; i < peers.size(); ++i) expected.fill(i, all_.turn, peers[i], 0);
        sent.fill(0, all_.turn, all_.rank, 0);
        const auto own = static_cast<std::size_t>(own_local());
        std::span<const std::byte> block(sent.at(0), sent.blocks()[0].size);
        if (all_.dice.once_in(2)) { // it lies there already
            received.fill(own, all_.turn, all_.rank, 0);
            block = {received.at(own), block.size()};
        }
        compare(window_->allgather(block, LateBlocks{received, all_.delays}), received, expected, "gather");
    }

    // Several parts of each rank.
    void gather_parts() {
        const auto peers = neighbours();
        const std::size_t parts = 1 + all_.dice.roll(4);
        const Sizes sizes = any_sizes(all_, section_);
        std::vector<Side> sides, expected;
        for (const int source : peers) {
            std::vector<std::size_t> list;
            for (std::size_t part = 0; part < parts; ++part)
                list.push_back(sizes(source, static_cast<int>(part)));
            expected.emplace_back(list, all_.own_dice);
            sides.push_back(expected.back());
            for (std::size_t part = 0; part < parts; ++part) {
                expected.back().fill(part, all_.turn, source, static_cast<int>(part));
                if (source == all_.rank) sides.back() = expected.back();
            }
        }
        const Status status = window_->gather([&](int local, auto&& add) {
            Side& side = sides[static_cast<std::size_t>(local)];
            for (std::size_t part = 0; part < parts; ++part) {
                all_.delays.maybe();
                add(Part{side.at(part), side.blocks()[part].size});
            }
        });
        for (std::size_t i = 0; i < peers.size(); ++i) compare(status, sides[i], expected[i], "parts");
    }

    // Bytes that the others read where they lie.
    void show() {
        const auto peers = neighbours();
        const std::size_t size = 1 + all_.dice.roll(all_.dice.once_in(5) ? section_ : section_ / 64);
        const bool one_has_none = all_.dice.once_in(4);
        const std::size_t bytes = size * peers.size();
        const bool has_none = one_has_none && all_.rank == peers.back();
        std::byte* const room = has_none ? nullptr : window_->room(bytes);
        std::vector<Block> offers;
        if (room != nullptr)
            for (std::size_t i = 0; i < peers.size(); ++i) {
                offers.push_back({i * size, size});
                fill({room + i * size, size}, all_.turn, all_.rank, peers[i]);
            }
        all_.delays.maybe();
        const auto shown = window_->show(offers);
        all_.check(shown.status.ok(), "show: an error");
        const bool fits = bytes <= window_->layout().capacity;
        const bool by_all = locals() > 1 && fits && !one_has_none;
        all_.check(shown.by_all == by_all || (by_all && is_scarce_), "show: by all");
        if (!shown.by_all) return;
        ++all_.counts.shown;
        for (int local = 0; local < locals(); ++local) {
            if (world(local) == all_.rank) continue;
            all_.delays.maybe();
            std::vector<std::byte> expected(size);
            fill(expected, all_.turn, world(local), all_.rank);
            all_.check(std::ranges::equal(std::span(window_->shown_by(local), size), expected),
                       "show: wrong bytes");
        }
    }

    void find_largest() {
        std::vector<std::uint64_t> numbers(1 + all_.dice.roll(12));
        if (!window_->has_room_for(numbers.size())) return;
        const std::uint64_t seed = all_.dice.roll(UINT32_MAX);
        const auto number = [&](int rank, std::size_t i) {
            return mixed(seed, static_cast<std::uint64_t>(rank), i);
        };
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number(all_.rank, i);
        all_.check(window_->largest(numbers).ok(), "largest: an error");
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            std::uint64_t expected = 0;
            for (const int rank : neighbours()) expected = std::max(expected, number(rank, i));
            all_.check(numbers[i] == expected, "a number is not the largest");
        }
    }

    // A wrong program: a rank sends to others that expect nothing. Nothing may come, and what follows is
    // right. It follows in this window, where the others get rid of what was sent.
    void send_in_vain() {
        const auto peers = neighbours();
        const Sizes sizes = any_sizes(all_, section_);
        const int sender = peers[all_.dice.roll(peers.size())];
        std::vector<std::size_t> list(peers.size());
        if (all_.rank == sender) list = sent_sizes(peers, sizes);
        list[static_cast<std::size_t>(own_local())] = 0;
        Side sent(list, all_.own_dice), received(std::vector<std::size_t>(peers.size()), all_.own_dice);
        const Side before = received;
        fill_sent(sent, peers);
        (void)window_->exchange(LateBlocks{sent, all_.delays}, LateBlocks{received, all_.delays}, false);
        all_.check(are_same(received.bytes(), before.bytes()), "bytes that nobody expects");
        exchange();
    }

    // A rank still reads what another has sent it, while that one sends large blocks to a
    // third: not to where it reads.
    void send_past_a_late_rank() {
        const auto peers = neighbours();
        const std::size_t one = all_.dice.roll(peers.size());
        const int late = peers[one], sender = peers[(one + 1) % peers.size()],
                  receiver = peers[(one + 2) % peers.size()];
        const std::size_t some = window_->layout().capacity / peers.size();
        const auto of_sender = [=](std::size_t bytes) {
            return [=](int source, int destination) {
                return source == sender && destination != sender && (bytes <= some || destination == receiver)
                           ? bytes
                           : std::size_t{0};
            };
        };
        if (all_.rank == late) all_.delays.be_late();
        exchange(of_sender(some));
        exchange(of_sender(std::min(3 * section_, std::size_t{300'000})));
    }

    Ranks& all_;
    const SomeRanks& part_;
    NodeMap map_;
    Group group_;
    std::size_t section_;
    std::unique_ptr<NodeWindow> window_;
    bool is_scarce_ = false, finds_no_memory_ = false;
};

// ---- All of it ------------------------------------------------------------------------------------------

// Up to three windows live at a time. Each rank leaves one when it comes there, and its
// section is lent once more.
void run(Ranks& all, std::uint64_t windows, std::uint64_t epochs) {
    std::vector<std::unique_ptr<NodeMemory>> memories;
    for (const std::size_t bytes : section_sizes) memories.push_back(std::make_unique<NodeMemory>(bytes));
    const auto parts = all_parts(all);
    std::list<Window> open;
    const auto one_of = [&](std::list<Window>& list) {
        return std::next(list.begin(), static_cast<std::ptrdiff_t>(all.dice.roll(list.size())));
    };
    for (std::uint64_t i = 0; i < windows; ++i) {
        if (open.size() == 3 || (!open.empty() && all.dice.once_in(3))) {
            const auto leaving = one_of(open);
            leaving->run_epoch(); // others may still be in it
            open.erase(leaving);
        }
        const SomeRanks& part = *parts[all.dice.roll(parts.size())];
        open.emplace_back(all, part, *memories[all.dice.roll(memories.size())]);
        for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) one_of(open)->run_epoch();
    }
}

// Whether the system lets a rank read its neighbour's memory.
bool can_read_neighbours(const Ranks& all) {
    struct Place {
        std::uint64_t proof, address;
        std::int64_t process;
    };
    std::uint64_t proof = static_cast<std::uint64_t>(all.rank) + 1, found = 0;
    const Place own{proof, reinterpret_cast<std::uint64_t>(&proof), getpid()};
    std::vector<Place> places(all.ranks());
    PMPI_Allgather(&own, sizeof own, MPI_BYTE, places.data(), sizeof own, MPI_BYTE, all.comm);
    const Place& next = places[(static_cast<std::size_t>(all.rank) + 1) % all.ranks()];
    NeighbourMemory neighbour(static_cast<pid_t>(next.process), next.proof);
    const bool can =
        neighbour.read(reinterpret_cast<std::byte*>(&found), next.address, sizeof found, next.address) &&
        found == next.proof;
    return all_agree(can, comm_of(all.comm));
}

int conclude(const Ranks& all, bool reads_neighbours) {
    Counts sums;
    PMPI_Allreduce(&all.counts, &sums, Counts::number, MPI_UINT64_T, MPI_SUM, all.comm);
    const bool is_thorough =
        all.size == 1 || all.counts.epochs < 1000 ||
        (sums.shown > 0 && sums.times_refused > 0 && (sums.cma_bytes > 0 || !reads_neighbours));
    const bool good = sums.failures == 0 && is_thorough;
    if (all.rank == 0)
        std::printf("%s: %llu checks on %d ranks, %llu failed; %llu windows, %llu epochs, %llu shown, "
                    "%llu bytes read by CMA, memory refused %llu times%s\n",
                    good ? "passed" : "FAILED", static_cast<unsigned long long>(sums.checks), all.size,
                    static_cast<unsigned long long>(sums.failures),
                    static_cast<unsigned long long>(all.counts.windows),
                    static_cast<unsigned long long>(all.counts.epochs),
                    static_cast<unsigned long long>(sums.shown),
                    static_cast<unsigned long long>(sums.cma_bytes),
                    static_cast<unsigned long long>(sums.times_refused),
                    is_thorough ? "" : ": some kind of transfer, or memory that is refused, never came");
    return good ? 0 : 1;
}

// Thread sanitizer has to see this one, else it would see none.
int race(const Ranks& all) {
    NodeMemory memory(4096);
    const auto own = memory.lend();
    std::vector<NodeMemory::Place> places(all.ranks());
    PMPI_Allgather(&own, sizeof own, MPI_BYTE, places.data(), sizeof own, MPI_BYTE, all.comm);
    std::byte* const shared = memory.data_at(places.front());
    if (shared != nullptr) *shared = static_cast<std::byte>(all.rank);
    PMPI_Barrier(all.comm);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Ranks all;
    PMPI_Comm_dup(MPI_COMM_WORLD, &all.comm);
    PMPI_Comm_rank(all.comm, &all.rank);
    PMPI_Comm_size(all.comm, &all.size);
    all.own_dice = Dice(static_cast<std::uint64_t>(all.rank) + 200);
    all.delays = Delays(static_cast<std::uint64_t>(all.rank) + 100);
    int result = 0;
    if (argc > 1 && std::string_view(argv[1]) == "race") {
        result = race(all);
    } else {
        const auto number = [&](int word, std::uint64_t preset) {
            return argc > word ? std::strtoull(argv[word], nullptr, 10) : preset;
        };
        const bool reads_neighbours = can_read_neighbours(all);
        run(all, number(1, 60), number(2, 50));
        result = conclude(all, reads_neighbours);
    }
    PMPI_Comm_free(&all.comm);
    MPI_Finalize();
    return result;
}
