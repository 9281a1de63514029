#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace apps {

struct CommandLine::App : CLI::App {
    using CLI::App::App;

    template <typename Value>
    void add(const char* name, Value& value, const Limits& limits, const char* meaning) {
        auto* option = add_option(name, value, meaning)->check(CLI::Range(limits.least, limits.most));
        if (limits.type != nullptr) option->type_name(limits.type);
    }
};

CommandLine::CommandLine(const char* about) : app_(std::make_unique<App>(about)) {}
CommandLine::~CommandLine() = default;

void CommandLine::number(const char* name, int& value, Limits limits, const char* meaning) {
    app_->add(name, value, limits, meaning);
}

void CommandLine::number(const char* name, std::uint32_t& value, Limits limits, const char* meaning) {
    app_->add(name, value, limits, meaning);
}

void CommandLine::numbers(const char* name, std::span<int, 3> values, Limits limits, const char* meaning) {
    auto* option = app_->add_option_function<std::array<int, 3>>(
        name, [values](const std::array<int, 3>& given) { std::ranges::copy(given, values.begin()); },
        meaning);
    option->check(CLI::Range(limits.least, limits.most));
    if (limits.type != nullptr) option->type_name(limits.type);
}

void CommandLine::seed(const char* name, std::uint64_t& value, const char* meaning) {
    app_->add_option(name, value, meaning);
}

void CommandLine::word(const char* name, std::vector<std::string> words,
                       std::function<void(const std::string&)> take, const char* meaning) {
    app_->add_option_function<std::string>(name, std::move(take), meaning)
        ->check(CLI::IsMember(std::move(words)));
}

std::optional<int> CommandLine::parse(int argc, char** argv, bool prints) {
    try {
        app_->parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        return prints ? app_->exit(error) : error.get_exit_code();
    }
}

} // namespace apps
