#include "policy_file.hpp"
#include "policy/file.hpp"
#include "policy/parse.hpp"

#include <iostream>

namespace switchyard::shim::command {

std::optional<policy::Policy> read_policy(const std::filesystem::path& file) {
    const auto text = policy::read_file(file);
    if (const auto* problem = std::get_if<policy::Problem>(&text)) {
        std::cerr << policy::told(file.string(), *problem) << '\n';
        return std::nullopt;
    }
    auto parsed = policy::parse(std::get<std::string>(text));
    if (const auto* problems = std::get_if<std::vector<policy::Problem>>(&parsed)) {
        for (const policy::Problem& problem : *problems)
            std::cerr << policy::told(file.string(), problem) << '\n';
        return std::nullopt;
    }
    return std::get<policy::Policy>(std::move(parsed));
}

} // namespace switchyard::shim::command
