// The data that a rank sends, and the check of the data that it received. Every byte follows from source,
// destination and place, so nothing has to be kept for the comparison. No MPI.
#pragma once

#include "algorithms/exchange.hpp"
#include "algorithms/traits.hpp"
#include "distributions.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace switchyard::bench {

struct Layout {
    std::vector<algorithms::Block> blocks; // one after the other
    std::size_t bytes = 0;
};

class Workload {
  public:
    // `separate`: there is a second buffer to receive into. `shared`: the first buffer can also receive.
    Workload(algorithms::Collective collective, const Sizes& sizes, std::uint64_t seed, int rank,
             bool separate, bool shared);

    const Layout& send() const { return send_; }
    const Layout& recv() const { return recv_; }
    std::size_t largest_sent() const { return largest_sent_; } // to another rank
    std::size_t mean_received() const;                         // of all blocks, rounded up

    std::byte* send_buffer() { return sent_.data(); }
    std::byte* recv_buffer(bool in_place) { return in_place ? sent_.data() : received_.data(); }

    void fill();              // the send buffer
    void renew();             // writes it again, as a program does before each exchange
    void read(bool in_place); // what arrived, as a program does after each exchange
    void spoil();             // the receive buffer, so that data of an earlier exchange do not pass the check
    bool is_right(bool in_place);

  private:
    std::uint64_t salt(int source, int destination) const;

    algorithms::Collective collective_;
    std::uint64_t seed_;
    int rank_;
    Layout send_, recv_;
    std::size_t largest_sent_ = 0;
    std::vector<std::byte> sent_, received_;
};

} // namespace switchyard::bench
