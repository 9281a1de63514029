#include "read.hpp"

#include "line.hpp"
#include "merge.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace switchyard::shim::log {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// The records of one rank, as the run left them.
struct RankFile {
    Names names;
    std::vector<Slot> slots;
};

void read_slots(std::istream& file, RankFile& rank) {
    std::uint64_t next = rank.slots.empty() ? 0 : rank.slots.back().number + 1;
    for (Slot slot; file.read(reinterpret_cast<char*>(&slot), sizeof slot);)
        if (slot.kind != SlotKind::none && slot.number >= next) rank.slots.push_back(slot);
}

// The ring holds the records that were not in the file yet, and perhaps some that just were.
RankFile read_rank(const fs::path& calls) {
    RankFile rank;
    rank.names = Names::parse(text_of(fs::path(calls).replace_extension(".names")));
    std::ifstream file(calls, std::ios::binary);
    std::ifstream ring(fs::path(calls).replace_extension(".ring"), std::ios::binary);
    RecordFileHeader header, expected;
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    constexpr std::size_t without_version = 14; // bytes of the magic before its version
    if (!file || std::memcmp(header.magic, expected.magic, without_version) != 0)
        return rank; // the rank was killed before it wrote anything, or the file is not ours
    if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
        header.version != expected.version || header.slot_size != expected.slot_size)
        throw std::runtime_error(calls.string() +
                                 " holds records of another version of switchyard; this one reads records of "
                                 "version " +
                                 std::to_string(expected.version));
    read_slots(file, rank);
    read_slots(ring, rank);
    return rank;
}

// Two ranks mean the same communicator where leader and leader's number are equal.
struct Merging {
    CommunicatorName name;
    CommunicatorCalls calls;
};

struct MergedLine {
    MergedCall call;
    const CommunicatorName* communicator;
    const std::string* decision;
};

void lines_from_records(const LoggedRun& run, const std::function<void(const std::string&)>& use) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(run.directory + "/ranks"))
        if (entry.path().extension() == ".calls") files.push_back(entry.path());
    std::sort(files.begin(), files.end());

    // Each rank numbers decisions by itself; their texts are comparable.
    std::map<std::string, std::uint32_t> decision_numbers;
    std::vector<std::string> decisions;
    std::map<std::pair<int, std::uint32_t>, Merging> communicators;
    for (const auto& file : files) {
        auto rank = read_rank(file);
        for (auto& slot : rank.slots) {
            const auto* name = rank.names.communicator(slot.communicator);
            if (name == nullptr) continue;
            if (slot.kind == SlotKind::call) {
                const auto& text = rank.names.decision(slot.decision());
                auto [known, is_new] =
                    decision_numbers.try_emplace(text, static_cast<std::uint32_t>(decisions.size()));
                if (is_new) decisions.push_back(text);
                slot.decision() = known->second;
            }
            auto& merging = communicators[{name->leader, name->leader_number}];
            merging.name = *name;
            merging.calls.add(slot, name->rank);
        }
    }
    std::vector<MergedLine> lines;
    for (auto& [key, merging] : communicators)
        for (const auto& call : merging.calls.take())
            lines.push_back({call, &merging.name, &decisions[call.decision]});
    std::sort(lines.begin(), lines.end(), [](const MergedLine& left, const MergedLine& right) {
        return left.call.begin < right.call.begin;
    });
    std::uint64_t number = 0;
    for (const auto& line : lines) use(call_line(++number, line.call, *line.communicator, *line.decision));
}

} // namespace

LoggedRun open_run(const std::string& directory) {
    if (!fs::is_directory(directory)) throw std::runtime_error(directory + " is not a directory");
    LoggedRun run{directory, text_of(directory + "/run.json"), false, false};
    bool has_records = fs::is_directory(directory + "/ranks");
    if (run.run_json.empty() && !has_records)
        throw std::runtime_error(directory + " is no run's log: it has no run.json");
    auto json = nlohmann::json::parse(run.run_json, nullptr, false);
    if (json.is_object()) run.complete = json.value("complete", false);
    run.summary = fs::exists(directory + "/summary.jsonl");
    if (run.complete && !run.summary && !fs::exists(directory + "/calls.jsonl"))
        throw std::runtime_error(directory + " has no calls.jsonl");
    if (!run.complete && !has_records && !run.summary && !fs::exists(directory + "/calls.jsonl"))
        throw std::runtime_error(directory + " has neither calls.jsonl nor records of its ranks");
    return run;
}

void for_each_line(const LoggedRun& run, const std::function<void(const std::string&)>& use) {
    // Without the ranks' records the lines are read, as far as somebody kept them.
    if (!run.complete && fs::is_directory(run.directory + "/ranks")) return lines_from_records(run, use);
    std::ifstream file(run.directory + (run.summary ? "/summary.jsonl" : "/calls.jsonl"));
    for (std::string line; std::getline(file, line);)
        if (!line.empty()) use(line);
}

} // namespace switchyard::shim::log
