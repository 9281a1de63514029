#include "call.hpp"

#include "possible.hpp"

#include "algorithms/collective.hpp"
#include "shim/common/log/line.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace switchyard::shim::report {

namespace {

// An impossible number (negative, too large) becomes the nearest possible one.
template <typename Integer>
Integer whole(double value) {
    constexpr double most = static_cast<double>(std::numeric_limits<Integer>::max()) / 2;
    return static_cast<Integer>(std::clamp(value, 0.0, most));
}

// The member that a path leads to: `member_at<&Call::kind, &CallKind::ranks>(call)` is `call.kind.ranks`.
template <auto... path>
auto& member_at(Call& call) {
    return (call.*....*path);
}

// Both forms of a number: a double has too few digits for large ones.
template <auto... path>
void set_number(Call& call, double value, std::uint64_t exact) {
    auto& member = member_at<path...>(call);
    using Member = std::remove_reference_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, double>)
        member = possible(value);
    else if constexpr (std::is_same_v<Member, std::uint64_t>)
        member = exact;
    else
        member = whole<Member>(value);
}

void set_calls(Call& call, double value, std::uint64_t /*exact*/) {
    call.calls = std::max<std::uint64_t>(1, whole<std::uint32_t>(value));
}

// In the line of one rank.
void set_sent(Call& call, double value, std::uint64_t /*exact*/) {
    call.sent_bytes = call.most_sent = possible(value);
}
void set_time(Call& call, double value, std::uint64_t /*exact*/) {
    call.time_min = call.time_mean = call.time_max = possible(value);
}

// A field of a line: what becomes of its number or word, and of the members of an object.
struct Field {
    std::string_view name;
    void (*number)(Call&, double, std::uint64_t) = nullptr;
    std::string& (*word)(Call&) = nullptr;
    std::span<const Field> parts{};
};

constexpr Field sent_parts[] = {{"mean", set_number<&Call::sent_bytes>},
                                {"max", set_number<&Call::most_sent>}};
constexpr Field time_parts[] = {{"min", set_number<&Call::time_min>},
                                {"mean", set_number<&Call::time_mean>},
                                {"max", set_number<&Call::time_max>},
                                {"slowest_rank", set_number<&Call::slowest_rank>}};
constexpr Field moved_parts[] = {{"looks", set_number<&Call::moved, &Moved::looks>},
                                 {"to_itself_bytes", set_number<&Call::moved, &Moved::own_bytes>},
                                 {"sent_bytes", set_number<&Call::moved, &Moved::sent>},
                                 {"partners", set_number<&Call::moved, &Moved::partners>},
                                 {"most_partners", set_number<&Call::moved, &Moved::most_partners>},
                                 {"empty_blocks", set_number<&Call::moved, &Moved::empty_blocks>}};
constexpr Field phases[] = {
#define SWITCHYARD_PHASE(name, slot, place, when) {#name, set_number<&Call::name>},
#include "shim/common/log/fields.def"
};

constexpr Field algorithm_phases[] = {
#define SWITCHYARD_INSIDE(name, slot, place) {#name, set_number<&Call::name>},
#include "shim/common/log/fields.def"
};

constexpr Field word_field(std::string_view name, std::string& (*place)(Call&)) {
    return {name, nullptr, place};
}
constexpr auto line_fields = [] {
    std::array fields = {
        Field{"call", set_number<&Call::number>},
        Field{"seq", set_number<&Call::sequence>},
        Field{"calls", set_calls},
        Field{"ranks", set_number<&Call::kind, &CallKind::ranks>},
        Field{"nodes", set_number<&Call::kind, &CallKind::nodes>},
        Field{"ranks_per_node", set_number<&Call::kind, &CallKind::ranks_per_node>},
        Field{"ranks_seen", set_number<&Call::ranks_seen>},
        Field{"world_rank", set_number<&Call::world_rank>},
        Field{"max_block_bytes", set_number<&Call::max_block_bytes>},
        Field{"begin_us", set_number<&Call::begin>},
        Field{"sent_bytes", set_sent, nullptr, sent_parts},
        Field{"time_us", set_time, nullptr, time_parts},
        Field{"phases_us", nullptr, nullptr, phases},
        Field{"algorithm_us", nullptr, nullptr, algorithm_phases},
        Field{"moves", nullptr, nullptr, moved_parts},
        Field{"parameters"},
        Field{"in_place"},
        Field{"near_int_limit"},
        word_field("comm", member_at<&Call::comm>),
        word_field("collective", member_at<&Call::kind, &CallKind::collective>),
        word_field("algorithm", member_at<&Call::kind, &CallKind::algorithm>),
        word_field("rule", member_at<&Call::kind, &CallKind::rule>),
        word_field("reason", member_at<&Call::kind, &CallKind::reason>),
        word_field("buffer", member_at<&Call::kind, &CallKind::buffer>),
        word_field("transfer", member_at<&Call::kind, &CallKind::transfer>),
#define SWITCHYARD_COUNT(name, slot, place, when) Field{#name, set_number<&Call::name>},
#include "shim/common/log/fields.def"
    };
    std::ranges::sort(fields, {}, &Field::name);
    return fields;
}();
constexpr Field unknown_field{};

