#include "policy_check.hpp"

extern "C" {
#include <slurm/spank.h>
}

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace switchyard::shim::slurm {

namespace {

// `COMMAND check POLICY`, whose stderr goes to `errors`. 0: it cannot be started.
pid_t start(const std::string& command, const std::string& policy, int errors) {
    const std::array<const char*, 4> words = {command.c_str(), "check", policy.c_str(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    pid_t process = 0;
    if (posix_spawn(&process, command.c_str(), &actions, nullptr, const_cast<char**>(words.data()),
                    environ) != 0)
        process = 0;
    posix_spawn_file_actions_destroy(&actions);
    return process;
}

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const auto length = read(descriptor, part.data(), part.size());
        if (length > 0) text.append(part.data(), static_cast<std::size_t>(length));
        if (length == 0 || (length < 0 && errno != EINTR)) return text;
    }
}

// The exit code; 0 if it is not known.
int code_of(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

void say_each_line(const std::string& text) {
    for (std::size_t from = 0; from < text.size();) {
        const auto to = std::min(text.find('\n', from), text.size());
        slurm_error("switchyard: %s", text.substr(from, to - from).c_str());
        from = to + 1;
    }
}

} // namespace

bool is_valid_policy(const std::string& command, const std::string& policy) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return true;
    const pid_t process = start(command, policy, ends[1]);
    close(ends[1]);
    const std::string said = process != 0 ? read_all(ends[0]) : "";
    close(ends[0]);
    const bool is_valid = process == 0 || code_of(process) == 0;
    if (!is_valid) say_each_line(said);
    return is_valid;
}

} // namespace switchyard::shim::slurm
