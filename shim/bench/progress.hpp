// A progress bar on stderr, if stderr is a terminal.
#pragma once

#include <string>

namespace switchyard::bench {

class Progress {
  public:
    // Shows nothing unless `wanted` and stderr is a terminal.
    Progress(bool wanted, int steps);
    ~Progress(); // wipes the bar
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void step(const std::string& what);
    // Shows a share of the whole, 0 to 1, instead of steps.
    void show(double share, const std::string& what);

  private:
    void draw(int percent, const std::string& what);

    bool shown_;
    int steps_, done_ = 0, percent_ = -1;
    std::string text_;
};

} // namespace switchyard::bench
