#include "line.hpp"

#include "algorithms/traits.hpp"
#include "shim/common/formatted.hpp"
#include "shim/entry/abi.hpp"
#include "shim/entry/counted.hpp"

#include <nlohmann/json.hpp>

namespace switchyard::shim::log {

namespace {

// Microseconds; fmt writes the shortest text that keeps every nanosecond.
double us(std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / 1000.0;
}
double mean_us(std::uint64_t sum, std::uint32_t count) {
    return static_cast<double>((sum + count / 2) / count) / 1000.0;
}

std::string_view collective_name(std::uint8_t collective) {
    // A program may write over its records.
    if (collective >= algorithms::collective_count) return "unknown";
    return algorithms::name_of(static_cast<algorithms::Collective>(collective));
}
std::string_view binding_name(std::uint8_t binding) {
    return static_cast<Binding>(binding) == Binding::c ? "c" : "fortran";
}
// Fields that are written only if they differ from the usual value.
std::string extras(std::uint32_t calls, std::uint8_t large_count) {
    std::string text;
    if (calls > 1) text += formatted(R"("calls":{},)", calls);
    if (large_count != 0) text += R"("large_count":true,)";
    return text;
}
std::string regions_of(const CommunicatorName& communicator) {
    return communicator.regions > 0 ? formatted(R"("regions":{},)", communicator.regions) : "";
}

// `call`: a CallRecord or a MergedCall.
template <typename Call>
std::string buffer_of(const Call& call) {
    if (!call.on_device) return R"("buffer":"host")";
    return formatted(R"("buffer":"device","transfer":"{}")", call.is_staged   ? "staged"
                                                             : call.is_mapped ? "ipc"
                                                                              : "direct");
}
std::string copies_of(bool is_staged, double in_us, double out_us) {
    return is_staged ? formatted(R"("copy_in":{},"copy_out":{},)", in_us, out_us) : "";
}

} // namespace

std::string call_line(std::uint64_t number, const MergedCall& call, const CommunicatorName& communicator,
                      const std::string& decision) {
    auto seen = call.ranks_seen;
    auto line = formatted(
        R"({{"call":{},"comm":"{}","seq":{},"collective":"{}","binding":"{}",{}"ranks":{},"nodes":{},"ranks_per_node":{},{})"
        R"("max_block_bytes":{},"sent_bytes":{{"min":{},"mean":{},"max":{}}},{},"in_place":{},{},)",
        number, communicator.id, call.sequence, collective_name(call.collective), binding_name(call.binding),
        extras(call.calls, call.large_count), communicator.ranks, communicator.nodes,
        communicator.ranks_per_node, regions_of(communicator), call.max_block, call.sent_min,
        static_cast<double>(call.sent_sum) / seen, call.sent_max, buffer_of(call), call.in_place != 0,
        decision);
    line += formatted(
        R"("time_us":{{"min":{},"mean":{},"max":{},"slowest_rank":{}}},"phases_us":{{"agree":{},"stage":{},{}"exchange":{}}},)"
        R"("messages":{},"wire_bytes":{},"rounds":{},)"
        R"("messages_inter":{},"messages_intra":{},"wire_bytes_inter":{},"wire_bytes_intra":{},"begin_us":{})",
        us(call.elapsed_min), mean_us(call.elapsed_sum, seen), us(call.elapsed_max), call.slowest_rank,
        mean_us(call.agree_sum, seen), mean_us(call.stage_sum, seen),
        copies_of(call.is_staged != 0, mean_us(call.copy_in_sum, seen), mean_us(call.copy_out_sum, seen)),
        mean_us(call.exchange_sum, seen), call.messages_max, call.wire_bytes_max, call.rounds_max,
        call.messages_inter_max, call.messages_intra_max, call.wire_bytes_inter_max,
        call.wire_bytes_intra_max, us(call.begin));
    if (static_cast<int>(seen) != communicator.ranks) line += formatted(R"(,"ranks_seen":{})", seen);
    return line + "}";
}

std::string rank_line(const CallRecord& record, int world_rank, const CommunicatorName& communicator,
                      const std::string& decision) {
    return formatted(
        R"({{"world_rank":{},"comm":"{}","rank":{},"seq":{},"collective":"{}","binding":"{}",{})"
        R"("max_block_bytes":{},"sent_bytes":{},{}"in_place":{},{},)"
        R"("begin_us":{},"time_us":{},"phases_us":{{"agree":{},"stage":{},{}"exchange":{}}},"messages":{},"wire_bytes":{},)"
        R"("messages_inter":{},"messages_intra":{},"wire_bytes_inter":{},"wire_bytes_intra":{}}})",
        world_rank, communicator.id, communicator.rank, record.sequence, collective_name(record.collective),
        binding_name(record.binding), extras(record.calls, record.large_count), record.max_block, record.sent,
        record.on_device ? buffer_of(record) + "," : "", record.in_place, decision, us(record.begin),
        us(record.elapsed), us(record.agree), us(record.stage),
        copies_of(record.is_staged, us(record.copy_in), us(record.copy_out)), us(record.exchange),
        record.messages, record.wire_bytes, record.messages_inter, record.messages - record.messages_inter,
        record.wire_bytes_inter, record.wire_bytes - record.wire_bytes_inter);
}

std::string counted_line(const CountedRecord& record, int world_rank) {
    const auto name =
        record.counted < counted_functions ? all_counted[record.counted].name : std::string_view("unknown");
    return formatted(R"({{"world_rank":{},"collective":"{}","binding":"{}",{}"ranks":{},"sent_bytes":{},)"
                     R"("begin_us":{},"time_us":{}}})",
                     world_rank, name, binding_name(record.binding), extras(1, record.large_count ? 1 : 0),
                     record.ranks, record.sent, us(record.begin), us(record.elapsed));
}

} // namespace switchyard::shim::log
