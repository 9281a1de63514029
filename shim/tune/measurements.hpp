// All measurements so far: of this run, and of earlier runs in its journal.
#pragma once

#include "candidate.hpp"
#include "noise.hpp"

#include <map>
#include <vector>

namespace switchyard::shim::tune {

// One candidate at one point in one pass. A line of the journal.
struct Measurement {
    Point point;
    Candidate candidate; // or the agreement
    int pass = 1;
    std::vector<double> ratios; // time / native's time, of each iteration
    double from_first = 0; // time / native's time of as many calls as the application makes; 0: not known
    double median_us = 0, native_us = 0;
    double seconds_per_iteration = 0; // of the benchmark, with its barrier
    std::size_t largest_block = 0;    // bytes from any rank to another
};

// A candidate at a point, over all passes.
struct Record {
    std::vector<double> ratios;
    int last_pass = 0;
    double median_us = 0, native_us = 0, seconds_per_iteration = 0; // of the last pass
    Estimate estimate;
};

class Measurements {
  public:
    explicit Measurements(bool exact) : exact_(exact) {}

    void add(const Measurement& measurement);
    const Record* find(const Point& point, const Candidate& candidate) const;
    // Without the agreement. Empty: nothing was measured there.
    const std::map<Candidate, Record>& at(const Point& point) const;
    // Time of the agreement / native's time. 0: not measured.
    double agreement(const Point& point) const;
    int last_pass(const Point& point) const; // 0: none
    std::size_t largest_block(const Point& point) const;
    std::size_t count() const { return count_; }
    bool are_exact() const { return exact_; } // simulated or predicted, without noise

  private:
    struct AtPoint {
        std::map<Candidate, Record> records;
        std::vector<double> agreement;
        int last_pass = 0;
        std::size_t largest_block = 0;
    };

    bool exact_;
    std::size_t count_ = 0;
    std::map<Point, AtPoint> points_;
};

} // namespace switchyard::shim::tune
