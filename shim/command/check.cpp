#include "commands.hpp"
#include "policy_file.hpp"

#include <iostream>

namespace switchyard::shim::command {

int check(const std::filesystem::path& file) {
    const auto policy = read_policy(file);
    if (!policy) return 1;
    const std::size_t rules = policy->rules.size();
    std::cout << file.string() << ": OK, " << rules << (rules == 1 ? " rule" : " rules") << ", otherwise "
              << policy->otherwise.algorithm << '\n';
    return 0;
}

} // namespace switchyard::shim::command
