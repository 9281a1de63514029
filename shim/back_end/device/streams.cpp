#include "streams.hpp"

namespace switchyard::shim::device {

// `place`: the context that was entered.
Streams::StreamAt* Streams::stream_at(const Location& place) {
    for (StreamAt& at : streams_)
        if (at.stream != nullptr && at.place.is_same_place(place)) return &at;
    StreamAt& at = streams_[streams_[0].stream == nullptr ? 0 : 1];
    destroy(at);
    at = {place, runtime_->create_stream(), false};
    return at.stream != nullptr ? &at : nullptr;
}

// The program may have reset or destroyed the context, and the stream with it.
void Streams::destroy(StreamAt& at) const {
    if (at.stream == nullptr || !runtime_->is_alive(at.place)) return;
    const Within place(*runtime_, at.place);
    if (place) runtime_->destroy_stream(at.stream);
}

bool Streams::copy(const Location& where, void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return true;
    const Within within(*runtime_, where);
    if (!within) return false;
    StreamAt* at = stream_at(runtime_->place(where));
    if (at == nullptr || !runtime_->copy(to, from, bytes, at->stream)) return false;
    at->is_busy = true;
    return true;
}

bool Streams::wait() {
    bool good = true;
    for (StreamAt& at : streams_) {
        if (!at.is_busy) continue;
        at.is_busy = false;
        const Within within(*runtime_, at.place);
        if (!within || !runtime_->wait(at.stream)) good = false;
    }
    return good;
}

bool Streams::settle(const Location& other, const Location& where) const {
    constexpr Runtime::Stream default_stream = nullptr;
    if (!other.is_device() || other.context == nullptr || other.context == where.context) return true;
    const Within within(*runtime_, other);
    return within && runtime_->wait(default_stream);
}

void Streams::release() {
    for (StreamAt& at : streams_) {
        destroy(at);
        at = {};
    }
}

} // namespace switchyard::shim::device
