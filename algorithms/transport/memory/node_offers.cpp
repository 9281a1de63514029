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

bool NodeOffers::is_for_reader(const Stream& stream, bool in_place) {
    return proof_ != nullptr && !in_place && (stream.is_offered || is_for_reading(stream.bytes)) &&
           can_be_read_by(stream.local);
}

void NodeOffers::begin(Stream& stream, bool in_place) {
    stream.is_offered = is_for_reader(stream, in_place);
    if (stream.is_offered) {
        stream.from = reinterpret_cast<std::uintptr_t>(stream.data);
        stream.proof = reinterpret_cast<std::uintptr_t>(proof_);
    }
    epochs_.sections()
        .emptied(epochs_.sections().rank(), stream.local)
        .read.store(0, std::memory_order_relaxed);
}

bool NodeOffers::is_read_to_end(const Stream& stream) const {
    return stream.is_offered && epochs_.sections()
                                        .emptied(epochs_.sections().rank(), stream.local)
                                        .read.load(std::memory_order_acquire) != 0;
}

void NodeOffers::withdraw(std::span<const Stream> streams) {
    for (const Stream& stream : streams)
        if (stream.is_offered)
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
