// Where the ranks ask each other for records during the final merge.
//
//   rank 0   asks leaders for the merged calls of their communicators (Wish::calls), and tells all of the end (Wish::end)
//   leader   asks its members for their slots (Wish::slots), while it makes merged calls
//
// A rank posts the receive of an answer before it asks, and answers wishes for slots while it waits. So every answer finds
// its receive, and every wait ends. An answer takes no memory that was not there before the merge began: nothing here
// throws but the constructor.
#pragma once

#include "shim/common/log/slot_reader.hpp"

#include <array>
#include <cstdint>
#include <mpi.h>
#include <vector>

namespace switchyard::shim {

struct Wish {
    enum Kind : std::uint32_t { slots, calls, end };
    Kind kind = end;
    std::uint32_t communicator = 0; // slots: by the answering rank's number
    std::uint32_t last = 0;         // slots: the last sequence number to send
    std::uint32_t most = 0;         // slots or calls in the answer; fewer: there are no more
};

class MergeDesk {
  public:
    static constexpr std::size_t questions = 8; // that may wait for answers at once
    static constexpr std::size_t slots_at_once = log::SlotReader::slots_at_once;

    // Takes wishes from now on, so every rank has to come to take_wish() or tell_end(). May throw, before that.
    MergeDesk(MPI_Comm world, log::SlotReader& reader);
    MergeDesk(const MergeDesk&) = delete;
    MergeDesk& operator=(const MergeDesk&) = delete;
    void open() noexcept { expect_wish(); }

    // Asks `rank` for slots or calls. The answer goes to `into`, which has room for it.
    void ask(std::size_t question, int rank, const Wish& wish, void* into, std::size_t bytes) noexcept;
    // Waits for the answer of any question; how many bytes it has goes to `bytes`.
    std::size_t wait(std::size_t& bytes) noexcept;
    // Answers wishes for slots until another wish comes: from rank 0, for calls or the end.
    Wish take_wish() noexcept;
    // The answer to a wish for calls.
    void answer_calls(const void* data, std::size_t bytes) noexcept;
    // Rank 0: no rank is asked any more.
    void tell_end(int ranks) noexcept;

  private:
    void expect_wish() noexcept;
    void answer_slots(int rank, const Wish& wish) noexcept;

    MPI_Comm world_;
    log::SlotReader& reader_;
    std::vector<log::Slot> answer_;
    Wish incoming_;
    std::array<Wish, questions> asked_{};
    std::array<MPI_Request, questions> sent_{};
    std::array<MPI_Request, 1 + questions> expected_{}; // a wish, then the answers
};

} // namespace switchyard::shim
