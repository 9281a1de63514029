#include "document.hpp"
#include "spelling.hpp"
#include "text/printable.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace switchyard::policy {

namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_complaint = 240;
constexpr std::size_t longest_token = 60;
constexpr std::size_t longest_pointer = 250; // values further down share it

// RFC 6901, with control characters escaped as in a JSON string, so a pointer stays on its line. No key of a
// policy is long. A long key is cut, since every value below it has the key in its pointer.
std::string pointer_token(std::string_view key) {
    std::string token;
    for (const char c : key.substr(0, longest_token + 1)) {
        if (c == '~')
            token += "~0";
        else if (c == '/')
            token += "~1";
        else
            token += c;
    }
    return text::printable(token, longest_token);
}

std::size_t lines_in(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The place where the text is not JSON.
Place place_in_text(std::string_view text, std::size_t position) {
    const std::string_view before = text.substr(0, std::min(position, text.size()));
    const std::size_t line_start = before.rfind('\n') + 1; // npos + 1 is 0
    return {"", 0, lines_in(before) + 1, before.size() - line_start + 1};
}

constexpr std::size_t nowhere = std::string_view::npos;

// The last character that is neither blank nor in a comment.
std::size_t last_but_comments(std::string_view text) {
    std::size_t last = nowhere;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = text.substr(i);
        if (rest.starts_with("//"))
            i += std::min(rest.find('\n'), rest.size());
        else if (rest.starts_with("/*"))
            i += std::min(rest.find("*/", 2), rest.size() - 2) + 1;
        else if (std::string_view(" \t\r\n").find(text[i]) == nowhere)
            last = i;
    }
    return last;
}

// Walks the text for the library, and counts for us how far the library has got.
class Walk {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Walk(const char* at, std::size_t& walked) : at_(at), walked_(&walked) {}
    reference operator*() const { return *at_; }
    Walk& operator++() {
        ++at_;
        ++*walked_;
        return *this;
    }
    Walk operator++(int) {
        Walk before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Walk& other) const { return at_ == other.at_; }

  private:
    const char* at_;
    std::size_t* walked_;
};

// The library's complaint without its prefix and place. It quotes the text, so it must be made printable.
std::string complaint_of(std::string_view what) {
    if (const std::size_t bracket = what.find("] "); bracket != std::string_view::npos)
        what.remove_prefix(bracket + 2);
    if (what.starts_with("parse error at "))
        if (const std::size_t colon = what.find(": "); colon != std::string_view::npos)
            what.remove_prefix(colon + 2);
    return "not valid JSON: " + text::printable(what, longest_complaint, true);
}

// Builds the tree from the parser's events. Nothing here recurses, so no text can exhaust the stack.
class Builder final : public nlohmann::json_sax<Json> {
  public:
    Builder(std::string_view text, Findings& findings) : text_(text), findings_(findings) {}

    bool parse() {
        // Comments are allowed.
        return Json::sax_parse(Walk(text_.data(), walked_), Walk(text_.data() + text_.size(), walked_), this,
                               Json::input_format_t::json, true, true);
    }

    Value take_root() { return std::move(root_); }

    bool null() override {
        add(Value::Type::null);
        return true;
    }
    bool boolean(bool value) override {
        add(Value::Type::boolean).boolean = value;
        return true;
    }
    bool number_integer(number_integer_t value) override {
        Value& added = add(Value::Type::integer);
        added.negative = value < 0;
        added.magnitude =
            value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
        added.text = std::to_string(value);
        return true;
    }
    bool number_unsigned(number_unsigned_t value) override {
        Value& added = add(Value::Type::integer);
        added.magnitude = value;
        added.text = std::to_string(value);
        return true;
    }
    bool number_float(number_float_t value, const string_t& written) override {
        constexpr double largest_exact = 9007199254740992.0; // 2^53
        const bool whole = std::trunc(value) == value && std::abs(value) < largest_exact;
        Value& added = add(whole ? Value::Type::integer : Value::Type::fraction);
        added.negative = value < 0;
        added.magnitude = whole ? static_cast<std::uint64_t>(std::abs(value)) : 0;
        added.text = written;
        return true;
    }
    bool string(string_t& value) override {
        add(Value::Type::string).text = value;
        return true;
    }
    bool binary(binary_t&) override { return false; } // JSON text has none

