#include "counted_sums.hpp"
#include "counted_totals.hpp"

#include "log_file.hpp"
#include "recorder.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace switchyard::shim::log {

namespace {

// The name in the first line, which has no figures.
constexpr std::string_view magic = "switchyard seen1";

CountedSum named(std::string_view name) {
    CountedSum sum;
    name.copy(sum.name, sizeof sum.name - 1);
    return sum;
}

std::vector<CountedSum> empty_lines() {
    std::vector<CountedSum> lines = {named(magic)};
    for (const auto& counted : all_counted) lines.push_back(named(counted.name));
    return lines;
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

// "" if this is no name.
std::string name_of(const CountedSum& sum) {
    const auto* end = std::find(std::begin(sum.name), std::end(sum.name), '\0');
    if (end == std::end(sum.name) || !std::all_of(std::begin(sum.name), end, is_letter)) return "";
    return {std::begin(sum.name), end};
}

void add(const CountedSum& sum, std::vector<CountedTotal>& totals) {
    const auto name = name_of(sum);
    if (name.empty() || sum.calls == 0) return;
    auto total = std::ranges::find(totals, name, &CountedTotal::name);
    if (total == totals.end()) total = totals.insert(total, {.name = name});
    total->calls += sum.calls;
    total->elapsed += sum.elapsed;
    total->elapsed_max = std::max(total->elapsed_max, sum.elapsed);
    total->bytes += sum.bytes;
}

} // namespace

CountedSums::CountedSums(const Recorder& recorder, bool threads) : threads_(threads) {
    auto lines = empty_lines();
    static_assert((1 + counted_functions) * sizeof(CountedSum) <= ring_file::names_at - ring_file::sums_at);
    if (std::byte* const file = recorder.ring_file()) {
        void* const place = file + ring_file::sums_at;
        std::memcpy(place, lines.data(), lines.size() * sizeof(CountedSum));
        sums_ = static_cast<CountedSum*>(place) + 1;
    } else {
        memory_ = std::move(lines);
        sums_ = memory_.data() + 1;
    }
}

void add_counted_sums(const std::filesystem::path& path, std::vector<CountedTotal>& totals) {
    constexpr std::size_t most = (ring_file::names_at - ring_file::sums_at) / sizeof(CountedSum) - 1;
    auto file = open_log_file(path);
    file.seekg(ring_file::sums_at);
    CountedSum sum;
    const auto read = [&] { return static_cast<bool>(file.read(reinterpret_cast<char*>(&sum), sizeof sum)); };
    if (!read() || std::memcmp(sum.name, magic.data(), magic.size()) != 0) return;
    for (std::size_t i = 0; i < most && read(); ++i) add(sum, totals);
}

} // namespace switchyard::shim::log
