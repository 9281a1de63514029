#include "agree_on_largest.hpp"

#include "memory/node_window.hpp"
#include "messages/votes.hpp"

#include <algorithm>

namespace switchyard::algorithms {

namespace {

using Numbers = std::array<std::uint64_t, most_agreed_numbers>;

AgreementEnd ask_mpi(std::span<std::uint64_t> numbers, const Group& group) {
    Numbers all{};
    const Status status = largest_of_all(numbers, all.data(), group.comm);
    std::copy_n(all.begin(), numbers.size(), numbers.begin());
    return {status, true};
}

// Sends our numbers to the node `steps` places up the ring, and takes the numbers of the
// node `steps` places down.
Status exchange_with_nodes(std::span<std::uint64_t> numbers, const Group& group, Wire& wire, int steps) {
    const NodeMap& map = *group.node_map;
    const int node = map.node_of(group.rank), local = map.local_rank(group.rank), nodes = map.nodes();
    Numbers theirs{};
    const std::size_t bytes = numbers.size_bytes();
    const Status status = wire.exchange(map.rank_of((node + steps) % nodes, local),
                                        reinterpret_cast<const std::byte*>(numbers.data()), bytes,
                                        map.rank_of((node - steps + nodes) % nodes, local),
                                        reinterpret_cast<std::byte*>(theirs.data()), bytes);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::max(numbers[i], theirs[i]);
    return status;
}

} // namespace

bool agrees_in_window(std::size_t numbers, const Group& group, const NodeWindow* window) {
    return window != nullptr && group.node_map != nullptr && group.node_map->nodes() == 1 &&
           group.node_map->largest() > 1 && window->has_room_for(numbers);
}

AgreementEnd agree_on_largest(std::span<std::uint64_t> numbers, const Group& group, Wire& wire,
                              NodeWindow* window) {
    const NodeMap* const map = group.node_map;
    if (window == nullptr || map == nullptr || map->largest() == 1 || !window->has_room_for(numbers.size()))
        return ask_mpi(numbers, group);
    const int local = map->local_rank(group.rank);
    Status status = window->largest(numbers);
    const std::int64_t radix = map->smallest() + 1;
    for (std::int64_t known = 1; known < map->nodes(); known *= radix) { // nodes whose numbers are in ours
        const std::int64_t steps = (local + 1) * known;
        if (local < map->smallest() && steps < map->nodes())
            status.keep(exchange_with_nodes(numbers, group, wire, static_cast<int>(steps)));
        status.keep(window->largest(numbers));
    }
    return {status, false};
}

} // namespace switchyard::algorithms
