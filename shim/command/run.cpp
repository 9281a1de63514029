#include "commands.hpp"

#include "shim/common/preload_path.hpp"
#include "shim/common/sanitizers.hpp"
#include "shim/common/settings.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <unistd.h>

namespace switchyard::shim::command {

namespace {

constexpr int cannot_run = 126, not_found = 127; // as shells have it

// bin/switchyard stands beside lib, in a build tree and in an installation.
std::string own_prefix() {
    const std::filesystem::path program = object_path_of(reinterpret_cast<const void*>(&own_prefix));
    return program.parent_path().parent_path().string();
}

void set(Setting setting, const std::optional<std::string>& value) {
    auto variable = std::string(setting_table()[static_cast<std::size_t>(setting)].variable);
    if (value) setenv(variable.c_str(), value->c_str(), 1);
}

// The loader would say so itself, in words about files that nobody knows, and the program would run without us.
int refuse(const std::string& object) {
    std::cerr << "switchyard: the program is not started: LD_PRELOAD cannot hold " << object
              << ", since it splits paths at spaces and colons, and no temporary folder takes a link to it; "
                 "install switchyard elsewhere, or set TMPDIR to a folder of your own\n";
    return cannot_run;
}

} // namespace

int run(const RunOptions& options) {
    set(Setting::policy, options.policy);
    set(Setting::log, options.log);
    set(Setting::force, options.force);
    set(Setting::detail, options.detail);
    const auto object = preload_object(own_prefix());
    if (std::filesystem::exists(object)) {
        const auto path = preload_path(object, folders_for_links());
        if (path.empty()) return refuse(object);
        setenv("LD_PRELOAD", preload_list(path, std::getenv("LD_PRELOAD")).c_str(), 1);
        setenv(asan_variable, asan_options(std::getenv(asan_variable)).c_str(), 1);
    } else { // the program runs all the same
        std::cerr << "switchyard: warning: " << object << " is missing; no call is routed or logged\n";
    }

    std::vector<char*> words;
    for (const auto& word : options.program) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    std::cerr << "switchyard: cannot run " << options.program.front() << ": " << std::strerror(errno) << '\n';
    return errno == ENOENT ? not_found : cannot_run;
}

} // namespace switchyard::shim::command
