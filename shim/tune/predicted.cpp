#include "predicted.hpp"

#include "refuse.hpp"
#include "schedule.hpp"

#include "policy/admissible.hpp"
#include "shim/predict/predict.hpp"

#include <algorithm>
#include <stdexcept>

namespace switchyard::shim::tune {

namespace {

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
          native_us_(us_of(Candidate(*algorithms::find(point.shape.collective, "native")))) {}

    double ratio_of(const Candidate& candidate) const { return us_of(candidate) / native_us_; }
    // A candidate that does not count has no ratio below 1.
    Measurement measurement(const Candidate& candidate) const {
        const bool is_agreement = candidate == Candidate::agreement();
        const double us = is_agreement ? predictor_.agreement_us() : us_of(candidate);
        const double ratio = us / native_us_;
        Measurement measurement;
        measurement.point = point_;
        measurement.candidate = candidate;
        measurement.ratios = {is_agreement || ratio <= most_predicted_ratio ? ratio : std::max(ratio, 1.0)};
        measurement.median_us = us;
        measurement.native_us = native_us_;
        measurement.seconds_per_iteration = us * 1e-6;
        measurement.largest_block = static_cast<std::size_t>(predictor_.largest_block());
        return measurement;
    }

  private:
    double us_of(const Candidate& candidate) const {
        policy::Choice choice;
        choice.algorithm = algorithms::find(point_.shape.collective, candidate.algorithm());
        choice.parameters =
            policy::resolve(*choice.algorithm, candidate.use(), point_.shape.of_group(), point_.max_block);
        return predictor_.of(choice).us();
    }

    const Point point_;
    const predict::Predictor predictor_;
    const double native_us_;
};

} // namespace

void predict_points(const predict::Machine& machine, const std::vector<Point>& points,
                    Measurements& measurements) {
    const Halving halving(points, measurements);
    for (auto works = halving.next(0, 0); !works.empty(); works = halving.next(0, 0))
        for (const Work& work : works) {
            const PointTimes times(machine, work.point);
            if (!traits_of(work.point.shape.collective).block_is_known() && work.pass == 1)
                measurements.add(times.measurement(Candidate::agreement()));
            for (const Candidate& candidate : work.candidates) measurements.add(times.measurement(candidate));
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
