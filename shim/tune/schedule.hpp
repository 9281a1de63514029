// What to measure next. It follows only from the measurements, so a stopped run continues where it was.
#pragma once

#include "measurements.hpp"

#include <optional>
#include <vector>

namespace switchyard::shim::tune {

// One measurement of the benchmark: native and the candidates in turn.
struct Work {
    Point point;
    std::vector<Candidate> candidates;
    int pass = 1;
    int iterations = 1, warmup = 0;
    double time_limit = 0; // seconds for each candidate; 0: none
    double seconds = 0;    // estimated; 0: unknown
};

// What an evaluation costs. Where it is costly, as in a simulation, a search begins with coarse_candidates_of() and
// goes on from the best one.
enum class Evaluations { cheap, costly };

// Successive halving: all candidates, then the better half, and so on. Exact times have no noise, so each candidate
// is evaluated once. Either way combinations_for() the shape are added when the first candidates of all its sizes
// are known.
class Halving {
  public:
    Halving(std::vector<Point> points, const Measurements& measurements,
            Evaluations evaluations = Evaluations::cheap);

    // The next pass: a work for each point that is not settled, the heaviest point first. Empty: all are
    // settled. `seconds`: left for this pass and all later ones. `launch_seconds`: what a launch takes
    // without its measurements.
    std::vector<Work> next(double seconds, double launch_seconds) const;

    // The candidates that are still open at a point: all before the first pass, none where the point is
    // settled.
    std::vector<Candidate> open_at(const Point& point) const;
    // Passes until one candidate is left at each point, the next pass included.
    int passes_left() const;

  private:
    std::vector<Candidate> first_candidates(const Shape& shape) const;
    std::vector<Candidate> survivors(const Point& point) const;
    bool is_settled(const Point& point, const std::vector<Candidate>& survivors) const;
    std::optional<Candidate> kept_for_all_sizes(const Point& point) const;
    std::vector<Candidate> combinations_due(const Point& point) const;
    std::vector<Candidate> steps_from_best(const Point& point) const;
    std::vector<Candidate> missing(const std::vector<Candidate>& wanted, const Point& point) const;
    void give_time(Work& work, double seconds) const;
    double seconds_per_iteration(const Work& work) const;

    std::vector<Point> points_;
    const Measurements& measurements_;
    Evaluations evaluations_;
};

} // namespace switchyard::shim::tune
