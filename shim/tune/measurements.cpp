#include "measurements.hpp"

#include <algorithm>

namespace switchyard::shim::tune {

void Measurements::add(const Measurement& measurement) {
    ++count_;
    AtPoint& at = points_[measurement.point];
    at.last_pass = std::max(at.last_pass, measurement.pass);
    at.largest_block = std::max(at.largest_block, measurement.largest_block);
    if (measurement.candidate == Candidate::agreement()) {
        at.agreement.insert(at.agreement.end(), measurement.ratios.begin(), measurement.ratios.end());
        return;
    }
    Record& record = at.records[measurement.candidate];
    record.ratios.insert(record.ratios.end(), measurement.ratios.begin(), measurement.ratios.end());
    record.last_pass = std::max(record.last_pass, measurement.pass);
    record.median_us = measurement.median_us;
    record.native_us = measurement.native_us;
    record.seconds_per_iteration = measurement.seconds_per_iteration;
    record.estimate = estimate_of(record.ratios, exact_);
}

const Record* Measurements::find(const Point& point, const Candidate& candidate) const {
    const auto& records = at(point);
    const auto found = records.find(candidate);
    return found == records.end() ? nullptr : &found->second;
}

const std::map<Candidate, Record>& Measurements::at(const Point& point) const {
    static const std::map<Candidate, Record> nothing;
    const auto found = points_.find(point);
    return found == points_.end() ? nothing : found->second.records;
}

double Measurements::agreement(const Point& point) const {
    const auto found = points_.find(point);
    if (found == points_.end() || found->second.agreement.empty()) return 0;
    return estimate_of(found->second.agreement, exact_).ratio;
}

int Measurements::last_pass(const Point& point) const {
    const auto found = points_.find(point);
    return found == points_.end() ? 0 : found->second.last_pass;
}

std::size_t Measurements::largest_block(const Point& point) const {
    const auto found = points_.find(point);
    return found == points_.end() ? 0 : found->second.largest_block;
}

} // namespace switchyard::shim::tune