    bool start_object(std::size_t) override { return open(Value::Type::object); }
    bool start_array(std::size_t) override { return open(Value::Type::array); }
    bool end_array() override {
        end_of_last_ = last_walked();
        open_.pop_back();
        return true;
    }
    bool end_object() override {
        end_of_last_ = last_walked();
        report_keys_given_twice(*open_.back());
        open_.pop_back();
        return true;
    }
    bool key(string_t& value) override {
        key_ = value;
        key_line_ = line();
        end_of_last_ = last_walked();
        return true;
    }
    bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
        const std::size_t at = position > 0 ? position - 1 : 0;
        const bool is_hash = at < text_.size() && text_[at] == '#';
        if (const std::size_t comma = trailing_comma(at); comma != nowhere)
            findings_.add(
                place_in_text(text_, comma),
                "a trailing comma: nothing follows it before the closing bracket; delete the comma");
        else if (is_hash)
            findings_.add(place_in_text(text_, at), "a comment begins with // here, not with #");
        else
            findings_.add(place_in_text(text_, at), complaint_of(error.what()));
        return false;
    }

  private:
    // The place of the last character that the library has read. After a number this is one too far.
    std::size_t last_walked() const { return walked_ > 0 ? walked_ - 1 : 0; }

    // The line of this place. It counts on from the last query, since places only grow.
    std::size_t line() {
        const std::size_t here = std::max(last_walked(), counted_);
        line_ += lines_in(text_.substr(counted_, here - counted_));
        counted_ = here;
        return line_;
    }

    // The comma before the closing bracket at `at` that the library refuses; `nowhere`: there is none.
    std::size_t trailing_comma(std::size_t at) const {
        if (at >= text_.size() || at < end_of_last_ || (text_[at] != '}' && text_[at] != ']')) return nowhere;
        const std::size_t last = last_but_comments(text_.substr(end_of_last_, at - end_of_last_));
        return last != nowhere && text_[end_of_last_ + last] == ',' ? end_of_last_ + last : nowhere;
    }

    // A container grows only while it is the innermost open one, so the pointers in open_ stay valid.
    Value& add(Value::Type type) {
        Value& added = open_.empty() ? root_ : open_.back()->children.emplace_back();
        added.type = type;
        added.place.order = ++count_;
        added.place.line = line();
        end_of_last_ = last_walked();
        if (open_.empty()) return added;
        const Value& parent = *open_.back();
        if (parent.type == Value::Type::object) {
            added.key = std::move(key_);
            added.place.line = key_line_;
        }
        added.place.pointer = parent.place.pointer;
        if (parent.place.pointer.size() < longest_pointer)
            added.place.pointer +=
                '/' + (parent.type == Value::Type::object ? pointer_token(added.key)
                                                          : std::to_string(parent.children.size() - 1));
        return added;
    }

    bool open(Value::Type type) {
        Value& added = add(type);
        if (open_.size() == deepest_nesting) {
            findings_.add(added.place, "nested more than " + std::to_string(deepest_nesting) +
                                           " deep; a policy needs no more than five");
            return false;
        }
        open_.push_back(&added);
        return true;
    }

    void report_keys_given_twice(const Value& object) {
        std::vector<const Value*> members;
        for (const Value& child : object.children) members.push_back(&child);
        std::stable_sort(members.begin(), members.end(),
                         [](const Value* left, const Value* right) { return left->key < right->key; });
        for (std::size_t i = 1; i < members.size(); ++i)
            if (members[i]->key == members[i - 1]->key)
                findings_.add(members[i]->place,
                              "key " + in_quotes(members[i]->key) + " is given twice; keep one");
    }

    std::string_view text_;
    Findings& findings_;
    Value root_;
    std::vector<Value*> open_;
    std::string key_;
    std::size_t count_ = 0;
    std::size_t walked_ = 0; // characters that the library has read
    // The last character of the last key or value; if it is a number, the character after it.
    std::size_t end_of_last_ = 0;
    std::size_t counted_ = 0, line_ = 1;
    std::size_t key_line_ = 1;
};

} // namespace

const Value* Value::find(std::string_view name) const {
    for (const Value& child : children)
        if (child.key == name) return &child;
    return nullptr;
}

std::string describe(const Value& value) {
    switch (value.type) {
    case Value::Type::null: return "null";
    case Value::Type::boolean: return value.boolean ? "true" : "false";
    case Value::Type::integer:
    case Value::Type::fraction: return text::printable(value.text, 40);
    case Value::Type::string: return in_quotes(value.text);
    case Value::Type::array: return "an array";
    case Value::Type::object: return "an object";
    }
    return "";
}

std::optional<Value> read_document(std::string_view text, Findings& findings) {
    // The library takes a NUL for the end of the text, and would ignore the rest.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        findings.add(place_in_text(text, nul), "a NUL byte: this is not UTF-8 text");
        return std::nullopt;
    }
    Builder builder(text, findings);
    if (!builder.parse()) return std::nullopt;
    return builder.take_root();
}

} // namespace switchyard::policy
