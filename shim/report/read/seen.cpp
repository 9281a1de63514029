#include "seen.hpp"

#include "possible.hpp"
#include "shim/common/log/seen_totals.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace switchyard::shim::report {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

double possible_at(const json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_number() ? possible(found->get<double>()) : 0;
}

// Nothing where the entry is none.
void add_entry(const json& entry, std::vector<SeenKind>& seen) {
    if (!entry.is_object() || !entry.contains("collective") || !entry["collective"].is_string()) return;
    const auto times = entry.value("time_us", json::object());
    seen.push_back({.name = entry["collective"],
                    .calls = static_cast<std::uint64_t>(possible_at(entry, "calls")),
                    .rank_us = possible_at(times, "sum"),
                    .most_us = possible_at(times, "max"),
                    .bytes = possible_at(entry, "sent_bytes")});
}

std::vector<SeenKind> seen_at_end(const json& run_json) {
    std::vector<SeenKind> seen;
    const auto list = run_json.find("seen");
    if (list == run_json.end() || !list->is_array()) return seen;
    for (const auto& entry : *list) add_entry(entry, seen);
    return seen;
}

std::vector<SeenKind> seen_by_ranks(const std::string& directory) {
    std::vector<log::SeenTotal> totals;
    try {
        for (const auto& entry : fs::directory_iterator(directory + "/ranks"))
            if (entry.path().extension() == ".ring") log::add_seen_sums(entry.path(), totals);
    } catch (const std::runtime_error&) { // the rest of the log is worth a report, too
    }
    std::vector<SeenKind> seen;
    const auto us = [](std::uint64_t ns) { return possible(static_cast<double>(ns) / 1000); };
    for (const auto& total : totals)
        seen.push_back({total.name, total.calls, us(total.elapsed), us(total.elapsed_max),
                        possible(static_cast<double>(total.bytes))});
    return seen;
}

} // namespace

bool SeenKind::ends_elsewhere() const {
    return name.starts_with('i') || name.ends_with("_start");
}

std::vector<SeenKind> seen_of(const log::LoggedRun& run, const json& run_json) {
    auto seen = run_json.contains("seen") ? seen_at_end(run_json) : seen_by_ranks(run.directory);
    std::ranges::sort(seen, [](const SeenKind& left, const SeenKind& right) {
        return left.rank_us != right.rank_us ? left.rank_us > right.rank_us : left.name < right.name;
    });
    return seen;
}

double rank_us_of(const std::vector<SeenKind>& seen) {
    double sum = 0;
    for (const auto& kind : seen) sum += kind.rank_us;
    return sum;
}

} // namespace switchyard::shim::report
