#include "results.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace switchyard::bench {

namespace {

constexpr std::size_t columns = 14;
using Row = std::array<std::string, columns>;

std::string decimal(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

Row row_of(const Report& report, const Result& result) {
    const Contender& contender = report.contender_of(result);
    const auto all = result.all_seconds();
    const auto counted = [&](std::uint64_t value) {
        return contender.is_ours() ? std::to_string(value) : "-";
    };
    return {contender.name,
            std::to_string(result.largest_block),
            decimal(median(result.seconds) * 1e6, 2),
            decimal(median_absolute_deviation(result.seconds) * 1e6, 2),
            result.baseline.empty() ? "-" : decimal(median_ratio(result.seconds, result.baseline), 3),
            decimal(all.front() * 1e6, 2),
            decimal(mean(all) * 1e6, 2),
            result.baseline.empty() ? "-" : decimal(ratio_of_means(all, result.all_baseline()), 3),
            counted(result.messages),
            counted(result.bytes),
            counted(result.messages_inter),
            counted(result.bytes_inter),
            counted(result.rounds),
            counted(result.scratch_bytes)};
}

std::string line(const Row& row, const std::array<std::size_t, columns>& widths) {
    std::string text = "|";
    for (std::size_t i = 0; i < columns; ++i) {
        const std::string blanks(widths[i] - row[i].size(), ' ');
        text += ' ' + (i == 0 ? row[i] + blanks : blanks + row[i]) + " |";
    }
    return text + '\n';
}

std::string heading(const Report& report) {
    const Environment& environment = report.environment;
    std::string text = std::string(name_of(report.options.collective)) + ", " +
                       std::to_string(environment.ranks) + " ranks on " +
                       std::to_string(environment.hosts.size()) +
                       (environment.hosts.size() == 1 ? " host, blocks " : " hosts, blocks ") +
                       name_of(report.options.distribution) + ", " +
                       std::to_string(report.options.iterations) + " iterations after " +
                       std::to_string(report.options.warmup) + (report.options.in_place ? ", in place" : "") +
                       (report.options.reads ? ", read" : "") + (report.options.cold ? ", cold" : "") +
                       (environment.simulated ? ", simulated time" : "") + "\n" + environment.mpi + "\n";
    if (environment.peak_bytes != 0)
        text += "largest process: " + decimal(static_cast<double>(environment.peak_bytes) / 1e6, 1) +
                " MB (VmHWM)\n";
    return text + '\n';
}

} // namespace

bool Report::is_verified() const {
    return std::ranges::all_of(results, &Result::verified);
}

// The table is also a table in Markdown.
std::string table_of(const Report& report) {
    std::vector<Row> rows = {{"algorithm", "largest block", "median us", "MAD us", "x native", "first us",
                              "mean us", "mean x native", "messages", "bytes", "messages inter",
                              "bytes inter", "rounds", "scratch"}};
    for (const Result& result : report.results) rows.push_back(row_of(report, result));
    std::array<std::size_t, columns> widths{};
    for (const Row& row : rows)
        for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
    Row rule;
    for (std::size_t i = 0; i < columns; ++i)
        rule[i] = std::string(widths[i] - 1, '-') + (i == 0 ? "-" : ":");
    rows.insert(rows.begin() + 1, rule);

    std::string text = heading(report);
    for (const Row& row : rows) text += line(row, widths);
    return text;
}

} // namespace switchyard::bench
