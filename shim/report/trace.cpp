#include "trace.hpp"

#include "call.hpp"
#include "rank_lines.hpp"
#include "run_facts.hpp"
#include "shim/common/formatted.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

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
    void call(int process, int track, const Call& call, double duration) {
        event(formatted(
            R"({{"name":{},"cat":{},"ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{"call":{},)"
            R"("comm":{},"seq":{},"ranks":{},"max_block_bytes":{},"rule":{},"reason":{},)"
            R"("min_us":{:.3f},"mean_us":{:.3f},"max_us":{:.3f},"agree_us":{:.3f},"stage_us":{:.3f}}}}})",
            quoted(call.kind.collective + ' ' + call.kind.algorithm_text()), quoted(call.kind.collective),
            process, track, call.begin, duration, call.number, quoted(call.comm), call.sequence,
            call.kind.ranks, call.max_block_bytes, quoted(call.kind.rule), quoted(call.kind.reason),
            call.time_min, call.time_mean, call.time_max, call.agree, call.stage));
    }

  private:
    void event(const std::string& text) {
        out_ << (first_ ? "\n" : ",\n") << text;
        first_ = false;
    }
    std::ostream& out_;
    bool first_ = true;
};

struct Track {
    int number = 0;
    bool waiting = false;
    Call last; // written when the next call's begin is known
};

void write_communicators(const log::LoggedRun& run, TraceWriter& trace) {
    std::map<std::string, Track> tracks;
    Call call;
    log::for_each_line(run, [&](const std::string& line) {
        if (!parse_call(line, call)) return;
        auto [found, is_new] = tracks.try_emplace(call.comm);
        auto& track = found->second;
        if (is_new) {
            track.number = static_cast<int>(tracks.size());
            trace.name("thread_name", communicators, track.number,
                       formatted("{} ({} ranks)", call.comm, call.kind.ranks));
        }
        if (track.waiting)
            trace.call(communicators, track.number, track.last,
                       std::clamp(call.begin - track.last.begin, 0.0, track.last.time_max));
        track.last = call;
        track.waiting = true;
    });
    for (const auto& [name, track] : tracks)
        trace.call(communicators, track.number, track.last, track.last.time_max);
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
    write_communicators(run, trace);
    const auto ranks = ranks_with_lines(run.directory);
    if (!ranks.empty()) trace.name("process_name", ranks_of_run, 0, facts.program + ": ranks");
    for (const int rank : ranks) {
        trace.name("thread_name", ranks_of_run, rank + 1, formatted("rank {}", rank));
        for_each_rank_call(run.directory, rank, [&](const Call& call) {
            trace.call(ranks_of_run, rank + 1, call, call.time_mean);
        });
    }
    trace.finish();
}

} // namespace switchyard::shim::report
