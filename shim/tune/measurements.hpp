// Everything measured so far, of this run and of those that it goes on from.
#pragma once

#include "noise.hpp"
#include "point.hpp"

#include <map>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

// One candidate at one point in one pass: one line of the journal.
struct Measurement {
    Point point;
    std::string candidate; // or `agreement`
    int pass = 1;
    std::vector<double> ratios; // to native's time in the same iteration
    double median_us = 0, native_us = 0;
    double seconds_per_iteration = 0; // that the benchmark took for it, with the barrier before
    std::size_t largest_block = 0;    // bytes, that any rank sent to another
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
    const Record* find(const Point& point, const std::string& candidate) const;
    // By candidate, `agreement` apart; empty where nothing was measured.
    const std::map<std::string, Record>& at(const Point& point) const;
    // How much of native's time the agreement takes there; 0 where that was not measured.
    double agreement(const Point& point) const;
    int last_pass(const Point& point) const; // 0: none
    std::size_t largest_block(const Point& point) const;
    std::size_t count() const { return count_; }

  private:
    struct AtPoint {
        std::map<std::string, Record> records;
        std::vector<double> agreement;
        int last_pass = 0;
        std::size_t largest_block = 0;
    };

    bool exact_;
    std::size_t count_ = 0;
    std::map<Point, AtPoint> points_;
};

inline constexpr const char* agreement_name = "agreement";

} // namespace switchyard::shim::tune
