#include "pool.hpp"

#include "run_sentences.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

namespace switchyard::shim::report {

namespace {

std::string name_of(const std::string& directory) {
    return shown(std::filesystem::path(directory).filename().string());
}

// A run whose facts are read, and whose calls are not yet.
struct Opened {
    log::LoggedRun log;
    RunFacts facts;
};

// The time until somebody killed a run says nothing.
RunFigures figures_of(const Profile& run) {
    if (run.run.partial) return {run.run.started};
    return {run.run.started, run.run.wall_us, run.per_rank(run.rank_us.whole),
            run.per_rank(run.rank_us.agree), run.per_rank(rank_us_of(run.run.counted))};
}

// Adds up runs of one program with one number of ranks.
class PoolBuilder {
  public:
    explicit PoolBuilder(RunFacts first) { pool_.sum.run = std::move(first); }

    bool is_for(const RunFacts& run) const { return pool_.is_of(run); }
    void add(const Profile& run, bool with_name) {
        sums_.add(run);
        pool_.runs.push_back(figures_of(run));
        commands_.insert(run.run.command_line);
        policies_.insert(run.run.policy);
        dropped_ += run.run.dropped;
        for (const auto& damage : damage_of(run))
            pool_.remarks.push_back(with_name ? name_of(run.run.directory) + ": " + damage : damage);
    }
    Pool take() {
        auto facts = std::move(pool_.sum.run);
        facts.wall_us = pool_.wall_us();
        facts.calls_seen = 0; // of one run
        facts.dropped = dropped_;
        pool_.sum = sums_.take(std::move(facts));
        differ(commands_.size(), "command lines");
        differ(policies_.size(), "policies");
        return std::move(pool_);
    }

  private:
    void differ(std::size_t number, std::string_view what) {
        if (number > 1)
            pool_.remarks.push_back(formatted(
                "the runs have {} different {}; only those of the first run are named", number, what));
    }

    Pool pool_;
    ProfileBuilder sums_;
    std::set<std::string> commands_, policies_;
    std::uint64_t dropped_ = 0;
};

class Folder {
  public:
    explicit Folder(const std::string& path) : directories_(runs_of(path)) { pooled_.path = path; }

    PooledFolder take() && {
        for (const auto& directory : directories_) attempt(directory, [&] { open(directory); });
        for (const auto& run : opened_)
            if (!is_left_out(run)) attempt(run.log.directory, [&] { read(run); });
        if (builders_.empty())
            throw std::runtime_error("no run of " + pooled_.path +
                                     " can be read: " + pooled_.remarks.front());
        for (auto& builder : builders_) pooled_.pools.push_back(builder.take());
        return std::move(pooled_);
    }

  private:
    bool is_one() const { return directories_.size() == 1; }

    // If there are other runs, a run that cannot be read does not end the comparison.
    template <typename Step>
    void attempt(const std::string& directory, const Step& step) {
        try {
            step();
        } catch (const std::runtime_error& error) {
            if (is_one()) throw;
            pooled_.remarks.push_back(
                formatted("{} is left out: {}", name_of(directory), shown(error.what(), 300)));
        }
    }

    void open(const std::string& directory) {
        auto run = log::open_run(directory);
        auto facts = facts_of(run);
        opened_.push_back({std::move(run), std::move(facts)});
    }

    bool is_left_out(const Opened& run) {
        const auto& facts = run.facts;
        const bool is_killed = facts.partial && std::ranges::any_of(opened_, [&](const Opened& other) {
                                   return !other.facts.partial &&
                                          (facts.program.empty() || (other.facts.program == facts.program &&
                                                                     other.facts.ranks == facts.ranks));
                               });
        if (is_killed)
            pooled_.remarks.push_back(name_of(facts.directory) +
                                      " is left out: PARTIAL, it did not reach MPI_Finalize");
        return is_killed;
    }

    void read(const Opened& run) {
        const auto profile = read_profile(run.log);
        auto found = std::ranges::find_if(builders_, [&](const auto& one) { return one.is_for(run.facts); });
        if (found == builders_.end()) found = builders_.emplace(found, run.facts);
        found->add(profile, !is_one());
    }

    std::vector<std::string> directories_;
    std::vector<Opened> opened_;
    std::vector<PoolBuilder> builders_;
    PooledFolder pooled_;
};

} // namespace

double Pool::wall_us() const {
    double sum_of_all = 0;
    for (const auto& run : runs) {
        if (run.wall_us <= 0) return 0;
        sum_of_all += run.wall_us;
    }
    return sum_of_all;
}

PooledFolder pool_runs(const std::string& path) {
    return Folder(path).take();
}

Pool pool_of(Profile run) {
    Pool pool;
    pool.runs = {figures_of(run)};
    pool.remarks = damage_of(run);
    pool.sum = std::move(run);
    return pool;
}

} // namespace switchyard::shim::report
