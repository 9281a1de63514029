#include "watch.hpp"

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <sys/time.h>
#include <unistd.h>

namespace stress {

namespace {

constexpr int most_lines = 3; // of failures of one rank

Place places[most_lanes];
thread_local int own_lane = 0;
int lanes_in_use = 1;
Options watched;
int rank = -1, ranks = 0;
std::atomic<int> failures{0};
struct sigaction before[NSIG];

// In one write, so that the lines of ranks do not mix.
void say(const char* text, int length) {
    std::fflush(stdout);
    [[maybe_unused]] const auto written = write(STDOUT_FILENO, text, static_cast<std::size_t>(length));
}

int describe(char* into, std::size_t size, const char* kind, int lane) {
    const auto& at = places[lane];
    return std::snprintf(into, size, "%s seed=%lld ranks=%d step=%llu rank=%d lane=%d comm=%d of %d %s", kind,
                         static_cast<long long>(watched.seed), ranks,
                         static_cast<unsigned long long>(at.step.load()), rank, lane, at.family.load(),
                         at.ranks.load(), at.what.load());
}

void say_place(const char* kind, int lane, const char* more) {
    char text[512];
    int length = describe(text, sizeof text, kind, lane);
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), "%s, pid %ld\n",
                            more, static_cast<long>(getpid()));
    say(text, length);
}

void say_more(const char* kind, const char* format, va_list arguments) {
    char text[2048];
    constexpr int last = sizeof text - 1;
    int length = describe(text, sizeof text, kind, own_lane);
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), ": ");
    length +=
        std::vsnprintf(text + length, sizeof text - static_cast<std::size_t>(length), format, arguments);
    if (length > last) length = last;
    text[length] = '\n';
    say(text, length + 1);
}

// Each second, in whatever thread. Timers are a disturbance that real programs have, too. A rank that hangs
// goes on for the seconds of grace, so that its stacks show whether it still does something.
void look_for_hang(int) {
    static std::uint64_t last[most_lanes];
    static int idle[most_lanes];
    const int error = errno;
    for (int lane = 0; lane < lanes_in_use; ++lane) {
        const auto progress = places[lane].progress.load();
        idle[lane] = progress == last[lane] ? idle[lane] + 1 : 0;
        last[lane] = progress;
        if (idle[lane] == watched.hang) say_place("HANGS", lane, "");
        if (idle[lane] >= watched.hang + watched.grace) _exit(3);
    }
    errno = error;
}

// The MPI's own handler, or the default, has its turn afterwards.
void say_crash(int number) {
    char more[32];
    std::snprintf(more, sizeof more, ", signal %d", number);
    say_place("CRASHED", own_lane, more);
    sigaction(number, &before[number], nullptr);
    raise(number);
}

void set_timer(int seconds) {
    const struct itimerval each = {{seconds, 0}, {seconds, 0}};
    setitimer(ITIMER_REAL, &each, nullptr);
}

} // namespace

Place& place() {
    return places[own_lane];
}

void take_lane(int lane) {
    own_lane = lane;
}

void start_watching(const Options& options, int world_rank, int world_ranks) {
    watched = options;
    rank = world_rank;
    ranks = world_ranks;
    lanes_in_use = static_cast<int>(options.threads);
    struct sigaction crash = {};
    crash.sa_handler = say_crash;
    for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
        sigaction(number, &crash, &before[number]);
    struct sigaction tick = {};
    tick.sa_handler = look_for_hang;
    tick.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &tick, nullptr);
    set_timer(1);
}

void stop_watching() {
    set_timer(0);
}

void tell(const char* format, ...) {
    if (watched.tell == 0) return;
    va_list arguments;
    va_start(arguments, format);
    say_more("AT", format, arguments);
    va_end(arguments);
}

void fail(const char* format, ...) {
    if (failures.fetch_add(1) >= most_lines) return;
    va_list arguments;
    va_start(arguments, format);
    say_more("FAILED", format, arguments);
    va_end(arguments);
}

bool has_failed() {
    return failures.load() > 0;
}

void must(int code, const char* function) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    fail("%s gave error %d, %s", function, code, text);
}

} // namespace stress
