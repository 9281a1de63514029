// A call that is only seen: forwarded as it came. Where there is a log, it is counted and timed.
#pragma once

#include "shim/back_end/process/clock.hpp"
#include "shim/common/log/seen_sums.hpp"
#include "shim/entry/abi.hpp"
#include "shim/entry/seen.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace switchyard::shim {

// Whether this thread is inside a collective that counts. What a tool below us calls in there belongs to that call.
class InsideCall {
  public:
    // Not by a destructor: an exception that the program's error handler throws passes through here, and must find nothing to
    // do in our frames. It leaves the thread inside, so its later calls are forwarded, but not counted.
    InsideCall() : was_inside_(inside_) { inside_ = true; }
    void end() const { inside_ = was_inside_; }

    static bool is_inside() { return inside_; }

  private:
    bool was_inside_;
    __attribute__((tls_model("initial-exec"))) static thread_local bool inside_;
};

// A call that has ended.
struct EndedCall {
    Seen seen;
    bool large_count;
    Binding binding;
    const Word* words;
    int code;                 // what MPI returned
    std::uint64_t begin, end; // by Clock
};
void count_seen(log::SeenSums& sums, const EndedCall& call) noexcept;

template <Seen seen, bool large_count, typename Function, typename... Words>
int see(Function function, Binding binding, Words... words) {
    auto* sums = log::SeenSums::current();
    if (sums == nullptr || InsideCall::is_inside()) return function(words...);
    const InsideCall inside;
    const auto begin = Clock::now();
    const int code = function(words...);
    const auto end = Clock::now();
    inside.end();
    const std::array<Word, sizeof...(words)> arguments = {words...};
    count_seen(*sums, {seen, large_count, binding, arguments.data(), code, begin, end});
    return code;
}

} // namespace switchyard::shim
