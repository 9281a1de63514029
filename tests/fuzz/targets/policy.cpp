// The text of a policy: parsed, its problems told, and asked about calls.
#include "tests/fuzz/calls.hpp"
#include "tests/fuzz/check.hpp"

#include "policy/explain.hpp"
#include "policy/file.hpp"
#include "policy/match.hpp"
#include "policy/parse.hpp"
#include "policy/prune.hpp"

#include <algorithm>

namespace {

using namespace switchyard;
using namespace switchyard::fuzz;

constexpr std::size_t longest_pointer = 600, longest_message = 4000;

void check_problems(const std::vector<policy::Problem>& problems, std::size_t lines) {
    require(!problems.empty(), "a policy without problems is a policy");
    for (const auto& problem : problems) {
        require_sentence(problem.message);
        require(text::printable(problem.pointer, problem.pointer.size()) == problem.pointer,
                "a pointer is one printable line");
        // Else the memory for them grows with the square of the text.
        require(problem.pointer.size() <= longest_pointer, "a pointer is short");
        require(problem.message.size() <= longest_message, "a message is short");
        require(problem.line <= lines, "a problem is on a line of the text");
        require_sentence(policy::told("a file", problem));
    }
}

void check_policy(const policy::Policy& policy) {
    for (const auto& call : some_calls()) {
        const auto shortlist = policy::prune(policy, call);
        check_choice(shortlist, call);
        check_choice(policy::all_candidates(policy, call), call);
        require_harmless(policy::explain(policy, call));
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto parsed = policy::parse(text);
    const auto reading = policy::read(text);
    if (const auto* problems = parsed.error()) {
        check_problems(*problems, 1 + static_cast<std::size_t>(std::ranges::count(text, '\n')));
        require(reading.problems.size() == problems->size(), "a run finds the problems that a check finds");
    } else {
        require(reading.value.has_value(), "a run reads a policy that a check finds good");
    }
    if (reading.value) check_policy(*reading.value);
    return 0;
}
