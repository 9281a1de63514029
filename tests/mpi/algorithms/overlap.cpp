#include "overlap.hpp"

#include "algorithms/transport/messages/wire.hpp"
#include "cases.hpp"

#include <algorithm>
#include <numeric>

namespace switchyard::tests {

using namespace algorithms;

namespace {

enum class Sizes { uniform, ragged, symmetric, sparse, zero_rows, one_huge, big_self, one_row };
constexpr std::array sizes_names = {"uniform",   "ragged",   "symmetric", "sparse",
                                    "zero rows", "one huge", "big self",  "one row"};

// The places of the receive blocks. The send blocks lie in the order of their ranks, without
// gaps, except where said.
enum class Over {
    same,      // in the same order from the same place on; with symmetric sizes this is MPI_IN_PLACE
    shifted,   // the same, a few bytes up or down
    rotated,   // in another order
    reversed,  // last first
    scrambled, // both sides in any order with gaps, from any place on
    full,      // both sides in any order, and no byte free between or around them
    halfway,   // from the middle of the send side on
    apart      // behind the send side
};
constexpr std::array over_names = {"same",      "shifted", "rotated", "reversed",
                                   "scrambled", "full",    "halfway", "apart"};

struct OverlapCase {
    Sizes sizes;
    Over over;
    std::uint64_t salt;
    std::size_t most; // largest ordinary block
    int ranks;

    std::uint64_t number(int a, int b) const {
        return mixed(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b), salt);
    }

    std::size_t size(int source, int destination) const {
        const auto n = number(source, destination);
        const std::size_t any = n % (most + 1);
        switch (over == Over::full ? Sizes::symmetric : sizes) { // every rank receives as much as it sends
        case Sizes::uniform: return most;
        case Sizes::ragged: return any;
        case Sizes::symmetric:
            return number(std::min(source, destination), std::max(source, destination)) % (most + 1);
        case Sizes::sparse: return n / 1000 % 4 == 0 ? any : 0;
        case Sizes::zero_rows: return source % 2 == 0 ? 0 : any + 1;
        case Sizes::one_huge: return source == ranks - 1 && destination == 0 ? 10 * most + 5 : any;
        case Sizes::big_self: return source == destination ? 10 * most + 3 : any;
        case Sizes::one_row: return source == ranks / 2 ? 2 * most : 0;
        }
        return 0;
    }
};

// ---- Where the blocks lie -------------------------------------------------------------------------------

struct Sides {
    std::vector<Block> send, recv;
    std::size_t bytes; // of the buffer
};

constexpr std::size_t margin = 16; // at either end

// Puts blocks one behind the other in that order, with `gap(i)` bytes in front of each. Returns their end.
template <typename Gap>
std::size_t lay_out(std::vector<Block>& blocks, const std::vector<std::size_t>& order, std::size_t begin,
                    Gap&& gap) {
    for (std::size_t i : order) {
        blocks[i].offset = begin + gap(i);
        begin = blocks[i].offset + blocks[i].size;
    }
    return begin;
}

std::vector<std::size_t> any_order(std::size_t ranks, std::uint64_t salt) {
    std::vector<std::size_t> order(ranks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return mixed(i, salt); });
    return order;
}

