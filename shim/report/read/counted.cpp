#include "counted.hpp"

#include "possible.hpp"
#include "shim/common/log/counted_totals.hpp"

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

// Adds nothing if this is no entry.
void add_entry(const json& entry, std::vector<CountedKind>& counted) {
    if (!entry.is_object() || !entry.contains("collective") || !entry["collective"].is_string()) return;
    const auto times = entry.value("time_us", json::object());
    counted.push_back({.name = entry["collective"],
                       .calls = static_cast<std::uint64_t>(possible_at(entry, "calls")),
                       .rank_us = possible_at(times, "sum"),
                       .most_us = possible_at(times, "max"),
                       .bytes = possible_at(entry, "sent_bytes")});
}

std::vector<CountedKind> counted_at_end(const json& run_json) {
    std::vector<CountedKind> counted;
    const auto list = run_json.find("seen");
    if (list == run_json.end() || !list->is_array()) return counted;
    for (const auto& entry : *list) add_entry(entry, counted);
    return counted;
}

std::vector<CountedKind> counted_by_ranks(const std::string& directory) {
    std::vector<log::CountedTotal> totals;
    try {
        for (const auto& entry : fs::directory_iterator(directory + "/ranks"))
            if (entry.path().extension() == ".ring") log::add_counted_sums(entry.path(), totals);
    } catch (const std::runtime_error&) { // the rest of the log is still worth a report
    }
    std::vector<CountedKind> counted;
    const auto us = [](std::uint64_t ns) { return possible(static_cast<double>(ns) / 1000); };
    for (const auto& total : totals)
        counted.push_back({total.name, total.calls, us(total.elapsed), us(total.elapsed_max),
                           possible(static_cast<double>(total.bytes))});
    return counted;
}

} // namespace

bool CountedKind::ends_elsewhere() const {
    return name.starts_with('i') || name.ends_with("_start");
}

std::vector<CountedKind> counted_of(const log::LoggedRun& run, const json& run_json) {
    auto counted = run_json.contains("seen") ? counted_at_end(run_json) : counted_by_ranks(run.directory);
    std::ranges::sort(counted, [](const CountedKind& left, const CountedKind& right) {
        return left.rank_us != right.rank_us ? left.rank_us > right.rank_us : left.name < right.name;
    });
    return counted;
}

double rank_us_of(const std::vector<CountedKind>& counted) {
    double sum = 0;
    for (const auto& kind : counted) sum += kind.rank_us;
    return sum;
}

} // namespace switchyard::shim::report
