#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace switchyard::bench {

namespace {

constexpr int width = 30;

} // namespace

Progress::Progress(bool wanted, int steps)
    : shown_(wanted && isatty(STDERR_FILENO) == 1), steps_(std::max(steps, 1)) {}

Progress::~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::step(const std::string& what) {
    ++done_;
    const int percent = static_cast<int>(100L * done_ / steps_);
    if (!shown_ || percent == percent_) return;
    percent_ = percent;
    draw(percent, what);
}

void Progress::show(double share, const std::string& what) {
    const int percent = std::clamp(static_cast<int>(100 * share), 0, 100);
    if (!shown_ || (percent == percent_ && what == text_)) return;
    percent_ = percent;
    text_ = what;
    draw(percent, what);
}

void Progress::draw(int percent, const std::string& what) {
    std::string bar(static_cast<std::size_t>(width * percent / 100), '#');
    bar.resize(width, '.');
    std::fprintf(stderr, "\r[%s] %3d %% %s\033[K", bar.c_str(), percent, what.c_str());
    std::fflush(stderr);
}

} // namespace switchyard::bench