Sides sides_of(const OverlapCase& c, int self) {
    const auto ranks = static_cast<std::size_t>(c.ranks);
    const auto salt = mixed(c.salt, static_cast<std::uint64_t>(self), 7);
    Sides sides{std::vector<Block>(ranks), std::vector<Block>(ranks), 0};
    for (int peer = 0; peer < c.ranks; ++peer) {
        sides.send[static_cast<std::size_t>(peer)].size = c.size(self, peer);
        sides.recv[static_cast<std::size_t>(peer)].size = c.size(peer, self);
    }
    const auto none = [](std::size_t) { return std::size_t{0}; };
    const auto gaps = [&](std::size_t i) {
        return mixed(i, salt, 3) % 3 * (mixed(i, salt, 4) % (c.most + 2));
    };

    std::vector<std::size_t> sending(ranks);
    std::iota(sending.begin(), sending.end(), std::size_t{0});
    std::vector<std::size_t> receiving = sending;
    std::size_t begin = margin, recv_begin = margin;
    if (c.over == Over::shifted) {
        begin += salt % 8;
        recv_begin += salt / 8 % 8;
    } else if (c.over == Over::rotated) {
        std::ranges::rotate(receiving, receiving.begin() + static_cast<std::ptrdiff_t>(salt % ranks));
    } else if (c.over == Over::reversed) {
        std::ranges::reverse(receiving);
    } else if (c.over == Over::scrambled || c.over == Over::full) {
        sending = any_order(ranks, salt + 1);
        receiving = any_order(ranks, salt + 2);
    }
    const bool scrambled = c.over == Over::scrambled;
    if (scrambled) recv_begin += salt % (ranks * c.most + 1);
    const std::size_t end =
        scrambled ? lay_out(sides.send, sending, begin, gaps) : lay_out(sides.send, sending, begin, none);
    if (c.over == Over::halfway) recv_begin = (begin + end) / 2;
    if (c.over == Over::apart) recv_begin = end;
    const std::size_t recv_end = scrambled ? lay_out(sides.recv, receiving, recv_begin, gaps)
                                           : lay_out(sides.recv, receiving, recv_begin, none);
    sides.bytes = std::max(end, recv_end) + margin;
    return sides;
}

// ---- One exchange ---------------------------------------------------------------------------------------

void ask_alltoallv(MPI_Comm oracle, const Sides& sides, const std::vector<std::byte>& buffer,
                   std::vector<std::byte>& expected) {
    std::vector<int> arrays[4];
    for (std::size_t i = 0; i < sides.send.size(); ++i) {
        arrays[0].push_back(static_cast<int>(sides.send[i].size));
        arrays[1].push_back(static_cast<int>(sides.send[i].offset));
        arrays[2].push_back(static_cast<int>(sides.recv[i].size));
        arrays[3].push_back(static_cast<int>(sides.recv[i].offset));
    }
    PMPI_Alltoallv(buffer.data(), arrays[0].data(), arrays[1].data(), MPI_BYTE, expected.data(),
                   arrays[2].data(), arrays[3].data(), MPI_BYTE, oracle);
}

struct Settings {
    Parameters parameters;
    std::size_t wire_limit;
    int wire_batch;
};

class Runner {
  public:
    Runner(const Traits& traits, const Group& group, MPI_Comm oracle, const Report& report)
        : traits_(traits), group_(group), oracle_(oracle), report_(report) {}

    void run(const OverlapCase& c, const Settings& settings) {
        place_ = std::string(traits_.name) + " over itself, " +
                 sizes_names[static_cast<std::size_t>(c.sizes)] + " up to " + std::to_string(c.most) + ", " +
                 over_names[static_cast<std::size_t>(c.over)] + ", salt " + std::to_string(c.salt) +
                 ", wire limit " + std::to_string(settings.wire_limit) + ", " +
                 std::to_string(settings.wire_batch) + " at once";
        for (Parameter parameter : traits_.parameters) {
            place_ += ", " + std::string(traits_of(parameter).name) + " " +
                      std::to_string(settings.parameters[parameter]);
        }
        const Sides sides = sides_of(c, group_.rank);
        std::vector<std::byte> buffer =
            filled(sides.bytes, mixed(c.salt, static_cast<unsigned>(group_.rank)));
        std::vector<std::byte> expected = buffer;
        ask_alltoallv(oracle_, sides, buffer, expected);

        Workspace workspace;
        const std::size_t scratch =
            traits_.scratch_bytes == nullptr ? 0 : traits_.scratch_bytes(c.ranks, 0, settings.parameters);
        check(workspace.reserve(scratch), "workspace");
        Wire wire(group_, settings.wire_limit);
        wire.limit_batch(settings.wire_batch);
        const auto schedule = algorithm_of(traits_).prepared(group_, settings.parameters);
        Context context{settings.parameters, workspace, wire, nullptr, schedule.get()};
        const Exchange exchange{group_, buffer.data(), sides.send, buffer.data(), sides.recv, 0};
        check(algorithm_of(traits_).run(exchange, context).ok(), "status");

        const std::size_t wrong = first_difference(buffer, expected);
        check(wrong == buffer.size(),
              "byte " + std::to_string(wrong) + " of " + std::to_string(buffer.size()));
        check(workspace.most_taken() == scratch, "scratch memory taken");
        check_bytes_sent(sides, wire.traffic().bytes);
        if (settings.wire_limit == Wire::largest_message)
            check(wire.traffic().most_under_way <= 2U * static_cast<unsigned>(settings.wire_batch),
                  "messages under way");
    }

