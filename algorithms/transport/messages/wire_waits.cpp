// How messages end.
#include "alarm.hpp"
#include "mpi_types.hpp"
#include "wire.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace switchyard::algorithms {

inline void Wire::note_under_way() {
    const Wire* const other = first_ != nullptr ? first_ : second_.get();
    meter_.note_under_way(under_way() + other->under_way());
}

// Waits for one request after another, since each wait gives the request's own error code. Waitall has one
// code for all. (In both cases MPICH calls the error handler of MPI_COMM_WORLD instead of our communicator's.
// No call that waits avoids this.)
Status Wire::wait_all() {
    meter_.pass_time();
    if (!is_idle()) {
        note_under_way();
        meter_.count_round();
        if (group_->carrier.alarm != nullptr)
            wait_watching(*group_->carrier.alarm);
        else if (watcher_ != nullptr)
            wait_telling();
        MPI_Request* const end = next_request(under_way_);
        for (MPI_Request* request = requests_of(under_way_) + std::min(waited_for_, under_way());
             request != end; ++request)
            if (const int code = PMPI_Wait(request, MPI_STATUS_IGNORE); code != MPI_SUCCESS) keep(code);
        under_way_.clear();
    }
    waited_for_ = 0;
    return std::exchange(error_, {});
}

// A request that is over is MPI_REQUEST_NULL, so later waits skip it.
Status Wire::wait_for_first(std::size_t messages) {
    meter_.pass_time();
    note_under_way();
    for (const std::size_t end = std::min(messages, under_way()); waited_for_ < end; ++waited_for_) {
        if (auto* const alarm = group_->carrier.alarm)
            watch(waited_for_, *alarm); // where it rings, requests end at once
        if (const int code = PMPI_Wait(requests_of(under_way_) + waited_for_, MPI_STATUS_IGNORE);
            code != MPI_SUCCESS)
            keep(code);
    }
    return error_;
}

void Wire::wait_for_sends() {
    meter_.pass_time();
    note_under_way();
    bool waited = false;
    for (std::size_t i = under_way(); i-- > 0;) {
        if (!under_way_[i].completion.sent) continue;
        if (auto* const alarm = group_->carrier.alarm) watch(i, *alarm);
        keep(PMPI_Wait(requests_of(under_way_) + i, MPI_STATUS_IGNORE));
        finish(i);
        waited = true;
    }
    if (waited) meter_.count_round();
}

// Cancelled receives are waited for like all others. A receive that found its message all
// the same keeps its error.
void Wire::cancel_receive(int source) {
    for (std::size_t i = 0; i < under_way(); ++i) {
        const Completion& completion = under_way_[i].completion;
        if (!completion.sent && completion.peer == source) PMPI_Cancel(requests_of(under_way_) + i);
    }
}

// Waits until the request is over or the alarm rings. False: the alarm rings, and all requests end at once.
bool Wire::watch(std::size_t request, Alarm& alarm) {
    for (int is_over = 0; is_over == 0;) {
        if (alarm.rings()) return false;
        keep(PMPI_Test(requests_of(under_way_) + request, &is_over, MPI_STATUS_IGNORE));
    }
    return true;
}

void Wire::wait_watching(Alarm& alarm) {
    while (!is_idle()) {
        if (!watch(under_way() - 1, alarm)) return;
        finish(under_way() - 1);
    }
}

// Takes a request that is over off the list. Returns its transfer, where this was the
// transfer's last message.
std::optional<Completion> Wire::finish(std::size_t request) {
    requests_of(under_way_)[request] = *(next_request(under_way_) - 1);
    const auto message = under_way_.take(request);
    if (!message) return std::nullopt;
    if (watcher_ != nullptr && !message->completion.sent && message->data != nullptr)
        watcher_->completed(message->data, message->bytes);
    return message->completion;
}

// Waits for some requests at a time, as they end. After an error that belongs to no request,
// wait_all() waits for the rest.
void Wire::wait_telling() {
    std::vector<MPI_Status> statuses;
    done_.clear();
    if (!made(make_room(done_, under_way()) && make_room(statuses, under_way()))) return;
    done_.resize(under_way());
    statuses.resize(under_way());
    while (!is_idle()) {
        int count = 0, error_class = MPI_SUCCESS;
        const int code = PMPI_Waitsome(static_cast<int>(under_way()), requests_of(under_way_), &count,
                                       done_.data(), statuses.data());
        if (code != MPI_SUCCESS) PMPI_Error_class(code, &error_class);
        if (count == MPI_UNDEFINED || count <= 0 || (code != MPI_SUCCESS && error_class != MPI_ERR_IN_STATUS))
            return keep(code);
        if (code != MPI_SUCCESS)
            for (int i = 0; i < count; ++i) keep(statuses[static_cast<std::size_t>(i)].MPI_ERROR);
        // From the back, since finish() puts the last request into the place of the finished one.
        std::sort(done_.begin(), done_.begin() + count, std::greater<>());
        for (int i = 0; i < count; ++i) finish(static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]));
    }
}

std::optional<Completion> Wire::wait_any() {
    meter_.pass_time();
    note_under_way();
    if (auto* const alarm = group_->carrier.alarm)
        while (!is_idle() && !alarm->rings())
            if (auto completion = test_any()) return completion;
    while (!is_idle()) {
        int index = MPI_UNDEFINED;
        const int code =
            PMPI_Waitany(static_cast<int>(under_way()), requests_of(under_way_), &index, MPI_STATUS_IGNORE);
        keep(code);
        if (index < 0 ||
            index == MPI_UNDEFINED) { // an error that belongs to no request: take the first request
            index = 0;
            keep(PMPI_Wait(requests_of(under_way_), MPI_STATUS_IGNORE));
        }
        if (auto completion = finish(static_cast<std::size_t>(index))) {
            meter_.count_round();
            return completion;
        }
    }
    return std::nullopt;
}

std::optional<Completion> Wire::test_any() {
    meter_.pass_time();
    if (is_idle()) return std::nullopt;
    note_under_way();
    if (group_->carrier.alarm != nullptr) group_->carrier.alarm->rings(); // then a request ends with an error
    int index = MPI_UNDEFINED, is_over = 0;
    int code = PMPI_Testany(static_cast<int>(under_way()), requests_of(under_way_), &index, &is_over,
                            MPI_STATUS_IGNORE);
    keep(code);
    if (code == MPI_SUCCESS && is_over == 0) {
        // While other requests are under way, SimGrid's Testany does not report small sends, which are over
        // at once. Therefore each request is also tested by itself, in turn.
        next_asked_ = (next_asked_ + 1) % under_way();
        index = static_cast<int>(next_asked_);
        code = PMPI_Test(requests_of(under_way_) + next_asked_, &is_over, MPI_STATUS_IGNORE);
        keep(code);
        if (code == MPI_SUCCESS && is_over == 0) return std::nullopt;
    }
    if (index < 0 || index == MPI_UNDEFINED) { // as in wait_any
        index = 0;
        keep(PMPI_Wait(requests_of(under_way_), MPI_STATUS_IGNORE));
    }
    auto completion = finish(static_cast<std::size_t>(index));
    if (completion) meter_.count_round();
    return completion;
}

void Wire::probe(Comm comm) {
    int arrived = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi_of(comm), &arrived, MPI_STATUS_IGNORE);
}

Status Wire::exchange(int destination, const std::byte* out, std::size_t out_bytes, int source, std::byte* in,
                      std::size_t in_bytes) {
    receive(source, in, in_bytes);
    send(destination, out, out_bytes);
    return wait_all();
}

} // namespace switchyard::algorithms
