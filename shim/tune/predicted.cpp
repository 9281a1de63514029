#include "predicted.hpp"

#include "candidates.hpp"
#include "combine.hpp"
#include "refuse.hpp"

#include "policy/admissible.hpp"
#include "shim/predict/predict.hpp"

#include <set>
#include <stdexcept>

namespace switchyard::shim::tune {

namespace {

constexpr std::size_t predicted_settings = 3;

bench::Distribution distribution_of(const Point& point) {
    const auto parsed = bench::parse_distribution(point.distribution);
    if (const auto* problem = parsed.error()) throw std::runtime_error("--distribution: " + *problem);
    return parsed.value();
}

// One point's times, as the benchmark would report them.
class PointTimes {
  public:
    PointTimes(const predict::Machine& machine, const Point& point)
        : point_(point), predictor_(machine, {point.shape.collective, point.shape.of_group(),
                                              distribution_of(point), point.max_block}),
          native_us_(us_of("native")) {}

    double ratio_of(const std::string& candidate) const { return us_of(candidate) / native_us_; }
    Measurement measurement(const std::string& candidate) const {
        const double us = candidate == agreement_name ? predictor_.agreement_us() : us_of(candidate);
        Measurement measurement;
        measurement.point = point_;
        measurement.candidate = candidate;
        measurement.ratios = {us / native_us_};
        measurement.median_us = us;
        measurement.native_us = native_us_;
        measurement.seconds_per_iteration = us * 1e-6;
        measurement.largest_block = static_cast<std::size_t>(predictor_.largest_block());
        return measurement;
    }

  private:
    double us_of(const std::string& candidate) const {
        const policy::Use use = use_of(point_.shape.collective, candidate);
        policy::Choice choice;
        choice.algorithm = algorithms::find(point_.shape.collective, use.algorithm);
        choice.parameters =
            policy::resolve(*choice.algorithm, use, point_.shape.of_group(), point_.max_block);
        return predictor_.of(choice).us();
    }

    const Point point_;
    const predict::Predictor predictor_;
    const double native_us_;
};

void add_if_faster(const PointTimes& times, const std::string& candidate, Measurements& measurements) {
    const Measurement measurement = times.measurement(candidate);
    if (measurement.ratios.front() <= most_predicted_ratio) measurements.add(measurement);
}

std::vector<Point> points_of_shape(const std::vector<Point>& points, const Shape& shape) {
    std::vector<Point> of_shape;
    for (const Point& point : points)
        if (point.shape == shape) of_shape.push_back(point);
    return of_shape;
}

} // namespace

void predict_points(const predict::Machine& machine, const std::vector<Point>& points,
                    Measurements& measurements) {
    std::set<Shape> shapes;
    for (const Point& point : points) {
        const PointTimes times(machine, point);
        shapes.insert(point.shape);
        if (!traits_of(point.shape.collective).block_is_known())
            measurements.add(times.measurement(agreement_name));
        for (const std::string& candidate : candidates_of(point.shape))
            add_if_faster(times, candidate, measurements);
    }
    for (const Shape& shape : shapes) {
        const auto combinations = combinations_for(shape, points, measurements, predicted_settings);
        for (const Point& point : points_of_shape(points, shape)) {
            const PointTimes times(machine, point);
            for (const std::string& candidate : combinations)
                if (measurements.find(point, candidate) == nullptr)
                    add_if_faster(times, candidate, measurements);
        }
    }
}

std::vector<Ruling> predicted_rules(const predict::Machine& machine, const std::vector<Point>& points,
                                    const Measurements& measurements) {
    Refusals refusals;
    while (true) {
        auto rules = rules_of(points, measurements, refusals);
        const std::size_t before = refusals.shapes.size();
        for (const Point& point : points_beyond(rules, points))
            if (PointTimes(machine, point).ratio_of(candidate_at(rules, point)) > 1)
                refusals.shapes.insert(point.shape);
        if (refusals.shapes.size() == before) return rules;
    }
}

} // namespace switchyard::shim::tune
