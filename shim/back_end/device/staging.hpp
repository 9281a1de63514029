// Device memory of a call, copied to host memory and back: of each side one piece of host memory in which the
// blocks lie as far from each other as on the device. So the call on the copies is the call that the
// application made, with another buffer, whatever its datatypes and displacements are.
//
// Only spans are copied: blocks that touch make one. What lies between them is room that nobody writes to.
#pragma once

#include "algorithms/wire.hpp"
#include "host_memory.hpp"
#include "shim/back_end/arguments/blocks.hpp"

#include <vector>

namespace switchyard::shim::device {

// One for each communicator; a call at a time.
class Staging : public algorithms::Landings {
  public:
    // A side of the call; `is_staged` false: it stays where it is, and its blocks do not count.
    struct Side {
        const Blocks& blocks;
        Location location;
        bool is_staged;
    };

    // For calls of that many blocks. May throw.
    explicit Staging(int blocks);
    ~Staging() override { release(); }

    // Describes the next call. `in_place`: what is sent lies within what is received.
    void describe(const Runtime& runtime, const Side& sent, const Side& received, bool in_place);

    std::size_t bytes() const { return room_; } // of host memory
    bool reserve();                             // false: no such memory

    // Where the copies are, seen from what they are copies of. After reserve().
    std::uintptr_t send_distance() const { return distance(send_); }
    std::uintptr_t recv_distance() const { return distance(recv_); }

    // Whether all copies went well; they end before it returns.
    bool copy_in();
    bool copy_out();

    // From here to copy_out() blocks that have arrived are copied to the device as soon as `chunk` bytes of them
    // are there in one piece: at most one copy more for each chunk than there are spans, twice. Only of blocks
    // without gaps, and where whatever lands in the copy is final.
    void watch_landings(const Blocks& received, std::size_t chunk);
    void landed(const std::byte* data, std::size_t bytes) override;

    // Another copy in the order of these, from anywhere to anywhere; wait() ends it.
    bool copy(const Location& where, void* to, const void* from, std::size_t bytes);
    bool wait();

    // Streams and memory.
    void release();

  private:
    using Span = algorithms::Block; // with its address

    // From the lowest byte of a side's spans to behind the highest, and where the copy of that is.
    struct Area {
        bool is_staged = false;
        Location location;
        std::vector<Span> spans; // by address, none touches the next
        std::uintptr_t begin = 0, end = 0;
        std::size_t offset = 0; // in the host memory
    };
    struct StreamAt { // a stream and its place
        Location place;
        Runtime::Stream stream = nullptr;
        bool is_busy = false;
    };
    struct Arrival {
        std::uintptr_t begin;
        std::size_t size;
        enum : std::uint8_t { awaited, here, copied } state;
    };

    void note(Area& area, const Side& side);
    void lay_out();
    std::uintptr_t distance(const Area& area) const;
    StreamAt* stream_at(const Location& location);
    bool copy_spans(const Area& area, bool to_host);
    bool copy_arrivals(std::size_t first, std::size_t last);
    bool copy_rest();

    const Runtime* runtime_ = nullptr;
    Area send_, recv_;
    bool in_place_ = false;
    bool keeps_gaps_ = false; // of what is received: they come back as they were, so they are copied in, too
    std::size_t room_ = 0;
    bool has_wide_gaps_ = false;
    HostMemory pinned_, pageable_;
    HostMemory* memory_ = nullptr; // of this call
    StreamAt streams_[2];
    std::vector<Arrival> arrivals_; // by address
    std::size_t chunk_ = 0;         // 0: nobody watches
    bool good_ = true;              // of copies made on the way
};

} // namespace switchyard::shim::device
