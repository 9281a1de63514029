// Which rule a call takes. Pruning and choosing are compared with a walk over all rules that
// is too simple to be wrong.
#include "tests/support/catch.hpp"
#include "tests/support/policy_texts.hpp"

#include "policy/admissible.hpp"
#include "policy/keys.hpp"
#include "policy/match.hpp"
#include "policy/mismatch.hpp"
#include "policy/parse.hpp"
#include "policy/prune.hpp"
#include "policy/reach.hpp"
#include "policy/reason.hpp"
#include "policy/vocabulary.hpp"

#include <algorithm>
#include <random>
#include <utility>

using namespace switchyard;
using algorithms::Parameter;
using policy::Buffer;
using policy::Collective;
using policy::Features;
using policy::PassedOver;
using policy::Policy;
using policy::Range;
using policy::Rule;
using policy::Shortlist;
using policy::Transfer;
using policy::Use;
using policy::When;
using switchyard::tests::policy_of;
using switchyard::tests::with_rules;

namespace {

Features a_call(Collective collective, int ranks, std::size_t block) {
    Features call;
    call.collective = collective;
    call.ranks = ranks;
    call.nodes = 1;
    call.ranks_per_node = ranks;
    call.max_block_bytes = block;
    return call;
}

// ---- The walk that is too simple to be wrong ----

struct Outcome {
    std::string rule;
    std::string algorithm;
    bool operator==(const Outcome&) const = default;
};

bool within(const Range& range, std::size_t value) {
    return value >= range.min && value <= range.max;
}

bool matches(const When& when, const Features& call) {
    return (!when.collective || *when.collective == call.collective) &&
           within(when.ranks, static_cast<std::size_t>(call.ranks)) &&
           within(when.nodes, static_cast<std::size_t>(call.nodes)) &&
           within(when.ranks_per_node, static_cast<std::size_t>(call.ranks_per_node)) &&
           (!when.network || *when.network == call.network) &&
           within(when.max_block_bytes, call.max_block_bytes) && within(when.total_bytes, call.total_bytes) &&
           within(when.skew, call.skew) && (!when.buffer || *when.buffer == call.buffer) &&
           (!when.in_place || *when.in_place == call.in_place);
}

// Device buffers are copied to memory of ours, whatever the MPI takes.
bool stages(const algorithms::Traits& traits, const Use& use) {
    return (use.transfer && use.transfer != Transfer::direct) || (!use.transfer && !traits.native);
}

// Equal blocks of direct_from and more are left to later rules.
bool is_left(const Use& use, const algorithms::Traits& traits, const Features& call) {
    const auto border = use.parameters[static_cast<std::size_t>(Parameter::direct_from)];
    return border && !traits.takes(Parameter::direct_from) && traits_of(call.collective).block_is_known() &&
           call.max_block_bytes >= static_cast<std::size_t>(*border);
}

bool can_run(const Use& use, const Features& call) {
    const algorithms::Traits* traits = algorithms::find(call.collective, use.algorithm);
    if (traits == nullptr || is_left(use, *traits, call)) return false;
    if (call.overlapping && !traits->native && !traits->has(algorithms::takes_overlap)) return false;
    if (traits->has(algorithms::power_of_two_ranks) && (call.ranks & (call.ranks - 1)) != 0) return false;
    if (traits->has(algorithms::shared_memory) && (call.nodes > 1 || !call.shared_memory)) return false;
    algorithms::Parameters parameters;
    for (const Parameter p : traits->parameters) {
        const auto& bounds = traits_of(p);
        parameters[p] = use.parameters[static_cast<std::size_t>(p)].value_or(preset_of(bounds, call.ranks));
        if (is_absent(bounds, parameters[p])) continue;
        if (parameters[p] < bounds.minimum || parameters[p] > maximum_of(bounds, call.ranks)) return false;
    }
    if (!policy::why_not_admissible(*traits, use.transfer).empty()) return false;
    const bool on_device = call.buffer == Buffer::device;
    if (on_device && use.transfer == Transfer::direct && !call.gpu_aware) return false;
    if (on_device && use.transfer == Transfer::ipc && !call.ipc) return false;
    if (!use.memory_limit_bytes) return true;
    std::size_t needed = 0;
    if (traits->scratch_bytes != nullptr)
        needed += traits->scratch_bytes(call.ranks, call.max_block_bytes, parameters);
    if (on_device && stages(*traits, use)) needed += call.staging_bytes;
    return needed <= *use.memory_limit_bytes;
}

Outcome first_match(const Policy& policy, const Features& call) {
    for (const Rule& rule : policy.rules)
        if (matches(rule.when, call) && can_run(rule.use, call)) return {rule.name, rule.use.algorithm};
    return {"", can_run(policy.otherwise, call) ? policy.otherwise.algorithm : "native"};
}

// ---- Random policies and calls ----

class Dice {
  public:
    explicit Dice(unsigned seed, bool knows_totals = true) : random_(seed), knows_totals_(knows_totals) {}
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

    Range range(std::uint64_t least, std::uint64_t most) {
        Range range;
        const std::uint64_t a = least + below(most - least + 1);
        const std::uint64_t b = least + below(most - least + 1);
        if (!one_in(3)) range.min = std::min(a, b);
        if (!one_in(3)) range.max = std::max(a, b);
        return range;
    }

