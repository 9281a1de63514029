// Explanations: their texts, and that they agree with the choice at run time.
#include "tests/support/catch.hpp"
#include "tests/support/policy_texts.hpp"
#include "tests/support/texts.hpp"

#include "policy/explain.hpp"
#include "policy/parse.hpp"

using namespace switchyard;
using policy::Collective;
using policy::Features;
using switchyard::tests::has_line;
using switchyard::tests::parsed;

namespace {

constexpr const char* the_policy_text = R"({"version": 1, "rules": [
  {"name": "big blocks", "when": {"collective": "alltoallv", "max_block_bytes": {"min": 4096}},
   "use": {"algorithm": "scattered"}},
  {"name": "other machine", "when": {"nodes": {"max": 2}}, "use": {"algorithm": "native"}},
  {"name": "on a device", "when": {"buffer": "device", "in_place": false}, "use": {"algorithm": "native"}},
  {"name": "in place", "when": {"in_place": true}, "use": {"algorithm": "native"}},
  {"name": "gathers", "use": {"algorithm": "ring"}},
  {"name": "wide", "use": {"algorithm": "tuna", "radix": 1024}},
  {"name": "tight", "use": {"algorithm": "tuna", "memory_limit_bytes": 10}},
  {"name": "small blocks, many ranks", "use": {"algorithm": "tuna", "radix": 4, "transfer": "staged"},
   "because": "it was measured"},
  {"name": "never asked", "when": {"ranks": {"max": 3}}, "use": {"algorithm": "zero_rotation_bruck"}}],
  "otherwise": {"algorithm": "tuna", "radix": 1000}})";

Features the_call() {
    Features call;
    call.ranks = 512;
    call.nodes = 16;
    call.ranks_per_node = 32;
    call.max_block_bytes = 64;
    return call;
}

policy::Policy the_policy() {
    return parsed(the_policy_text);
}

} // namespace

TEST_CASE("what auto stands for at the call is explained", "[explain]") {
    const auto said = [](std::size_t block, const std::string& more) {
        Features call = the_call();
        call.max_block_bytes = block;
        return policy::explain(
            parsed(R"({"version": 1, "rules": [{"name": "a", "use": {"algorithm": "tuna", "radix": "auto")" +
                   more + R"(}}], "otherwise": {"algorithm": "tuna", "radix": "auto"}})"),
            call);
    };
    CHECK(has_line(said(512, ""), "rule 1 \"a\" fires: tuna radix=23 metadata=fused in_flight=32"));
    CHECK(has_line(said(513, ""), "rule 1 \"a\" fires: tuna radix=512 metadata=fused in_flight=32"));
    const std::string tight = said(300, R"(, "memory_limit_bytes": 10)");
    CHECK(has_line(tight, "rule 1 \"a\": its workspace is over memory_limit_bytes 10"));
    CHECK(has_line(tight, "otherwise: tuna radix=23 metadata=fused in_flight=32"));
}

TEST_CASE("each rule before the one that fires says why it does not", "[explain]") {
    const std::string said = policy::explain(the_policy(), the_call());
    INFO(said);
    CHECK(has_line(
        said, "alltoallv of 512 ranks on 16 nodes (at most 32 on one) over tcp, largest block 64 bytes, host "
              "buffers"));
    CHECK(has_line(said, "rule 1 \"big blocks\": max_block_bytes 64 is below its minimum 4096"));
    CHECK(has_line(said, "rule 2 \"other machine\": nodes 16 is above its maximum 2"));
    CHECK(has_line(said, "rule 3 \"on a device\": it is for device buffers only"));
    CHECK(has_line(said, "rule 4 \"in place\": it is for calls in place only"));
    CHECK(has_line(said, "rule 5 \"gathers\": alltoallv has no algorithm \"ring\""));
    CHECK(has_line(said, "rule 6 \"wide\": radix 1024 is more than 512 ranks"));
    CHECK(has_line(said, "rule 7 \"tight\": its workspace is over memory_limit_bytes 10"));
    CHECK(has_line(said, "rule 8 \"small blocks, many ranks\" fires: tuna radix=4 metadata=fused "
                         "in_flight=32 transfer=staged"));
    CHECK(has_line(said, "  because: it was measured"));
    CHECK(said.find("never asked") == std::string::npos);
    CHECK(said.find("  agreement: before each such call") != std::string::npos);
}

TEST_CASE("a rule without a name is explained by its number", "[explain]") {
    const auto parsed = policy::parse(R"({"version": 1, "rules": [
      {"when": {"ranks": {"max": 2}}, "use": {"algorithm": "native"}}, {"use": {"algorithm": "tuna", "radix": 1024}},
      {"use": {"algorithm": "pairwise"}}],
      "otherwise": {"algorithm": "native"}})");
    const std::string said = policy::explain(parsed.value(), the_call());
    INFO(said);
    CHECK(has_line(said, "rule 1: ranks 512 is above its maximum 2"));
    CHECK(has_line(said, "rule 2: radix 1024 is more than 512 ranks"));
    CHECK(has_line(said, "rule 3 fires: pairwise"));
}

