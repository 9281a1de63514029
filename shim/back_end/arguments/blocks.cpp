#include "blocks.hpp"

#include <algorithm>
#include <cstdlib>

namespace switchyard::shim {

using algorithms::Block;

namespace {

// The type of a side with one type. A side with a type for each block has a TypeArray instead.
Datatype one_type(const CallArgs::Side& side, int datatype_keyval) {
    return side.types == nullptr ? inspect(side.type, datatype_keyval) : Datatype{};
}

} // namespace

Blocks Blocks::sent(const CallArgs& call, const Peers& peers, const CallTypes& types) {
    const int number = algorithms::traits_of(call.collective).sends_one_block() ? 1 : peers.sent;
    const auto& side = call.outgoing();
    return {call, side, true, number, peers, one_type(side, types.keyval), types.outgoing(call)};
}

Blocks Blocks::received(const CallArgs& call, const Peers& peers, const CallTypes& types,
                        const Blocks* sent) {
    const bool is_known = sent != nullptr && sent->type_.handle == call.recv.type;
    const auto type = is_known ? sent->type_ : one_type(call.recv, types.keyval);
    return {call, call.recv, false, peers.received, peers, type, types.received};
}

Blocks::Blocks(const CallArgs& call, const CallArgs::Side& side, bool is_sent, int number, const Peers& peers,
               const Datatype& type, const TypeArray& types)
    : side_(&side),
      lies_in_place_(is_sent && call.in_place() && algorithms::traits_of(call.collective).sends_one_block()),
      number_(number), rank_(peers.own),
      ranks_of_blocks_(!is_sent                                                   ? peers.sources
                       : algorithms::traits_of(call.collective).sends_one_block() ? nullptr
                                                                                  : peers.destinations),
      base_(reinterpret_cast<std::uintptr_t>(side.buffer)), type_(type),
      types_(side.types == nullptr ? nullptr : &types) {}

bool Blocks::are_committed(int datatype_keyval, MPI_Comm comm) const {
    if (types_ == nullptr) return is_committed(type_, datatype_keyval, comm);
    if (types_->are_committed()) return true;
    for (int i = 0; i < number_; ++i)
        if (count(i) > 0 && !is_committed(type(i), datatype_keyval, comm)) return false;
    return true;
}

std::uintptr_t Blocks::address(int i) const {
    const auto& displacements = side_->displacements;
    if (types_ != nullptr) return base_ + static_cast<std::uintptr_t>(displacements[i]); // bytes
    const std::int64_t item = displacements.is_array() ? displacements[place(i)] : place(i) * count(i);
    return base_ + static_cast<std::uintptr_t>(item * type_.extent);
}

Block Blocks::span(int i) const {
    const auto bytes = size(i);
    const auto begin = address(i);
    if (bytes == 0 || is_dense(i)) return {begin, bytes};
    const auto item = type(i);
    MPI_Aint first = 0, extent = 0;
    PMPI_Type_get_true_extent(item.handle, &first, &extent);
    const auto last = (count(i) - 1) * item.extent; // the last item's place; extents may be negative
    return {begin + static_cast<std::uintptr_t>(first + std::min<std::int64_t>(last, 0)),
            static_cast<std::size_t>(std::abs(last) + extent)};
}

} // namespace switchyard::shim
