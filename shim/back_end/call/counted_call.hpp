// A call that is only counted: forwarded as it came. Where there is a log, it is counted and timed.
#pragma once

#include "shim/back_end/process/clock.hpp"
#include "shim/common/log/counted_sums.hpp"
#include "shim/entry/abi.hpp"
#include "shim/entry/counted.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace switchyard::shim {

// Whether this thread is inside a collective that counts. What a tool below us calls in
// there belongs to that call.
class InsideCall {
  public:
    // Not by a destructor: an exception that the program's error handler throws passes through here, and
    // must find nothing to do in our frames. The thread then stays inside: its later calls are
    // forwarded, but not counted.
    InsideCall() : was_inside_(inside_) { inside_ = true; }
    void end() const { inside_ = was_inside_; }

    static bool is_inside() { return inside_; }

  private:
    bool was_inside_;
    __attribute__((tls_model("initial-exec"))) static thread_local bool inside_;
};

// A call that has ended.
struct EndedCall {
    Counted counted;
    bool large_count;
    Binding binding;
    const Word* words;
    int code;                 // what MPI returned
    std::uint64_t begin, end; // by Clock
};
void add_counted(log::CountedSums& sums, const EndedCall& call) noexcept;
// The same for the call that makes a request: its starts will be counted as `start`.
void count_init(log::CountedSums& sums, const EndedCall& call, Counted start) noexcept;

template <Counted counted, bool large_count, typename Function, typename... Words>
int see(Function function, Binding binding, Words... words) {
    auto* sums = log::CountedSums::current();
    if (sums == nullptr || InsideCall::is_inside()) return function(words...);
    const InsideCall inside;
    const auto begin = Clock::now();
    const int code = function(words...);
    const auto end = Clock::now();
    inside.end();
    const std::array<Word, sizeof...(words)> arguments = {words...};
    const EndedCall call{counted, large_count, binding, arguments.data(), code, begin, end};
    if constexpr (traits_of(counted).makes_request)
        count_init(*sums, call, traits_of(counted).started_as);
    else
        add_counted(*sums, call);
    return code;
}

// MPI_Start, MPI_Startall and MPI_Request_free of a program that has persistent collectives. The time of an
// MPI_Startall is shared out evenly among its requests. Requests of other kinds are not counted.
int see_start(int (*start)(MPI_Request*), Binding binding, MPI_Request* request);
int see_startall(int (*start_all)(int, MPI_Request*), Binding binding, int count, MPI_Request* requests);
int see_request_free(int (*free_request)(MPI_Request*), MPI_Request* request);

} // namespace switchyard::shim
