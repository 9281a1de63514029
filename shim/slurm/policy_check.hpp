// Asks the command whether a policy is valid, so Slurm's processes load no parser.
#pragma once

#include <string>

namespace switchyard::shim::slurm {

// Each problem of the policy becomes an error message of Slurm's. Also true if the command cannot be started
// or does not answer.
bool is_valid_policy(const std::string& command, const std::string& policy);

} // namespace switchyard::shim::slurm
