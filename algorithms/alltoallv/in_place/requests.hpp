// Lines 5 to 7 of an exchange in place: the ranks tell each other what they have room for, in single messages
// or by an exchange of the MPI library's own.
#pragma once

#include "algorithms/algorithm.hpp"
#include "algorithms/alltoallv/in_place_scratch.hpp"
#include "algorithms/patterns/batches.hpp"
#include "algorithms/transport/messages/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace switchyard::algorithms::alltoallv {

class RequestExchange {
  public:
    RequestExchange(const Group& group, Context& context, const InPlaceLayout& layout)
        : group_(group), wire_(context.wire), out_(context.workspace.take_array<Request>(layout.ranks)),
          in_(context.workspace.take_array<Request>(layout.ranks)),
          numbers_(context.workspace.take_array<int>(layout.numbers)),
          way_(in_place_requests(group.size, context.parameters)) {}

    // What this rank asks of a source, and what a destination asks of this rank.
    Request& to(int source) { return out_[static_cast<std::size_t>(source)]; }
    const Request& from(int destination) const { return in_[static_cast<std::size_t>(destination)]; }

    // Whether all ranks exchange requests at once. Then all have as many phases.
    bool is_collective() const { return way_ != Requests::messages; }
    void mark_another_phase() {
        for (Request& request : out_) request.mark_another_phase();
    }
    // The rank's own request is among them.
    bool some_rank_needs_another_phase() const {
        return std::ranges::any_of(in_, &Request::needs_another_phase);
    }

    // With all ranks, or a request from each rank that `hears` is true of and to each that `asks` is true of.
    template <typename Hears, typename Asks>
    Status run(Hears&& hears, Asks&& asks) {
        const auto* const out = reinterpret_cast<const std::byte*>(out_.data());
        auto* const in = reinterpret_cast<std::byte*>(in_.data());
        switch (way_) {
        case Requests::alltoall: return wire_.alltoall(out, in, sizeof(Request));
        case Requests::alltoallv: return wire_.alltoall_with_counts(out, in, sizeof(Request), numbers_);
        default: return exchange_messages(hears, asks);
        }
    }

  private:
    // A send and its receive lie in the same batch.
    template <typename Hears, typename Asks>
    Status exchange_messages(Hears&& hears, Asks&& asks) {
        Status status;
        for (patterns::Batch batch(group_.size, wire_.batch()); batch.valid(); batch.advance()) {
            for (int distance = batch.first(); distance < batch.last(); ++distance)
                if (const int destination = group_.down(distance); hears(destination))
                    wire_.receive(destination, bytes_of(in_, destination), sizeof(Request));
            for (int distance = batch.first(); distance < batch.last(); ++distance)
                if (const int source = group_.up(distance); asks(source))
                    wire_.send(source, bytes_of(out_, source), sizeof(Request));
            status.keep(wire_.wait_all());
        }
        return status;
    }
    static std::byte* bytes_of(std::span<Request> requests, int rank) {
        return reinterpret_cast<std::byte*>(&requests[static_cast<std::size_t>(rank)]);
    }

    const Group& group_;
    Wire& wire_;
    const std::span<Request> out_, in_; // by rank
    const std::span<int> numbers_;      // for the MPI library's exchange with counts
    const Requests way_;
};

} // namespace switchyard::algorithms::alltoallv
