// No CLI11 here. A test compares this with what CLI11 makes of the same words.
#include "run.hpp"

#include <algorithm>

namespace switchyard::shim::command {

namespace {

using Words = std::span<const char* const>;

std::string_view take(Words& words) {
    const std::string_view word = words.front();
    words = words.subspan(1);
    return word;
}

bool is_option(std::string_view word) {
    return word.starts_with("--") && word != "--";
}

// False: CLI11 may give the word a meaning of its own, as an option, a list in brackets, or nothing at all.
bool is_plain(std::string_view word) {
    return !word.empty() && std::string_view("-[+").find(word.front()) == std::string_view::npos;
}

// Takes an option and its value. false: CLI11 must read it.
bool take_option(Words& words, RunArguments& arguments) {
    const std::string_view word = take(words);
    const auto name = word.substr(0, word.find('='));
    const auto option = std::ranges::find(run_options, name, &RunOption::name);
    if (option == run_options.end()) return false;
    auto& value = arguments.values[static_cast<std::size_t>(option - run_options.begin())];
    if (value.has_value() || (name == word && words.empty())) return false;
    value = name == word ? take(words) : word.substr(name.size() + 1);
    return is_plain(*value);
}

} // namespace

std::optional<RunArguments> usual_run(std::span<const char* const> words) {
    if (words.size() < 2 || std::string_view(words[1]) != "run") return std::nullopt;
    words = words.subspan(2);
    RunArguments arguments;
    while (!words.empty() && is_option(words.front()))
        if (!take_option(words, arguments)) return std::nullopt;
    if (!words.empty() && words.front() == std::string_view("--"))
        take(words);
    else if (words.empty() || !is_plain(words.front()))
        return std::nullopt;
    if (words.empty()) return std::nullopt;
    arguments.program.assign(words.begin(), words.end()); // all of these are the program's, whatever they are
    return arguments;
}

} // namespace switchyard::shim::command
