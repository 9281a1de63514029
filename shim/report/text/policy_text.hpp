// The output of `switchyard explain POLICY --log LOG` and `--coverage`.
#pragma once

#include "shim/report/facts/coverage.hpp"
#include "shim/report/facts/policy_on_log.hpp"

#include <ostream>
#include <string_view>

namespace switchyard::shim::report {

// `profile` and `asked` are of the same log.
void print_policy_on_log(const policy::Policy& policy, const PolicyOnLog& asked, const Profile& profile,
                         std::ostream& out);

// `source`: where the number of ranks per node is from, such as `, as in the log`.
void print_coverage(const policy::Policy& policy, const Coverage& coverage, std::ostream& out,
                    std::string_view source = "");

} // namespace switchyard::shim::report
