// Rules for the findings of `switchyard doctor`. Each was measured to be faster, by itself and under switchyard.
#pragma once

#include "findings.hpp"
#include "machine.hpp"
#include "rules.hpp"
#include "write.hpp"

#include <filesystem>
#include <vector>

namespace switchyard::shim::tune {

// What was found out about a finding.
struct Remedy {
    enum class End { rule, nothing_faster, no_time };
    End end = End::no_time;
    Ruling ruling;                                // only with End::rule, as the rest
    double ratio = 1, native_us = 0, rule_us = 0; // at the finding's worst size, under switchyard
};

struct Remedies {
    std::vector<Remedy> by_finding;
    std::string policy; // a policy file of all rules; "": there are none
};

// Measures candidates for `seconds` at most, the worst finding first, and runs the calls again under
// switchyard with the rules. `trial`: a file to write meanwhile. Throws like `survey`.
Remedies remedies_for(const std::vector<Finding>& findings, const Machine& machine, const Survey& survey,
                      double seconds, const std::filesystem::path& trial);

} // namespace switchyard::shim::tune
