// Our own streams, on which the copies of one communicator's calls run: one for each of the last two places.
#pragma once

#include "runtime.hpp"

#include <array>
#include <cstddef>

namespace switchyard::shim::device {

class Streams {
  public:
    Streams() = default;
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;
    ~Streams() { release(); }

    // Before the first copy.
    void use(const Runtime& runtime) { runtime_ = &runtime; }

    // Queues a copy between any two addresses, in the context of `where`. wait() waits for all of them.
    // False: the copy, or one of the copies, failed.
    bool copy(const Location& where, void* to, const void* from, std::size_t bytes);
    bool wait();

    // Waits for what the program has queued on the default stream of another context: copies in the context
    // of `where` are not ordered with that work. False: it failed.
    bool settle(const Location& other, const Location& where) const;

    // Destroys the streams that are still there.
    void release();

  private:
    struct StreamAt { // a stream and its place
        Location place;
        Runtime::Stream stream = nullptr;
        bool is_busy = false;
    };
    StreamAt* stream_at(const Location& place);
    void destroy(StreamAt& at) const;

    const Runtime* runtime_ = nullptr;
    std::array<StreamAt, 2> streams_;
};

} // namespace switchyard::shim::device
