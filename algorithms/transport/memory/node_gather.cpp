#include "node_gather.hpp"

namespace switchyard::algorithms {

// Offers bytes for all ranks. Each rank takes them from this rank's own memory.
void NodeGather::offer(const section::Notice& own, Part bytes) {
    for (const int local : epochs_.sections().others())
        streams_.send({.local = local, .data = bytes.data, .bytes = bytes.bytes, .is_offered = true});
    streams_.lay_out(own, false);
}

void NodeGather::meet_offer(int source, const section::StreamPlace& place) {
    streams_.receive({.local = source,
                      .bytes = place.bytes,
                      .begin = place.begin,
                      .slot_bytes = place.slot_bytes,
                      .slots = place.slots,
                      .from = place.from,
                      .proof = place.proof,
                      .is_offered = place.shown_or_offered != 0});
}

Stream NodeGather::stream_to_all(const section::Notice& own, std::size_t bytes) {
    Stream stream{.local = epochs_.sections().rank(), .bytes = bytes, .is_for_all = true};
    const section::Area free = epochs_.room().free();
    stream.lay_out_slots(free);
    epochs_.room().need(free.begin + std::min(free.bytes, bytes));
    section::StreamPlace& said = own.places[epochs_.sections().rank()];
    const section::StreamPlace before = said;
    said = stream.place();
    said.shown_or_offered = before.shown_or_offered;
    stream.done = said.shown_bytes = before.shown_bytes;
    return stream;
}

Stream NodeGather::stream_of(int source, std::size_t bytes) const {
    const section::StreamPlace& said = epochs_.notice(source).places[source];
    Stream stream{.local = source,
                  .bytes = bytes,
                  .begin = said.begin,
                  .slot_bytes = said.slot_bytes,
                  .slots = said.slots,
                  .is_for_all = true};
    stream.done = said.shown_bytes;
    return stream;
}

} // namespace switchyard::algorithms
