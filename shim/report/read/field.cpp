#include "field.hpp"

#include <algorithm>
#include <array>

namespace switchyard::shim::report {

namespace {

struct FieldName {
    std::string_view name;
    Field field;
};

// In alphabetical order.
constexpr std::array field_names = {FieldName{"agree", Field::agree},
                                    FieldName{"algorithm", Field::algorithm},
                                    FieldName{"begin_us", Field::begin_us},
                                    FieldName{"buffer", Field::buffer},
                                    FieldName{"call", Field::call},
                                    FieldName{"calls", Field::calls},
                                    FieldName{"collective", Field::collective},
                                    FieldName{"comm", Field::comm},
                                    FieldName{"copy_in", Field::copy_in},
                                    FieldName{"copy_out", Field::copy_out},
                                    FieldName{"exchange", Field::exchange},
                                    FieldName{"in_place", Field::in_place},
                                    FieldName{"max", Field::max},
                                    FieldName{"max_block_bytes", Field::max_block_bytes},
                                    FieldName{"mean", Field::mean},
                                    FieldName{"messages", Field::messages},
                                    FieldName{"min", Field::min},
                                    FieldName{"nodes", Field::nodes},
                                    FieldName{"parameters", Field::parameters},
                                    FieldName{"phases_us", Field::phases_us},
                                    FieldName{"ranks", Field::ranks},
                                    FieldName{"ranks_per_node", Field::ranks_per_node},
                                    FieldName{"ranks_seen", Field::ranks_seen},
                                    FieldName{"reason", Field::reason},
                                    FieldName{"rule", Field::rule},
                                    FieldName{"sent_bytes", Field::sent_bytes},
                                    FieldName{"seq", Field::seq},
                                    FieldName{"slowest_rank", Field::slowest_rank},
                                    FieldName{"stage", Field::stage},
                                    FieldName{"time_us", Field::time_us},
                                    FieldName{"transfer", Field::transfer},
                                    FieldName{"wire_bytes", Field::wire_bytes},
                                    FieldName{"world_rank", Field::world_rank}};
static_assert(std::ranges::is_sorted(field_names, {}, &FieldName::name));

} // namespace

Field field_of(std::string_view name) {
    const auto* found = std::ranges::lower_bound(field_names, name, {}, &FieldName::name);
    return found != field_names.end() && found->name == name ? found->field : Field::unknown;
}

} // namespace switchyard::shim::report
