#include "line.hpp"

#include "algorithms/traits.hpp"
#include "shim/common/formatted.hpp"
#include "shim/entry/abi.hpp"
#include "shim/entry/counted.hpp"

#include <charconv>
#include <iterator>
#include <type_traits>
#include <utility>

namespace switchyard::shim::log {

std::string_view collective_name(std::uint8_t collective) {
    // A program may write over its records.
    if (collective >= algorithms::collective_count) return "unknown";
    return algorithms::name_of(static_cast<algorithms::Collective>(collective));
}

std::string_view transfer_name(bool is_staged, bool is_mapped) {
    return is_staged ? "staged" : is_mapped ? "ipc" : "direct";
}

namespace {

std::string_view binding_name(std::uint8_t binding) {
    return static_cast<Binding>(binding) == Binding::c ? "c" : "fortran";
}
// Of a rank's own call, and of a merged one.
std::uint32_t ranks_of(const CallRecord& /*call*/) {
    return 1;
}
std::uint32_t ranks_of(const MergedCall& call) {
    return call.ranks_seen;
}
std::uint64_t sum_of(std::uint64_t own) {
    return own;
}
std::uint64_t sum_of(const Sum<std::uint64_t>& field) {
    return field.sum;
}
std::uint64_t sum_of(const Most<std::uint64_t>& field) {
    return field.value;
}

// A line, field after field.
class LineText {
  public:
    LineText() { text_.reserve(usual_bytes); }

    template <typename Value>
    void add(std::string_view name, const Value& value) {
        add_name(name);
        if constexpr (std::is_same_v<Value, bool>) {
            text_ += value ? "true" : "false";
        } else if constexpr (std::is_integral_v<Value>) {
            char digits[24];
            text_.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
        } else if constexpr (std::is_floating_point_v<Value>) {
            append_number(text_, value);
        } else {
            text_ += '"';
            text_ += value;
            text_ += '"';
        }
        text_ += ',';
    }
    // Nanoseconds as microseconds: the text of us(nanoseconds). A line has a dozen times, and converting
    // floating-point numbers takes longer.
    void add_us(std::string_view name, std::uint64_t nanoseconds) {
        constexpr std::uint64_t most = 1'000'000'000'000'000; // the digits that a double keeps
        if (nanoseconds >= most) return add(name, us(nanoseconds));
        add_name(name);
        char digits[24];
        auto* end = std::to_chars(digits, std::end(digits), nanoseconds / 1000).ptr;
        if (const auto rest = nanoseconds % 1000; rest != 0) {
            *end++ = '.';
            for (auto left = rest, unit = std::uint64_t{100}; left != 0; left %= unit, unit /= 10)
                *end++ = static_cast<char>('0' + left / unit);
        }
        text_.append(digits, end);
        text_ += ',';
    }
    void add_fields(std::string_view fields) {
        text_ += fields;
        text_ += ',';
    }
    void open(std::string_view name) {
        add_name(name);
        text_ += '{';
    }
    void close() {
        if (text_.back() == '{') text_ += ','; // an empty object
        text_.back() = '}';
        text_ += ',';
    }
    std::string take() {
        text_.back() = '}';
        return std::move(text_);
    }

