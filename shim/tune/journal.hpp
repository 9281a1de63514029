// Every measurement at once on disk, as JSON lines, so that a run that is stopped loses nothing and the same
// command goes on from there.
#pragma once

#include "bench_run.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// What measurements must have in common to be put together.
struct JournalHead {
    Place place;          // all but its date
    std::string platform; // "" or the simulated machine
    std::vector<Point> points;
};

class Journal {
  public:
    // Reads what is there. Throws std::runtime_error with a sentence for people where it cannot be read, or is
    // of other circumstances.
    Journal(std::filesystem::path file, JournalHead head, Measurements& measurements);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    // Throws std::runtime_error where it cannot be written.
    void add(const Measurement& measurement);
    void add_seconds(double seconds); // that tuning took

    const std::filesystem::path& file() const { return file_; }
    double seconds_before() const { return seconds_; } // that earlier runs took

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
