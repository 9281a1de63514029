#include "policy_file.hpp"
#include "policy/file.hpp"
#include "policy/parse.hpp"

#include <iostream>

namespace switchyard::shim::command {

namespace {

void print(const std::filesystem::path& file, const policy::Problem& problem) {
    std::cerr << file.string() << ": " << problem.pointer << (problem.pointer.empty() ? "" : ": ")
              << problem.message << '\n';
}

} // namespace

std::optional<policy::Policy> read_policy(const std::filesystem::path& file) {
    const auto text = policy::read_file(file);
    if (const auto* problem = std::get_if<policy::Problem>(&text)) {
        print(file, *problem);
        return std::nullopt;
    }
    auto parsed = policy::parse(std::get<std::string>(text));
    if (const auto* problems = std::get_if<std::vector<policy::Problem>>(&parsed)) {
        for (const policy::Problem& problem : *problems) print(file, problem);
        return std::nullopt;
    }
    return std::get<policy::Policy>(std::move(parsed));
}

} // namespace switchyard::shim::command
