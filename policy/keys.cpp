#include "keys.hpp"
#include "vocabulary.hpp"

#include <algorithm>
#include <type_traits>

namespace switchyard::policy {

namespace {

struct Values {
    Key::Kind kind;
    Range possible;
    std::span<const std::string_view> words = {};
};

constexpr Values number(std::uint64_t smallest, std::uint64_t largest) {
    return {Key::Kind::number, {smallest, largest}};
}

constexpr Values one_of(std::span<const std::string_view> words) {
    return {Key::Kind::word, {0, words.size() - 1}, words};
}

constexpr Values yes_or_no{Key::Kind::yes_or_no, {0, 1}};

Range as_range(const Range& range) {
    return range;
}

template <typename Word>
Range as_range(const std::optional<Word>& word) {
    return word ? exactly(static_cast<std::uint64_t>(*word)) : Range{};
}

void take(Range& range, const Range& wanted) {
    range = wanted;
}

template <typename Word>
void take(std::optional<Word>& word, const Range& wanted) {
    word = static_cast<Word>(wanted.min);
}

template <auto fact>
std::uint64_t value_of(const Features& call) {
    return static_cast<std::uint64_t>(call.*fact);
}

template <auto fact>
void set_value(Features& call, std::uint64_t value) {
    call.*fact = static_cast<std::remove_cvref_t<decltype(call.*fact)>>(value);
}

// A fact is fixed if it is a member of FixedFeatures.
template <auto fact>
constexpr auto fixed_value_of() -> std::uint64_t (*)(const FixedFeatures&) {
    if constexpr (std::is_invocable_v<decltype(fact), const FixedFeatures&>)
        return [](const FixedFeatures& fixed) { return static_cast<std::uint64_t>(fixed.*fact); };
    else
        return nullptr;
}

template <auto condition, auto fact>
constexpr Key make_key(std::string_view name, const Values& values, std::string_view noun,
                       std::string_view option, std::string_view help) {
    return {.name = name,
            .kind = values.kind,
            .possible = values.possible,
            .words = values.words,
            .noun = noun,
            .option = option,
            .help = help,
            .wanted = [](const When& when) { return as_range(when.*condition); },
            .want = [](When& when, const Range& wanted) { take(when.*condition, wanted); },
            .value = value_of<fact>,
            .set = set_value<fact>,
            .fixed_value = fixed_value_of<fact>()};
}

constexpr std::array<Key, key::count> keys = {
#define SWITCHYARD_KEY(name, ...) make_key<&When::name, &Features::name>(#name, __VA_ARGS__),
#include "keys.def"
};

static_assert(
    std::ranges::count_if(keys, [](const Key& key) { return !key.is_fixed(); }) == 4,
    "a key that may differ from call to call is also compared for each call (match.cpp), and agreed on "
    "where a rule asks for it (Shortlist::looks_at_block, looks_at_buffer)");

} // namespace

std::span<const Key, key::count> when_keys() {
    return keys;
}

std::vector<std::string_view> names_of_when_keys() {
    std::vector<std::string_view> names;
    for (const Key& key : keys) names.push_back(key.name);
    return names;
}

} // namespace switchyard::policy
