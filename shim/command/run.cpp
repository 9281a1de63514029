#include "run.hpp"

#include "shim/common/preload_path.hpp"
#include "shim/common/sanitizers.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <unistd.h>

namespace switchyard::shim::command {

namespace {

constexpr int cannot_run = 126, not_found = 127; // as in shells

// bin is next to lib, in a build tree and in an installation.
std::string own_prefix() {
    const std::filesystem::path program = object_path_of(reinterpret_cast<const void*>(&own_prefix));
    return program.parent_path().parent_path().string();
}

void set_variables(const RunArguments& arguments) {
    auto value = arguments.values.begin();
    for (const auto& option : run_options) {
        const auto variable = setting_table()[static_cast<std::size_t>(option.setting)].variable;
        if (const auto& given = *value++) setenv(std::string(variable).c_str(), given->c_str(), 1);
    }
}

void say(const std::string& sentence) {
    std::cerr << "switchyard: " << sentence << '\n';
}

// Otherwise the loader would complain about files that the user does not know, and the
// program would run without us.
int refuse(const std::string& object) {
    say("the program is not started: LD_PRELOAD cannot hold " + object +
        ", since it splits paths at spaces and colons, and no temporary folder takes a link to it; "
        "install switchyard elsewhere, or set TMPDIR to a folder of your own");
    return cannot_run;
}

} // namespace

std::size_t program_in(std::span<const char* const> words) {
    if (words.size() < 2 || std::string_view(words[1]) != "run") return words.size();
    std::size_t place = 2;
    while (place < words.size() && words[place][0] == '-' && words[place] != std::string_view("--"))
        place += std::strchr(words[place], '=') == nullptr ? 2 : 1;
    if (place < words.size() && words[place] == std::string_view("--")) ++place;
    return std::min(place, words.size());
}

int run(const RunArguments& arguments) {
    set_variables(arguments);
    const auto object = preload_object(own_prefix());
    std::error_code error;
    if (std::filesystem::exists(object, error)) {
        const auto path = preload_path(object, folders_for_links());
        if (path.empty()) return refuse(object);
        setenv("LD_PRELOAD", preload_list(path, std::getenv("LD_PRELOAD")).c_str(), 1);
        setenv(asan_variable, asan_options(std::getenv(asan_variable)).c_str(), 1);
    } else { // the program runs all the same
        say("warning: " + object + " is missing; no call is routed or logged");
    }

    std::vector<char*> words;
    for (const auto& word : arguments.program) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    const int reason = errno;
    say("cannot run " + arguments.program.front() + ": " + std::strerror(reason));
    return reason == ENOENT ? not_found : cannot_run;
}

} // namespace switchyard::shim::command
