#include "merge_desk.hpp"

#include "quiet_wait.hpp"

#include <algorithm>

namespace switchyard::shim {

namespace {

constexpr int request_tag = 1, slots_tag = 2, calls_tag = 3;

int tag_of(MergeRequest::Kind kind) {
    return kind == MergeRequest::slots ? slots_tag : calls_tag;
}

std::size_t items_in_message(MergeRequest::Kind kind) {
    return kind == MergeRequest::slots ? MergeDesk::slots_in_message : MergeDesk::calls_in_message;
}

std::size_t item_bytes(MergeRequest::Kind kind) {
    return kind == MergeRequest::slots ? sizeof(log::Slot) : sizeof(log::MergedCall);
}

// Calls use(items) for each message of the answer to a request: the most items that the message may have.
template <typename Use>
void for_each_message(const MergeRequest& request, const Use& use) {
    const auto most = items_in_message(request.kind);
    for (std::size_t done = 0; done < request.most; done += most) use(std::min(request.most - done, most));
}

std::size_t length_of(const MPI_Status& status) {
    int length = 0;
    PMPI_Get_count(&status, MPI_BYTE, &length);
    return static_cast<std::size_t>(length);
}

} // namespace

MergeDesk::MergeDesk(MPI_Comm world, log::SlotReader& reader)
    : world_(world), reader_(reader), answer_(slots_in_message) {
    sent_.fill(MPI_REQUEST_NULL);
    expected_.fill(MPI_REQUEST_NULL);
}

void MergeDesk::expect_request() noexcept {
    PMPI_Irecv(&incoming_, sizeof incoming_, MPI_BYTE, MPI_ANY_SOURCE, request_tag, world_, expected_.data());
}

void MergeDesk::answer_slots(int rank, const MergeRequest& request) noexcept {
    for_each_message(request, [&](std::size_t most) {
        const auto count = reader_.read(request.communicator, request.last, answer_.data(), most);
        PMPI_Send(answer_.data(), static_cast<int>(count * sizeof(log::Slot)), MPI_BYTE, rank, slots_tag,
                  world_);
    });
}

void MergeDesk::ask(std::size_t question, int rank, const MergeRequest& request, void* into) noexcept {
    asked_[question] = request;
    auto& earlier = earlier_[question];
    auto* place = static_cast<std::byte*>(into);
    std::size_t left = request.most;
    earlier.count = 0;
    for_each_message(request, [&](std::size_t most) {
        left -= most;
        auto& receive = left > 0 ? earlier.requests[earlier.count++] : expected_[1 + question];
        const auto bytes = most * item_bytes(request.kind);
        PMPI_Irecv(place, static_cast<int>(bytes), MPI_BYTE, rank, tag_of(request.kind), world_, &receive);
        place += bytes;
    });
    PMPI_Isend(&asked_[question], sizeof request, MPI_BYTE, rank, request_tag, world_, &sent_[question]);
}

std::size_t MergeDesk::wait(std::size_t& bytes) noexcept {
    while (true) {
        int which = 0;
        MPI_Status status;
        const bool good = PMPI_Waitany(static_cast<int>(expected_.size()), expected_.data(), &which,
                                       &status) == MPI_SUCCESS;
        if (which == 0) {
            const auto request = incoming_;
            expect_request();
            answer_slots(status.MPI_SOURCE,
                         request); // rank 0 asks for no calls while its last request has no answer
            continue;
        }
        const auto question = static_cast<std::size_t>(which) - 1;
        bytes = good ? length_of(status) : 0;
        bytes += take_earlier(question);
        PMPI_Wait(&sent_[question], MPI_STATUS_IGNORE);
        return question;
    }
}

// If a message of an answer is not empty, the message before it is full. So their bytes lie side by side.
std::size_t MergeDesk::take_earlier(std::size_t question) noexcept {
    auto& earlier = earlier_[question];
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < earlier.count; ++i) {
        MPI_Status status;
        if (PMPI_Wait(&earlier.requests[i], &status) == MPI_SUCCESS) bytes += length_of(status);
    }
    return bytes;
}

MergeRequest MergeDesk::take_request() noexcept {
    while (true) {
        MPI_Status status;
        wait_quietly(expected_.front(), &status);
        const auto request = incoming_;
        if (request.kind != MergeRequest::end) expect_request();
        if (request.kind != MergeRequest::slots) return request;
        answer_slots(status.MPI_SOURCE, request);
    }
}

void MergeDesk::answer_calls(const MergeRequest& request, const log::MergedCall* calls,
                             std::size_t count) noexcept {
    for_each_message(request, [&](std::size_t most) {
        const auto some = std::min(count, most);
        PMPI_Send(calls, static_cast<int>(some * sizeof *calls), MPI_BYTE, 0, calls_tag, world_);
        calls += some;
        count -= some;
    });
}

void MergeDesk::tell_end(int ranks) noexcept {
    const MergeRequest request;
    for (int rank = 1; rank < ranks; ++rank)
        PMPI_Send(&request, sizeof request, MPI_BYTE, rank, request_tag, world_);
    PMPI_Cancel(expected_.data()); // nobody asks rank 0 any more
    PMPI_Wait(expected_.data(), MPI_STATUS_IGNORE);
}

} // namespace switchyard::shim
