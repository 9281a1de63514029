// The fields of a log's line that reports use, and the members of those fields that are objects.
#pragma once

#include <cstdint>
#include <string_view>

namespace switchyard::shim::report {

enum class Field : std::uint8_t {
    unknown,
    agree,
    algorithm,
    begin_us,
    buffer,
    call,
    calls,
    collective,
    comm,
    copy_in,
    copy_out,
    exchange,
    in_place,
    max,
    max_block_bytes,
    mean,
    messages,
    min,
    nodes,
    parameters,
    phases_us,
    ranks,
    ranks_per_node,
    ranks_seen,
    reason,
    rule,
    sent_bytes,
    seq,
    slowest_rank,
    stage,
    time_us,
    transfer,
    wire_bytes,
    world_rank
};

Field field_of(std::string_view name);

} // namespace switchyard::shim::report
