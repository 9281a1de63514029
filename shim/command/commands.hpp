// What the command `switchyard` does, one function per subcommand; each returns the process's exit code.
#pragma once

#include "policy/features.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::command {

// Prints every problem of a policy with its place; 1 if there is any.
int check(const std::filesystem::path& file);

// Prints which rule a call takes and why each earlier one does not; 1 if the policy has problems.
int explain(const std::filesystem::path& file, const policy::Features& call);

enum class ListFormat { text, json, markdown };

// Prints every algorithm of the registry. Markdown is the table of the README.
int list_algorithms(ListFormat format);

// Puts switchyard in front of a program and becomes that program; returns only when it cannot.
struct RunOptions {
    std::optional<std::string> policy, log, force, detail;
    std::vector<std::string> program; // and its arguments
};
int run(const RunOptions& options);

// Prints the summary of a run's log.
int report(const std::string& directory);

// Prints every setting, its value and where it came from.
int config();

} // namespace switchyard::shim::command
