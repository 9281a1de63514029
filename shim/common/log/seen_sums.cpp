#include "seen_sums.hpp"
#include "seen_totals.hpp"

#include "log_file.hpp"
#include "recorder.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace switchyard::shim::log {

namespace {

// The first line, without figures.
constexpr std::string_view magic = "switchyard seen1";

SeenSum named(std::string_view name) {
    SeenSum sum;
    name.copy(sum.name, sizeof sum.name - 1);
    return sum;
}

std::vector<SeenSum> empty_lines() {
    std::vector<SeenSum> lines = {named(magic)};
    for (const auto& seen : all_seen) lines.push_back(named(seen.name));
    return lines;
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

// "" where the name is none.
std::string name_of(const SeenSum& sum) {
    const auto* end = std::find(std::begin(sum.name), std::end(sum.name), '\0');
    if (end == std::end(sum.name) || !std::all_of(std::begin(sum.name), end, is_letter)) return "";
    return {std::begin(sum.name), end};
}

void add(const SeenSum& sum, std::vector<SeenTotal>& totals) {
    const auto name = name_of(sum);
    if (name.empty() || sum.calls == 0) return;
    auto total = std::ranges::find(totals, name, &SeenTotal::name);
    if (total == totals.end()) total = totals.insert(total, {.name = name});
    total->calls += sum.calls;
    total->elapsed += sum.elapsed;
    total->elapsed_max = std::max(total->elapsed_max, sum.elapsed);
    total->bytes += sum.bytes;
}

} // namespace

SeenSums::SeenSums(const Recorder& recorder, bool threads) : threads_(threads) {
    auto lines = empty_lines();
    static_assert((1 + seen_count) * sizeof(SeenSum) <= ring_file::names_at - ring_file::sums_at);
    if (std::byte* const file = recorder.ring_file()) {
        void* const place = file + ring_file::sums_at;
        std::memcpy(place, lines.data(), lines.size() * sizeof(SeenSum));
        sums_ = static_cast<SeenSum*>(place) + 1;
    } else {
        memory_ = std::move(lines);
        sums_ = memory_.data() + 1;
    }
}

void add_seen_sums(const std::filesystem::path& path, std::vector<SeenTotal>& totals) {
    constexpr std::size_t most = (ring_file::names_at - ring_file::sums_at) / sizeof(SeenSum) - 1;
    auto file = open_log_file(path);
    file.seekg(ring_file::sums_at);
    SeenSum sum;
    const auto read = [&] { return static_cast<bool>(file.read(reinterpret_cast<char*>(&sum), sizeof sum)); };
    if (!read() || std::memcmp(sum.name, magic.data(), magic.size()) != 0) return;
    for (std::size_t i = 0; i < most && read(); ++i) add(sum, totals);
}

} // namespace switchyard::shim::log
