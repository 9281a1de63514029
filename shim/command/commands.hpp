// The subcommands of `switchyard`, one function each. Each returns the exit code of the process.
#pragma once

#include "policy/features.hpp"
#include "policy/keys.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::command {

// Prints every problem of a policy with its place. Returns 1 if there is any.
int check(const std::filesystem::path& file);

// A call that `switchyard explain` is asked about.
struct ExplainedCall {
    policy::Features call;
    std::array<bool, policy::key::count> given{}; // which keys of `when` the user has given
    bool gpu_aware_given = false;
    std::string machine; // of the model, for figures that depend on it; "": none
};
// Prints which rule takes the call, why each earlier rule does not, and what was assumed. Returns 1 if the
// policy has problems.
int explain(const std::filesystem::path& file, const ExplainedCall& asked);

enum class ListFormat { text, json, markdown };

// Questions of `switchyard explain` about many calls.
struct ExplainOptions {
    std::filesystem::path policy;
    std::string log; // "": none
    bool coverage = false;
    // For the coverage.
    int ranks_per_node = 0;                       // 0: as in the log, or on this machine without a log
    std::optional<policy::Network> network;       // nothing: as on this machine
    std::optional<int> ranks;                     // only this row
    std::optional<policy::Collective> collective; // only this table
    std::filesystem::path plot;                   // as SVG; "": none
};
// Prints which rules take the calls of a log, or all possible calls. Returns 1 if the policy has problems.
// Throws std::runtime_error with a sentence for people if a log cannot be read or a file cannot be written.
int explain_many(const ExplainOptions& options);

// Prints every algorithm of the registry. Markdown gives the table of the documents.
int list_algorithms(ListFormat format);

enum class Format { text, csv, json }; // of `report` and `predict`

struct ReportOptions {
    std::string log;
    std::string other; // to compare with; "": none
    Format format = Format::text;
    std::string html, trace; // files to write; "": none
};
// Prints a report on a run's log, or compares two logs. Throws like explain_many.
int report(const ReportOptions& options);

// Prints every setting with its value and where the value is from. Returns 1 if any variable is wrong.
int config();

} // namespace switchyard::shim::command
