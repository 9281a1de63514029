#include "node_offers.hpp"

namespace switchyard::algorithms {

bool NodeOffers::can_be_read_by_all() const {
    for (const int local : epochs_.sections().others())
        if (!can_be_read_by(local)) return false;
    return true;
}

bool NodeOffers::goes_across(NodeRates::Form form, std::size_t bytes, int readers) {
    std::atomic<std::uint32_t>& ways = epochs_.sections().filled(0, 0).ways;
    if (epochs_.sections().rank() == 0) rates_.decide(ways, form, bytes, readers, epochs_.number());
    return NodeRates::goes_across(ways, form, bytes);
}

void NodeOffers::begin(Stream& stream, bool may_offer) {
    if (proof_ != nullptr && stream.pieces() <= Claims::most_pieces) {
        stream.from = reinterpret_cast<std::uintptr_t>(stream.data);
        stream.proof = reinterpret_cast<std::uintptr_t>(proof_);
        stream.is_offered = may_offer && is_for_reading(stream.bytes) && can_be_read_by(stream.local);
    }
    epochs_.sections().filled(epochs_.sections().rank(), stream.local).claims.clear();
    epochs_.sections()
        .emptied(epochs_.sections().rank(), stream.local)
        .read.store(0, std::memory_order_relaxed);
}

bool NodeOffers::is_read_to_end(const Stream& stream) const {
    if (stream.from == 0) return false;
    const std::uint64_t read = epochs_.sections()
                                   .emptied(epochs_.sections().rank(), stream.local)
                                   .read.load(std::memory_order_acquire);
    return epochs_.sections()
        .filled(epochs_.sections().rank(), stream.local)
        .claims.are_all_taken(stream.pieces(), read);
}

void NodeOffers::withdraw(std::span<const Stream> streams) {
    for (const Stream& stream : streams)
        if (stream.from != 0)
            epochs_.sections()
                .filled(epochs_.sections().rank(), stream.local)
                .is_withdrawn.store(true, std::memory_order_seq_cst);
}

bool NodeOffers::read(Stream& stream) {
    return read(stream, [&](std::size_t begin, std::size_t bytes) {
        return bring(stream, stream.data + begin, stream.from + begin, bytes);
    });
}

} // namespace switchyard::algorithms