constexpr const Field& field_of(std::string_view name) {
    const auto* found = std::ranges::lower_bound(line_fields, name, {}, &Field::name);
    return found != line_fields.end() && found->name == name ? *found : unknown_field;
}
constexpr const Field& parameters = field_of("parameters");
constexpr const Field& in_place = field_of("in_place");
constexpr const Field& near_int_limit = field_of("near_int_limit");

// Fills a Call from the parser's events. Building a tree of each line would take most of the time.
class LineReader final : public nlohmann::json_sax<nlohmann::json> {
  public:
    explicit LineReader(Call& call) : call_(call) {}

    bool null() override { return true; }
    bool boolean(bool value) override {
        if (depth_ == 1 && field_ == &in_place) call_.kind.in_place = value;
        if (depth_ == 1 && field_ == &near_int_limit) call_.near_int_limit = value;
        if (in_parameters()) parameter(value ? "true" : "false");
        return true;
    }
    bool number_integer(number_integer_t value) override {
        return in_parameters() ? parameter(std::to_string(value)) : number(static_cast<double>(value), 0);
    }
    bool number_unsigned(number_unsigned_t value) override {
        return in_parameters() ? parameter(std::to_string(value)) : number(static_cast<double>(value), value);
    }
    bool number_float(number_float_t value, const string_t& text) override {
        return in_parameters() ? parameter(text) : number(value, whole<std::uint64_t>(value));
    }
    bool string(string_t& value) override {
        if (in_parameters()) return parameter(value);
        if (depth_ == 1 && field_->word != nullptr) field_->word(call_) = value;
        return true;
    }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override {
        ++depth_;
        return true;
    }
    bool end_object() override {
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override {
        ++depth_;
        return true;
    }
    bool end_array() override {
        --depth_;
        return true;
    }
    bool key(string_t& name) override {
        if (depth_ == 1) {
            field_ = &field_of(name);
            part_ = &unknown_field;
        } else if (in_parameters()) {
            parameter_ = name;
        } else if (depth_ == 2) {
            const auto found = std::ranges::find(field_->parts, name, &Field::name);
            part_ = found != field_->parts.end() ? &*found : &unknown_field;
        }
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
        return false;
    }

  private:
    bool in_parameters() const { return depth_ == 2 && field_ == &parameters; }

    bool parameter(const std::string& value) {
        auto& text = call_.kind.parameters;
        if (!text.empty()) text += ' ';
        text += std::exchange(parameter_, {}); // a list has no names: its values would repeat the last name
        text += '=';
        text += value;
        return true;
    }

    bool number(double value, std::uint64_t exact) {
        const auto& field = depth_ == 1 ? *field_ : depth_ == 2 ? *part_ : unknown_field;
        if (field.number != nullptr) field.number(call_, value, exact);
        return true;
    }

    Call& call_;
    int depth_ = 0;
    const Field *field_ = &unknown_field, *part_ = &unknown_field;
    std::string parameter_; // name of the next parameter
};

// Back to the defaults. Strings keep their memory.
void clear(Call& call) {
    for (auto* text : {&call.kind.collective, &call.kind.algorithm, &call.kind.parameters, &call.kind.rule,
                       &call.kind.reason, &call.kind.buffer, &call.kind.transfer, &call.comm})
        text->clear();
    auto kind = std::move(call.kind);
    auto comm = std::move(call.comm);
    kind.ranks = kind.nodes = kind.ranks_per_node = 0;
    kind.in_place = false;
    call = Call{};
    call.kind = std::move(kind);
    call.comm = std::move(comm);
    call.time_mean = -1; // not known
}

// What a log leaves out, and what follows from the rest.
void complete(Call& call) {
    if (call.kind.algorithm.empty()) call.kind.algorithm = "?";
    if (call.kind.buffer.empty()) call.kind.buffer = "host";
    if (call.ranks_seen == 0) call.ranks_seen = std::max(1, call.kind.ranks);
    call.kind.block_bits = block_bits_of(call.max_block_bytes);
}

} // namespace

Moved& Moved::operator+=(const Moved& other) {
    looks += other.looks;
    own_bytes += other.own_bytes;
    sent += other.sent;
    partners += other.partners;
    empty_blocks += other.empty_blocks;
    most_partners = std::max(most_partners, other.most_partners);
    return *this;
}

std::string CallKind::algorithm_text() const {
    return parameters.empty() ? algorithm : algorithm + ' ' + parameters;
}

std::size_t CallKindHash::operator()(const CallKind& kind) const {
    std::size_t hash = 0;
    const auto mix = [&hash](std::size_t value) { hash = std::rotl(hash, 13) * 0x9e3779b97f4a7c15U ^ value; };
    const std::hash<std::string_view> of_text;
    for (const auto* text : {&kind.collective, &kind.algorithm, &kind.parameters, &kind.rule, &kind.reason,
                             &kind.buffer, &kind.transfer})
        mix(of_text(*text));
    mix(static_cast<std::size_t>(kind.ranks) << 32U | kind.block_bits);
    mix(static_cast<std::size_t>(kind.nodes) << 32U | static_cast<std::size_t>(kind.ranks_per_node));
    mix(kind.in_place ? 1 : 0);
    return hash;
}

