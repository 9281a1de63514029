#include "machine_file.hpp"

#include "machine_members.hpp"
#include "statistics.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace switchyard::bench {

namespace {

using Json = nlohmann::ordered_json;

// The measured values, in the order of the file.
std::vector<std::pair<MachineMember, Estimate>> values_of(const MachineFile& machine) {
    using enum MachineMember;
    const Link &network = machine.network, &node = machine.node;
    return {{network_latency_us, network.latency_us},
            {network_overhead_us, network.overhead_us},
            {network_pair_bytes_per_us, network.pair_bytes_per_us},
            {network_card_bytes_per_us, network.total_bytes_per_us},
            {node_latency_us, node.latency_us},
            {node_overhead_us, node.overhead_us},
            {node_pair_bytes_per_us, node.pair_bytes_per_us},
            {node_memory_bytes_per_us, node.total_bytes_per_us},
            {packing_block_us, machine.packing.block_us},
            {packing_copy_bytes_per_us, machine.packing.copy_bytes_per_us}};
}

// More digits than four are noise.
double rounded(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return std::strtod(text.data(), nullptr);
}

void append(std::string& list, const std::string& word) {
    list += (list.empty() ? "" : ", ") + word;
}

// Only the first names: a machine can have thousands.
std::string listed(const std::vector<std::string>& hosts) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(hosts.size(), most); ++i) append(text, hosts[i]);
    return hosts.size() > most ? text + " and " + std::to_string(hosts.size() - most) + " more" : text;
}

} // namespace

Estimate estimate_of(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return {};
    const double middle = median(values);
    return {middle, median_absolute_deviation(values) / middle};
}

std::string source_of(const Options& options, const Environment& environment) {
    const std::string nodes =
        options.ranks_per_node == 0
            ? std::to_string(environment.nodes) + " nodes"
            : "emulated nodes of " + std::to_string(options.ranks_per_node) + " consecutive ranks";
    return options.command + "; " + std::to_string(environment.ranks) + " ranks on " + nodes +
           "; hosts: " + listed(environment.hosts) + "; " + environment.mpi + "; " + environment.date;
}

std::string json_of(const MachineFile& machine) {
    Json json = {{machine_version_key, machine_version}, {"name", machine.name}, {"source", machine.source}};
    Json spread = Json::object();
    for (const std::string_view section : machine_sections)
        json[std::string(section)] = spread[std::string(section)] = Json::object();
    for (const auto& [member, estimate] : values_of(machine)) {
        if (!std::isfinite(estimate.value)) continue;
        const std::string section(traits_of(member).section), name(traits_of(member).name);
        json[section][name] = rounded(estimate.value);
        if (std::isfinite(estimate.spread)) spread[section][name] = std::round(estimate.spread * 1e4) / 1e4;
    }
    json[machine_spread] = std::move(spread);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::vector<std::string> doubts_about(const MachineFile& machine) {
    constexpr double much = 0.25;
    std::string missing, none, varying;
    for (const auto& [member, estimate] : values_of(machine)) {
        const std::string key =
            std::string(traits_of(member).section) + '.' + std::string(traits_of(member).name);
        if (!std::isfinite(estimate.value))
            append(missing, key);
        else if (estimate.value == 0)
            append(none, key);
        else if (estimate.spread > much)
            append(varying, key + " (" + std::to_string(std::lround(100 * estimate.spread)) + " %)");
    }
    std::vector<std::string> doubts;
    if (!missing.empty()) doubts.push_back("could not be measured, and is not in the file: " + missing);
    if (!none.empty()) doubts.push_back("came out as 0, because what was subtracted is as large: " + none);
    if (!varying.empty())
        doubts.push_back("differs much between repetitions, so keep other programs off the nodes and "
                         "calibrate once more: " +
                         varying);
    return doubts;
}

std::string why_not_writable(const std::string& path) {
    if (path == "-" || std::ofstream(path, std::ios::app)) return "";
    return path + " cannot be written: " + std::strerror(errno);
}

std::string write(const std::string& document, const std::string& path) {
    if (path == "-") return std::fputs(document.c_str(), stdout) < 0 ? "stdout cannot be written" : "";
    std::ofstream file(path);
    file << document;
    file.close();
    return file ? "" : path + " cannot be written: " + std::strerror(errno);
}

} // namespace switchyard::bench