    Use use() {
        const auto all = algorithms::all_traits();
        const algorithms::Traits& traits = all[below(all.size())];
        Use use;
        use.algorithm = traits.name;
        for (const Parameter p : traits.parameters)
            if (p == Parameter::direct_from && one_in(2)) // a block that rules tell apart
                use.parameters[static_cast<std::size_t>(p)] = static_cast<std::int64_t>(1 + below(6));
            else if (p != Parameter::direct_from && one_in(2))
                use.parameters[static_cast<std::size_t>(p)] =
                    traits_of(p).choices.empty()
                        ? std::min(traits_of(p).maximum, static_cast<std::int64_t>(2 + below(12)))
                        : static_cast<std::int64_t>(below(2));
        if (one_in(3)) use.memory_limit_bytes = below(60);
        if (one_in(3)) {
            use.transfer = static_cast<Transfer>(below(3));
            if (use.transfer == Transfer::direct && !traits.has(algorithms::moves_by_mpi_alone))
                use.transfer.reset();
            if (use.transfer == Transfer::ipc && !policy::takes(traits, Transfer::ipc)) use.transfer.reset();
        }
        return use;
    }

    Rule rule(std::size_t number) {
        Rule rule;
        rule.name = "rule " + std::to_string(number);
        rule.use = use();
        if (one_in(3)) {
            for (const auto& traits : algorithms::all_traits())
                if (traits.name == rule.use.algorithm &&
                    policy::why_not_admissible(traits, rule.use.transfer).empty())
                    rule.when.collective = traits.collective;
        }
        if (one_in(2)) rule.when.ranks = range(1, 12);
        if (one_in(3)) rule.when.nodes = range(1, 5);
        if (one_in(3)) rule.when.ranks_per_node = range(1, 5);
        if (one_in(4)) rule.when.network = static_cast<policy::Network>(below(2));
        if (one_in(2)) rule.when.max_block_bytes = range(0, 5);
        if (knows_totals_ && one_in(4)) rule.when.total_bytes = range(0, 20);
        if (knows_totals_ && one_in(4)) rule.when.skew = range(1, 4);
        if (one_in(4)) rule.when.buffer = static_cast<Buffer>(below(2));
        if (one_in(4)) rule.when.in_place = one_in(2);
        return rule;
    }

    Policy policy() {
        Policy policy;
        const std::size_t count = below(6);
        for (std::size_t i = 0; i < count; ++i) policy.rules.push_back(rule(i));
        policy.otherwise = use();
        return policy;
    }

    Features call() {
        Features call;
        call.collective = static_cast<Collective>(below(algorithms::collective_count));
        call.nodes = static_cast<int>(1 + below(6));
        call.ranks_per_node = static_cast<int>(1 + below(6));
        const int fewest = call.nodes + call.ranks_per_node - 1;
        const int most = call.nodes * call.ranks_per_node;
        call.ranks = fewest + static_cast<int>(below(static_cast<std::uint64_t>(most - fewest + 1)));
        call.network = static_cast<policy::Network>(below(2));
        call.max_block_bytes = below(8);
        call.total_bytes = below(24);
        call.skew = 1 + below(5);
        call.devices = !one_in(4);
        if (call.devices) call.buffer = static_cast<Buffer>(below(2));
        call.gpu_aware = one_in(2);
        call.ipc = one_in(2);
        call.staging_bytes = below(60);
        call.in_place = one_in(2);
        call.shared_memory = !one_in(4);
        return call;
    }

  private:
    std::mt19937 random_;
    bool knows_totals_; // rules look at them
};

bool is_merged(const Shortlist& shortlist) {
    return shortlist.candidates.front().choice.reason.starts_with("native whichever");
}

Outcome outcome_of(const Shortlist& shortlist, const Features& call) {
    const auto& choice = shortlist.candidates[policy::choose(shortlist, call).candidate].choice;
    return {choice.rule, std::string(choice.algorithm->name)};
}

// One call of each kind that rules of Dice can tell apart.
std::vector<Features> every_call() {
    std::vector<Features> calls;
    for (Features call; call.nodes <= 14; ++call.nodes)
        for (call.ranks_per_node = 1; call.ranks_per_node <= 14; ++call.ranks_per_node)
            for (call.ranks = call.nodes + call.ranks_per_node - 1;
                 call.ranks <= std::min(36, call.nodes * call.ranks_per_node); ++call.ranks)
                for (const std::size_t block : {0U, 1U, 2U, 3U, 4U, 5U, 6U}) {
                    call.max_block_bytes = block;
                    calls.push_back(call);
                }
    return calls;
}

} // namespace

TEST_CASE("communicators that differ in any fixed fact share no plan", "[match]") {
    const policy::FixedFeatures one;
    policy::FixedFeatures other;
    // With a new member this does not compile. Give the member a name here, and a line below.
    auto& [collective, ranks, nodes, ranks_per_node, network, shared_memory, in_place, overlapping, devices] =
        other;
    const auto differs_by = [&](auto& member, auto value) {
        const auto before = std::exchange(member, value);
        CHECK(other != one);
        CHECK((other < one) != (one < other));
        member = before;
        CHECK(other == one);
    };
    differs_by(collective, Collective::allgather);
    differs_by(ranks, 2);
    differs_by(nodes, 2);
    differs_by(ranks_per_node, 2);
    differs_by(network, policy::Network::rdma);
    differs_by(shared_memory, false);
    differs_by(in_place, true);
    differs_by(overlapping, true);
    differs_by(devices, false);
}

TEST_CASE("native calls with a barrier are not always native", "[match]") {
    const auto policy = policy_of(R"({"when": {"collective": "alltoallv", "max_block_bytes": {"max": 9}},
                                      "use": {"algorithm": "native", "barrier_before": true}})");
    const auto shortlist = policy::prune(policy, a_call(Collective::alltoallv, 4, 8));
    CHECK_FALSE(shortlist.always_native); // or ranks would choose alone, and some would wait for ever
    CHECK(shortlist.looks_at_block);
    CHECK(shortlist.candidates.front().choice.barrier_before);
    CHECK(policy::prune(policy, a_call(Collective::alltoall, 4, 8)).always_native);
}

