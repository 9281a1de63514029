#include "int_warning.hpp"

#include "shim/common/diagnostics.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/log/file_size_signal.hpp"
#include "shim/common/log/log_file.hpp"
#include "shim/common/units.hpp"

#include <cerrno>
#include <cstdlib>

namespace switchyard::shim {

namespace {

constexpr auto limit_of_int = std::int64_t{1} << 31;

std::string share_of_limit(std::int64_t value, const char* unit) {
    const auto size = std::abs(value);
    return size >= limit_of_int
               ? formatted("2^31{} or more", unit)
               : formatted("{:.0f}% of 2^31{}",
                           100.0 * static_cast<double>(size) / static_cast<double>(limit_of_int), unit);
}

std::string signed_count_text(std::int64_t value) {
    return (value < 0 ? "-" : "") + count_text(static_cast<std::uint64_t>(std::abs(value)));
}

// `passes a displacement of 1,610,612,736 on the receive side (75% of 2^31)`
std::string text_of(const IntLimit& limit) {
    const auto& [what, is_sent, block, value] = limit;
    using enum IntLimit::What;
    const char* const side = is_sent ? "send" : "receive";
    switch (what) {
    case nothing: return "";
    case negative_count:
        return formatted("passes a negative count, {} for rank {} on the {} side", signed_count_text(value),
                         block, side);
    case count:
    case displacement:
        return formatted("passes a {} of {} on the {} side ({})", what == count ? "count" : "displacement",
                         signed_count_text(value), side, share_of_limit(value, ""));
    case block_bytes:
    case all_bytes:
        return formatted("{} {} {} ({})", is_sent ? "sends" : "receives",
                         size_text(static_cast<double>(value)),
                         what == block_bytes ? "in one block" : "in all", share_of_limit(value, " bytes"));
    }
    return "";
}

std::string sentence_of(const Process& self, const CallArgs& call, const CommState& state,
                        const IntLimit& limit) {
    return formatted(
        "rank {}: {} on {} rank{} {}. From 2^31 on an int turns negative, and a program crashes, "
        "often far from here",
        self.world_rank.load(), algorithms::traits_of(call.collective).function, state.ranks(),
        state.ranks() == 1 ? "" : "s", text_of(limit));
}

// Whether this process says it. With a log that is the process that makes the file.
bool is_first_of_run(Process& self, const std::string& sentence) {
    const log::FileSizeSignalBlocked blocked;
    auto file = self.log_folder.create(log::int_limit_file);
    if (!file.was_opened()) return errno != EEXIST;
    log::write_all(file.number(), sentence + "\n", 0);
    return true;
}

} // namespace

bool warn_near_int_limit(Process& self, const CallArgs& call, CommState& state, bool is_valid) noexcept {
    if (self.warned_of_int_limit && !self.recording) return true; // nobody asks about this call
    try {
        const auto limit =
            int_limit_of(call, state.peers(call.collective), is_valid ? &state.types() : nullptr);
        if (!limit) return false;
        if (self.warned_of_int_limit.exchange(true)) return true;
        const auto sentence = sentence_of(self, call, state, limit);
        const bool is_negative = limit.what == IntLimit::What::negative_count;
        if (self.log_directory.empty() ? state.rank() == 0 || is_negative : is_first_of_run(self, sentence))
            warn_from_any_rank(sentence);
        return true;
    } catch (...) { // no memory for a sentence
        return false;
    }
}

} // namespace switchyard::shim
