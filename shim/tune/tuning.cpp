#include "tuning.hpp"

#include "candidates.hpp"
#include "duration.hpp"
#include "launch.hpp"
#include "policy/text/lists.hpp"
#include "refuse.hpp"
#include "result_table.hpp"
#include "search.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace switchyard::shim::tune {

namespace {

constexpr double for_proof = 0.2; // share of the budget for the runs under the shim
constexpr int proofs = 4; // runs under the shim, at most, unless a rule without bounds is still to be proved
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

std::string agreement_and(const Work& work) {
    return traits_of(work.point.shape.collective).block_is_known() ? "" : agreement_name;
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

void Tuning::add_seconds_since(Clock::time_point start) {
    if (journal_ != nullptr)
        journal_->add_seconds(std::chrono::duration<double>(Clock::now() - start).count());
}

double Tuning::least_budget() const {
    constexpr double least_for_a_point = 0.2; // seconds, for a first look at some dozens of candidates
    return std::ceil((3 * launch_seconds_ + least_for_a_point * static_cast<double>(points_.size())) /
                     (1 - for_proof));
}

std::vector<Work> Tuning::next_pass() const {
    if (is_simulated()) return next_evaluations(points_, measurements_);
    return Halving(points_, measurements_).next(budget_ * (1 - for_proof) - seconds(), launch_seconds_);
}

std::string Tuning::plan() const {
    std::string text;
    std::size_t measurements = 0;
    for (const Point& point : points_) {
        const auto candidates =
            is_simulated() ? coarse_candidates_of(point.shape) : candidates_of(point.shape);
        const std::size_t more =
            is_simulated() ? 0 : Halving(points_, measurements_).most_combinations(point.shape);
        measurements += candidates.size();
        text +=
            formatted("  {:<55} {:>4} candidates{}{}\n", point.text(), candidates.size(),
                      more == 0 ? "" : formatted(", then up to {} combinations", more),
                      point.weight == 1 ? "" : formatted(", {:.1f} % of the log's time", 100 * point.weight));
    }
    const int passes = is_simulated() ? 3 : Halving(points_, measurements_).passes_left();
    text += formatted("{}, {} in the first pass; about {} with one launch each",
                      text::plural(points_.size(), "point"), text::plural(measurements, "measurement"),
                      passes == 1 ? "1 pass" : formatted("{} passes", passes));
    if (is_simulated()) return text + "\nThe time of a simulation is not known beforehand.\n";
    text += formatted(", then {} to {} launches under switchyard\n", 1, proofs);
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
    for (auto works = next_pass(); !works.empty(); works = next_pass()) {
        if (!is_simulated() && !measurements_.at(works.front().point).empty() &&
            seconds() + 2 * launch_seconds_ > budget_ * (1 - for_proof))
            return;
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
        if (const std::string agreement = agreement_and(work); !agreement.empty())
            work.candidates.push_back(agreement);
        for (Work& part : is_simulated() ? parts_of(work) : std::vector<Work>{work})
            all.push_back(std::move(part));
    }
    if (!all.empty()) run_group(all, false);
    if (!ordered.empty()) run_group(ordered, true);
}

void Tuning::run_group(const std::vector<Work>& works, bool ordered) {
    const auto start = Clock::now();
    std::size_t done = 0, candidates = 0;
    for (const Work& work : works) candidates += work.candidates.size();
    LaunchOptions options;
    if (std::isfinite(budget_)) // leaves the proof its share
        options.time_limit = std::max(0.0, budget_ * (1 - for_proof) - seconds()) + patience;
    options.on_line = [&](const std::string& line) {
        if (done >= works.size()) return;
        const auto measured = measurements_in(line, works[done]);
        if (!measured) return;
        for (const Measurement& measurement : *measured) {
            if (journal_ != nullptr) journal_->add(measurement);
            measurements_.add(measurement);
        }
        ++done;
    };
    options.on_tick = [&] {
        show(formatted("pass {}: {} candidates, {} of {} points", works.front().pass, candidates, done,
                       works.size()));
    };
    const Launched launched = launch(machine_.words(arguments_of(works), ordered), options);
    add_seconds_since(start);
    if (launched.end == Launched::End::stopped) throw Stopped{};
    const bool late = launched.end == Launched::End::timed_out;
    if (late && measurements_.count() > 0) return; // the complete measurements count
    if (!launched.succeeded()) throw std::runtime_error("the launcher " + launched.why());
    if (done < works.size())
        throw std::runtime_error(
            formatted("the benchmark answered {} of {} measurements; it printed no line for {}", done,
                      works.size(), works[done].point.text()));
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
        work.candidates = {"preloaded"};
        work.warmup = 2;
        work.iterations = cost > 0 ? static_cast<int>(std::clamp(each / cost, 10.0, 4000.0)) : 20;
        work.time_limit = std::max(each, 1e-3);
        works.push_back(std::move(work));
    }
    return works;
}

std::map<Point, Measurement> Tuning::verify(const std::filesystem::path& policy,
                                            const std::vector<Point>& points, double seconds_for_it) {
    const auto works = verification(points, seconds_for_it);
    const auto start = Clock::now();
    std::map<Point, Measurement> found;
    std::size_t done = 0;
    LaunchOptions options;
    options.time_limit = std::max(0.0, seconds_left()) + patience;
    options.on_line = [&](const std::string& line) {
        if (done >= works.size()) return;
        const auto measured = measurements_in(line, works[done]);
        if (measured) found[works[done++].point] = measured->front();
    };
    options.on_tick = [&] { show(formatted("under the new policy: {} of {} points", done, works.size())); };
    const Launched launched = launch(machine_.words_under(policy, arguments_of(works)), options);
    add_seconds_since(start);
    if (launched.end == Launched::End::stopped) throw Stopped{};
    if (launched.end != Launched::End::timed_out && !launched.succeeded())
        throw std::runtime_error("under the new policy the launcher " + launched.why());
    return found;
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
            for (auto& [point, measurement] :
                 verify(trial, points, std::max(seconds_left() / 2, budget_ * for_proof / proofs)))
                verified_[point] = std::move(measurement);
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
        if (proof + 1 >= proofs && unproven_shapes(points_, rules, verified_, to_prove).empty()) break;
    }
    std::filesystem::remove(trial);
    refusals.shapes.merge(unproven_shapes(points_, rules, verified_, to_prove));
    change(rules, refusals);
    for (const auto& [point, measurement] : verified_)
        circumstances.verified[point] = {estimate_of(measurement.ratios, false), measurement.from_first};
    return rules;
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
