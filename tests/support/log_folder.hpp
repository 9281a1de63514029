// A run's log made by hand.
#pragma once

#include "temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

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
    double agree_us = 1;
    int seq = 1;
    double fastest_us = 1;
    long most_sent = 24;
    std::string more = ""; // further fields, as they stand in a line: `"near_int_limit":true,`

    std::string text() const {
        const auto number = [](double value) { return std::to_string(value); };
        return R"({"call":1,"comm":")" + comm + R"(","seq":)" + std::to_string(seq) + R"(,"collective":")" +
               collective + R"(","binding":"c",)" +
               (calls > 1 ? "\"calls\":" + std::to_string(calls) + "," : "") +
               "\"ranks\":" + std::to_string(ranks) + ",\"nodes\":" + std::to_string(nodes) +
               ",\"ranks_per_node\":" + std::to_string(ranks / nodes) +
               ",\"max_block_bytes\":" + std::to_string(block) + R"(,"sent_bytes":{"min":0,"mean":)" +
               std::to_string(most_sent / 2) + ",\"max\":" + std::to_string(most_sent) +
               R"(},"buffer":"host","in_place":false,)" + R"("algorithm":")" + algorithm +
               R"(","parameters":)" + (algorithm == "tuna" ? R"({"radix":4})" : "{}") +
               ",\"rule\":" + (rule.empty() ? "null" : '"' + rule + '"') + R"(,"reason":")" +
               (!reason.empty() ? reason
                : rule.empty()  ? "otherwise"
                                : "rule") +
               R"(","time_us":{"min":)" + number(fastest_us) + ",\"mean\":" + number(mean_us) +
               ",\"max\":" + number(2 * mean_us) + R"(,"slowest_rank":1},"phases_us":{"agree":)" +
               number(agree_us) + R"(,"stage":0.5,"exchange":)" + number(mean_us - agree_us - 0.5) + R"(},)" +
               more + R"("messages":2,"wire_bytes":24,"begin_us":)" + number(begin_us) + "}";
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
    void file(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
    void finish(int ranks, double wall_s) {
        run_json(R"({"switchyard":"1.0.0","complete":true,"program":"app","command_line":["./app","<b>"],)"
                 R"("started":"2026-11-21T10:15:22+0000","mpi_library":"some MPI","ranks":)" +
                 std::to_string(ranks) + R"(,"hosts":[{"host":"here","ranks":)" + std::to_string(ranks) +
                 R"(}],"wall_s":)" + std::to_string(wall_s) + "}");
    }

  private:
    TemporaryFolder folder_;
    std::ofstream lines_;
};

// What a run of a RunsFolder says of itself. `run_json` replaces all of that.
struct LoggedRun {
    std::string name = "", started = "";
    double wall_s = 1;
    bool complete = true;
    std::string program = "app", policy = "", arguments = "";
    int ranks = 4;
    std::string version = "1.0.0";
    double counted_us = 0; // of all ranks in MPI_Allreduce, which is only counted

    std::string run_json() const {
        return R"({"switchyard":")" + version + R"(","complete":)" + (complete ? "true" : "false") +
               R"(,"program":")" + program + R"(","command_line":["./)" + program + R"(",")" + arguments +
               R"("],"started":")" + started +
               R"(","mpi_library":"some MPI","policy_file":"a.policy.json","policy":")" + escaped(policy) +
               R"(","ranks":)" + std::to_string(ranks) + R"(,"hosts":[{"host":"here","ranks":)" +
               std::to_string(ranks) + R"(}],"wall_s":)" + std::to_string(wall_s) +
               R"(,"seen":[{"collective":"allreduce","calls":1,"time_us":{"sum":)" +
               std::to_string(counted_us) + "}}]}\n";
    }

  private:
    static std::string escaped(const std::string& text) {
        std::string out;
        for (const char c : text) out += c == '"' ? std::string("\\\"") : std::string(1, c);
        return out;
    }
};

// A folder with the logs of several runs.
class RunsFolder {
  public:
    std::string path() const { return folder_.path().string(); }
    std::string operator/(const std::string& name) const { return folder_ / name; }
    void run(const LoggedRun& run, const std::vector<LogLine>& lines) {
        std::filesystem::create_directory(folder_ / run.name);
        std::ofstream(folder_ / run.name + "/run.json") << run.run_json();
        std::ofstream file(folder_ / run.name + "/calls.jsonl");
        for (const auto& line : lines) file << line.text() << '\n';
    }

  private:
    TemporaryFolder folder_;
};

// Runs of the same program, two minutes apart, that took so many seconds; each with two
// calls of a tenth of that.
inline void add_runs(RunsFolder& folder, const std::vector<double>& wall_s, int first_minute = 0,
                     const LoggedRun& like = {}) {
    for (std::size_t i = 0; i < wall_s.size(); ++i) {
        auto run = like;
        run.name = (like.name.empty() ? like.program : like.name) + "." + std::to_string(i);
        run.started =
            "2026-11-24T10:" + std::to_string(10 + first_minute + 2 * static_cast<int>(i)) + ":00+0000";
        run.wall_s = wall_s[i];
        const LogLine line{.mean_us = 1e5 * wall_s[i]};
        folder.run(run, {line, line});
    }
}

} // namespace switchyard::tests
