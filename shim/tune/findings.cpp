#include "findings.hpp"

#include "doctor_limits.hpp"
#include "rules.hpp"

#include "policy/text/lists.hpp"
#include "shim/bench/statistics.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace switchyard::shim::tune {

namespace {

namespace limits = doctor_limits;

// A call, or several, that show how fast another call could be.
struct Witness {
    const Series* series = nullptr;
    const SurveyStep* step = nullptr;
    std::size_t calls = 1; // that move together what the other call moves

    std::size_t repetitions() const { return step->native_us.size(); }
    double us(std::size_t repetition) const {
        return static_cast<double>(calls) * step->native_us[repetition];
    }
    double us() const { return static_cast<double>(calls) * bench::median(step->native_us); }
};

// Whether each call on `larger` moves at least what the same call on `shape` moves.
bool moves_no_less(const Shape& larger, const Shape& shape) {
    return larger.collective == shape.collective && larger.ranks >= shape.ranks &&
           larger.nodes >= shape.nodes && larger.ranks_per_node >= shape.ranks_per_node;
}

// The fastest call that moves at least as much, or several smaller calls that do so together.
Witness fastest_beside(const Survey& survey, const Series& series, const SurveyStep& step) {
    Witness fastest;
    const auto compare = [&](const Witness& other) {
        if (fastest.step == nullptr || other.us() < fastest.us()) fastest = other;
    };
    for (const Series& other : survey.series) {
        if (!moves_no_less(other.shape, series.shape)) continue;
        for (const SurveyStep& candidate : other.steps)
            if (candidate.block >= step.block && &candidate != &step) compare({&other, &candidate});
    }
    for (const SurveyStep& smaller : series.steps)
        if (smaller.block < step.block && smaller.block > 0)
            compare({&series, &smaller, (step.block + smaller.block - 1) / smaller.block});
    return fastest;
}

std::string text_of_witness(const Witness& witness, const Series& series) {
    std::string text = text::plural(witness.step->block, "byte");
    if (witness.calls > 1) return formatted("{} calls of {}", witness.calls, text);
    text = "a call of " + text;
    if (witness.series != &series) text += formatted(" on {} ranks", witness.series->shape.ranks);
    return text;
}

std::optional<Reason> cliff_at(const Survey& survey, const Series& series, const SurveyStep& step) {
    const Witness witness = fastest_beside(survey, series, step);
    if (witness.step == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < std::min(step.fastest_us.size(), witness.repetitions()); ++i)
        if (step.fastest_us[i] < limits::cliff * witness.us(i) ||
            step.fastest_us[i] < limits::least_us + witness.us(i))
            return std::nullopt;
    return Reason{nullptr, step.block, bench::median(step.native_us), witness.us(),
                  text_of_witness(witness, series)};
}

std::optional<Reason> broken_at(const Guideline& guideline, const SurveyStep& step) {
    const auto found = step.over.find(guideline.contender);
    if (found == step.over.end() || found->second.empty()) return std::nullopt;
    for (std::size_t i = 0; i < std::min(step.native_us.size(), found->second.size()); ++i) {
        const double ratio = found->second[i], us = step.native_us[i];
        if (ratio < guideline.most || us - us / ratio < limits::least_us) return std::nullopt;
    }
    const double us = bench::median(step.native_us);
    return Reason{&guideline, step.block, us, us / bench::median(found->second), guideline.words};
}

std::vector<Reason> reasons_at(const Survey& survey, const Series& series, const SurveyStep& step) {
    std::vector<Reason> reasons;
    if (auto cliff = cliff_at(survey, series, step)) reasons.push_back(std::move(*cliff));
    for (const Guideline& guideline : guidelines())
        if (guideline.collective == series.shape.collective)
            if (auto broken = broken_at(guideline, step)) reasons.push_back(std::move(*broken));
    return reasons;
}

// Of each kind the worst.
void add_reason(std::vector<Reason>& reasons, const Reason& more) {
    const auto found = std::ranges::find(reasons, more.guideline, &Reason::guideline);
    if (found == reasons.end())
        reasons.push_back(more);
    else if (found->times() < more.times())
        *found = more;
}

policy::Range range_of(const Series& series, std::size_t first, std::size_t last) {
    policy::Range range;
    const auto& steps = series.steps;
    if (first > 0) range.min = bound_between(steps[first - 1].block, steps[first].block) + 1;
    range.max =
        last + 1 < steps.size() ? bound_between(steps[last].block, steps[last + 1].block) : steps[last].block;
    return range;
}

void add_findings(const Survey& survey, const Series& series, std::vector<Finding>& findings) {
    bool goes_on = false;
    std::size_t first = 0;
    for (std::size_t i = 0; i < series.steps.size(); ++i) {
        const auto reasons = reasons_at(survey, series, series.steps[i]);
        if (goes_on && reasons.empty()) findings.back().beside.push_back(series.steps[i].block);
        if (!goes_on && !reasons.empty()) {
            first = i;
            findings.push_back({series.communicator, series.shape, {}, {}, {}, {}});
            if (i > 0) findings.back().beside.push_back(series.steps[i - 1].block);
        }
        goes_on = !reasons.empty();
        if (!goes_on) continue;
        Finding& finding = findings.back();
        finding.blocks.push_back(series.steps[i].block);
        finding.range = range_of(series, first, i);
        for (const Reason& reason : reasons) add_reason(finding.reasons, reason);
    }
}

} // namespace

const Reason& Finding::worst() const {
    return *std::ranges::max_element(reasons, {}, &Reason::times);
}

std::string Finding::text() const {
    const std::string sizes = blocks.size() == 1 ? text::plural(blocks.front(), "byte")
                                                 : formatted("{} to {} bytes", blocks.front(), blocks.back());
    return shape.text() + ", blocks of " + sizes;
}

std::vector<Finding> findings_in(const Survey& survey) {
    std::vector<Finding> findings;
    std::set<Shape> seen; // two communicators may be alike
    for (const Series& series : survey.series)
        if (seen.insert(series.shape).second) add_findings(survey, series, findings);
    std::ranges::stable_sort(findings, std::greater{},
                             [](const Finding& finding) { return finding.worst().times(); });
    return findings;
}

std::vector<Finding> confirmed(const std::vector<Finding>& findings, const std::vector<Finding>& second) {
    std::vector<Finding> both;
    for (const Finding& finding : findings) {
        const bool again = std::ranges::any_of(second, [&](const Finding& other) {
            return other.shape == finding.shape &&
                   std::ranges::find(other.blocks, finding.worst().block) != other.blocks.end();
        });
        if (again) both.push_back(finding);
    }
    return both;
}

std::string text_of(const Reason& reason) {
    return formatted("{}: {} with {}, {:.1f} times as long as {} ({})",
                     reason.guideline == nullptr ? "cliff" : "guideline", time_text(reason.us),
                     text::plural(reason.block, "byte"), reason.times(), reason.beside,
                     time_text(reason.other_us));
}

std::vector<Point> points_of(const Finding& finding) {
    const auto& blocks = finding.blocks;
    std::set<std::size_t> sizes = {blocks.front(), blocks.back(), blocks[blocks.size() / 2],
                                   finding.worst().block};
    std::vector<Point> points;
    for (const std::size_t size : sizes) {
        Point point;
        point.shape = finding.shape;
        point.max_block = size;
        point.distribution = "equal";
        points.push_back(point);
    }
    return points;
}

} // namespace switchyard::shim::tune
