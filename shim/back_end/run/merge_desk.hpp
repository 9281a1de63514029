// Where the ranks ask each other for records during the final merge.
//
//   rank 0   asks leaders for the merged calls of their communicators (MergeRequest::calls), and tells all
//            ranks when the merge ends (MergeRequest::end)
//   leader   asks its members for their slots (MergeRequest::slots), while it makes merged calls
//
// An answer comes in small messages, whose number follows from the request; if there is less to tell, the
// last messages are empty. A rank posts their receives before it asks, and answers requests for slots while
// it waits. So every answer finds its receives, and every wait ends. An answer uses only memory that was
// there before the merge began, so only the constructor throws.
#pragma once

#include "algorithms/transport/messages/small_messages.hpp"
#include "shim/common/log/merge.hpp"
#include "shim/common/log/slot_reader.hpp"

#include <array>
#include <cstdint>
#include <mpi.h>
#include <vector>

namespace switchyard::shim {

struct MergeRequest {
    enum Kind : std::uint32_t { slots, calls, end };
    Kind kind = end;
    std::uint32_t communicator = 0; // slots: by the answering rank's number
    std::uint32_t last = 0;         // slots: the last sequence number to send
    std::uint32_t most = 0;         // slots or calls in the answer; fewer: there are no more
};

class MergeDesk {
  public:
    static constexpr std::size_t questions = 8;      // that may wait for answers at once
    static constexpr std::size_t most_messages = 16; // of an answer
    static constexpr std::size_t slots_in_message = algorithms::largest_own_message / sizeof(log::Slot),
                                 calls_in_message = algorithms::largest_own_message / sizeof(log::MergedCall);
    // In an answer.
    static constexpr std::size_t slots_at_once = most_messages * slots_in_message,
                                 calls_at_once = most_messages * calls_in_message;

    // May throw.
    MergeDesk(MPI_Comm world, log::SlotReader& reader);
    MergeDesk(const MergeDesk&) = delete;
    MergeDesk& operator=(const MergeDesk&) = delete;
    // Takes requests from now on, so every rank has to come to take_request() or tell_end().
    void open() noexcept { expect_request(); }

    // Asks `rank` for slots or calls. The answer goes to `into`, which has room for it.
    void ask(std::size_t question, int rank, const MergeRequest& request, void* into) noexcept;
    // Waits for the answer to any question; `bytes` becomes its number of bytes.
    std::size_t wait(std::size_t& bytes) noexcept;
    // Answers requests for slots until another request comes: from rank 0, for calls or the end.
    MergeRequest take_request() noexcept;
    // The answer to a request for calls.
    void answer_calls(const MergeRequest& request, const log::MergedCall* calls, std::size_t count) noexcept;
    // Rank 0: tells all ranks that no rank is asked any more.
    void tell_end(int ranks) noexcept;

  private:
    // The messages of an answer before its last one.
    struct Earlier {
        std::array<MPI_Request, most_messages - 1> requests{};
        std::size_t count = 0;
    };

    void expect_request() noexcept;
    void answer_slots(int rank, const MergeRequest& request) noexcept;
    std::size_t take_earlier(std::size_t question) noexcept;

    MPI_Comm world_;
    log::SlotReader& reader_;
    std::vector<log::Slot> answer_;
    MergeRequest incoming_;
    std::array<MergeRequest, questions> asked_{};
    std::array<MPI_Request, questions> sent_{};
    std::array<Earlier, questions> earlier_{};
    std::array<MPI_Request, 1 + questions> expected_{}; // a request, then the last messages of the answers
};

} // namespace switchyard::shim
