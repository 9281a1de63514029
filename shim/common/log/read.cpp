#include "read.hpp"

#include "log_file.hpp"
#include "rank_records.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace switchyard::shim::log {

namespace {

namespace fs = std::filesystem;

fs::path lines_file(const LoggedRun& run) {
    return run.directory + (run.summary ? "/summary.jsonl" : "/calls.jsonl");
}

// Two ranks mean the same communicator if the leader and the leader's number are equal.
struct Merging {
    CommunicatorName name;
    CommunicatorCalls calls;
};

struct Ordered {
    MergedCall call;
    const CommunicatorName* communicator;
    const std::string* decision;
};

// For each rank that left records: the path of its `.calls`, which need not exist.
std::set<fs::path> record_files(const std::string& folder) {
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (const auto kind = entry.path().extension(); kind == ".calls" || kind == ".ring")
            files.insert(fs::path(entry.path()).replace_extension(".calls"));
    return files;
}

void read_records(const LoggedRun& run, const LogUse& use) {
    // Each rank has its own numbers for decisions; only their texts are comparable.
    std::map<std::string, std::uint32_t> decision_numbers;
    std::vector<std::string> decisions;
    std::map<std::pair<int, std::uint32_t>, Merging> communicators;
    for (const auto& file : record_files(run.directory + "/ranks")) {
        auto rank = read_rank_records(file);
        for (auto left = rank.damaged; left > 0; --left) use.damaged_record();
        for (auto& slot : rank.slots) {
            const auto* name = rank.names.communicator(slot.communicator);
            if (name == nullptr) {
                if (slot.kind == SlotKind::call) use.damaged_record();
                continue;
            }
            if (slot.kind == SlotKind::call) {
                const auto& text = rank.names.decision(slot.decision());
                auto [known, is_new] =
                    decision_numbers.try_emplace(text, static_cast<std::uint32_t>(decisions.size()));
                if (is_new) decisions.push_back(text);
                slot.decision() = known->second;
            }
            auto& merging = communicators[{name->leader, name->leader_number}];
            merging.name = *name;
            if (!merging.calls.add(slot, name->rank)) use.damaged_record();
        }
    }
    std::vector<Ordered> calls;
    for (auto& [key, merging] : communicators)
        for (const auto& call : merging.calls.take())
            calls.push_back({call, &merging.name, &decisions[call.decision]});
    std::sort(calls.begin(), calls.end(),
              [](const Ordered& left, const Ordered& right) { return left.call.begin < right.call.begin; });
    std::uint64_t number = 0;
    for (const auto& [call, communicator, decision] : calls)
        use.call({++number, call, *communicator, *decision});
}

bool has_lines(const fs::path& file) {
    std::error_code error;
    const auto bytes = fs::file_size(file, error);
    return !error && bytes > 0;
}

// The calls of a run without an end come from its ranks' records. If the disk was full and some ranks
// kept their records only in memory, the lines that the run wrote at its end say more.
bool needs_records(const LoggedRun& run) {
    const auto folder = run.directory + "/ranks";
    if (run.complete || !fs::is_directory(folder)) return false;
    const auto files = static_cast<int>(record_files(folder).size());
    return files >= run.ranks || !has_lines(lines_file(run));
}

} // namespace

LoggedRun open_run(const std::string& directory) {
    if (!fs::is_directory(directory)) throw std::runtime_error(directory + " is not a directory");
    LoggedRun run{directory, text_of_log_file(directory + "/run.json"), false, false, 1};
    bool has_records = fs::is_directory(directory + "/ranks");
    if (run.run_json.empty() && !has_records)
        throw std::runtime_error(directory + " is no run's log: it has no run.json");
    auto json = nlohmann::json::parse(run.run_json, nullptr, false);
    if (json.is_object()) {
        if (const auto found = json.find("complete"); found != json.end()) run.complete = *found == true;
        if (const auto found = json.find("ranks"); found != json.end() && found->is_number_integer())
            run.ranks = *found;
    }
    run.summary = fs::exists(directory + "/summary.jsonl");
    if (run.complete && !run.summary && !fs::exists(directory + "/calls.jsonl"))
        throw std::runtime_error(directory + " has no calls.jsonl");
    if (!run.complete && !has_records && !run.summary && !fs::exists(directory + "/calls.jsonl"))
        throw std::runtime_error(directory + " has neither calls.jsonl nor records of its ranks");
    return run;
}

void read_log(const LoggedRun& run, const LogUse& use) {
    // Without the ranks' records, the lines are read that somebody kept.
    if (needs_records(run)) return read_records(run, use);
    auto file = open_log_file(lines_file(run).string());
    for (std::string line; std::getline(file, line);)
        if (!line.empty()) use.line(line);
}

} // namespace switchyard::shim::log