TEST_CASE("how device buffers travel, and why", "[explain]") {
    const auto parsed = policy::parse(R"({"version": 1, "rules": [
      {"name": "as they are", "when": {"collective": "alltoallv"}, "use": {"algorithm": "linear", "transfer": "direct"}},
      {"name": "tight", "when": {"collective": "alltoallv"}, "use": {"algorithm": "tuna", "memory_limit_bytes": 1000000}},
      {"name": "copied", "when": {"collective": "alltoallv"}, "use": {"algorithm": "pairwise", "chunk_bytes": 65536}}],
      "otherwise": {"algorithm": "native"}})");
    const auto& rules = parsed.value();
    Features call = the_call();
    call.buffer = policy::Buffer::device;
    call.staging_bytes = 2000000;
    const std::string staged = policy::explain(rules, call);
    INFO(staged);
    CHECK(has_line(staged, "rule 1 \"as they are\": the MPI is not GPU-aware on every rank"));
    CHECK(has_line(staged, "rule 2 \"tight\": its workspace is over memory_limit_bytes 1000000"));
    CHECK(has_line(staged, "rule 3 \"copied\" fires: pairwise"));
    CHECK(has_line(staged,
                   "  transfer: staged, each rank copies its device buffers through host memory (the rule "
                   "gives no transfer)"));
    CHECK(has_line(staged, "  copied back: 65536 bytes at a time, while other blocks are under way"));
    CHECK(staged.find("  agreement: before each such call") != std::string::npos);

    call.gpu_aware = true;
    CHECK(has_line(policy::explain(rules, call),
                   "  transfer: direct, the MPI gets the device pointers (the rule says so)"));
    call.collective = Collective::alltoall;
    CHECK(has_line(policy::explain(rules, call),
                   "  transfer: direct, the MPI gets the device pointers (the MPI is GPU-aware)"));
    call.gpu_aware = false;
    CHECK(policy::explain(rules, call).find("(the MPI is not GPU-aware)\n") != std::string::npos);
    call.buffer = policy::Buffer::host;
    CHECK(policy::explain(rules, call).find("transfer") == std::string::npos);
}

TEST_CASE("ranks agree on where the buffers are if a rule looks at it", "[explain]") {
    const auto parsed = policy::parse(R"({"version": 1, "rules": [
      {"name": "device", "when": {"buffer": "device"}, "use": {"algorithm": "pairwise"}}],
      "otherwise": {"algorithm": "native"}})");
    const auto& rules = parsed.value();
    Features call = the_call();
    call.collective = Collective::alltoall;
    CHECK(policy::explain(rules, call).find(", on where the buffers are") != std::string::npos);
    call.devices = false; // no process has a device
    CHECK(policy::explain(rules, call).find("  agreement: none") != std::string::npos);
}

TEST_CASE("a force says how buffers travel, too", "[explain]") {
    const auto force = policy::parse_force("alltoallv:pairwise:transfer=staged:chunk_bytes=4096");
    const auto& use = force.value().by_collective[0];
    REQUIRE(use);
    CHECK(use->transfer == policy::Transfer::staged);
    CHECK(use->chunk_bytes == 4096U);
}

TEST_CASE("where no rule fires, explain says what runs", "[explain]") {
    Features call = the_call();
    call.collective = Collective::alltoall;
    policy::Policy rules = the_policy();
    for (auto* use : {&rules.rules[5].use, &rules.rules[6].use, &rules.rules[7].use, &rules.otherwise})
        use->algorithm = "tuna_staggered"; // only alltoallv has it
    const std::string said = policy::explain(rules, call);
    INFO(said);
    CHECK(has_line(said, "rule 9 \"never asked\": ranks 512 is above its maximum 3"));
    CHECK(has_line(said, "otherwise tuna_staggered: alltoall has no algorithm \"tuna_staggered\""));
    CHECK(has_line(said, "therefore: native"));
    CHECK(said.find("  agreement: none") != std::string::npos);

    const auto plain = policy::parse(R"({"version": 1, "rules": [], "otherwise": {"algorithm": "native"}})");
    CHECK(has_line(policy::explain(plain.value(), call), "otherwise: native"));
}

TEST_CASE("what barriers and limits cost is explained", "[explain]") {
    const auto said = [](const std::string& use, const std::string& when) {
        return policy::explain(
            parsed(R"({"version": 1, "rules": [{"name": "a", "when": {"collective": "alltoallv")" + when +
                   R"(}, "use": {"algorithm": )" + use + R"(}}], "otherwise": {"algorithm": "native"}})"),
            the_call());
    };
    const auto waits = said(R"("native", "barrier_before": true)", "");
    CHECK(has_line(waits, "rule 1 \"a\" fires: native barrier_before=true"));
    CHECK(has_line(waits, "  barrier: each such call waits until all its ranks are there"));
    CHECK(has_line(said(R"("spread_out", "in_flight_limit": 10)", ""),
                   "  in flight: at most 10 sends and 10 receives at once on a rank, so at least 52 waits"));
    CHECK(has_line(said(R"("tuna", "direct_from": 100, "in_flight_limit": 1)", ""),
                   "  in flight: at most 1 send and 1 receive at once on a rank"));
    const auto skewed = said(R"("spread_out")", R"(, "skew": {"min": 3})");
    CHECK(has_line(skewed, "rule 1 \"a\": skew 1 is below its minimum 3"));
    CHECK(has_line(skewed, "  to avoid it: drop skew of rule \"a\""));
    CHECK(skewed.find("on the largest block, total_bytes and skew") != std::string::npos);
}