  private:
    static constexpr std::size_t usual_bytes = 1024;
    void add_name(std::string_view name) {
        text_ += '"';
        text_ += name;
        text_ += "\":";
    }
    std::string text_ = "{";
};

// `Call`: CallRecord or MergedCall.
template <typename Call>
void add_kind(LineText& line, const Call& call) {
    line.add("collective", collective_name(call.collective));
    line.add("binding", binding_name(call.binding));
    if (call.calls > 1) line.add("calls", std::uint32_t{call.calls});
    if (call.large_count) line.add("large_count", true);
    if (call.near_int_limit) line.add("near_int_limit", true);
}
template <typename Call>
void add_buffer(LineText& line, const Call& call) {
    line.add("buffer", call.on_device ? "device" : "host");
    if (call.on_device) line.add("transfer", transfer_name(call.is_staged, call.is_mapped));
}
template <typename Call>
void add_phases(LineText& line, const Call& call) {
    constexpr bool always = true;
    const bool if_staged = call.is_staged;
    line.open("phases_us");
#define SWITCHYARD_PHASE(name, slot, place, when)                                                            \
    if (when) line.add_us(#name, mean_ns(sum_of(call.name), ranks_of(call)));
#include "fields.def"
    line.close();
}
// A phase that took no time is left out: each algorithm has a few of them.
template <typename Call>
void add_phases_of_algorithm(LineText& line, const Call& call) {
    if (!call.has_phases) return;
    line.open("algorithm_us");
#define SWITCHYARD_INSIDE(name, slot, place)                                                                 \
    if (sum_of(call.name) > 0) line.add_us(#name, mean_ns(sum_of(call.name), ranks_of(call)));
#include "fields.def"
    line.close();
}
template <typename Call>
void add_counts(LineText& line, const Call& call) {
    constexpr bool always = true, if_merged = std::is_same_v<Call, MergedCall>;
#define SWITCHYARD_COUNT(name, slot, place, when)                                                            \
    if (when) line.add(#name, std::uint64_t{call.name});
#define SWITCHYARD_SPLIT(name, place, place_of_all)                                                          \
    line.add(#name "_inter", std::uint64_t{call.name##_inter});                                              \
    if constexpr (if_merged)                                                                                 \
        line.add(#name "_intra", std::uint64_t{call.name##_intra});                                          \
    else                                                                                                     \
        line.add(#name "_intra", call.name - call.name##_inter);
#include "fields.def"
}
template <typename Call>
void add_moves(LineText& line, const Call& call) {
    if (sum_of(call.looks) == 0) return;
    line.open("moves");
    line.add("looks", sum_of(call.looks));
    line.add("to_itself_bytes", sum_of(call.own_bytes));
    line.add("sent_bytes", sum_of(call.looked_sent));
    line.add("partners", sum_of(call.partners));
    line.add("most_partners", sum_of(call.most_partners));
    line.add("empty_blocks", sum_of(call.empty_blocks));
    line.close();
}

} // namespace

std::string call_line(std::uint64_t number, const MergedCall& call, const CommunicatorName& communicator,
                      const std::string& decision) {
    const auto seen = call.ranks_seen;
    LineText line;
    line.add("call", number);
    line.add("comm", communicator.id);
    line.add("seq", call.sequence);
    add_kind(line, call);
    line.add("ranks", communicator.ranks);
    line.add("nodes", communicator.nodes);
    line.add("ranks_per_node", communicator.ranks_per_node);
    if (communicator.regions > 0) line.add("regions", communicator.regions);
    line.add("max_block_bytes", call.max_block.value);
    line.open("sent_bytes");
    line.add("min", call.sent.min);
    line.add("mean", static_cast<double>(call.sent.sum) / seen);
    line.add("max", call.sent.max);
    line.close();
    add_buffer(line, call);
    line.add("in_place", call.in_place != 0);
    line.add_fields(decision);
    line.open("time_us");
    line.add_us("min", call.elapsed.min);
    line.add_us("mean", mean_ns(call.elapsed.sum, seen));
    line.add_us("max", call.elapsed.max);
    line.add("slowest_rank", call.slowest_rank);
    line.close();
    add_phases(line, call);
    add_phases_of_algorithm(line, call);
    add_counts(line, call);
    add_moves(line, call);
    line.add_us("begin_us", call.begin);
    if (static_cast<int>(seen) != communicator.ranks) line.add("ranks_seen", seen);
    return line.take();
}

std::string rank_line(const CallRecord& record, int world_rank, const CommunicatorName& communicator,
                      const std::string& decision) {
    LineText line;
    line.add("world_rank", world_rank);
    line.add("comm", communicator.id);
    line.add("rank", communicator.rank);
    line.add("seq", record.sequence);
    add_kind(line, record);
    line.add("max_block_bytes", record.max_block);
    line.add("sent_bytes", record.sent);
    if (record.on_device) add_buffer(line, record);
    line.add("in_place", record.in_place);
    line.add_fields(decision);
    line.add_us("begin_us", record.begin);
    line.add_us("time_us", record.elapsed);
    add_phases(line, record);
    add_phases_of_algorithm(line, record);
    add_counts(line, record);
    add_moves(line, record);
    return line.take();
}

std::string counted_line(const CountedRecord& record, int world_rank) {
    LineText line;
    line.add("world_rank", world_rank);
    line.add("collective", record.counted < counted_functions ? all_counted[record.counted].name
                                                              : std::string_view("unknown"));
    line.add("binding", binding_name(record.binding));
    if (record.large_count) line.add("large_count", true);
    line.add("ranks", record.ranks);
    line.add("sent_bytes", record.sent);
    line.add_us("begin_us", record.begin);
    line.add_us("time_us", record.elapsed);
    return line.take();
}

} // namespace switchyard::shim::log