  private:
    void check(bool good, const std::string& what) { report_(good, place_, what); }

    // Every byte for another rank travels once. All other bytes are requests.
    void check_bytes_sent(const Sides& sides, std::uint64_t sent) {
        std::uint64_t data = 0;
        for (int peer = 0; peer < group_.size; ++peer) {
            if (peer != group_.rank) data += sides.send[static_cast<std::size_t>(peer)].size;
        }
        check(sent >= data && (sent - data) % sizeof(std::uint64_t) == 0, "bytes sent");
    }

    const Traits& traits_;
    const Group& group_;
    MPI_Comm oracle_;
    const Report& report_;
    std::string place_;
};

constexpr int enough_for_all = 1 << 20;

// Auxiliary memory from 1 byte to enough for all blocks. Blocks are so small that an exchange takes at most
// some tens of phases.
Settings settings_of(const Traits& traits, int ranks, std::uint64_t salt, std::size_t& most) {
    constexpr std::array auxiliary = {1, 3, 100, enough_for_all};
    constexpr std::array<std::size_t, 4> limits = {Wire::largest_message, Wire::largest_message, 128, 7};
    constexpr std::array batches = {Wire::largest_batch, 2, 3};
    Settings settings{{}, limits[mixed(salt, 1) % limits.size()], batches[mixed(salt, 4) % batches.size()]};
    for (const ParameterTraits& parameter : parameter_vocabulary()) {
        settings.parameters[parameter.parameter] = preset_of(parameter, ranks);
    }
    if (traits.takes(Parameter::auxiliary_bytes)) {
        const int bytes = auxiliary[mixed(salt, 2) % auxiliary.size()];
        settings.parameters[Parameter::auxiliary_bytes] = bytes;
        const std::array buffers = {1, 2, ranks, bytes + 1};
        settings.parameters[Parameter::buffers] = buffers[mixed(salt, 3) % buffers.size()];
        settings.parameters[Parameter::requests] =
            static_cast<std::int64_t>(mixed(salt, 5) % traits_of(Parameter::requests).choices.size());
        const auto phases = 12 * static_cast<std::size_t>(bytes) / static_cast<std::size_t>(ranks);
        most = std::clamp<std::size_t>(phases, 1, 3000);
        if (settings.wire_limit == 7) most = std::min<std::size_t>(most, 60);
    }
    return settings;
}

bool takes_few_phases(const Settings& settings) {
    return settings.parameters[Parameter::auxiliary_bytes] == enough_for_all &&
           settings.wire_limit == Wire::largest_message;
}

} // namespace

void check_overlap(const Traits& traits, const Group& group, MPI_Comm oracle, OverlapCases cases,
                   const Report& report) {
#ifdef MPICH_VERSION
    const bool waits_spin = group.size > 3; // more ranks than cores
#else
    const bool waits_spin = false;
#endif
    Runner runner(traits, group, oracle, report);
    const bool is_all = cases == OverlapCases::all;
    const std::size_t repetitions = !is_all || waits_spin ? 1 : group.size > 8 ? 4 : 8;
    const std::size_t all = over_names.size() * sizes_names.size();
    for (std::size_t i = 0; i < repetitions * all; i += cases == OverlapCases::reduced ? 5 : 1) {
        std::size_t most = 100;
        const Settings settings = settings_of(traits, group.size, i, most);
        if (cases == OverlapCases::few_phases && !takes_few_phases(settings)) continue;
        runner.run({static_cast<Sizes>(i % sizes_names.size()),
                    static_cast<Over>(i / sizes_names.size() % over_names.size()), i, most, group.size},
                   settings);
    }
}

} // namespace switchyard::tests
