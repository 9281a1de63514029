#include "trace.hpp"

#include "shim/common/formatted.hpp"
#include "shim/report/read/call.hpp"
#include "shim/report/read/parts.hpp"
#include "shim/report/read/rank_lines.hpp"
#include "shim/report/read/run_facts.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace switchyard::shim::report {

namespace {

constexpr int communicators = 1, ranks_of_run = 2; // processes of the trace

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class TraceWriter {
  public:
    explicit TraceWriter(std::ostream& out) : out_(out) {
        out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    }
    void finish() { out_ << "\n]}\n"; }

    void name(const char* what, int process, int track, const std::string& text) {
        event(formatted(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", what, process,
                        track, quoted(text)));
    }
    // `number`: of the call's line in calls.jsonl; 0: not known.
    void call(int process, int track, const Call& call, std::uint64_t number, double duration) {
        event(formatted(
            R"({{"name":{},"cat":{},"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{"call":{},)"
            R"("comm":{},"seq":{},"ranks":{},"max_block_bytes":{},"rule":{},"reason":{},)"
            R"("min_us":{:.3f},"mean_us":{:.3f},"max_us":{:.3f},"agree_us":{:.3f},"stage_us":{:.3f}}}}})",
            quoted(call.kind.collective + ' ' + call.kind.algorithm_text()), quoted(call.kind.collective),
            process, track, call.begin, duration, number, quoted(call.comm), call.sequence, call.kind.ranks,
            call.max_block_bytes, quoted(call.kind.rule), quoted(call.kind.reason), call.time_min,
            call.time_mean, call.time_max, call.agree, call.stage));
        for (const auto& part : parts_of(call, duration))
            event(formatted(
                R"({{"name":"{}","cat":"part","ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{"call":{}}}}})",
                part.name, process, track, call.begin + part.begin, part.duration, number));
    }

  private:
    void event(const std::string& text) {
        out_ << (first_ ? "\n" : ",\n") << text;
        first_ = false;
    }
    std::ostream& out_;
    bool first_ = true;
};

// The numbers of lines in calls.jsonl, for the calls as single ranks saw them.
class CallNumbers {
  public:
    void add(const Call& call) { numbers_[call.comm].emplace_back(call.sequence, call.number); }
    void sort() {
        for (auto& [comm, numbers] : numbers_) std::ranges::sort(numbers);
    }
    // Only after sort(). 0: there is no such call.
    std::uint64_t of(const Call& call) const {
        const auto found = numbers_.find(call.comm);
        if (found == numbers_.end()) return 0;
        const auto place = std::ranges::lower_bound(found->second, call.sequence, {}, &Numbered::first);
        return place != found->second.end() && place->first == call.sequence ? place->second : 0;
    }

  private:
    using Numbered = std::pair<std::uint64_t, std::uint64_t>; // seq, number of the line
    std::map<std::string, std::vector<Numbered>> numbers_;
};

struct Track {
    int number = 0;
    bool waiting = false;
    Call last; // written when the next call's begin is known
};

void write_communicators(const log::LoggedRun& run, TraceWriter& trace, CallNumbers& numbers) {
    std::map<std::string, Track> tracks;
    const auto add = [&](const Call& call) {
        auto [found, is_new] = tracks.try_emplace(call.comm);
        auto& track = found->second;
        if (is_new) {
            track.number = static_cast<int>(tracks.size());
            trace.name("thread_name", communicators, track.number,
                       formatted("{} ({} ranks)", call.comm, call.kind.ranks));
        }
        if (track.waiting)
            trace.call(communicators, track.number, track.last, track.last.number,
                       std::clamp(call.begin - track.last.begin, 0.0, track.last.time_max));
        numbers.add(call);
        track.last = call;
        track.waiting = true;
    };
    for_each_call(run, add, [] {});
    for (const auto& [name, track] : tracks)
        trace.call(communicators, track.number, track.last, track.last.number, track.last.time_max);
}

} // namespace

void write_trace(const log::LoggedRun& run, std::ostream& out) {
    if (run.summary)
        throw std::runtime_error(run.directory +
                                 " is a summary (SWITCHYARD_DETAIL=summary) without single calls; "
                                 "a trace needs a log with detail calls or ranks");
    const auto facts = facts_of(run);
    TraceWriter trace(out);
    trace.name("process_name", communicators, 0, facts.program + ": communicators");
    CallNumbers numbers;
    write_communicators(run, trace, numbers);
    numbers.sort();
    const auto ranks = ranks_with_lines(run.directory);
    if (!ranks.empty()) trace.name("process_name", ranks_of_run, 0, facts.program + ": ranks");
    for (const int rank : ranks) {
        trace.name("thread_name", ranks_of_run, rank + 1, formatted("rank {}", rank));
        for_each_rank_call(run.directory, rank, [&](const Call& call) {
            trace.call(ranks_of_run, rank + 1, call, numbers.of(call), call.time_mean);
        });
    }
    trace.finish();
}

} // namespace switchyard::shim::report
