// Rules as a policy file.
#pragma once

#include "bench_run.hpp"
#include "rules.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// What a policy says of how it came about.
struct Circumstances {
    Place place;
    std::string platform; // "" or the simulated machine
    // What calls took under the shim and the policy, everything included; empty: that was not measured.
    std::map<Point, Estimate> verified;
};

// The text, which is valid: throws std::runtime_error where policy::parse finds anything wrong with it.
std::string policy_text(const std::vector<Ruling>& rules, const Circumstances& circumstances);

// Whole or not at all: to a file beside it that is then renamed. Throws std::runtime_error where that cannot be.
void write_whole(const std::filesystem::path& file, const std::string& text);

// "" where a file of that name can be made there, else why not.
std::string why_not_writable(const std::filesystem::path& file);

} // namespace switchyard::shim::tune