unsigned block_bits_of(std::uint64_t bytes) {
    return bytes == 0 ? 0U : static_cast<unsigned>(std::bit_width(bytes - 1));
}

double most_sent_in_a_call(const Call& call) {
    return call.most_sent / static_cast<double>(call.calls);
}

double skew_of(const Call& call) {
    const auto collective = algorithms::collective_of(call.kind.collective);
    // A neighbour's share of the bytes is not known: ranks have any number of neighbours.
    if (collective && algorithms::traits_of(*collective).is_among_neighbors) return 0;
    const bool sends_one = collective && algorithms::traits_of(*collective).sends_one_block();
    const double sent =
        sends_one ? call.sent_bytes / static_cast<double>(call.calls) : most_sent_in_a_call(call);
    const double mean = sent / std::max(call.kind.ranks - 1, 1);
    return mean > 0 ? static_cast<double>(call.max_block_bytes) / mean : 0;
}

bool parse_call(std::string_view line, Call& call) {
    clear(call);
    LineReader reader(call);
    if (!nlohmann::json::sax_parse(line, &reader)) return false;
    if (call.kind.collective.empty() || call.time_mean < 0) return false;
    complete(call);
    return true;
}

const CallKind* RecordReader::decided(const std::string& decision) {
    const auto [found, is_new] = decided_.try_emplace(&decision);
    if (is_new) {
        Call call;
        LineReader reader(call);
        if (nlohmann::json::sax_parse("{" + decision + "}", &reader)) found->second = std::move(call.kind);
    }
    return found->second ? &*found->second : nullptr;
}

bool RecordReader::read(const log::RecordedCall& recorded, Call& call) {
    const auto& [number, merged, communicator, decision] = recorded;
    const auto* kind = decided(decision);
    if (kind == nullptr) return false;
    call = Call{.kind = *kind, .comm = communicator.id, .number = number, .sequence = merged.sequence};
    call.kind.collective = log::collective_name(merged.collective);
    call.kind.buffer = merged.on_device ? "device" : "host";
    if (merged.on_device) call.kind.transfer = log::transfer_name(merged.is_staged, merged.is_mapped);
    call.kind.ranks = whole<int>(communicator.ranks);
    call.kind.nodes = whole<int>(communicator.nodes);
    call.kind.ranks_per_node = whole<int>(communicator.ranks_per_node);
    call.kind.in_place = merged.in_place != 0;
    const auto figure = [](std::uint64_t value) { return possible(static_cast<double>(value)); };
    call.moved = {figure(merged.looks.sum),        figure(merged.own_bytes.sum),
                  figure(merged.looked_sent.sum),  figure(merged.partners.sum),
                  figure(merged.empty_blocks.sum), figure(merged.most_partners)};
    call.near_int_limit = merged.near_int_limit != 0;
    call.calls = std::max<std::uint64_t>(1, whole<std::uint32_t>(merged.calls));
    call.ranks_seen = whole<int>(merged.ranks_seen);
    call.slowest_rank = whole<int>(merged.slowest_rank);
    call.max_block_bytes = merged.max_block;
    call.sent_bytes = possible(static_cast<double>(merged.sent.sum) / merged.ranks_seen);
    call.most_sent = possible(static_cast<double>(merged.sent.max));
    call.begin = possible(log::us(merged.begin));
    call.time_min = possible(log::us(merged.elapsed.min));
    call.time_mean = possible(log::mean_us(merged.elapsed.sum, merged.ranks_seen));
    call.time_max = possible(log::us(merged.elapsed.max));
    constexpr bool always = true, if_merged = true;
    const bool if_staged = merged.is_staged != 0;
#define SWITCHYARD_PHASE(name, slot, place, when)                                                            \
    if (when) call.name = possible(log::mean_us(merged.name.sum, merged.ranks_seen));
#define SWITCHYARD_INSIDE(name, slot, place)                                                                 \
    if (merged.has_phases) call.name = possible(log::mean_us(merged.name.sum, merged.ranks_seen));
#define SWITCHYARD_COUNT(name, slot, place, when)                                                            \
    if (when) call.name = merged.name;
#include "shim/common/log/fields.def"
    complete(call);
    return true;
}

void for_each_call(const log::LoggedRun& run, const std::function<void(const Call&)>& use,
                   const std::function<void()>& unreadable) {
    Call call;
    RecordReader records;
    const auto line = [&](const std::string& text) { parse_call(text, call) ? use(call) : unreadable(); };
    const auto record = [&](const log::RecordedCall& recorded) {
        records.read(recorded, call) ? use(call) : unreadable();
    };
    log::read_log(run, {line, record, unreadable});
}

} // namespace switchyard::shim::report
