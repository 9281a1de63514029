#include "rank_lines.hpp"

#include "shim/common/log/log_file.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace switchyard::shim::report {

namespace {

constexpr std::string_view prefix = "rank-", suffix = ".jsonl";
constexpr int most_ranks = 1'000'000'000; // ranks are counted and added up as int

int rank_of(std::string_view name) {
    int rank = -1;
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return -1;
    name = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
    const bool is_number = error == std::errc() && end == name.data() + name.size();
    return is_number && rank < most_ranks ? rank : -1;
}

} // namespace

std::vector<int> ranks_with_lines(const std::string& directory) {
    std::vector<int> ranks;
    std::error_code error; // without a folder there are no ranks
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
        if (const int rank = rank_of(entry.path().filename().string()); rank >= 0) ranks.push_back(rank);
    std::ranges::sort(ranks);
    return ranks;
}

void for_each_rank_call(const std::string& directory, int rank, const std::function<void(const Call&)>& use) {
    auto file = log::open_log_file(directory + "/" + std::string(prefix) + std::to_string(rank) +
                                   std::string(suffix));
    Call call;
    for (std::string line; std::getline(file, line);)
        if (parse_call(line, call)) use(call);
}

} // namespace switchyard::shim::report