TEST_CASE("skew is the largest block over the mean", "[match]") {
    CHECK(policy::skew_of(0, 3, 0) == 1);
    CHECK(policy::skew_of(10, 3, 30) == 1);
    CHECK(policy::skew_of(10, 3, 12) == 2);
    CHECK(policy::skew_of(10, 3, 10) == 3);
    CHECK(policy::skew_of(1ULL << 50, 1ULL << 31, 1ULL << 50) == 1ULL << 31);
}

TEST_CASE("each key of when is compared with the fact of its name", "[match]") {
    for (const policy::Key& key : policy::when_keys()) {
        INFO(key.name);
        Rule rule; // native, in every collective
        key.want(rule.when, policy::exactly(1));
        CHECK(key.wanted(rule.when) == policy::exactly(1));
        Features call;
        key.set(call, 1);
        CHECK(key.value(call) == 1);
        CHECK((!key.is_fixed() || key.fixed_value(call) == 1));
        CHECK(policy::is_met(rule, call));
        CHECK(policy::why_not_met(rule, call).empty());
        CHECK(policy::can_be_met(rule, call));
        key.set(call, 0);
        CHECK_FALSE(policy::is_met(rule, call));
        CHECK_FALSE(policy::why_not_met(rule, call).empty());
        CHECK(policy::can_be_met(rule, call) != key.is_fixed());
    }
}

TEST_CASE("prune and choose take the first rule that matches and can run", "[match][property]") {
    Dice dice(1);
    for (int i = 0; i < 3000; ++i) {
        const Policy policy = dice.policy();
        for (int j = 0; j < 20; ++j) {
            const Features call = dice.call();
            const Outcome expected = first_match(policy, call);
            CHECK(outcome_of(policy::all_candidates(policy, call), call) == expected);
            const Shortlist shortlist = policy::prune(policy, call);
            const Outcome found = outcome_of(shortlist, call);
            CHECK(found.algorithm == expected.algorithm);
            CHECK((is_merged(shortlist) || found == expected));
        }
    }
}

TEST_CASE("where a shortlist says that something does not matter, it does not", "[match][property]") {
    Dice dice(2);
    std::size_t never_looked = 0;
    for (int i = 0; i < 3000; ++i) {
        const Policy policy = dice.policy();
        Features call = dice.call();
        const Shortlist shortlist = policy::prune(policy, call);
        const Outcome first = outcome_of(shortlist, call);
        never_looked += shortlist.looks_at_block ? 0 : 1;
        for (int j = 0; j < 20; ++j) {
            Features other = call;
            if (!shortlist.looks_at_block) other.max_block_bytes = dice.below(8);
            if (!shortlist.looks_at_totals)
                other.total_bytes = dice.below(24), other.skew = 1 + dice.below(5);
            if (!shortlist.looks_at_buffer && call.devices) {
                other.buffer = static_cast<Buffer>(dice.below(2));
                other.gpu_aware = dice.one_in(2);
                other.ipc = dice.one_in(2);
                other.staging_bytes = dice.below(60);
            }
            CHECK(outcome_of(shortlist, other) == first);
            CHECK((!shortlist.always_native || first_match(policy, other).algorithm == "native"));
        }
        // Native calls are told apart only where their device buffers travel in different ways.
        const bool is_one =
            std::ranges::all_of(shortlist.candidates, [&](const policy::Candidate& candidate) {
                return candidate.choice.transfer == shortlist.candidates.front().choice.transfer;
            });
        CHECK_FALSE(
            (shortlist.always_native && is_one && (shortlist.looks_at_block || shortlist.looks_at_buffer)));
    }
    CHECK(never_looked > 300);
}

TEST_CASE("a rule is called unreachable exactly when no call takes it", "[match][property]") {
    Dice dice(3, false);
    const std::vector<Features> calls = every_call();
    std::size_t unreachable = 0;
    for (int i = 0; i < 120; ++i) {
        policy::Reach reach;
        Policy policy;
        for (std::size_t r = 0; r < 5; ++r) {
            policy.rules.push_back(dice.rule(r));
            Rule& rule = policy.rules.back();
            // A rule with a memory limit hides no other, so the limit lets everything through.
            if (rule.use.memory_limit_bytes)
                rule.use.memory_limit_bytes = std::numeric_limits<std::uint32_t>::max();
            const auto fires = [&](Features call) {
                for (int kind = 0; kind < 2 * static_cast<int>(algorithms::collective_count); ++kind)
                    for (const Buffer buffer : {Buffer::host, Buffer::device})
                        for (const int buffers : {0, 1, 2}) { // apart, in place, overlapping
                            call.collective = static_cast<Collective>(kind / 2);
                            call.network = static_cast<policy::Network>(kind % 2);
                            call.buffer = buffer;
                            call.gpu_aware = call.ipc = true;
                            call.in_place = buffers > 0;
                            call.overlapping = buffers == 2;
                            if (call.overlapping && policy::taking_overlap(call.collective) == nullptr)
                                continue;
                            const auto takes = [&call](const Rule& earlier) {
                                const auto* traits = algorithms::find(call.collective, earlier.use.algorithm);
                                const bool on_device = call.buffer == Buffer::device;
                                if (traits == nullptr ||
                                    (on_device && earlier.use.transfer == Transfer::direct))
                                    return false;
                                const bool sure = !earlier.use.memory_limit_bytes ||
                                                  (traits->scratch_bytes == nullptr &&
                                                   !(on_device && stages(*traits, earlier.use)));
                                if (traits->has(algorithms::shared_memory)) return false;
                                return sure && matches(earlier.when, call) && can_run(earlier.use, call);
                            };
                            if (matches(rule.when, call) && can_run(rule.use, call) &&
                                std::none_of(policy.rules.begin(), policy.rules.end() - 1, takes))
                                return true;
                        }
                return false;
            };
            const bool can_fire = std::any_of(calls.begin(), calls.end(), fires);
            const std::string why = reach.add(rule, r + 1);
            INFO(why);
            CHECK(why.empty() == can_fire);
            unreachable += can_fire ? 0 : 1;
        }
    }
    CHECK(unreachable > 15);
}

