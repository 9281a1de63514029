#include "group_sentences.hpp"

#include "algorithms/collective.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>

namespace switchyard::shim::report {

std::string name_of(const CallKind& kind) {
    return formatted("{}, {}, up to {}, {}{}{}", shown(kind.collective, 32),
                     text::plural(static_cast<std::uint64_t>(std::max(kind.ranks, 0)), "rank"),
                     block_text(kind.block_bits), shown(kind.algorithm_text()),
                     kind.buffer != "host" ? ' ' + shown(kind.buffer, 12) : "",
                     kind.in_place ? " in place" : "");
}

bool is_among_neighbors(const CallKind& kind) {
    const auto known = algorithms::collective_of(kind.collective);
    return known && algorithms::traits_of(*known).is_among_neighbors;
}

std::string left_out(std::size_t groups) {
    return formatted("{} with lower costs: switchyard report --format csv",
                     text::plural(groups, "call group"));
}

} // namespace switchyard::shim::report
