#include "passage.hpp"

#include "shim/back_end/communicator/book.hpp"
#include "shim/back_end/process/clock.hpp"

namespace switchyard::shim {

log::CallRecord begin_record(const Passage& passage) {
    log::CallRecord record;
    record.begin = Clock::now();
    record.max_block = passage.measured.max_block;
    record.sent = passage.measured.sent;
    record.collective = static_cast<std::uint8_t>(passage.call.collective);
    record.binding = static_cast<std::uint8_t>(passage.call.binding);
    record.in_place = passage.call.in_place();
    record.large_count = passage.call.large_count;
    return record;
}

void end_record(const Passage& passage, const Decision& decision, log::CallRecord& record) noexcept {
    if (!passage.logs) return;
    try {
        record.elapsed = Clock::now() - record.begin;
        record.decision = decision.plan->decision(passage.self, decision.match);
        passage.state.record(passage.self, record);
    } catch (...) { // no memory
    }
}

void note_time(const Passage& passage, const log::CallRecord& record, int code) {
    auto* book = passage.state.book();
    if (book == nullptr || !book->is_running()) return;
    const auto not_counted = book->pays_for_agreement() ? 0 : record.agree;
    book->end(code == MPI_SUCCESS ? Clock::now() - record.begin - not_counted : adaptive::no_time);
}

} // namespace switchyard::shim
