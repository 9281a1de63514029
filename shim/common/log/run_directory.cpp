#include "run_directory.hpp"

#include "native_json.hpp"
#include "version.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <system_error>

namespace switchyard::shim::log {

namespace {

std::string formatted_time(std::int64_t seconds, const char* format) {
    std::time_t time = seconds;
    std::tm parts{};
    localtime_r(&time, &parts);
    char text[64];
    return {text, std::strftime(text, sizeof text, format, &parts)};
}

// Neighbouring ranks on one host share an entry: a thousand ranks should not take a thousand lines.
nlohmann::json hosts_json(const std::vector<std::string>& hosts) {
    auto list = nlohmann::json::array();
    for (const auto& host : hosts) {
        if (list.empty() || list.back()["host"] != host)
            list.push_back({{"host", host}, {"ranks", 1}});
        else
            list.back()["ranks"] = list.back()["ranks"].get<int>() + 1;
    }
    return list;
}

// Times as in a line of the log: in microseconds, with every nanosecond.
nlohmann::ordered_json counted_json(const std::vector<CountedTotal>& counted, int ranks) {
    auto list = nlohmann::ordered_json::array();
    const auto us = [](std::uint64_t ns) { return static_cast<double>(ns) / 1000; };
    for (const auto& total : counted)
        list.push_back({{"collective", total.name},
                        {"calls", total.calls},
                        {"time_us",
                         {{"mean", us(total.elapsed / static_cast<std::uint64_t>(std::max(ranks, 1)))},
                          {"max", us(total.elapsed_max)},
                          {"sum", us(total.elapsed)}}},
                        {"sent_bytes", total.bytes}});
    return list;
}

// File systems allow names of 255 bytes, some only 143, and the start, the process and a number
// follow the program's name.
std::string beginning_of(const std::string& program) {
    constexpr std::size_t longest = 100;
    std::size_t end = std::min(program.size(), longest);
    const auto is_inside_a_character = [&] {
        return end < program.size() && (static_cast<unsigned char>(program[end]) & 0xC0U) == 0x80U;
    };
    while (end > 0 && is_inside_a_character()) --end;
    return program.substr(0, end);
}

} // namespace

std::string local_time(std::int64_t seconds) {
    return formatted_time(seconds, "%Y-%m-%dT%H:%M:%S%z");
}

std::string run_directory_name(const std::string& program, std::int64_t start_seconds, long pid) {
    return beginning_of(program) + "." + formatted_time(start_seconds, "%Y%m%d-%H%M%S") + "." +
           std::to_string(pid);
}

Folder create_run_directory(const std::string& log, const RunInfo& info) {
    auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    make_folders(log);
    auto base = std::filesystem::absolute(log) / run_directory_name(info.program, now, info.pid);
    auto directory = base.string();
    for (int again = 2; mkdir(directory.c_str(), folder_mode(info.file_mode)) != 0; ++again) {
        if (errno != EEXIST || again > 1000)
            throw std::system_error(errno, std::generic_category(), directory);
        directory = base.string() + "-" + std::to_string(again);
    }
    auto folder = Folder::open(directory, info.file_mode);
    if (!folder.is_open()) throw std::system_error(folder.error(), std::generic_category(), directory);
    return folder;
}

bool write_run_json(const Folder& folder, const RunInfo& info, const RunEnd* end) {
    nlohmann::ordered_json json = {{"switchyard", version},
                                   {"complete", end != nullptr},
                                   {"program", info.program},
                                   {"command_line", info.command_line},
                                   {"started", info.started},
                                   {"pid", info.pid},
                                   {"mpi_library", info.mpi_library},
                                   {"network", info.network},
                                   {"ranks", info.ranks},
                                   {"hosts", hosts_json(info.hosts)},
                                   {"mpi_init_seen", !info.alone},
                                   {"settings", nlohmann::ordered_json::object()},
                                   {"policy_file", info.policy_file},
                                   {"policy", info.policy}};
    for (const auto& [name, value] : info.settings) json["settings"][name] = value;
    if (info.native) json["native"] = native_json(*info.native);
    json["units"] = {
        {"*_us", "microseconds, monotonic clock; the time of a call includes waiting for late ranks"},
        {"*_bytes", "bytes"},
        {"messages", "sent by the rank that sent most"},
        {"wire_bytes", "sent by the rank that sent most"},
        {"*_inter", "sent to other nodes, by the rank that sent most there"},
        {"*_intra", "sent inside the node, by the rank that sent most there"},
        {"slowest_rank", "its rank in the communicator of the call"}};
    if (end != nullptr) {
        json["calls_seen"] = end->calls_seen;
        json["calls_routed"] = end->calls_routed;
        json["records_dropped"] = end->records_dropped;
        json["wall_s"] = end->wall_s;
        json["seen"] = counted_json(end->counted, info.ranks);
    }
    const auto text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    return folder.write_whole("run.json", text);
}

bool write_run_json(const std::string& directory, const RunInfo& info, const RunEnd* end) {
    return write_run_json(Folder::open(directory, info.file_mode), info, end);
}

std::string program_name() {
    std::error_code error;
    auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? "program" : path.filename().string();
}

std::vector<std::string> command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
    return words;
}

} // namespace switchyard::shim::log
