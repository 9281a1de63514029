// Copies the device buffers of a call to host memory and back. Each side has one range of host memory, in
// which its blocks lie as far from each other as on the device. So the call on the copies is the
// application's call with another buffer, whatever its datatypes and displacements are.
//
// Only spans are copied: blocks that touch make one span. Nothing writes to the gaps between spans.
#pragma once

#include "algorithms/transport/messages/wire.hpp"
#include "host_memory.hpp"
#include "shim/back_end/arguments/blocks.hpp"
#include "streams.hpp"

#include <vector>

namespace switchyard::shim::device {

// One for each communicator, for one call at a time.
class Staging : public algorithms::CompletionWatcher {
  public:
    // A side of the call. `is_staged` false: it is not copied, and its blocks do not count.
    struct Side {
        const Blocks& blocks;
        Location location;
        bool is_staged;
    };

    // For calls of that many blocks. May throw.
    Staging(int blocks, Streams& streams);

    // Describes the next call. `in_place`: the blocks to be sent lie within the receive buffer.
    void describe(const Runtime& runtime, const Side& sent, const Side& received, bool in_place);

    std::size_t bytes() const { return room_; } // of host memory
    bool reserve();                             // false: no memory

    // The distance from an original to its copy. After reserve().
    std::uintptr_t send_distance() const { return distance(send_); }
    std::uintptr_t recv_distance() const { return distance(recv_); }

    // Waits for its copies. False: one of them failed.
    bool copy_in();
    bool copy_out();

    // From here to copy_out() arrived blocks are copied to the device as soon as `chunk` bytes of them lie
    // side by side. This makes at most two more copies for each chunk than there are spans. Only for blocks
    // without gaps, and for algorithms that receive each block once, in its final place.
    void watch_completions(const Blocks& received, std::size_t chunk);
    void completed(const std::byte* data, std::size_t bytes) override;

  private:
    using Span = algorithms::Block; // with its address

    // The address range of a side's spans, and the place of its copy.
    struct Area {
        bool is_staged = false;
        Location location;
        std::vector<Span> spans; // by address, none touches the next
        std::uintptr_t begin = 0, end = 0;
        std::size_t offset = 0; // in the host memory
    };
    struct Arrival {
        std::uintptr_t begin;
        std::size_t size;
        enum : std::uint8_t { awaited, here, copied } state;
    };

    void note(Area& area, const Side& side);
    void lay_out();
    std::uintptr_t distance(const Area& area) const;
    bool copy_spans(const Area& area, bool to_host);
    bool copy_arrivals(std::size_t first, std::size_t last);
    bool copy_rest();

    const Runtime* runtime_ = nullptr;
    Area send_, recv_;
    bool in_place_ = false;
    bool keeps_gaps_ =
        false; // the receive side has gaps that copy_out() writes back, so copy_in() reads them
    std::size_t room_ = 0;
    bool has_wide_gaps_ = false;
    HostMemory pinned_, pageable_;
    HostMemory* memory_ = nullptr; // of this call
    Streams& streams_;
    std::vector<Arrival> arrivals_; // by address
    std::size_t chunk_ = 0;         // 0: completions are not watched
    bool good_ = true;              // of copies made on the way
};

} // namespace switchyard::shim::device
