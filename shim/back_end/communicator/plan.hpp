// A policy as one kind of communicator sees it, with the log's number for every outcome. Communicators of the
// same shape share one: a program that makes and frees them in a loop must not make anything grow.
#pragma once

#include "policy/match.hpp"

#include <atomic>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>

namespace switchyard::shim {

struct Process;

// How a call's send and receive buffers lie: apart, one for both (MPI_IN_PLACE), or overlapping on some rank,
// which MPI forbids.
enum class Buffers : std::uint8_t { separate, in_place, overlapping };
inline constexpr std::size_t buffers_count = 3;

class Plan {
  public:
    // Communicators with the same key share their plans.
    struct Key {
        policy::FixedFeatures fixed;
        std::string only_native; // why nothing can be routed; "" where something can
        auto operator<=>(const Key&) const = default;
    };

    // `only_native`: not null on communicators where nothing can be routed, and why; the reason in the log.
    static std::shared_ptr<Plan> of(Process& self, const policy::FixedFeatures& fixed, const char* only_native);

    const policy::Shortlist& policy() const { return policy_; }
    const policy::Choice& choice(const policy::Match& match) const {
        return policy_.candidates[match.candidate].choice;
    }
    bool always_native() const { return policy_.always_native; }

    // Whether anything that may run here would use memory that the ranks of a node share.
    bool uses_shared_memory() const;

    // The log's number for that outcome; named in the log when it first happens.
    std::uint32_t decision(Process& self, const policy::Match& match);
    ~Plan();

  private:
    struct Decision {
        policy::Match match;
        std::uint32_t number;
        Decision* next;
    };
    explicit Plan(policy::Shortlist policy) : policy_(std::move(policy)) {}
    std::uint32_t add_decision(Process& self, const policy::Match& match);

    policy::Shortlist policy_;
    std::atomic<Decision*> decisions_{nullptr}; // only ever added to, so looking needs no lock
};

} // namespace switchyard::shim
