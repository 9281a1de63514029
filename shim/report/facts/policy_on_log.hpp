// Which rule of a policy takes each call of a log. The code that decides at run time decides here.
#pragma once

#include "shim/report/read/profile.hpp"

#include "policy/match.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace switchyard::shim::report {

// The features of a call; nothing if this version does not know the collective. A log does not say whether
// the ranks of a node can share memory; here we assume that they can. The MPI counts as GPU-aware at calls
// whose device buffers it took directly.
std::optional<policy::Features> features_of(const Call& call, policy::Network network);

// The network of a run, from its run.json. Logs from before it was written count as tcp.
policy::Network network_of(const RunFacts& run);

// Calls of one kind that get the same choice from the policy.
struct PolicyGroup {
    CallKind kind;                   // with the algorithm that ran
    std::optional<std::size_t> rule; // of the policy, from 0; nothing: `otherwise`, or no rule could run
    std::string algorithm;           // the one that would run, with all its parameters
    std::string transfer;            // of device buffers; "" for host buffers
    std::string reason;              // as in a log
    std::uint64_t calls = 0;
    double rank_us = 0;
    bool changes() const; // a different algorithm would run, or the same with other parameters
};

struct IdleRule {
    std::size_t rule;
    std::string why; // it does not fire: what kept out the calls that came nearest
};

class PolicyOnLog {
  public:
    // `policy` outlives this. `network`: between the nodes of the run.
    explicit PolicyOnLog(const policy::Policy& policy, policy::Network network = policy::Network::tcp);
    void add(const Call& call);

    std::vector<PolicyGroup> groups() const; // the most time first
    std::vector<IdleRule> idle_rules() const;

  private:
    // Calls of one kind share a shortlist. They make several groups if their blocks lie on both
    // sides of a rule's bound.
    struct Kind {
        policy::Features call;                              // the first of these calls
        std::size_t least_block = 0, most_block = 0;        // of all these calls
        std::unique_ptr<const policy::Shortlist> shortlist; // null: forgotten
        std::map<std::pair<std::size_t, std::size_t>, PolicyGroup>
            groups; // by chosen candidate and skipped candidate
        double rank_us = 0;
    };
    Kind& kind_of(const Call& call, const policy::Features& features); // with its shortlist
    // There may be many kinds, each with many rules left. All their shortlists together
    // would not fit in memory.
    void forget_shortlists();
    PolicyGroup group_of(const Call& call, const Kind& kind, const policy::Match& match) const;
    std::vector<const Kind*> by_cost() const; // the costliest first
    // For each idle rule some calls that meet it, the costliest first.
    std::vector<std::vector<policy::Features>> met_by(const std::vector<const Kind*>& kinds,
                                                      const std::vector<bool>& is_idle) const;
    // `calls` meet the rule. Calls that no earlier rule takes say most.
    std::string why_passed_over(std::size_t rule, const std::vector<policy::Features>& calls) const;
    std::string why_cannot_run(std::size_t rule,
                               const policy::Features& call) const; // "": an earlier rule takes it
    // The kind that meets the most conditions of the rule decides; the first of equals.
    std::string why_not_met(const policy::Rule& rule, const std::vector<const Kind*>& kinds) const;

    static constexpr std::size_t most_examples = 8;
    static constexpr std::size_t most_compared = 20'000;    // kinds, for a rule that no kind meets
    static constexpr std::size_t most_candidates = 200'000; // of all shortlists, roughly; 60 MB

    const policy::Policy& policy_;
    const policy::Network network_;
    std::size_t candidates_ = 0;
    std::unordered_map<std::string_view, std::size_t> places_; // of the rules, by name
    std::unordered_map<CallKind, Kind, CallKindHash> kinds_;
    std::unordered_map<CallKind, PolicyGroup, CallKindHash> unknown_; // of unknown collectives
};

// Reads the log once, for its sums and for the policy.
Profile read_profile(const log::LoggedRun& run, RunFacts facts, PolicyOnLog& policy);

} // namespace switchyard::shim::report
