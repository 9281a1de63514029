// GPU memory that the ranks of a communicator have mapped, all on one node: CUDA IPC, HIP IPC. A rank copies
// its blocks to its own piece; the destinations copy them from there to their final places. The bytes do not
// leave the GPUs, and nobody maps memory of the program, which may free it at any time.
//
// What the ranks tell each other about a call travels through the node's memory. A rank writes to its piece
// only after the agreement before a call: by then all other ranks have finished the previous call.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/status.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "streams.hpp"

#include <cstdint>
#include <vector>

namespace switchyard::shim::device {

class DeviceWindow {
  public:
    // May throw.
    DeviceWindow(int ranks, Streams& streams);
    DeviceWindow(const DeviceWindow&) = delete;
    DeviceWindow& operator=(const DeviceWindow&) = delete;
    ~DeviceWindow();

    // What a rank says before a call; the largest of all ranks counts.
    enum class Readiness : std::uint8_t { ready, has_to_renew, unable };

    // This rank's next call: at most so many bytes to send, and the places of its buffers. A rank with
    // nothing on a device has no places.
    void describe(const Runtime& runtime, std::size_t bytes, const Location& sent, const Location& received);
    Readiness readiness() const;

    // Makes this rank's piece large enough, and maps new pieces of other ranks. False on all ranks if one of
    // them fails; from then on all ranks are unable. Collective.
    bool renew(const algorithms::Group& group);

    // Brings every block to its destination, or one block of each rank to all others. All addresses may be on
    // a device. Collective over the node, through its `window`. An error where some rank's copies failed.
    algorithms::Status exchange(const algorithms::Exchange& exchange, algorithms::NodeWindow& window);

  private:
    // A piece of memory, for the other ranks. Each new piece of a rank has a new
    // number; 0: there is no piece.
    struct Offer {
        MemoryHandle handle;
        std::uint64_t number = 0;
    };
    struct Mapped {
        std::byte* memory = nullptr;
        std::uint64_t number = 0;
    };
    // Where in its sender's piece a block lies.
    struct Place {
        std::uint64_t begin = 0, bytes = 0;
    };
    static constexpr std::size_t alignment = 256;

    const Location& place() const { return received_at_.is_device() ? received_at_ : sent_at_; }
    bool has_place() const { return place().is_device(); }
    bool has_context() const { return own_offer_.number > 0 && runtime_->is_alive(own_at_); }
    bool has_own() const { return own_ != nullptr && has_context(); }
    bool make_own();
    bool map(int rank, const Offer& offer);
    bool map_all(const algorithms::Group& group);
    void unmap_all();
    void free_own();
    void free_old();
    bool copy(void* to, const void* from, std::size_t bytes);
    bool copy_out(const algorithms::Exchange& exchange);
    bool copy_run(const std::byte* from, std::size_t bytes, std::size_t to);
    algorithms::Status copy_in(const algorithms::Exchange& exchange);

    Streams& streams_;
    const Runtime* runtime_ = nullptr;
    bool is_refused_ = false;        // for good
    std::size_t bytes_ = 0;          // of the next call
    Location sent_at_, received_at_; // likewise
    std::byte* own_ = nullptr;
    std::size_t capacity_ = 0;
    Location own_at_; // place of this rank's piece and its mappings of other pieces
    Offer own_offer_;
    std::vector<Offer> offers_; // by rank, as all below
    std::vector<Mapped> mapped_;
    std::vector<Place> told_, heard_; // of this rank's blocks, and of blocks for this rank
    std::byte* old_ = nullptr;        // an earlier piece, which other ranks still have mapped
};

} // namespace switchyard::shim::device
