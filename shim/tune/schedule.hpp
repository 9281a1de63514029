// What to measure next: successive halving. Everything follows from the measurements, so that a run that was
// stopped goes on where it was.
#pragma once

#include "measurements.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::tune {

// One measurement of the benchmark: native and these in turn.
struct Work {
    Point point;
    std::vector<std::string> candidates;
    int pass = 1;
    int iterations = 1, warmup = 0;
    double time_limit = 0; // seconds for each candidate; 0: none
    double seconds = 0;    // estimated; 0: nothing is known
};

class Halving {
  public:
    Halving(std::vector<Point> points, const Measurements& measurements);

    // The next pass, one work for each point that is not settled, worth most first; empty: all are. `seconds`
    // are those left for this and all further passes, `launch_seconds` what a launch takes without measuring.
    std::vector<Work> next(double seconds, double launch_seconds) const;

    // Who is still in at a point: all of its candidates before the first pass; nobody where it is settled.
    std::vector<std::string> open_at(const Point& point) const;
    // Rounds until one candidate is left everywhere, this one included.
    int passes_left() const;

  private:
    std::vector<std::string> survivors(const Point& point) const;
    bool is_settled(const Point& point, const std::vector<std::string>& survivors) const;
    std::string kept_for_all_sizes(const Shape& shape) const;
    double seconds_per_iteration(const Point& point, const std::vector<std::string>& candidates) const;

    std::vector<Point> points_;
    const Measurements& measurements_;
};

} // namespace switchyard::shim::tune
