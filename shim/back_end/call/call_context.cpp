#include "call_context.hpp"

#include "shim/back_end/communicator/book.hpp"

namespace switchyard::shim {

void note_time(const CallContext& context, const log::CallRecord& record, int code) {
    auto* book = context.state.book();
    if (book == nullptr || !book->is_running()) return;
    const auto not_counted = book->pays_for_agreement() ? 0 : record.agree;
    const auto time = code == MPI_SUCCESS ? Clock::now() - record.begin - not_counted : adaptive::no_time;
    book->end(time, record.agree);
}

} // namespace switchyard::shim
