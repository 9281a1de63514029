#include "remedies.hpp"

#include "tuning.hpp"

#include "shim/common/formatted.hpp"

#include <algorithm>
#include <optional>

namespace switchyard::shim::tune {

namespace {

constexpr double for_a_point = 1; // seconds of the budget that a point needs for an order of its candidates

// The candidate's ratio at a point as a rule with bounds has it, the agreement included. Nothing: it is not
// faster than native.
std::optional<Estimate> faster_at(const Point& point, const Candidate& candidate,
                                  const Measurements& measurements) {
    const Record* record = measurements.find(point, candidate);
    if (record == nullptr) return std::nullopt;
    Estimate estimate = record->estimate;
    if (!candidate.needs_agreement()) estimate.ratio += measurements.agreement(point);
    return is_faster_than_native(estimate) ? std::optional(estimate) : std::nullopt;
}

// The rule of the candidate for the finding's range. Nothing: the candidate is not faster at each size.
std::optional<Ruling> ruling_of(const Finding& finding, const Candidate& candidate,
                                const Measurements& measurements) {
    Ruling ruling = ruling_for(finding.shape, candidate);
    ruling.blocks = finding.range;
    for (const Point& point : points_of(finding)) {
        const auto estimate = faster_at(point, candidate, measurements);
        if (!estimate) return std::nullopt;
        ruling.evidence.push_back({point, *estimate});
    }
    return ruling;
}

// The product of the ratios, so that each size counts alike.
double product_of(const Ruling& ruling) {
    double product = 1;
    for (const Evidence& evidence : ruling.evidence) product *= evidence.estimate.ratio;
    return product;
}

std::optional<Ruling> best_for(const Finding& finding, const Measurements& measurements) {
    std::optional<Ruling> best;
    for (const auto& [candidate, record] : measurements.at(points_of(finding).front())) {
        auto ruling = ruling_of(finding, candidate, measurements);
        if (ruling && (!best || product_of(*ruling) < product_of(*best))) best = std::move(ruling);
    }
    return best;
}

// A rule that makes ranks agree before a call also makes them agree before calls of the sizes beside it.
std::vector<Point> points_beside(const Finding& finding) {
    std::vector<Point> points;
    if (traits_of(finding.shape.collective).block_is_known()) return points;
    for (const std::size_t block : finding.beside) {
        points.push_back(points_of(finding).front());
        points.back().max_block = block;
    }
    return points;
}

class Remedying {
  public:
    Remedying(const std::vector<Finding>& findings, const Machine& machine, const Survey& survey,
              double seconds)
        : findings_(findings), survey_(survey), points_(points_in(findings, seconds)),
          tuning_(machine, points_, nullptr, measurements_, survey.place, seconds, survey.launch_seconds) {
        remedies_.by_finding.resize(findings.size());
    }

    Remedies find(const std::filesystem::path& trial) && {
        if (points_.empty() || tuning_.seconds_left() < tuning_.least_budget()) return std::move(remedies_);
        tuning_.explore();
        for (std::size_t i = 0; i < findings_.size(); ++i) choose(i);
        if (!rules().empty()) prove(trial);
        if (!rules().empty()) remedies_.policy = policy_text(rules(), circumstances_);
        return std::move(remedies_);
    }

  private:
    // As many of the worst findings as there is time for.
    static std::vector<Point> points_in(const std::vector<Finding>& findings, double seconds) {
        std::vector<Point> points;
        for (const Finding& finding : findings) {
            const auto more = points_of(finding);
            if (for_a_point * static_cast<double>(points.size() + more.size()) > seconds) break;
            points.insert(points.end(), more.begin(), more.end());
        }
        return points;
    }

    void choose(std::size_t i) {
        Remedy& remedy = remedies_.by_finding[i];
        if (std::ranges::find(points_, points_of(findings_[i]).front()) == points_.end()) return;
        auto ruling = best_for(findings_[i], measurements_);
        remedy.end = ruling ? Remedy::End::rule : Remedy::End::nothing_faster;
        if (ruling) remedy.ruling = std::move(*ruling);
    }

    std::vector<Ruling> rules() const {
        std::vector<Ruling> rules;
        for (const Remedy& remedy : remedies_.by_finding)
            if (remedy.end == Remedy::End::rule) rules.push_back(remedy.ruling);
        return rules;
    }

    // The calls under switchyard: drops each rule that is not faster there.
    void prove(const std::filesystem::path& trial) {
        std::vector<Point> points;
        for (std::size_t i = 0; i < findings_.size(); ++i) {
            if (remedies_.by_finding[i].end != Remedy::End::rule) continue;
            for (const auto& more : {points_of(findings_[i]), points_beside(findings_[i])})
                points.insert(points.end(), more.begin(), more.end());
        }
        circumstances_.place = survey_.place;
        write_policy(trial, policy_text(rules(), circumstances_));
        try {
            tuning_.verify(trial, points, tuning_.seconds_left());
        } catch (...) {
            std::filesystem::remove(trial);
            throw;
        }
        std::filesystem::remove(trial);
        for (std::size_t i = 0; i < findings_.size(); ++i) judge(findings_[i], remedies_.by_finding[i]);
        circumstances_.verified = tuning_.proofs();
    }

    void judge(const Finding& finding, Remedy& remedy) const {
        if (remedy.end != Remedy::End::rule) return;
        for (const Point& point : points_of(finding)) {
            const auto found = tuning_.verified().find(point);
            if (found == tuning_.verified().end()) {
                remedy.end = Remedy::End::no_time;
                return;
            }
            const Estimate estimate = tune::estimate_of(found->second.ratios, false);
            if (!is_faster_than_native(estimate)) {
                remedy.end = Remedy::End::nothing_faster;
                return;
            }
            if (point.max_block != finding.worst().block) continue;
            remedy.ratio = estimate.ratio;
            remedy.native_us = found->second.native_us;
            remedy.rule_us = found->second.median_us;
        }
    }

    const std::vector<Finding>& findings_;
    const Survey& survey_;
    const std::vector<Point> points_;
    Measurements measurements_{false};
    Tuning tuning_;
    Circumstances circumstances_;
    Remedies remedies_;
};

} // namespace

Remedies remedies_for(const std::vector<Finding>& findings, const Machine& machine, const Survey& survey,
                      double seconds, const std::filesystem::path& trial) {
    return Remedying(findings, machine, survey, seconds).find(trial);
}

} // namespace switchyard::shim::tune
