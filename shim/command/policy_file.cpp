#include "policy_file.hpp"
#include "policy/file.hpp"
#include "policy/parse.hpp"

#include <iostream>

namespace switchyard::shim::command {

std::optional<policy::Policy> read_policy(const std::filesystem::path& file) {
    const auto text = policy::read_file(file);
    if (const auto* problem = text.error()) {
        std::cerr << policy::told(file.string(), *problem) << '\n';
        return std::nullopt;
    }
    auto parsed = policy::parse(text.value());
    if (const auto* problems = parsed.error()) {
        for (const policy::Problem& problem : *problems)
            std::cerr << policy::told(file.string(), problem) << '\n';
        return std::nullopt;
    }
    return std::move(parsed).value();
}

} // namespace switchyard::shim::command
