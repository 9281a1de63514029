#include "node_messages.hpp"

#include "node_rest.hpp"

#include <bit>
#include <new>

namespace switchyard::algorithms {

NodeMessages::NodeMessages(const Group& group, int cores)
    : ranks_(group), load_(cores),
      watches_load_(!simulation::is_on && NodeRest::are_a_crowd(ranks_.count(), cores)) {
    if (!simulation::is_on && ranks_.count() > 1)
        wire_ = std::make_unique<Wire>(group, Wire::largest_message, Wire::stream_tag);
}

void NodeMessages::tell_load(const section::Notice& own) {
    own.header->word =
        std::bit_cast<std::uint64_t>(load_.own_part(NodeLoad::Clock::now(), NodeLoad::own_time));
}

void NodeMessages::hear_load(const NodeSections& sections, std::uint64_t epoch) {
    double parts = 0;
    for (int local = 0; local < sections.size(); ++local)
        parts += std::bit_cast<double>(sections.notice(local, epoch).header->word);
    load_.hear(parts);
}

void NodeMessages::assume_others() {
    if (!wire_) return;
    load_.assume_others();
    watches_load_ = true;
}

void NodeMessages::send(const Stream& stream, const section::Notice& own) {
    own.slices[stream.local] = {0, section::Slice::stream};
    section::StreamPlace& place = own.places[stream.local] = {};
    place.bytes = stream.bytes;
    wire_->send(ranks_.rank_of(stream.local), stream.data, stream.bytes);
}

void NodeMessages::receive(int source, std::byte* data, std::size_t bytes) {
    wire_->receive(ranks_.rank_of(source), data, bytes);
}

// The program is wrong, but its message must not stay behind.
void NodeMessages::lose(int source, std::size_t bytes) {
    lost_.emplace_back(new (std::nothrow) std::byte[bytes]);
    static std::byte nowhere;
    if (lost_.back())
        receive(source, lost_.back().get(), bytes);
    else
        receive(source, &nowhere, 1);
}

Status NodeMessages::end() {
    const Status status = wire_->wait_all();
    lost_.clear();
    return status;
}

} // namespace switchyard::algorithms