TEST_CASE("the block is looked at only where a rule that can be reached looks at it", "[match]") {
    const Policy policy = policy_of(
        R"({"name": "few", "when": {"ranks": {"max": 15}}, "use": {"algorithm": "native"}},
           {"name": "small", "when": {"collective": "alltoallv", "max_block_bytes": {"max": 512}},
            "use": {"algorithm": "tuna"}},
           {"name": "large", "when": {"collective": "alltoallv"}, "use": {"algorithm": "spread_out"}},
           {"name": "ring", "use": {"algorithm": "ring"}})");
    const Shortlist few = policy::prune(policy, a_call(Collective::alltoallv, 8, 0));
    CHECK(few.candidates.size() == 1);
    CHECK_FALSE(few.looks_at_block);
    CHECK(few.always_native);
    CHECK(policy::reason_of(few, {}) == "rule");

    const Shortlist many = policy::prune(policy, a_call(Collective::alltoallv, 16, 0));
    CHECK(many.candidates.size() == 3); // small, large, and native in case there is no memory for either
    CHECK(many.looks_at_block);
    CHECK_FALSE(many.always_native);

    const Shortlist ring = policy::prune(policy, a_call(Collective::allgather, 16, 0));
    CHECK(ring.candidates.size() == 2);
    CHECK(ring.candidates.back().choice.algorithm->native);
    CHECK_FALSE(ring.looks_at_block);
    CHECK_FALSE(ring.always_native);

    const Shortlist nothing = policy::prune(policy, a_call(Collective::alltoall, 16, 0));
    CHECK(nothing.always_native);
    CHECK(policy::reason_of(nothing, {}) == "otherwise");
}

TEST_CASE("natives by block are merged, and the log says so", "[match]") {
    const Policy policy = policy_of(
        R"({"name": "small", "when": {"max_block_bytes": {"max": 512}}, "use": {"algorithm": "tuna", "radix": 64}},
           {"name": "medium", "when": {"max_block_bytes": {"max": 5120}}, "use": {"algorithm": "native"}})");
    const Features call = a_call(Collective::alltoallv, 16, 1000);
    const Shortlist shortlist = policy::prune(policy, call);
    CHECK(shortlist.candidates.size() == 1);
    CHECK(shortlist.always_native);
    CHECK_FALSE(shortlist.looks_at_block);
    CHECK(policy::reason_of(shortlist, policy::choose(shortlist, call)) ==
          "native whichever rule matches; rule \"small\" cannot run: radix 64 is more than 16 ranks");
}

TEST_CASE("a reason in the log does not grow with the policy", "[match]") {
    std::string rules;
    for (int i = 0; i < 100; ++i) {
        const auto number = std::to_string(i);
        rules += (i > 0 ? "," : "") +
                 (R"({"name": ")" + number + R"(", "when": {"max_block_bytes": {"min": )" + number +
                  R"(, "max": )" + number + R"(}}, "use": {"algorithm": "tuna", "radix": 64}})");
    }
    const Features call = a_call(Collective::alltoallv, 16, 1000);
    CHECK(policy::reason_of(policy::prune(policy_of(rules), call), {}) ==
          "native whichever rule matches; rule \"0\" cannot run: radix 64 is more than 16 ranks; "
          "rule \"1\" cannot run: radix 64 is more than 16 ranks; "
          "rule \"2\" cannot run: radix 64 is more than 16 ranks; and 97 more");
}

TEST_CASE("what cannot run is passed over, with the reason", "[match]") {
    const Policy policy = policy_of(
        R"({"name": "wide", "when": {"collective": "alltoallv"}, "use": {"algorithm": "tuna", "radix": 64}},
           {"name": "tight", "when": {"collective": "alltoallv", "max_block_bytes": {"min": 10}},
            "use": {"algorithm": "tuna", "radix": 2, "memory_limit_bytes": 1}},
           {"name": "plain", "when": {"collective": "alltoallv", "max_block_bytes": {"min": 10}},
            "use": {"algorithm": "tuna", "radix": 2}})",
        R"({"algorithm": "pairwise"})");

    const Features at_16 = a_call(Collective::alltoallv, 16, 100);
    const Shortlist shortlist = policy::prune(policy, at_16);
    policy::Match match = policy::choose(shortlist, at_16);
    CHECK(shortlist.candidates[match.candidate].choice.rule == "plain");
    CHECK(match.why == PassedOver::blocked);
    CHECK(policy::reason_of(shortlist, match) == "rule \"wide\" passed over: radix 64 is more than 16 ranks");

    const Features at_64 = a_call(Collective::alltoallv, 64, 100);
    const Shortlist wide = policy::prune(policy, at_64);
    match = policy::choose(wide, at_64);
    CHECK(match.candidate == 0);
    CHECK(policy::scratch_bytes(wide.candidates[2].choice, at_64) > 0);
    match = policy::choose(wide, at_64, 1);
    CHECK(match.why == PassedOver::scratch_does_not_fit);
    CHECK(wide.candidates[match.candidate].choice.rule == "plain");
    CHECK(policy::reason_of(wide, match) ==
          "rule \"wide\" passed over: its workspace does not fit into the memory of every rank");
    match = policy::choose(wide, at_64, match.candidate + 1);
    CHECK(wide.candidates[match.candidate].choice.algorithm->name == "pairwise");
    CHECK(policy::choose(wide, at_64, 1000).candidate == wide.candidates.size() - 1);
}

