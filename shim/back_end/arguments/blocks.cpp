#include "blocks.hpp"

#include <algorithm>
#include <cstdlib>

namespace switchyard::shim {

using algorithms::Block;

Blocks Blocks::sent(const CallArgs& call, int ranks, int rank, int datatype_keyval) {
    const int number = algorithms::traits_of(call.collective).sends_one_block() ? 1 : ranks;
    return {call, call.outgoing(), true, number, rank, inspect(call.outgoing().type, datatype_keyval)};
}

Blocks Blocks::received(const CallArgs& call, int ranks, int rank, int datatype_keyval, const Blocks* sent) {
    const bool is_known = sent != nullptr && sent->type_.handle == call.recv.type;
    return {call,  call.recv, false,
            ranks, rank,      is_known ? sent->type_ : inspect(call.recv.type, datatype_keyval)};
}

Blocks::Blocks(const CallArgs& call, const CallArgs::Side& side, bool is_sent, int number, int rank,
               const Datatype& type)
    : side_(&side),
      lies_in_place_(is_sent && call.in_place() && algorithms::traits_of(call.collective).sends_one_block()),
      number_(number), rank_(rank), base_(reinterpret_cast<std::uintptr_t>(side.buffer)), type_(type) {}

std::size_t Blocks::bytes() const {
    std::size_t bytes = 0;
    for (int i = 0; i < number_; ++i) bytes += size(i);
    return bytes;
}

std::uintptr_t Blocks::address(int i) const {
    const auto& displacements = side_->displacements;
    const std::int64_t item = displacements.is_array() ? displacements[place(i)] : place(i) * count(i);
    return base_ + static_cast<std::uintptr_t>(item * type_.extent);
}

Block Blocks::span(int i) const {
    const auto bytes = size(i);
    const auto begin = address(i);
    if (bytes == 0 || type_.dense) return {begin, bytes};
    MPI_Aint first = 0, extent = 0;
    PMPI_Type_get_true_extent(type_.handle, &first, &extent);
    const auto last = (count(i) - 1) * type_.extent; // the last item's place; extents may be negative
    return {begin + static_cast<std::uintptr_t>(first + std::min<std::int64_t>(last, 0)),
            static_cast<std::size_t>(std::abs(last) + extent)};
}

} // namespace switchyard::shim
