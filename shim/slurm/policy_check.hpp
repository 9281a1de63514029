// Whether a policy is valid, asked of the command: Slurm's processes then load no parser.
#pragma once

#include <string>

namespace switchyard::shim::slurm {

// Each problem of the policy becomes an error message of Slurm's. True, too, where the command cannot be
// started or does not say.
bool is_valid_policy(const std::string& command, const std::string& policy);

} // namespace switchyard::shim::slurm
