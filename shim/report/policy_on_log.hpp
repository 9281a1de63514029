// A policy asked about every call of a log: which rule takes it, with the code that decides at run time.
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

// What of a call a policy looks at; nothing where this version knows no such collective. Whether the ranks of
// a node can share memory no log tells: one hopes. Whether the MPI takes device buffers it tells where some went
// to it directly, else they are taken not to.
std::optional<policy::Features> features_of(const Call& call);

// Calls of one kind that the policy would treat alike.
struct PolicyGroup {
    CallKind kind;                   // with what ran when the log was written
    std::optional<std::size_t> rule; // of the policy, from 0; none: `otherwise`, or nothing could run
    std::string algorithm;           // that would run, with all its parameters
    std::string transfer;            // of device buffers; "" for none
    std::string reason;              // as the log would have it
    std::uint64_t calls = 0;
    double rank_us = 0;
    bool changes() const; // something else runs than did, or with other parameters
};

struct IdleRule {
    std::size_t rule;
    std::string why; // at the calls that cost most
};

class PolicyOnLog {
  public:
    explicit PolicyOnLog(const policy::Policy& policy) : policy_(policy) {}
    void add(const Call& call);

    std::vector<PolicyGroup> groups() const; // the most time first
    std::vector<IdleRule> idle_rules() const;

  private:
    // All calls of a kind share a shortlist; where their blocks lie on both sides of a rule's bound, not a group.
    struct Kind {
        policy::Features call; // of the first of them
        std::shared_ptr<const policy::Shortlist> shortlist;
        std::map<std::pair<std::size_t, std::size_t>, PolicyGroup>
            groups; // by candidate and the one passed over
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
