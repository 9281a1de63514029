// A policy as one kind of communicator sees it, with the log's number for every outcome. Communicators of one
// kind share a plan: a program that makes and frees them in a loop must not make anything grow.
#pragma once

#include "policy/match.hpp"
#include "shim/back_end/process/process.hpp"

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace switchyard::shim {

using algorithms::Collective;

// How a call's send and receive buffers lie: apart, one for both (MPI_IN_PLACE), or overlapping on some rank,
// which MPI forbids.
enum class Buffers : std::uint8_t { separate, in_place, overlapping };
inline constexpr std::size_t buffers_count = 3;

class Plan {
  public:
    Plan(Collective collective, policy::Shortlist shortlist)
        : collective_(collective), shortlist_(std::move(shortlist)),
          has_one_candidate_(shortlist_.candidates.size() == 1) {}
    ~Plan();
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    Collective collective() const { return collective_; }
    const policy::Shortlist& shortlist() const { return shortlist_; }
    const policy::Choice& choice(const policy::Match& match) const {
        return shortlist_.candidates[match.candidate].choice;
    }
    bool always_native() const { return shortlist_.always_native; }
    bool has_one_candidate() const { return has_one_candidate_; }

    // Whether its calls look at something that a rank does not know by itself.
    bool asks_others() const;
    // Whether a candidate that may run here uses memory that the ranks of a node share.
    bool uses_shared_memory() const;
    // Whether a candidate that may run here looks at the edges of other ranks.
    bool knows_edges() const;

    // The log's number for this outcome. The log is told its meaning when it first happens.
    std::uint32_t decision(Process& self, const policy::Match& match) {
        const auto* known = find(match);
        return known != nullptr ? known->number : add_decision(self, match);
    }

  private:
    struct Decision {
        policy::Match match;
        std::uint32_t number;
        Decision* next;
    };
    const Decision* find(const policy::Match& match) const {
        const auto* decision = decisions_.load(std::memory_order_acquire);
        while (decision != nullptr && !(decision->match == match)) decision = decision->next;
        return decision;
    }
    std::uint32_t add_decision(Process& self, const policy::Match& match);

    Collective collective_;
    policy::Shortlist shortlist_;
    bool has_one_candidate_;
    std::atomic<Decision*> decisions_{nullptr}; // only ever added to, so looking needs no lock
};

// The plans of a process, one for each kind of communicator seen so far.
class Plans {
  public:
    explicit Plans(const Process& process) : process_(process) {}

    // `only_native`: why nothing can be routed on the communicator, as the log's reason; null if
    // something can. May throw.
    std::shared_ptr<Plan> of(const policy::FixedFeatures& fixed, const char* only_native);

  private:
    // Communicators with the same key share their plans.
    struct Key {
        policy::FixedFeatures fixed;
        std::string only_native; // "" where something can be routed
        auto operator<=>(const Key&) const = default;
    };

    const Process& process_;
    std::mutex mutex_;
    std::map<Key, std::shared_ptr<Plan>> plans_;
};

} // namespace switchyard::shim
