#include "seen_sums.hpp"

#include "algorithms/file_room.hpp"
#include "file_size_signal.hpp"
#include "log_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>

namespace switchyard::shim::log {

namespace {

// The first line of the file, without figures.
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

// Null where the file cannot be mapped. Its blocks are there, so that writing to the map cannot fail.
void* map_of(OwnFile& file, const std::vector<SeenSum>& lines) {
    const auto bytes = lines.size() * sizeof(SeenSum);
    if (!file.is_made() || !file.append(lines.data(), bytes)) return nullptr;
    const int descriptor = file.reached();
    if (descriptor < 0 || algorithms::make_room(descriptor, 0, static_cast<off_t>(bytes)) != 0)
        return nullptr;
    void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return map == MAP_FAILED ? nullptr : map;
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

SeenSums::SeenSums(const Folder& run, int rank, bool threads)
    : threads_(threads), folder_(run.inside("ranks")), memory_(empty_lines()) {
    const FileSizeSignalBlocked blocked;
    if (folder_.is_open()) file_ = OwnFile(folder_, std::to_string(rank) + ".seen");
    map_ = map_of(file_, memory_);
    sums_ = (map_ != nullptr ? static_cast<SeenSum*>(map_) : memory_.data()) + 1;
}

SeenSums::~SeenSums() {
    if (map_ != nullptr) munmap(map_, memory_.size() * sizeof(SeenSum));
}

void SeenSums::remove_file() {
    const int reason = errno;
    file_.remove();
    errno = reason;
}

void add_seen_sums(const std::filesystem::path& path, std::vector<SeenTotal>& totals) {
    constexpr std::size_t most = 1000; // a file of ours has fewer
    auto file = open_log_file(path);
    SeenSum sum;
    const auto read = [&] { return static_cast<bool>(file.read(reinterpret_cast<char*>(&sum), sizeof sum)); };
    if (!read() || std::memcmp(sum.name, magic.data(), magic.size()) != 0) return;
    for (std::size_t i = 0; i < most && read(); ++i) add(sum, totals);
}

} // namespace switchyard::shim::log
