#include "tuning.hpp"

#include "duration.hpp"
#include "policy/text/lists.hpp"
#include "refuse.hpp"
#include "result_table.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace switchyard::shim::tune {

namespace {

constexpr double for_proof = 0.2; // share of the budget for the runs under the shim
constexpr int most_proofs =
    4; // runs under the shim, at most, unless a rule without bounds is still to be proved
constexpr double patience = 5; // seconds by which a launch may exceed its share of the budget

// Simulations take long, and only complete works are kept. So each part has a few candidates, and native.
std::vector<Work> parts_of(const Work& work) {
    constexpr std::size_t at_once = 8;
    std::vector<Work> parts;
    for (std::size_t i = 0; i < work.candidates.size(); i += at_once) {
        const auto end = std::min(i + at_once, work.candidates.size());
        parts.push_back(work);
        parts.back().candidates.assign(work.candidates.begin() + static_cast<std::ptrdiff_t>(i),
                                       work.candidates.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return parts;
}

} // namespace

Tuning::Tuning(Machine machine, std::vector<Point> points, Journal* journal, Measurements& measurements,
               Place place, double budget, double launch_seconds)
    : machine_(std::move(machine)), points_(std::move(points)), journal_(journal),
      measurements_(measurements), place_(std::move(place)), budget_(budget), launch_seconds_(launch_seconds),
      progress_(true, 100) {}

double Tuning::seconds() const {
    const double before = journal_ == nullptr ? 0 : journal_->seconds_before();
    return before + std::chrono::duration<double>(Clock::now() - start_).count();
}

double Tuning::least_budget() const {
    constexpr double least_for_a_point = 0.2; // seconds, for a first look at some dozens of candidates
    return std::ceil((3 * launch_seconds_ + least_for_a_point * static_cast<double>(points_.size())) /
                     (1 - for_proof));
}

Halving Tuning::halving() const {
    return Halving(points_, measurements_, is_simulated() ? Evaluations::costly : Evaluations::cheap);
}

std::string Tuning::plan() const {
    std::string text;
    std::size_t measurements = 0;
    for (const Point& point : points_) {
        const std::size_t open = halving().open_at(point).size();
        measurements += open;
        text +=
            formatted("  {:<55} {:>4} candidates{}\n", point.text(), open,
                      point.weight == 1 ? "" : formatted(", {:.1f} % of the log's time", 100 * point.weight));
    }
    const int passes = is_simulated() ? 3 : halving().passes_left();
    text += formatted("{}, {} in the first pass; about {} with one launch each",
                      text::plural(points_.size(), "point"), text::plural(measurements, "measurement"),
                      passes == 1 ? "1 pass" : formatted("{} passes", passes));
    if (is_simulated()) return text + "\nThe time of a simulation is not known beforehand.\n";
    text += formatted(", then {} to {} launches under switchyard\n", 1, most_proofs);
    text += formatted("{} at most (--budget), of which the launches themselves take {}\n",
                      duration_text(std::max(0.0, seconds_left())),
                      duration_text((passes + 1) * launch_seconds_));
    return text;
}

void Tuning::show(const std::string& what) {
    const double done = std::isfinite(budget_) ? std::min(1.0, seconds() / budget_) : 0;
    const std::string left =
        std::isfinite(budget_) ? duration_text(std::max(0.0, seconds_left())) + " left, " : std::string();
    progress_.show(done, left + what);
}

// ---- Measuring ----

void Tuning::explore() {
    const double budget = budget_ * (1 - for_proof); // leaves the proof its share
    while (true) {
        const auto works = halving().next(budget - seconds(), launch_seconds_);
        if (works.empty()) return;
        const bool begun = !measurements_.at(works.front().point).empty();
        if (begun && seconds() + 2 * launch_seconds_ > budget) return;
        const std::size_t before = measurements_.count();
        run(works);
        if (measurements_.count() == before) return; // out of time
    }
}

void Tuning::run(const std::vector<Work>& works) {
    std::vector<Work> all, ordered;
    for (Work work : works) {
        Work apart = work;
        std::erase_if(work.candidates, [&](const auto& c) { return needs_order(machine_, c); });
        std::erase_if(apart.candidates, [&](const auto& c) { return !needs_order(machine_, c); });
        if (!apart.candidates.empty()) ordered.push_back(std::move(apart));
        if (work.candidates.empty()) continue;
        if (!traits_of(work.point.shape.collective).block_is_known())
            work.candidates.push_back(Candidate::agreement());
        for (Work& part : is_simulated() ? parts_of(work) : std::vector<Work>{work})
            all.push_back(std::move(part));
    }
    const auto keep = [&](const Measurement& measurement) {
        if (journal_ != nullptr) journal_->add(measurement);
        measurements_.add(measurement);
    };
    for (const auto* group : {&all, &ordered}) {
        if (group->empty()) continue;
        const double limit = std::max(0.0, budget_ * (1 - for_proof) - seconds()) + patience;
        const bool in_time =
            measure(machine_.words(arguments_of(*group), group == &ordered), *group,
                    std::isfinite(limit) ? limit : 0, formatted("pass {}", group->front().pass), keep);
        if (!in_time && measurements_.count() == 0)
            throw std::runtime_error("the launcher was ended because it took too long");
    }
}

bool Tuning::measure(const std::vector<std::string>& words, const std::vector<Work>& works, double time_limit,
                     const std::string& what, const std::function<void(const Measurement&)>& take) {
    const auto start = Clock::now();
    const auto take_line = [&](const std::string& line, std::size_t number) {
        const auto measured = measurements_in(line, works[number]);
        if (measured)
            for (const Measurement& measurement : *measured) take(measurement);
        return measured.has_value();
    };
    const auto show_it = [&](std::size_t done) {
        show(formatted("{}: {} of {} points", what, done, works.size()));
    };
    const auto add_seconds = [&] {
        if (journal_ != nullptr)
            journal_->add_seconds(std::chrono::duration<double>(Clock::now() - start).count());
    };
    try {
        const bool in_time = ask(words, time_limit, works.size(), take_line, show_it).succeeded();
        add_seconds();
        return in_time;
    } catch (...) {
        add_seconds();
        throw;
    }
}

// ---- Under the shim ----

std::vector<Work> Tuning::verification(const std::vector<Point>& points, double seconds_for_it) const {
    std::vector<Work> works;
    const double each = std::max(0.0, seconds_for_it - launch_seconds_) / static_cast<double>(points.size());
    for (const Point& point : points) {
        double cost = 0;
        for (const auto& [candidate, record] : measurements_.at(point))
            if (record.last_pass == measurements_.last_pass(point))
                cost = std::max(cost, 2 * record.seconds_per_iteration *
                                          std::max(1.0, record.native_us / record.median_us));
        Work work;
        work.point = point;
        work.candidates = {Candidate("preloaded")};
        work.warmup = 2;
        work.iterations = cost > 0 ? static_cast<int>(std::clamp(each / cost, 10.0, 4000.0)) : 20;
        work.time_limit = std::max(each, 1e-3);
        works.push_back(std::move(work));
    }
    return works;
}

void Tuning::verify(const std::filesystem::path& policy, const std::vector<Point>& points,
                    double seconds_for_it) {
    const auto works = verification(points, seconds_for_it);
    measure(machine_.words_under(policy, arguments_of(works)), works,
            std::max(0.0, seconds_left()) + patience, "under the new policy",
            [&](const Measurement& measurement) { verified_[measurement.point] = measurement; });
}

std::vector<Ruling> Tuning::prove(const std::filesystem::path& policy, Circumstances& circumstances) {
    Refusals refusals;
    auto rules = rules_of(points_, measurements_, refusals);
    if (machine_.command.empty()) return rules;
    const std::filesystem::path trial = policy.string() + ".trial";
    std::vector<Point> all = with_points_beyond(rules, points_);
    std::vector<Point> points = all;
    const auto to_prove = circumstances.model.empty() ? ToProve::rules_without_bounds : ToProve::all_rules;
    for (int proof = 0; !points.empty(); ++proof) {
        write_policy(trial, policy_text(rules, circumstances));
        try {
            verify(trial, points, std::max(seconds_left() / 2, budget_ * for_proof / most_proofs));
        } catch (...) {
            std::filesystem::remove(trial);
            throw;
        }
        const auto changed = refuse(all, rules, verified_, refusals);
        change(rules, refusals);
        all = with_points_beyond(rules, points_);
        points.clear();
        for (const Point& point : all)
            if (changed.contains(point.shape)) points.push_back(point);
        if (seconds_left() < launch_seconds_) break;
        if (proof + 1 >= most_proofs && unproven_shapes(points_, rules, verified_, to_prove).empty()) break;
    }
    std::filesystem::remove(trial);
    refusals.shapes.merge(unproven_shapes(points_, rules, verified_, to_prove));
    change(rules, refusals);
    circumstances.verified = proofs();
    return rules;
}

std::map<Point, Proof> Tuning::proofs() const {
    std::map<Point, Proof> proofs;
    for (const auto& [point, measurement] : verified_)
        proofs[point] = {estimate_of(measurement.ratios, false), measurement.from_first};
    return proofs;
}

// What was measured under another rule says nothing about the new one.
void Tuning::change(std::vector<Ruling>& rules, const Refusals& refusals) {
    const auto before = std::exchange(rules, rules_of(points_, measurements_, refusals));
    std::erase_if(verified_, [&](const auto& entry) {
        return candidate_at(before, entry.first) != candidate_at(rules, entry.first);
    });
}

std::string Tuning::table(const std::vector<Ruling>& rules) const {
    return table_of(rules, points_, measurements_, verified_);
}

} // namespace switchyard::shim::tune
