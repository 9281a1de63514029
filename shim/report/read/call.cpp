#include "call.hpp"

#include "field.hpp"
#include "possible.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

namespace switchyard::shim::report {

namespace {

// An impossible number (negative, too large) becomes the nearest possible one.
template <typename Integer>
Integer whole(double value) {
    constexpr double most = static_cast<double>(std::numeric_limits<Integer>::max()) / 2;
    return static_cast<Integer>(std::clamp(value, 0.0, most));
}

// Fills a Call from the parser's events. Building a tree of each line would take most of the time.
class LineReader final : public nlohmann::json_sax<nlohmann::json> {
  public:
    explicit LineReader(Call& call) : call_(call) {}

    bool complete() const { return has_collective_ && has_time_; }

    bool null() override { return true; }
    bool boolean(bool value) override {
        if (depth_ == 1 && field_ == Field::in_place) call_.kind.in_place = value;
        if (in_parameters()) parameter(value ? "true" : "false");
        return true;
    }
    bool number_integer(number_integer_t value) override {
        if (in_parameters())
            parameter(std::to_string(value));
        else
            number(static_cast<double>(value));
        return true;
    }
    bool number_unsigned(number_unsigned_t value) override {
        if (in_parameters())
            parameter(std::to_string(value));
        else if (depth_ == 1 && field_ == Field::max_block_bytes)
            call_.max_block_bytes = value; // a double has too few digits
        else
            number(static_cast<double>(value));
        return true;
    }
    bool number_float(number_float_t value, const string_t& text) override {
        if (in_parameters())
            parameter(text);
        else
            number(value);
        return true;
    }
    bool string(string_t& value) override {
        if (in_parameters())
            parameter(value);
        else if (depth_ == 1)
            word(value);
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
        if (depth_ == 1)
            field_ = field_of(name);
        else if (in_parameters())
            parameter_ = name;
        else if (depth_ == 2)
            part_ = field_of(name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
        return false;
    }

  private:
    bool in_parameters() const { return depth_ == 2 && field_ == Field::parameters; }

    void parameter(const std::string& value) {
        auto& text = call_.kind.parameters;
        if (!text.empty()) text += ' ';
        text += std::exchange(parameter_, {}); // a list has no names: its values would repeat the last name
        text += '=';
        text += value;
    }

    void word(const std::string& value) {
        switch (field_) {
        case Field::collective:
            call_.kind.collective = value;
            has_collective_ = true;
            break;
        case Field::algorithm: call_.kind.algorithm = value; break;
        case Field::rule: call_.kind.rule = value; break;
        case Field::reason: call_.kind.reason = value; break;
        case Field::buffer: call_.kind.buffer = value; break;
        case Field::transfer: call_.kind.transfer = value; break;
        case Field::comm: call_.comm = value; break;
        default: break;
        }
    }

    void number(double value) {
        if (depth_ == 2) return part(value);
        if (depth_ != 1) return;
        switch (field_) {
        case Field::call: call_.number = whole<std::uint64_t>(value); break;
        case Field::calls: call_.calls = std::max<std::uint64_t>(1, whole<std::uint32_t>(value)); break;
        case Field::seq: call_.sequence = whole<std::uint64_t>(value); break;
        case Field::ranks: call_.kind.ranks = whole<int>(value); break;
        case Field::nodes: call_.kind.nodes = whole<int>(value); break;
        case Field::ranks_per_node: call_.kind.ranks_per_node = whole<int>(value); break;
        case Field::ranks_seen: call_.ranks_seen = whole<int>(value); break;
        case Field::world_rank: call_.world_rank = whole<int>(value); break;
        case Field::messages: call_.messages = whole<std::uint64_t>(value); break;
        case Field::wire_bytes: call_.wire_bytes = whole<std::uint64_t>(value); break;
        case Field::begin_us: call_.begin = possible(value); break;
        case Field::sent_bytes: call_.sent_bytes = possible(value); break; // of one rank
        case Field::time_us:                                               // of one rank
            call_.time_min = call_.time_mean = call_.time_max = possible(value);
            has_time_ = true;
            break;
        default: break;
        }
    }

    void part(double number) {
        const double value = possible(number);
        if (field_ == Field::time_us) {
            has_time_ = true;
            if (part_ == Field::min) call_.time_min = value;
            if (part_ == Field::mean) call_.time_mean = value;
            if (part_ == Field::max) call_.time_max = value;
            if (part_ == Field::slowest_rank) call_.slowest_rank = whole<int>(value);
        } else if (field_ == Field::phases_us) {
            if (part_ == Field::agree) call_.agree = value;
            if (part_ == Field::stage) call_.stage = value;
            if (part_ == Field::exchange) call_.exchange = value;
            if (part_ == Field::copy_in || part_ == Field::copy_out) call_.copy += value;
            if (part_ == Field::copy_in) call_.copy_in = value;
        } else if (field_ == Field::sent_bytes && part_ == Field::mean) {
            call_.sent_bytes = value;
        }
    }

    Call& call_;
    int depth_ = 0;
    Field field_ = Field::unknown, part_ = Field::unknown;
    std::string parameter_; // name of the next parameter
    bool has_collective_ = false, has_time_ = false;
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
}

} // namespace

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

bool parse_call(std::string_view line, Call& call) {
    clear(call);
    LineReader reader(call);
    if (!nlohmann::json::sax_parse(line, &reader) || !reader.complete()) return false;
    if (call.kind.algorithm.empty()) call.kind.algorithm = "?";
    if (call.kind.buffer.empty()) call.kind.buffer = "host";
    if (call.ranks_seen == 0) call.ranks_seen = std::max(1, call.kind.ranks);
    call.kind.block_bits = block_bits_of(call.max_block_bytes);
    return true;
}

} // namespace switchyard::shim::report
