#include "window_sizes.hpp"

#include "algorithms/transport/memory/node_blocks.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace switchyard::tests {

using namespace algorithms;

namespace {

constexpr std::size_t section_bytes = std::size_t{2} << 20; // as the shim has it

using Load = NodeWindow::Load;
std::string_view name_of(Load load) {
    switch (load) {
    case Load::none: return "at rest";
    case Load::others: return "beside other programs";
    case Load::nobody: return "offered";
    }
    return "";
}

// Sizes from which a block goes another way.
struct Turns {
    std::vector<std::size_t> of_one_block;
    std::vector<std::size_t> of_all_blocks; // of a rank together
};

Turns turns_of(const NodeWindow& window) {
    using section::Layout;
    const Layout& layout = window.layout();
    return {.of_one_block = {1, sizeof(std::uint32_t), sizeof(std::uint64_t), 2 * sizeof(std::uint64_t),
                             Layout::most_near_block, std::size_t{8192}, NodeWindow::most_slot_bytes,
                             NodeWindow::least_offered_bytes, 2 * NodeWindow::most_slot_bytes,
                             layout.capacity, NodeWindow::most_read_bytes},
            .of_all_blocks = {layout.near_bytes, layout.capacity, 2 * layout.capacity, layout.ring_bytes,
                              window.most_cached_bytes()}};
}

std::vector<std::size_t> around(const std::vector<std::size_t>& turns) {
    std::vector<std::size_t> sizes{0};
    for (const std::size_t turn : turns)
        for (const std::size_t size : {turn - 1, turn, turn + 1}) sizes.push_back(size);
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

// The blocks of one side with bytes of nobody between them. Both sides have blocks of the
// same sizes, as in place.
struct Side {
    std::vector<int> counts, displacements;
    std::vector<std::byte> bytes;

    Side(const std::vector<std::size_t>& sizes, std::uint64_t seed) {
        constexpr std::size_t gap = 23; // so blocks begin at odd addresses
        std::size_t end = gap;
        for (const std::size_t size : sizes) {
            counts.push_back(static_cast<int>(size));
            displacements.push_back(static_cast<int>(end));
            end += size + gap;
        }
        bytes = filled(end, seed);
    }
    CountedBlocks blocks() {
        return {reinterpret_cast<std::uintptr_t>(bytes.data()), counts.data(), displacements.data(), 1};
    }
};

class WindowSizes {
  public:
    WindowSizes(const Group& group, MPI_Comm oracle, const Report& report, Load load)
        : group_(group), oracle_(oracle), report_(report), load_(load), memory_(section_bytes) {
        group_.node_map = nullptr; // all ranks are on one node
        window_ = NodeWindow::make(group_, memory_);
        if (window_) window_->assume(load);
    }

    void check_all() {
        place_ = "window sizes " + std::string(name_of(load_));
        note(window_ != nullptr, "no window");
        if (!window_) return;
        const Turns turns = turns_of(*window_);
        const auto others = static_cast<std::size_t>(std::max(group_.size - 1, 1));
        std::vector<std::size_t> of_one = around(turns.of_one_block), of_all;
        for (const std::size_t all : turns.of_all_blocks) of_all.push_back(all / others);
        check_mixed(of_one);
        for (const auto& sizes : {of_one, around(of_all)})
            for (const std::size_t size : sizes) check_equal(size);
    }

    // Programs exchange counts before their blocks: then all blocks come in odd epochs, or all in
    // even ones. In the end their pages are there all the same: some blocks come through the memory of the
    // node, and each rank learns how long their copies take.
    void check_pages_come(int first_exchanges) {
        place_ = "pages after " + std::to_string(first_exchanges) + " exchanges";
        note(window_ != nullptr, "no window");
        if (!window_) return;
        constexpr std::size_t count_bytes = 4, block_bytes = std::size_t{256} << 10;
        constexpr int most = 200, each = 500;
        const std::vector<std::size_t> few(static_cast<std::size_t>(group_.size), count_bytes),
            many(static_cast<std::size_t>(group_.size), block_bytes);
        Side sent(many, seed()), received(many, seed());
        const auto exchange = [&](const std::vector<std::size_t>& sizes) {
            for (std::size_t i = 0; i < sizes.size(); ++i)
                sent.counts[i] = received.counts[i] = static_cast<int>(sizes[i]);
            note(window_->exchange(sent.blocks(), received.blocks(), false).ok(), "an error");
        };
        for (int i = 0; i < first_exchanges; ++i) exchange(few);
        const std::uint64_t all_bytes = each * block_bytes * static_cast<std::uint64_t>(group_.size - 1);
        int reads_all = 1;
        for (int i = 0; i < most && reads_all != 0; ++i) {
            const std::uint64_t before = window_->cma_bytes();
            for (int j = 0; j < each; ++j) {
                exchange(few);
                exchange(many);
            }
            reads_all = window_->cma_bytes() - before == all_bytes ? 1 : 0;
            PMPI_Allreduce(MPI_IN_PLACE, &reads_all, 1, MPI_INT, MPI_MAX, oracle_);
        }
        note(reads_all == 0, "the pages have not come");
    }

  private:
    // Every size meets every other in some turn. The sizes are the same in both directions.
    void check_mixed(const std::vector<std::size_t>& sizes) {
        for (std::size_t turn = 0; turn < sizes.size(); ++turn) {
            const auto size = [&](int source, int destination) {
                const auto sum = static_cast<std::size_t>(source + destination),
                           product = static_cast<std::size_t>(source * destination);
                return sizes[(turn + 7 * sum + 5 * product) % sizes.size()];
            };
            std::vector<std::size_t> own;
            for (int peer = 0; peer < group_.size; ++peer) own.push_back(size(group_.rank, peer));
            const std::string text = "mixed, turn " + std::to_string(turn);
            check_exchange(own, text);
            std::vector<std::size_t> all;
            for (int source = 0; source < group_.size; ++source) all.push_back(size(source, source));
            check_gather(all, text);
        }
    }

    void check_equal(std::size_t size) {
        const std::string text = std::to_string(size) + " bytes";
        const std::vector<std::size_t> sizes(static_cast<std::size_t>(group_.size), size);
        check_exchange(sizes, text);
        check_gather(sizes, text);
    }

    // From one buffer into another, in place, and in place on every second rank alone: another rank may have
    // to pack its blocks.
    void check_exchange(const std::vector<std::size_t>& sizes, const std::string& text) {
        Side sent(sizes, seed()), received(sizes, seed());
        std::vector<std::byte> expected = received.bytes;
        ask_alltoallv(sent, expected);
        Side before = sent; // it is only read
        Status status = window_->exchange(sent.blocks(), received.blocks(), false);
        compare(status, received.bytes, expected, text);
        note(are_same(sent.bytes, before.bytes), text + ": the send buffer changed");
        expected = sent.bytes;
        ask_alltoallv(before, expected);
        status = window_->exchange(sent.blocks(), sent.blocks(), true);
        compare(status, sent.bytes, expected, text + " in place");
        Side some = before;
        const bool is_in_place = (group_.rank + ++exchanges_) % 2 == 0;
        status = window_->exchange(is_in_place ? some.blocks() : before.blocks(), some.blocks(), is_in_place);
        compare(status, some.bytes, expected, text + " in place on every second rank");
    }

    void ask_alltoallv(const Side& sent, std::vector<std::byte>& expected) {
        PMPI_Alltoallv(sent.bytes.data(), sent.counts.data(), sent.displacements.data(), MPI_BYTE,
                       expected.data(), sent.counts.data(), sent.displacements.data(), MPI_BYTE, oracle_);
    }

    // `sizes`: of the blocks of all ranks.
    void check_gather(const std::vector<std::size_t>& sizes, const std::string& text) {
        const std::size_t own = sizes[static_cast<std::size_t>(group_.rank)];
        const auto sent = filled(own, seed());
        Side received(sizes, seed());
        std::vector<std::byte> expected = received.bytes;
        const std::vector<int> counts(sizes.size(), static_cast<int>(own)), places(sizes.size());
        PMPI_Alltoallv(sent.data(), counts.data(), places.data(), MPI_BYTE, expected.data(),
                       received.counts.data(), received.displacements.data(), MPI_BYTE, oracle_);
        std::vector<Block> places_of_blocks;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            places_of_blocks.push_back({static_cast<std::size_t>(received.displacements[i]), sizes[i]});
        const Block block{0, own};
        const Exchange exchange{group_,           sent.data(),
                                {&block, 1},      received.bytes.data(),
                                places_of_blocks, *std::ranges::max_element(sizes)};
        const Traits& traits = *find(Collective::allgather, "shared");
        Workspace workspace;
        Wire wire(group_);
        const Parameters parameters{};
        Context context{parameters, workspace, wire, window_.get(), nullptr};
        compare(algorithm_of(traits).run(exchange, context), received.bytes, expected, text + ", gather");
    }

    // The same sequence on all ranks, with other numbers on each.
    std::uint64_t seed() { return mixed(static_cast<std::uint64_t>(group_.rank), ++seeds_); }

    void compare(Status status, const std::vector<std::byte>& received,
                 const std::vector<std::byte>& expected, const std::string& text) {
        note(status.ok(), text + ": an error");
        const std::size_t wrong = first_difference(received, expected);
        note(wrong == received.size(), text + ": wrong byte at " + std::to_string(wrong));
    }
    void note(bool good, const std::string& what) { report_(good, place_, what); }

    Group group_;
    MPI_Comm oracle_;
    const Report& report_;
    Load load_;
    NodeMemory memory_;
    std::unique_ptr<NodeWindow> window_;
    std::string place_;
    std::uint64_t seeds_ = 0;
    int exchanges_ = 0; // the same on all ranks
};

} // namespace

void check_window_sizes(const Group& group, MPI_Comm oracle, const Report& report) {
    for (const Load load : {Load::none, Load::others, Load::nobody})
        WindowSizes(group, oracle, report, load).check_all();
    if (group.size != 2) return;
    for (const int first_exchanges : {0, 1})
        WindowSizes(group, oracle, report, Load::none).check_pages_come(first_exchanges);
}

} // namespace switchyard::tests
