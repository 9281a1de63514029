// A run's log made by hand.
#pragma once

#include "temporary_folder.hpp"

#include <fstream>
#include <string>

namespace switchyard::tests {

// A line; what is not said is of a small native call. `rule` and `reason` are put in as they are, so whoever
// wants quotes in them escapes these.
struct LogLine {
    std::string collective = "alltoallv", algorithm = "native", rule = "";
    int ranks = 4, nodes = 1;
    std::string reason = ""; // "": `rule` where there is one, else `otherwise`
    long block = 64;
    double mean_us = 10, begin_us = 0;
    int calls = 1;
    std::string comm = "world";

    std::string text() const {
        const auto number = [](double value) { return std::to_string(value); };
        return R"({"call":1,"comm":")" + comm + R"(","seq":1,"collective":")" + collective +
               R"(","binding":"c",)" + (calls > 1 ? "\"calls\":" + std::to_string(calls) + "," : "") +
               "\"ranks\":" + std::to_string(ranks) + ",\"nodes\":" + std::to_string(nodes) +
               ",\"ranks_per_node\":" + std::to_string(ranks / nodes) +
               ",\"max_block_bytes\":" + std::to_string(block) +
               R"(,"sent_bytes":{"min":0,"mean":12,"max":24},"buffer":"host","in_place":false,)" +
               R"("algorithm":")" + algorithm + R"(","parameters":)" +
               (algorithm == "tuna" ? R"({"radix":4})" : "{}") +
               ",\"rule\":" + (rule.empty() ? "null" : '"' + rule + '"') + R"(,"reason":")" +
               (!reason.empty() ? reason
                : rule.empty()  ? "otherwise"
                                : "rule") +
               R"(","time_us":{"min":1,"mean":)" + number(mean_us) + ",\"max\":" + number(2 * mean_us) +
               R"(,"slowest_rank":1},"phases_us":{"agree":1,"stage":0.5,"exchange":)" +
               number(mean_us - 1.5) + R"(},"messages":2,"wire_bytes":24,"begin_us":)" + number(begin_us) +
               "}";
    }
};

class LogFolder {
  public:
    explicit LogFolder(const std::string& file = "calls.jsonl") : lines_(folder_ / file) {}

    std::string path() const { return folder_.path().string(); }
    std::string operator/(const std::string& name) const { return folder_ / name; }
    void line(const LogLine& line) { raw(line.text() + "\n"); }
    void raw(const std::string& text) { lines_ << text << std::flush; }
    void run_json(const std::string& text) { std::ofstream(folder_ / "run.json") << text << '\n'; }
    void finish(int ranks, double wall_s) {
        run_json(R"({"switchyard":"0.1.0","complete":true,"program":"app","command_line":["./app","<b>"],)"
                 R"("started":"2026-11-21T10:15:22+0000","mpi_library":"some MPI","ranks":)" +
                 std::to_string(ranks) + R"(,"hosts":[{"host":"here","ranks":)" + std::to_string(ranks) +
                 R"(}],"wall_s":)" + std::to_string(wall_s) + "}");
    }

  private:
    TemporaryFolder folder_;
    std::ofstream lines_;
};

} // namespace switchyard::tests
