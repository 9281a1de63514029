#include "policy/explain.hpp"
#include "commands.hpp"
#include "policy_file.hpp"

#include <iostream>

namespace switchyard::shim::command {

int explain(const std::filesystem::path& file, const policy::Features& call) {
    const auto policy = read_policy(file);
    if (!policy) return 1;
    std::cout << policy::explain(*policy, call);
    return 0;
}

} // namespace switchyard::shim::command
