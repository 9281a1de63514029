// The text of SWITCHYARD_FORCE.
#include "tests/fuzz/calls.hpp"
#include "tests/fuzz/check.hpp"

#include "policy/parse.hpp"
#include "policy/prune.hpp"

using namespace switchyard;
using namespace switchyard::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto reading = policy::read_force(text);
    require(reading.value || !reading.problems.empty(), "what is not read has a problem");
    for (const auto& problem : reading.problems) require_sentence(problem.message);
    const bool is_good = static_cast<bool>(policy::parse_force(text));
    require(is_good == reading.problems.empty(), "a run finds the problems that a check finds");
    if (!reading.value) return 0;
    for (const auto& call : some_calls())
        if (const auto& use = reading.value->by_collective[static_cast<std::size_t>(call.collective)])
            check_choice(policy::prune(*use, call), call);
    return 0;
}
