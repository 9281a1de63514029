#include "merge_desk.hpp"

namespace switchyard::shim {

namespace {

constexpr int wish_tag = 1, slots_tag = 2, calls_tag = 3;

int tag_of(Wish::Kind kind) {
    return kind == Wish::slots ? slots_tag : calls_tag;
}

} // namespace

MergeDesk::MergeDesk(MPI_Comm world, log::SlotReader& reader)
    : world_(world), reader_(reader), answer_(slots_at_once) {
    sent_.fill(MPI_REQUEST_NULL);
    expected_.fill(MPI_REQUEST_NULL);
}

void MergeDesk::expect_wish() noexcept {
    PMPI_Irecv(&incoming_, sizeof incoming_, MPI_BYTE, MPI_ANY_SOURCE, wish_tag, world_, expected_.data());
}

void MergeDesk::answer_slots(int rank, const Wish& wish) noexcept {
    const auto most = wish.most < answer_.size() ? wish.most : answer_.size();
    const auto count = reader_.read(wish.communicator, wish.last, answer_.data(), most);
    PMPI_Send(answer_.data(), static_cast<int>(count * sizeof(log::Slot)), MPI_BYTE, rank, slots_tag, world_);
}

void MergeDesk::ask(std::size_t question, int rank, const Wish& wish, void* into,
                    std::size_t bytes) noexcept {
    asked_[question] = wish;
    PMPI_Irecv(into, static_cast<int>(bytes), MPI_BYTE, rank, tag_of(wish.kind), world_,
               &expected_[1 + question]);
    PMPI_Isend(&asked_[question], sizeof wish, MPI_BYTE, rank, wish_tag, world_, &sent_[question]);
}

std::size_t MergeDesk::wait(std::size_t& bytes) noexcept {
    while (true) {
        int which = 0, length = 0;
        MPI_Status status;
        const bool good = PMPI_Waitany(static_cast<int>(expected_.size()), expected_.data(), &which,
                                       &status) == MPI_SUCCESS;
        if (which == 0) {
            const auto wish = incoming_;
            expect_wish();
            answer_slots(status.MPI_SOURCE,
                         wish); // rank 0 asks for no calls while its last wish has no answer
            continue;
        }
        const auto question = static_cast<std::size_t>(which) - 1;
        if (good) PMPI_Get_count(&status, MPI_BYTE, &length);
        PMPI_Wait(&sent_[question], MPI_STATUS_IGNORE);
        bytes = static_cast<std::size_t>(length);
        return question;
    }
}

Wish MergeDesk::take_wish() noexcept {
    while (true) {
        MPI_Status status;
        PMPI_Wait(expected_.data(), &status);
        const auto wish = incoming_;
        if (wish.kind != Wish::end) expect_wish();
        if (wish.kind != Wish::slots) return wish;
        answer_slots(status.MPI_SOURCE, wish);
    }
}

void MergeDesk::answer_calls(const void* data, std::size_t bytes) noexcept {
    PMPI_Send(data, static_cast<int>(bytes), MPI_BYTE, 0, calls_tag, world_);
}

void MergeDesk::tell_end(int ranks) noexcept {
    const Wish wish;
    for (int rank = 0; rank < ranks; ++rank) PMPI_Send(&wish, sizeof wish, MPI_BYTE, rank, wish_tag, world_);
    PMPI_Wait(expected_.data(), MPI_STATUS_IGNORE); // the wish to itself
}

} // namespace switchyard::shim
