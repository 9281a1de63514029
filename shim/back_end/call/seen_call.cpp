#include "seen_call.hpp"

#include "shim/back_end/arguments/seen_bytes.hpp"
#include "shim/back_end/arguments/words.hpp"
#include "shim/common/log/recorder.hpp"

#include <mpi.h>

namespace switchyard::shim {

thread_local bool InsideCall::inside_ = false;

namespace {

[[gnu::noinline]] void record(log::Recorder& recorder, const EndedCall& call, std::uint64_t sent) noexcept {
    log::SeenRecord record;
    record.begin = call.begin;
    record.elapsed = call.end - call.begin;
    record.sent = sent;
    record.seen = static_cast<std::uint8_t>(call.seen);
    record.binding = static_cast<std::uint8_t>(call.binding);
    record.large_count = call.large_count;
    int ranks = 0;
    if (call.code == MPI_SUCCESS)
        PMPI_Comm_size(handle_of<MPI_Comm>(call.words[traits_of(call.seen).communicator]), &ranks);
    record.ranks = static_cast<std::uint32_t>(ranks);
    recorder.add(record);
}

} // namespace

void count_seen(log::SeenSums& sums, const EndedCall& call) noexcept {
    // After an error nobody may look at the arguments: a handle may be none, and MPI would report that as another error.
    const auto sent =
        call.code == MPI_SUCCESS ? bytes_sent(traits_of(call.seen), call.words, call.large_count) : 0;
    sums.add(call.seen, call.end - call.begin, sent);
    if (auto* recorder = sums.recorder()) record(*recorder, call, sent);
}

} // namespace switchyard::shim
