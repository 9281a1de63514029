// `switchyard run`: its options, and what it does.
#pragma once

#include "shim/common/settings.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::shim::command {

// An option is a setting: its value goes into the setting's variable.
struct RunOption {
    std::string_view name;
    Setting setting;
    const char* type; // of its value, in the help
    const char* meaning;
};
inline constexpr std::array<RunOption, 4> run_options = {{
    {"--policy", Setting::policy, "FILE", "Policy file (SWITCHYARD_POLICY)"},
    {"--log", Setting::log, "DIR", "Folder for the logs of runs, or off (SWITCHYARD_LOG)"},
    {"--force", Setting::force, "SPEC",
     "Algorithms that run whatever the policy says, "
     "such as alltoallv:tuna:radix=4;allgather:ring (SWITCHYARD_FORCE)"},
    {"--detail", Setting::detail, "DETAIL",
     "Lines of the log: calls, ranks, summary or all (SWITCHYARD_DETAIL)"},
}};

struct RunArguments {
    std::array<std::optional<std::string>, run_options.size()> values; // of the options, in the table's order
    std::vector<std::string> program;                                  // and its arguments
};

// Where the program begins in the words of `switchyard run ...`: behind `--`, or else behind the options and
// their values. The number of the words if there is no program, or if they belong to another subcommand.
std::size_t program_in(std::span<const char* const> words);

// Puts switchyard in front of a program and becomes the program. Returns only if the program cannot be
// started: the exit code.
int run(const RunArguments& arguments);

} // namespace switchyard::shim::command