TEST_CASE("a limit on memory is kept", "[match]") {
    const Policy policy = policy_of(R"({"name": "tight", "when": {"collective": "alltoallv"},
                                     "use": {"algorithm": "tuna", "radix": 2, "memory_limit_bytes": 5000}})");
    const Shortlist shortlist = policy::prune(policy, a_call(Collective::alltoallv, 16, 0));
    CHECK(shortlist.looks_at_block);
    CHECK(policy::choose(shortlist, a_call(Collective::alltoallv, 16, 8)).candidate == 0);
    const auto match = policy::choose(shortlist, a_call(Collective::alltoallv, 16, 100000));
    CHECK(match.candidate == 1);
    CHECK(policy::reason_of(shortlist, match) ==
          "rule \"tight\" passed over: its workspace is over memory_limit_bytes 5000");
}

Features on_nodes(int ranks, int ranks_per_node) {
    Features call = a_call(Collective::alltoallv, ranks, 0);
    call.nodes = ranks / ranks_per_node;
    call.ranks_per_node = ranks_per_node;
    call.devices = false;
    return call;
}

TEST_CASE("a use whose large blocks go directly needs no agreement", "[match]") {
    for (const std::string use :
         {R"("algorithm": "node_aware", "direct_from": 1024)",
          R"("algorithm": "node_aware", "direct_from": "auto", "memory_limit_bytes": 4000000)",
          R"("algorithm": "tuna", "direct_from": 1)"}) {
        INFO(use);
        const Policy policy =
            policy_of(R"({"name": "all sizes", "when": {"collective": "alltoallv"}, "use": {)" + use + "}}");
        const Shortlist shortlist = policy::prune(policy, on_nodes(64, 8));
        CHECK_FALSE(shortlist.looks_at_block);
        CHECK_FALSE(shortlist.looks_at_overlap);
        CHECK_FALSE(shortlist.looks_at_buffer);
        CHECK_FALSE(shortlist.always_native);
        // Each rank asks with its own block.
        const policy::Choice& choice = shortlist.candidates.front().choice;
        for (const std::size_t block : {std::size_t{0}, std::size_t{1000000}}) {
            Features call = on_nodes(64, 8);
            call.max_block_bytes = block;
            CHECK(policy::choose(shortlist, call).candidate == 0);
            CHECK(policy::scratch_bytes(choice, call) == choice.fixed_scratch_bytes);
        }
    }
    const Policy with_block =
        policy_of(R"({"name": "small", "when": {"collective": "alltoallv", "max_block_bytes": {"max": 9}},
                                         "use": {"algorithm": "tuna", "direct_from": 64}})");
    CHECK(policy::prune(with_block, on_nodes(64, 8)).looks_at_block);
}

TEST_CASE("auto is a border whose workspace fits", "[match]") {
    const auto border = [](const std::string& more, const Features& call) {
        const Policy policy = policy_of(
            R"({"name": "all sizes", "when": {"collective": "alltoallv"}, "use": {"algorithm": "node_aware", "direct_from": "auto")" +
            more + "}}");
        const Shortlist shortlist = policy::prune(policy, call);
        return shortlist.candidates.front().choice.parameters[Parameter::direct_from];
    };
    CHECK(border("", on_nodes(16, 4)) == 16384);
    CHECK(border("", on_nodes(4096, 32)) < 16384);
    const auto limited = border(R"(, "memory_limit_bytes": 300000)", on_nodes(16, 4));
    CHECK(limited < 16384);
    CHECK(limited >= 1024);
    // Parameters that cannot be are not computed with.
    for (const std::string radix : {"1", "0", "-7", "64"}) {
        const auto reading = policy::read(
            with_rules(R"({"name": "wrong", "use": {"algorithm": "tuna", "direct_from": "auto", "radix": )" +
                       radix + "}}"));
        REQUIRE(reading.value.has_value());
        CHECK(policy::prune(*reading.value, on_nodes(16, 4)).always_native);
    }
    // Where nothing fits, the rule is passed over.
    const Policy tight = policy_of(
        R"({"name": "tight", "use": {"algorithm": "node_aware", "direct_from": "auto", "memory_limit_bytes": 10}})");
    const Shortlist shortlist = policy::prune(tight, on_nodes(16, 4));
    CHECK(policy::choose(shortlist, on_nodes(16, 4)).why == policy::PassedOver::over_memory_limit);
}

TEST_CASE("a rule with direct_from is for smaller blocks where all blocks are equal", "[match]") {
    for (const auto& [given, border] : {std::pair("512", 512), {"\"auto\"", 16384}}) {
        INFO(given);
        const Policy policy = policy_of(
            std::string(
                R"({"name": "both", "use": {"algorithm": "tuna", "metadata": "separate", "direct_from": )") +
            given + "}}");
        const auto choose = [&](Collective collective, int bytes) {
            const Features call = a_call(collective, 8, static_cast<std::size_t>(bytes));
            const Shortlist shortlist = policy::prune(policy, call);
            const auto match = policy::choose(shortlist, call);
            return std::pair(shortlist.candidates[match.candidate].choice.algorithm->name,
                             policy::reason_of(shortlist, match));
        };
        CHECK(choose(Collective::alltoall, border - 1) ==
              std::pair(std::string_view("tuna"), std::string("rule")));
        const auto [algorithm, reason] = choose(Collective::alltoall, border);
        CHECK(algorithm == "native");
        CHECK(reason.find("its blocks would go directly, from " + std::to_string(border) + " bytes on") !=
              std::string::npos);
        CHECK(choose(Collective::alltoallv, border).first == "tuna");
        CHECK_FALSE(policy::prune(policy, a_call(Collective::alltoallv, 8, 0)).looks_at_block);
    }
}

TEST_CASE("a border that is no number of bytes spoils its rule", "[match]") {
    for (const std::string border : {"0", "-1", "2147483649"}) {
        INFO(border);
        const auto reading = policy::read(
            with_rules(R"({"name": "border", "use": {"algorithm": "tuna", "direct_from": )" + border + "}}"));
        REQUIRE(reading.value.has_value());
        CHECK(reading.problems.size() == 1);
        const Features call = a_call(Collective::alltoallv, 8, 100);
        const Shortlist shortlist = policy::prune(*reading.value, call);
        CHECK(shortlist.always_native);
        CHECK(policy::reason_of(shortlist, policy::choose(shortlist, call)).find("direct_from " + border) !=
              std::string::npos);
    }
}

