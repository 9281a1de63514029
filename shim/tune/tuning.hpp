// The whole of `switchyard tune`: measures in passes, makes rules, proves them under the
// shim, writes the policy.
#pragma once

#include "bench_run.hpp"
#include "journal.hpp"
#include "machine.hpp"
#include "rules.hpp"
#include "stopped.hpp"
#include "write.hpp"

#include "shim/bench/progress.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace switchyard::shim::tune {

class Tuning {
  public:
    // `budget`: seconds for this run and the earlier runs in the journal together. `journal`: null if nothing
    // has to be kept.
    Tuning(Machine machine, std::vector<Point> points, Journal* journal, Measurements& measurements,
           Place place, double budget, double launch_seconds);

    // What explore() and prove() would do, as text.
    std::string plan() const;
    // The least that `budget` may be, in seconds.
    double least_budget() const;

    // Measures until the order is clear or the budget is spent. Throws Stopped, or std::runtime_error with a
    // sentence for people.
    void explore();
    // Makes rules that hold under the shim, and puts the figures measured there into `circumstances`.
    std::vector<Ruling> prove(const std::filesystem::path& policy, Circumstances& circumstances);
    // The result for people: native and the policy at each point.
    std::string table(const std::vector<Ruling>& rules) const;
    // Makes the calls of these points under the shim with this policy, beside native.
    void verify(const std::filesystem::path& policy, const std::vector<Point>& points, double seconds_for_it);
    const std::map<Point, Measurement>& verified() const { return verified_; }
    std::map<Point, Proof> proofs() const; // of the points that were verified
    double seconds() const;                // spent so far
    double seconds_left() const { return budget_ - seconds(); }

  private:
    using Clock = std::chrono::steady_clock;

    Halving halving() const;
    void run(const std::vector<Work>& works);
    // False: no time was left for all works.
    bool measure(const std::vector<std::string>& words, const std::vector<Work>& works, double time_limit,
                 const std::string& what, const std::function<void(const Measurement&)>& take);
    std::vector<Work> verification(const std::vector<Point>& points, double seconds_for_it) const;
    void change(std::vector<Ruling>& rules, const Refusals& refusals);
    void show(const std::string& what);
    bool is_simulated() const { return !machine_.platform.empty(); }

    Machine machine_;
    std::vector<Point> points_;
    Journal* journal_;
    Measurements& measurements_;
    Place place_;
    double budget_, launch_seconds_;
    Clock::time_point start_ = Clock::now();
    bench::Progress progress_;
    std::map<Point, Measurement> verified_; // under the shim with the rules, beside native
};

} // namespace switchyard::shim::tune
