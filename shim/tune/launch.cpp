#include "launch.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace switchyard::shim::tune {

namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t stop = 0;
constexpr std::size_t kept_words = 2000; // bytes, of stdout and of stderr
constexpr auto time_to_end = std::chrono::seconds(5);

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class Pipe {
  public:
    Pipe() {
        if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
    }
    ~Pipe() {
        for (const int end : ends_)
            if (end >= 0) close(end);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    int out() const { return ends_[0]; }
    int in() const { return ends_[1]; }
    void close_in() {
        close(ends_[1]);
        ends_[1] = -1;
    }

  private:
    std::array<int, 2> ends_{};
};

// The child has the default handlers of the signals that this process holds back.
int spawn(const std::vector<std::string>& words, const Pipe& out, const Pipe& err, pid_t& pid) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out.in(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err.in(), STDERR_FILENO);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGPIPE}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigdefault(&how, &defaults);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    const int error = posix_spawnp(&pid, arguments.front(), &files, &how, arguments.data(), environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

// Appends what can be read at once. False at the end of the file.
bool drain(int file, std::string& text) {
    std::array<char, 1 << 16> piece;
    const ssize_t bytes = read(file, piece.data(), piece.size());
    if (bytes < 0) return errno == EINTR || errno == EAGAIN;
    text.append(piece.data(), static_cast<std::size_t>(bytes));
    return bytes > 0;
}

// A running command: its output, its end, and how it is ended.
class Running {
  public:
    Running(pid_t pid, const Pipe& out, const Pipe& err, const LaunchOptions& options)
        : pid_(pid), options_(options),
          end_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))), files_{{{out.out(), POLLIN, 0},
                                                                           {err.out(), POLLIN, 0},
                                                                           {end_, POLLIN, 0}}} {}
    ~Running() {
        if (end_ >= 0) close(end_);
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    Launched watch() {
        Launched launched;
        while (!over()) {
            read_some();
            options_.on_tick();
            if (launched.end == Launched::End::exited && stop_wanted())
                launched.end = Launched::End::stopped;
            else if (launched.end == Launched::End::exited && options_.time_limit > 0 &&
                     seconds_since(start_) > options_.time_limit)
                launched.end = Launched::End::timed_out;
            if (launched.end != Launched::End::exited) end_it();
        }
        launched.status = WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
        launched.complaint = last_words();
        launched.seconds = std::chrono::duration<double>(when_ended_ - start_).count();
        return launched;
    }

  private:
    // When the command has ended, its last output may still be on the way. But processes that it left behind
    // can hold the pipes open forever, so the wait ends after a second.
    bool over() {
        if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) {
            ended_ = true;
            when_ended_ = Clock::now();
            files_[2].fd = -1; // poll() skips it
        }
        const bool silent = files_[0].fd < 0 && files_[1].fd < 0;
        return ended_ && (silent || seconds_since(when_ended_) > 1);
    }

    void read_some() {
        poll(files_.data(), files_.size(), end_ >= 0 || ended_ ? 100 : 1);
        for (std::size_t i = 0; i < 2; ++i) {
            pollfd& file = files_[i];
            if (file.fd < 0 || file.revents == 0) continue;
            if (!drain(file.fd, i == 0 ? out_ : err_)) file.fd = -1; // poll() skips it
        }
        std::size_t begin = 0;
        for (std::size_t end; (end = out_.find('\n', begin)) != std::string::npos; begin = end + 1)
            options_.on_line(out_.substr(begin, end - begin));
        said_.append(out_, 0, begin);
        out_.erase(0, begin);
        for (std::string* text : {&said_, &err_})
            if (text->size() > kept_words) text->erase(0, text->size() - kept_words);
    }

    // The last lines of stderr or, if stderr is blank, of stdout: PRRTE complains there.
    std::string last_words() const {
        std::string words = err_.find_first_not_of(" \n") == std::string::npos ? said_ + out_ : err_;
        words.erase(words.find_last_not_of(" \n") + 1);
        return words;
    }

    void end_it() {
        if (ended_) return;
        if (!told_) {
            told_ = true;
            when_told_ = Clock::now();
            killpg(pid_, SIGTERM);
        } else if (Clock::now() - when_told_ > time_to_end) {
            killpg(pid_, SIGKILL);
        }
    }

    pid_t pid_;
    const LaunchOptions& options_;
    int end_; // readable once the command has ended; negative before Linux 5.3
    std::array<pollfd, 3> files_;
    std::string out_, said_, err_; // stdout: the unfinished line, the lines before it; stderr
    Clock::time_point start_ = Clock::now(), when_ended_, when_told_;
    int status_ = 0;
    bool ended_ = false, told_ = false;
};

void keep_in_mind(int) {
    stop = 1;
}

} // namespace

void hold_back_signals() {
    struct sigaction action = {};
    action.sa_handler = keep_in_mind;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
}

bool stop_wanted() {
    return stop != 0;
}

std::string Launched::why() const {
    const std::string words = complaint.empty() ? ", without a word" : "; its last words:\n" + complaint;
    switch (end) {
    case End::not_started: return "could not be started: " + complaint;
    case End::timed_out: return "was ended because it took too long" + words;
    case End::stopped: return "was stopped";
    case End::exited: break;
    }
    const bool by_signal = status > 128 && status - 128 < NSIG; // PRRTE has exit statuses beyond signals
    return by_signal ? "was ended by signal " + std::to_string(status - 128) + words
                     : "ended with exit status " + std::to_string(status) + words;
}

Launched launch(const std::vector<std::string>& words, const LaunchOptions& options) {
    Pipe out, err;
    pid_t pid = 0;
    if (const int error = spawn(words, out, err, pid); error != 0) {
        Launched launched;
        launched.end = Launched::End::not_started;
        launched.status = 127;
        launched.complaint = words.front() + ": " + std::strerror(error);
        return launched;
    }
    out.close_in();
    err.close_in();
    return Running(pid, out, err, options).watch();
}

} // namespace switchyard::shim::tune
