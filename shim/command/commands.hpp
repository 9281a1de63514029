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

// What `switchyard explain` says of more than one call.
struct ExplainOptions {
    std::filesystem::path policy;
    std::string log; // "": none
    bool coverage = false;
    int ranks_per_node = 0;     // for the coverage; 0: as in the log, else 1
    std::filesystem::path plot; // of the coverage, as SVG; "": none
};
// Prints which rules take the calls of a log, or any calls; 1 if the policy has problems. Throws
// std::runtime_error with a sentence for people where a log cannot be read or a file not be written.
int explain_many(const ExplainOptions& options);

// Prints every algorithm of the registry. Markdown is the table of the README.
int list_algorithms(ListFormat format);

// Puts switchyard in front of a program and becomes that program; returns only when it cannot.
struct RunOptions {
    std::optional<std::string> policy, log, force, detail;
    std::vector<std::string> program; // and its arguments
};
int run(const RunOptions& options);

enum class ReportFormat { text, csv, json };

struct ReportOptions {
    std::string log;
    std::string other; // to compare with; "": none
    ReportFormat format = ReportFormat::text;
    std::string html, trace; // files to write; "": none
};
// Prints what a run's log says, or two logs beside each other. Throws like explain_many.
int report(const ReportOptions& options);

// Prints every setting, its value and where it came from.
int config();

} // namespace switchyard::shim::command
