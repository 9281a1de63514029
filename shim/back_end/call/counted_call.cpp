#include "counted_call.hpp"

#include "persistent_requests.hpp"
#include "shim/back_end/arguments/counted_bytes.hpp"
#include "shim/back_end/arguments/words.hpp"
#include "shim/common/log/recorder.hpp"

#include <mpi.h>

namespace switchyard::shim {

thread_local bool InsideCall::inside_ = false;

namespace {

int ranks_of(const EndedCall& call) {
    int ranks = 0;
    if (call.code == MPI_SUCCESS)
        PMPI_Comm_size(handle_of<MPI_Comm>(call.words[traits_of(call.counted).communicator]), &ranks);
    return ranks;
}

[[gnu::noinline]] void record(log::Recorder& recorder, const EndedCall& call, int ranks,
                              std::uint64_t sent) noexcept {
    log::CountedRecord record;
    record.begin = call.begin;
    record.elapsed = call.end - call.begin;
    record.sent = sent;
    record.counted = static_cast<std::uint8_t>(call.counted);
    record.binding = static_cast<std::uint8_t>(call.binding);
    record.large_count = call.large_count;
    record.ranks = static_cast<std::uint32_t>(ranks);
    recorder.add(record);
}

// Lives as long as the process: a program may start its requests until MPI_Finalize.
PersistentRequests& requests() {
    static auto& all = *new PersistentRequests;
    return all;
}

void count_start(log::CountedSums& sums, const PersistentCall& started, const EndedCall& call) noexcept {
    const auto sent = call.code == MPI_SUCCESS ? started.bytes : 0;
    sums.add(call.counted, call.end - call.begin, sent);
    if (auto* recorder = sums.recorder()) record(*recorder, call, static_cast<int>(started.ranks), sent);
}

} // namespace

void add_counted(log::CountedSums& sums, const EndedCall& call) noexcept {
    // After an error nobody may look at the arguments: a handle may be invalid, and MPI
    // would report a second error.
    const auto sent =
        call.code == MPI_SUCCESS ? bytes_sent(traits_of(call.counted), call.words, call.large_count) : 0;
    sums.add(call.counted, call.end - call.begin, sent);
    if (auto* recorder = sums.recorder()) record(*recorder, call, ranks_of(call), sent);
}

void count_init(log::CountedSums& sums, const EndedCall& call, Counted start) noexcept {
    add_counted(sums, call);
    if (call.code != MPI_SUCCESS) return;
    const auto& traits = traits_of(start);
    requests().add(*handle_of<const MPI_Request*>(call.words[traits.words - 1]),
                   {.start = start,
                    .large_count = call.large_count,
                    .ranks = static_cast<std::uint32_t>(ranks_of(call)),
                    .bytes = bytes_sent(traits, call.words, call.large_count)});
}

int see_start(int (*start)(MPI_Request*), Binding binding, MPI_Request* request) {
    auto* sums = log::CountedSums::current();
    if (sums == nullptr || request == nullptr || InsideCall::is_inside()) return start(request);
    const auto started = requests().find(*request);
    if (!started) return start(request);
    const InsideCall inside;
    const auto begin = Clock::now();
    const int code = start(request);
    const auto end = Clock::now();
    inside.end();
    count_start(*sums, *started, {started->start, started->large_count, binding, nullptr, code, begin, end});
    return code;
}

int see_startall(int (*start_all)(int, MPI_Request*), Binding binding, int count, MPI_Request* all) {
    auto* sums = log::CountedSums::current();
    if (sums == nullptr || all == nullptr || InsideCall::is_inside()) return start_all(count, all);
    const InsideCall inside;
    const auto begin = Clock::now();
    const int code = start_all(count, all);
    const auto end = Clock::now();
    inside.end();
    for (int i = 0; i < count; ++i) { // a started request keeps its handle
        const auto started = requests().find(all[i]);
        if (!started) continue;
        const auto share = (end - begin) / static_cast<std::uint64_t>(count);
        count_start(*sums, *started,
                    {started->start, started->large_count, binding, nullptr, code, begin, begin + share});
    }
    return code;
}

int see_request_free(int (*free_request)(MPI_Request*), MPI_Request* request) {
    if (request != nullptr) requests().remove(*request);
    return free_request(request);
}

} // namespace switchyard::shim
