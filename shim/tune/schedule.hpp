// What to measure next: successive halving. It follows only from the measurements, so a stopped
// run continues where it was.
#pragma once

#include "measurements.hpp"

#include <string>
#include <vector>

namespace switchyard::shim::tune {

// One measurement of the benchmark: native and the candidates in turn.
struct Work {
    Point point;
    std::vector<std::string> candidates;
    int pass = 1;
    int iterations = 1, warmup = 0;
    double time_limit = 0; // seconds for each candidate; 0: none
    double seconds = 0;    // estimated; 0: unknown
};

class Halving {
  public:
    Halving(std::vector<Point> points, const Measurements& measurements);

    // The next pass: a work for each point that is not settled, the heaviest point first. Empty: all are
    // settled. `seconds`: left for this pass and all later ones. `launch_seconds`: what a launch takes
    // without its measurements.
    std::vector<Work> next(double seconds, double launch_seconds) const;

    // The candidates that are still open at a point: all before the first pass, none where the point is
    // settled. The second pass has combinations_for() the shape, too.
    std::vector<std::string> open_at(const Point& point) const;
    // How many candidates the second pass adds at a point, at most.
    std::size_t most_combinations(const Shape& shape) const;
    // Passes until one candidate is left at each point, the next pass included.
    int passes_left() const;

  private:
    std::vector<std::string> survivors(const Point& point) const;
    bool is_settled(const Point& point, const std::vector<std::string>& survivors) const;
    std::string kept_for_all_sizes(const Point& point) const;
    std::vector<std::string> combinations_due(const Point& point) const;
    double seconds_per_iteration(const Point& point, const std::vector<std::string>& candidates) const;

    std::vector<Point> points_;
    const Measurements& measurements_;
};

} // namespace switchyard::shim::tune
