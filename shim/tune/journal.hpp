// Every measurement goes to a file of JSON lines at once. So a stopped run loses nothing, and the same
// command continues from there.
#pragma once

#include "bench_run.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// Measurements are put together only if all of this is equal.
struct JournalHead {
    Place place;          // its date may differ
    std::string platform; // the simulated machine; "": a real one
    std::vector<Point> points;
};

class Journal {
  public:
    // Reads the file if there is one. Throws std::runtime_error with a sentence for people if it cannot be
    // read, or has another head.
    Journal(std::filesystem::path file, JournalHead head, Measurements& measurements);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    // Both throw std::runtime_error if the file cannot be written.
    void add(const Measurement& measurement);
    void add_seconds(double seconds); // spent on measuring

    const std::filesystem::path& file() const { return file_; }
    double seconds_before() const { return seconds_; } // spent by earlier runs

  private:
    void read(Measurements& measurements);
    void write(const std::string& line);
    void open();

    std::filesystem::path file_;
    JournalHead head_;
    double seconds_ = 0;
    int descriptor_ = -1;
    bool is_new_ = true, ends_torn_ = false;
};

} // namespace switchyard::shim::tune
