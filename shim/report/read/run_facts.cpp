#include "run_facts.hpp"

#include "policy/text/printable.hpp"
#include "possible.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/log/log_file.hpp"
#include "shim/common/log/native_json.hpp"
#include "shim/common/units.hpp"
#include "version.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace switchyard::shim::report {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t longest_path = 4096;

json parsed(const std::string& text) {
    auto value = json::parse(text, nullptr, false);
    return value.is_object() ? value : json::object();
}

std::string text_at(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

double number_at(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

bool flag_at(const json& object, const char* key, bool preset) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() ? found->get<bool>() : preset;
}

std::vector<std::string> words_at(const json& object, const char* key) {
    std::vector<std::string> words;
    if (const auto found = object.find(key); found != object.end())
        for (const auto& word : *found)
            if (word.is_string()) words.push_back(word.get<std::string>());
    return words;
}

// Versions with the same first number only add fields to a log, so only this number must be ours. 0.1.0, which was never
// released, wrote the lines of 1.0.0.
std::string major_of(const std::string& version_text) {
    if (version_text == "0.1.0") return "1";
    return version_text.substr(0, version_text.find('.'));
}

void check_version(const std::string& of_log, const std::string& directory) {
    if (of_log.empty() || major_of(of_log) == major_of(version)) return;
    throw std::runtime_error(directory + " was written by switchyard " + of_log +
                             "; this one reads logs of versions " + major_of(version) + ".x");
}

bool is_run(const fs::path& path) {
    return fs::exists(path / "run.json") || fs::is_directory(path / "ranks");
}

struct Found {
    std::string started, name; // compared in this order
    auto operator<=>(const Found&) const = default;
};

// "" if nobody can know: such a run is the latest only if it is the only run.
std::string start_of(const fs::path& run) {
    try {
        return text_at(parsed(log::text_of_log_file(run / "run.json")), "started");
    } catch (const std::runtime_error&) {
        return "";
    }
}

std::vector<Found> runs_in(const std::string& path) {
    std::vector<Found> runs;
    for (const auto& entry : fs::directory_iterator(path)) {
        if (!entry.is_directory() || !is_run(entry.path())) continue;
        runs.push_back({start_of(entry.path()), entry.path().filename().string()});
    }
    std::ranges::sort(runs);
    return runs;
}

// "" also where nobody can read the file.
std::string int_limit_line(const log::LoggedRun& run) {
    try {
        return log::text_of_log_file(fs::path(run.directory) / log::int_limit_file);
    } catch (const std::runtime_error&) {
        return "";
    }
}

} // namespace

RunFacts facts_of(const log::LoggedRun& run) {
    const auto file = parsed(run.run_json);
    RunFacts facts;
    facts.directory = run.directory;
    facts.version = text_at(file, "switchyard");
    check_version(facts.version, run.directory);
    facts.program = text_at(file, "program");
    facts.started = text_at(file, "started");
    facts.mpi_library = text::first_line(text_at(file, "mpi_library"));
    facts.int_limit = text::first_line(int_limit_line(run));
    facts.network = text_at(file, "network");
    facts.policy_file = text_at(file, "policy_file");
    facts.policy = text_at(file, "policy");
    facts.command_words = words_at(file, "command_line");
    facts.command_line = joined(facts.command_words, " ");
    if (file.contains("settings") && file["settings"].is_object())
        facts.detail = text_at(file["settings"], "SWITCHYARD_DETAIL");
    if (file.contains("hosts") && file["hosts"].is_array())
        for (const auto& host : file["hosts"])
            if (host.is_object()) facts.hosts.push_back(text_at(host, "host"));
    // With a cyclic placement each host stands in the file many times.
    std::ranges::sort(facts.hosts);
    facts.hosts.erase(std::unique(facts.hosts.begin(), facts.hosts.end()), facts.hosts.end());
    facts.ranks = static_cast<int>(std::clamp(number_at(file, "ranks"), 0.0, 1e9));
    facts.wall_us = possible(number_at(file, "wall_s") * 1e6);
    facts.dropped = static_cast<std::uint64_t>(possible(number_at(file, "records_dropped")));
    facts.calls_seen = static_cast<std::uint64_t>(possible(number_at(file, "calls_seen")));
    facts.counted = counted_of(run, file);
    facts.native = log::native_in(file);
    facts.sessions = !run.complete && !flag_at(file, "mpi_init_seen", true);
    facts.partial = !run.complete && !facts.sessions;
    facts.summary = run.summary;
    return facts;
}

std::vector<std::string> runs_of(const std::string& path) {
    if (!fs::exists(path)) throw std::runtime_error("there is no " + path);
    if (!fs::is_directory(path))
        throw std::runtime_error(path +
                                 " is a file; a log is a folder, <program>.<start>.<pid>, with run.json");
    if (is_run(path)) return {path};
    std::vector<std::string> runs;
    for (const auto& run : runs_in(path)) runs.push_back((fs::path(path) / run.name).string());
    if (runs.empty())
        throw std::runtime_error(path + " is no run's log: neither it nor any folder in it has run.json");
    return runs;
}

log::LoggedRun find_run(const std::string& path, std::vector<std::string>& others) {
    auto runs = runs_of(path);
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) others.push_back(fs::path(runs[i]).filename().string());
    return log::open_run(runs.back());
}

log::LoggedRun find_run_saying(const std::string& path, std::ostream& notes) {
    std::vector<std::string> others;
    auto run = find_run(path, others);
    if (!others.empty())
        notes << "switchyard: " << shown(path, longest_path) << " holds " << others.size() + 1
              << " runs; this is the latest, " << shown(run.directory, longest_path) << '\n';
    return run;
}

} // namespace switchyard::shim::report