TEST_CASE("otherwise serves the collectives that have its algorithm", "[match]") {
    const Policy policy = policy_of("", R"({"algorithm": "ring"})");
    const Shortlist allgather = policy::prune(policy, a_call(Collective::allgather, 4, 0));
    CHECK(allgather.candidates.front().choice.algorithm->name == "ring");
    CHECK_FALSE(allgather.always_native);
    const Shortlist alltoall = policy::prune(policy, a_call(Collective::alltoall, 4, 0));
    CHECK(alltoall.always_native);
    const auto match = policy::choose(alltoall, a_call(Collective::alltoall, 4, 0));
    CHECK(alltoall.candidates[match.candidate].choice.algorithm->native);
    CHECK(policy::reason_of(alltoall, match) == "otherwise passed over: alltoall has no algorithm \"ring\"");
}

TEST_CASE("a forced algorithm runs where it can", "[match][force]") {
    const auto force = policy::parse_force("alltoallv:tuna:radix=8").value();
    const Use& use = *force.by_collective[static_cast<std::size_t>(Collective::alltoallv)];
    const Features at_8 = a_call(Collective::alltoallv, 8, 100);
    const Shortlist shortlist = policy::prune(use, at_8);
    const auto match = policy::choose(shortlist, at_8);
    CHECK(policy::reason_of(shortlist, match) == "forced");
    CHECK(policy::describe(shortlist.candidates[match.candidate].choice) ==
          "tuna radix=8 metadata=fused in_flight=32");
    CHECK(shortlist.looks_at_block);

    const Features at_7 = a_call(Collective::alltoallv, 7, 100);
    const Shortlist refused = policy::prune(use, at_7);
    CHECK(refused.always_native);
    CHECK(policy::reason_of(refused, policy::choose(refused, at_7)) ==
          "forced passed over: radix 8 is more than 7 ranks");
}

TEST_CASE("shared memory is used on one node, where there is any", "[match]") {
    const Policy policy = policy_of(
        R"({"name": "s", "when": {"ranks": {"max": 8}}, "use": {"algorithm": "shared"}},
           {"name": "c", "when": {"collective": "alltoallv"}, "use": {"algorithm": "tuna_coalesced", "intra": "shared"}})");
    const auto reason_at = [&](const Features& call) {
        const Shortlist shortlist = policy::all_candidates(policy, call);
        return policy::reason_of(shortlist, policy::choose(shortlist, call));
    };
    const auto chosen_at = [&](const Features& call) {
        const Shortlist shortlist = policy::all_candidates(policy, call);
        return policy::describe(shortlist.candidates[policy::choose(shortlist, call).candidate].choice);
    };
    for (const auto& traits : algorithms::all_collectives) {
        Features call = a_call(traits.collective, 8, 100);
        CHECK(policy::choose(policy::prune(policy, call), call).why == policy::PassedOver::no);
        CHECK(chosen_at(call) == "shared");
        CHECK_FALSE(policy::prune(policy, call).looks_at_block); // nothing has to be agreed for it
        call.shared_memory = false;
        CHECK(reason_at(call) == "rule \"s\" passed over: its ranks have no memory that they share");
        call.shared_memory = true;
        call.nodes = 2;
        CHECK(reason_at(call) == "rule \"s\" passed over: its ranks are on 2 nodes");
    }
    Features call = a_call(Collective::alltoallv, 16, 100);
    CHECK(chosen_at(call) == "tuna_coalesced radix=4 block_count=32 intra=shared");
    call.shared_memory = false; // the log tells what will happen
    CHECK(chosen_at(call) == "tuna_coalesced radix=4 block_count=32 intra=messages");
}

TEST_CASE("a parameter out of range spoils its rule alone, where the run goes on", "[match]") {
    const std::string text = with_rules(
        R"({"name": "none at all", "when": {"collective": "alltoallv"},
            "use": {"algorithm": "scattered", "block_count": 0}},
           {"name": "negative", "when": {"collective": "alltoallv"}, "use": {"algorithm": "tuna", "radix": -7}},
           {"name": "good", "when": {"collective": "alltoallv"}, "use": {"algorithm": "pairwise"}})");
    CHECK(policy::parse(text).error()->size() == 2); // `check` says so
    const auto reading = policy::read(text);
    REQUIRE(reading.value.has_value());
    REQUIRE(reading.problems.size() == 2);
    CHECK(reading.problems.front().pointer == "/rules/0/use/block_count");
    const Features call = a_call(Collective::alltoallv, 8, 100);
    const Shortlist shortlist = policy::prune(*reading.value, call);
    const auto match = policy::choose(shortlist, call);
    CHECK(shortlist.candidates[match.candidate].choice.rule == "good");
    CHECK(policy::reason_of(shortlist, match) ==
          "rule \"none at all\" passed over: block_count 0 is less than 1");

    const auto force = policy::read_force("alltoallv:scattered:block_count=0");
    REQUIRE(force.value.has_value());
    CHECK(force.problems.size() == 1);
    const Shortlist forced = policy::prune(*force.value->by_collective.front(), call);
    CHECK(policy::reason_of(forced, policy::choose(forced, call)) ==
          "forced passed over: block_count 0 is less than 1");
    CHECK_FALSE(
        policy::read(with_rules(R"({"name": "a", "use": {"algorithm": "tuna", "radix": "2"}})")).value);
}

