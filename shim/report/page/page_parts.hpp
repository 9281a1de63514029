// What the page of a log and the page of a comparison have in common.
#pragma once

#include "shim/report/facts/next_steps.hpp"
#include "shim/report/facts/run_sentences.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::shim::report {

// A page shows the groups with the most time.
inline constexpr std::size_t most_rows = 24;
void say_what_is_left_out(std::ostream& out, std::size_t groups);

// The element of a section, to which links of the page lead by `id`; its title is no markup.
void begin_section(std::ostream& out, const char* id, std::string_view title);

void write_next_steps(const std::vector<NextStep>& steps, std::ostream& out);

// As a list; facts without a text are left out.
void write_facts(const std::vector<Fact>& facts, std::ostream& out);

} // namespace switchyard::shim::report
