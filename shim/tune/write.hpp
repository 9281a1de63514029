// Rules as a policy file.
#pragma once

#include "bench_run.hpp"
#include "rules.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// Calls under the shim: the ratio of an iteration, and of all calls that the application makes
// (Measurement::from_first).
struct Proof {
    Estimate estimate;
    double from_first = 0;
};

// Where a policy comes from, as its rules say it.
struct Circumstances {
    Place place;
    std::string platform; // the simulated machine; "": a real one
    std::string model;    // the machine of a prediction; "": every candidate was measured
    // Whole calls under the shim with the policy. Empty: not measured.
    std::map<Point, Proof> verified;
};

// A valid policy. Throws std::runtime_error if policy::parse finds a problem in it.
std::string policy_text(const std::vector<Ruling>& rules, const Circumstances& circumstances);

// Writes the whole file or nothing: to a file next to it, which is then renamed. Throws
// std::runtime_error if that fails.
void write_policy(const std::filesystem::path& file, const std::string& text);

// "" if a file of that name can be made there, else why not.
std::string why_not_writable(const std::filesystem::path& file);

} // namespace switchyard::shim::tune
