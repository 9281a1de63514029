// Which rule of a policy takes each call of a log. The code that decides at run time decides here.
#pragma once

#include "profile.hpp"

#include "policy/match.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace switchyard::shim::report {

// The features of a call; nothing where this version does not know the collective. A log does not say whether the ranks
// of a node can share memory; here they can. The MPI counts as GPU-aware at calls whose device buffers it took directly.
std::optional<policy::Features> features_of(const Call& call);

// Calls of one kind that get the same choice from the policy.
struct PolicyGroup {
    CallKind kind;                   // with the algorithm that ran
    std::optional<std::size_t> rule; // of the policy, from 0; nothing: `otherwise`, or no rule could run
    std::string algorithm;           // the one that would run, with all its parameters
    std::string transfer;            // of device buffers; "" for host buffers
    std::string reason;              // as in a log
    std::uint64_t calls = 0;
    double rank_us = 0;
    bool changes() const; // another algorithm would run than did, or other parameters
};

struct IdleRule {
    std::size_t rule;
    std::string why; // it does not fire at the calls that cost most
};

class PolicyOnLog {
  public:
    explicit PolicyOnLog(const policy::Policy& policy) : policy_(policy) {}
    void add(const Call& call);

    std::vector<PolicyGroup> groups() const; // the most time first
    std::vector<IdleRule> idle_rules() const;

  private:
    // Calls of one kind share a shortlist. They make several groups where their blocks lie on both sides of a rule's
    // bound.
    struct Kind {
        policy::Features call; // the first of them
        std::shared_ptr<const policy::Shortlist> shortlist;
        std::map<std::pair<std::size_t, std::size_t>, PolicyGroup>
            groups; // by chosen candidate and skipped candidate
        double rank_us = 0;
    };
    Kind& kind_of(const Call& call, const policy::Features& features);
    PolicyGroup group_of(const Call& call, const Kind& kind, const policy::Match& match) const;
    std::string why_idle(std::size_t rule) const;

    const policy::Policy& policy_;
    std::unordered_map<CallKind, Kind, CallKindHash> kinds_;
    std::vector<PolicyGroup> unknown_; // collectives that this version does not know
};

} // namespace switchyard::shim::report