TEST_CASE("a list of radices is for as many ranks, nodes or ranks on a node as its product", "[match]") {
    const auto blocked = [](const std::string& algorithm, int ranks, int nodes, int ranks_per_node) {
        const Policy policy =
            policy_of(R"({"name": "l", "use": {"algorithm": ")" + algorithm + R"(", "radix": [3, 4]}})");
        Features call = a_call(Collective::alltoallv, ranks, 0);
        call.nodes = nodes;
        call.ranks_per_node = ranks_per_node;
        const Shortlist shortlist = policy::prune(policy, call);
        CHECK(policy::describe(shortlist.candidates.front().choice).starts_with(algorithm + " radix=3x4"));
        return shortlist.candidates.front().blocked;
    };
    CHECK(blocked("tuna", 12, 3, 4).empty());
    CHECK(blocked("tuna", 11, 11, 1).empty());
    CHECK(blocked("tuna", 13, 13, 1) == "radix 3x4 is for at most 12 ranks, and there are 13");
    CHECK(blocked("tuna_coalesced", 48, 4, 12).empty());
    CHECK(blocked("tuna_staggered", 52, 4, 13) ==
          "radix 3x4 is for at most 12 ranks on a node, and there are 13");
    CHECK(blocked("node_aware", 156, 12, 13).empty());
    CHECK(blocked("node_aware", 156, 13, 12) == "radix 3x4 is for at most 12 nodes, and there are 13");
}

namespace {

// `tuna radix=8 ...` at a call that all ranks know the largest block of.
std::string runs_at(const std::string& use, Features call, std::size_t block) {
    call.max_block_bytes = block;
    const Shortlist shortlist = policy::prune(policy_of(R"({"name": "a", "use": {)" + use + "}}"), call);
    const auto& choice = shortlist.candidates[policy::choose(shortlist, call).candidate].choice;
    CHECK(choice.rule == "a");
    CHECK(choice.reason == "rule");
    return policy::describe(choice);
}

} // namespace

TEST_CASE("an automatic radix follows the largest block where the ranks know it", "[match][auto]") {
    const Features call = a_call(Collective::alltoallv, 64, 0);
    const std::string tuna = R"("algorithm": "tuna", "radix": "auto")";
    for (const std::size_t block : {0UL, 1UL, 16UL, 511UL, 512UL})
        CHECK(runs_at(tuna, call, block).starts_with("tuna radix=8 "));
    for (const std::size_t block : {513UL, 1000UL, 1UL << 20, 1UL << 50})
        CHECK(runs_at(tuna, call, block).starts_with("tuna radix=64 "));
    CHECK(runs_at(tuna + R"(, "metadata": "separate")", call, 1024).starts_with("tuna radix=8 "));
    // As published: three digits, two, and one.
    const std::string published = tuna + R"(, "metadata": "separate", "in_flight": 1)";
    CHECK(runs_at(published, call, 256).starts_with("tuna radix=4 "));
    CHECK(runs_at(published, call, 257).starts_with("tuna radix=8 "));
    CHECK(runs_at(published, call, 8192).starts_with("tuna radix=8 "));
    CHECK(runs_at(published, call, 8193).starts_with("tuna radix=64 "));
    // Blocks of one size are twice as many bytes as blocks of up to this size.
    const Features equal = a_call(Collective::alltoall, 64, 0);
    const std::string bruck = R"("algorithm": "parameterized_bruck", "radix": "auto")";
    CHECK(runs_at(bruck, equal, 64) == "parameterized_bruck radix=4");
    CHECK(runs_at(bruck, equal, 65) == "parameterized_bruck radix=8");
    CHECK(runs_at(bruck, equal, 1024) == "parameterized_bruck radix=8");
    CHECK(runs_at(bruck, equal, 1025) == "parameterized_bruck radix=64");
    // The digits of an algorithm that knows nodes are for nodes, or for the ranks of a node.
    Features nodes = a_call(Collective::alltoallv, 1000, 0);
    nodes.nodes = 125;
    nodes.ranks_per_node = 8;
    CHECK(runs_at(R"("algorithm": "node_aware", "radix": "auto")", nodes, 16)
              .starts_with("node_aware radix=125 "));
    CHECK(runs_at(R"("algorithm": "tuna_coalesced", "radix": "auto")", nodes, 64)
              .starts_with("tuna_coalesced radix=3 "));
    CHECK(runs_at(R"("algorithm": "tuna_coalesced", "radix": "auto")", nodes, 65)
              .starts_with("tuna_coalesced radix=8 "));
    for (const std::size_t block : {1UL, 100000UL})
        CHECK(runs_at(R"("algorithm": "bruck", "radix": "auto")", a_call(Collective::allgather, 64, 0),
                      block) == "bruck radix=4");
    CHECK(runs_at(R"("algorithm": "bruck", "radix": "auto")", a_call(Collective::allgatherv, 3, 0), 9) ==
          "bruck radix=3");
    CHECK(runs_at(R"("algorithm": "bruck")", a_call(Collective::allgather, 64, 0), 9) == "bruck radix=2");
    for (int ranks = 1; ranks <= 5; ++ranks)
        for (const std::size_t block : {1UL, 100UL, 10000UL})
            CHECK(runs_at(tuna, a_call(Collective::alltoallv, ranks, 0), block).starts_with("tuna radix="));
}

TEST_CASE("with direct_from nobody asks for a block, and its border decides an automatic radix",
          "[match][auto]") {
    const auto shortlist_of = [](const std::string& more) {
        const Shortlist shortlist = policy::prune(
            policy_of(R"({"name": "a", "use": {"algorithm": "tuna", "radix": "auto")" + more + "}}"),
            a_call(Collective::alltoallv, 64, 0));
        CHECK_FALSE(shortlist.looks_at_block);
        CHECK(shortlist.candidates.front().choice.rule == "a");
        return policy::describe(shortlist.candidates.front().choice);
    };
    // Most blocks are far below a large border: the radix is never the number of ranks.
    CHECK(shortlist_of(R"(, "direct_from": 65536)") ==
          "tuna radix=8 metadata=fused in_flight=32 direct_from=65536");
    CHECK(shortlist_of(R"(, "direct_from": "auto")") ==
          "tuna radix=8 metadata=fused in_flight=32 direct_from=16384");
    CHECK(shortlist_of(R"(, "direct_from": 100, "in_flight": 1)") ==
          "tuna radix=4 metadata=fused in_flight=1 direct_from=100");
    // A rule that looks at the block knows it. Blocks above the border go directly: the others decide.
    const std::string bounded = R"("when": {"max_block_bytes": {"max": 100000}}, )";
    const Policy policy = policy_of(R"({"name": "a", )" + bounded +
                                    R"("use": {"algorithm": "tuna", "radix": "auto", "direct_from": 2048}})");
    for (const auto& [block, radix] : {std::pair{512UL, 8}, {2048UL, 64}, {4096UL, 8}}) {
        const Features call = a_call(Collective::alltoallv, 64, block);
        const Shortlist shortlist = policy::prune(policy, call);
        CHECK(shortlist.candidates[policy::choose(shortlist, call).candidate]
                  .choice.parameters[Parameter::radix] == radix);
    }
}

TEST_CASE("an automatic block_count falls with the block and with the ranks", "[match][auto]") {
    const auto count_at = [](int ranks, std::size_t block) {
        Features call = a_call(Collective::alltoallv, ranks, 0);
        call.nodes = ranks / 32;
        call.ranks_per_node = 32;
        const std::string said =
            runs_at(R"("algorithm": "tuna_staggered", "radix": 2, "block_count": "auto")", call, block);
        const auto at = said.find("block_count=") + 12;
        return std::stoi(said.substr(at, said.find(' ', at) - at));
    };
    // TuNA paper, section V.B.
    CHECK(count_at(8192, 16) == 1024);
    CHECK(count_at(8192, 16384) == 2);
    CHECK(count_at(4096, 512) == 1024);
    CHECK(count_at(8192, 512) == 256);
    CHECK(count_at(16384, 512) < 256);
    CHECK(count_at(64, 16384) > 32);
    // Nobody knows the blocks of scattered: the preset.
    const Shortlist shortlist =
        policy::prune(policy_of(R"({"name": "a", "use": {"algorithm": "scattered", "block_count": "auto"}})"),
                      a_call(Collective::alltoallv, 8192, 0));
    CHECK_FALSE(shortlist.looks_at_block);
    CHECK(policy::describe(shortlist.candidates.front().choice) == "scattered block_count=32");
    CHECK(runs_at(
              R"("algorithm": "scattered", "block_count": "auto"}, "when": {"max_block_bytes": {"min": 10})",
              a_call(Collective::alltoallv, 8192, 0), 16384) == "scattered block_count=2");
}

TEST_CASE("a rule with auto takes the calls that it is for, each with its own values", "[match][auto]") {
    const Policy policy = policy_of(
        R"({"name": "a", "when": {"max_block_bytes": {"min": 100, "max": 3000}},
            "use": {"algorithm": "tuna_staggered", "radix": "auto", "block_count": "auto"}},
           {"name": "b", "use": {"algorithm": "tuna", "radix": "auto", "metadata": "separate", "in_flight": 1}})");
    for (int ranks : {3, 64, 96, 5000}) {
        Features call = a_call(Collective::alltoallv, ranks, 0);
        call.nodes = (ranks + 31) / 32;
        call.ranks_per_node = std::min(ranks, 32);
        const Shortlist shortlist = policy::prune(policy, call);
        CHECK(shortlist.candidates.size() < 20);
        for (std::size_t block = 0; block < 20000; block = block * 5 / 4 + 1) {
            call.max_block_bytes = block;
            const auto& choice = shortlist.candidates[policy::choose(shortlist, call).candidate].choice;
            INFO(ranks << " ranks, " << block << " bytes: " << policy::describe(choice));
            const bool first = block >= 100 && block <= 3000;
            CHECK(choice.rule == (first ? "a" : "b"));
            CHECK(choice.parameters == policy::resolve(*choice.algorithm, policy.rules[first ? 0 : 1].use,
                                                       policy::shape_of(call), block));
            for (const Parameter parameter : choice.algorithm->parameters)
                CHECK(choice.parameters[parameter] != algorithms::automatic);
        }
    }
}

TEST_CASE("presets fill in what a rule leaves out", "[match]") {
    const Policy policy = policy_of(R"({"name": "t", "use": {"algorithm": "tuna"}})");
    for (int ranks = 1; ranks <= 70; ++ranks) {
        const Shortlist shortlist = policy::prune(policy, a_call(Collective::alltoallv, ranks, 0));
        CHECK(shortlist.candidates.front().blocked.empty());
        CHECK(shortlist.candidates.front().choice.parameters[Parameter::radix] ==
              preset_of(traits_of(Parameter::radix), ranks));
    }
}

TEST_CASE("whoever forwards takes no border of gigabytes", "[match]") {
    constexpr std::int64_t mebibyte = std::int64_t{1} << 20, most = std::int64_t{1} << 31;
    const auto border = [](const char* algorithm, std::int64_t given) {
        Use use;
        use.algorithm = algorithm;
        use.parameters[static_cast<std::size_t>(Parameter::direct_from)] = given;
        const auto* traits = algorithms::find(Collective::alltoallv, algorithm);
        return policy::resolve(*traits, use, 8)[Parameter::direct_from];
    };
    for (const char* forwarding :
         {"tuna", "tuna_coalesced", "tuna_staggered", "node_aware", "padded_bruck", "two_phase_bruck"}) {
        CHECK(border(forwarding, mebibyte - 1) == mebibyte - 1);
        CHECK(border(forwarding, most) == mebibyte);
        CHECK(border(forwarding, most + 1) == most + 1); // no number of bytes: its rule will not run
    }
    CHECK(border("shared", most) == most);
}
