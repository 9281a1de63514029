#include "distributions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace switchyard::bench {

namespace {

using Kind = Distribution::Kind;

constexpr std::size_t fp64 = sizeof(double);

constexpr const char* known_distributions =
    "uniform, normal, power_law, fft1, fft2, sparse:K, equal, partition, partition:K and window:R";

bool must_have_number(Kind kind) {
    return kind == Kind::sparse || kind == Kind::window;
}
bool may_have_number(Kind kind) {
    return must_have_number(kind) || kind == Kind::partition;
}

// What is wrong with the number that follows the name of a distribution, or "".
std::string take_number(std::string_view number, Distribution& distribution) {
    const bool is_window = distribution.kind == Kind::window;
    int& taken = is_window ? distribution.percent : distribution.partners;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), taken);
    const bool is_number = error == std::errc{} && end == number.data() + number.size();
    if (is_window && (!is_number || taken < 50 || taken > 100))
        return "\"" + std::string(number) +
               "\" is no upper end of a window; it must be 50 to 100, in per cent of the largest block";
    if (!is_number || taken < 1)
        return "\"" + std::string(number) + "\" is not a number of partners; it must be 1 or more";
    return "";
}

} // namespace

text::Result<Distribution> parse_distribution(std::string_view text) {
    const auto colon = text.find(':');
    const auto found = std::ranges::find(distribution_names, text.substr(0, colon));
    const std::string known = known_distributions;
    if (found == distribution_names.end())
        return "no distribution \"" + std::string(text) + "\"; known are " + known;
    Distribution distribution{static_cast<Kind>(found - distribution_names.begin())};
    const bool has_number = colon != std::string_view::npos;
    if (has_number ? !may_have_number(distribution.kind) : must_have_number(distribution.kind))
        return "\"" + std::string(text) +
               "\" is no distribution: sparse and window take a number, partition may, and no other does; "
               "known are " +
               known;
    if (!has_number) return distribution;
    if (auto problem = take_number(text.substr(colon + 1), distribution); !problem.empty()) return problem;
    return distribution;
}

std::string name_of(const Distribution& distribution) {
    std::string name(distribution_names[static_cast<std::size_t>(distribution.kind)]);
    const int number = std::max(distribution.partners, distribution.percent);
    return number > 0 ? name + ":" + std::to_string(number) : name;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    std::uint64_t x = a * 0x9e3779b97f4a7c15U + b * 0xc2b2ae3d27d4eb4fU + c * 0x165667b19e3779f9U + 1;
    for (int i = 0; i < 2; ++i) {
        x ^= x >> 31;
        x *= 0xff51afd7ed558ccdU;
        x ^= x >> 33;
    }
    return x;
}

Sizes::Sizes(Distribution distribution, std::uint64_t seed, int ranks, std::size_t largest)
    : distribution_(distribution), seed_(seed), ranks_(ranks), largest_(largest) {}

double Sizes::fraction(int source, int destination, std::uint64_t salt) const {
    const std::uint64_t pair =
        mixed(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(destination), seed_);
    return (static_cast<double>(mixed(pair, salt) >> 11) + 0.5) * 0x1p-53;
}

// The papers draw whole doubles. These are whole bytes, since S may be small.
std::size_t Sizes::drawn(int source, int destination) const {
    const double u = fraction(source, destination, 0);
    const auto s = static_cast<double>(largest_);
    switch (distribution_.kind) {
    case Kind::uniform: return static_cast<std::size_t>(u * (s + 1));
    case Kind::normal: { // TuNA's figure 16: mean 1000, standard deviation 240; Box and Muller's method
        const double v = fraction(source, destination, 1);
        const double z = std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
        return static_cast<std::size_t>(std::max(0.0, std::round(s + 0.24 * s * z)));
    }
    case Kind::power_law: {
        // Density x^-0.95 between 1 and S + 1, less one. Large blocks are rare and many blocks are empty:
        // apart from the exponent, the papers say no more.
        constexpr double rest = 1 - 0.95;
        const double x = std::pow(1 + u * (std::pow(s + 1, rest) - 1), 1 / rest);
        return std::min(largest_, static_cast<std::size_t>(std::max(0.0, x - 1)));
    }
    case Kind::window: {
        // The sensitivity study of the two-phase Bruck paper, section 4.2: the mean stays S / 2, while the
        // window narrows.
        const std::size_t high = largest_ * static_cast<unsigned>(distribution_.percent) / 100;
        const std::size_t low = largest_ * static_cast<unsigned>(100 - distribution_.percent) / 100;
        return low + static_cast<std::size_t>(u * static_cast<double>(high - low + 1));
    }
    default: return largest_;
    }
}

std::size_t Sizes::operator()(int source, int destination) const {
    switch (distribution_.kind) {
    // The brackets in the paper's formulas are taken to round down. A block has 8 FP64 values, as the paper
    // says, although its data are complex.
    case Kind::fft1: {
        const bool has_data = source < static_cast<int>(0.625 * ranks_);
        return has_data && destination < static_cast<int>(0.78125 * ranks_) ? 8 * fp64 : 0;
    }
    // "Each process transmits 64 FP64 values" means: to each other process. Only then do all blocks add up to
    // the paper's ((P - 1) * 32 + 8) * P complex numbers.
    case Kind::fft2: return (source == ranks_ - 1 ? 16 : 64) * fp64;
    case Kind::sparse: {
        const auto partners = partners_of(source);
        return std::ranges::find(partners, destination) != partners.end() ? largest_ : 0;
    }
    case Kind::partition: return partitioned(source)[static_cast<std::size_t>(destination)];
    default: return drawn(source, destination);
    }
}

// In-place paper, section 4: the data of a rank, cut at random into a block for each partner. The lengths
// between random cuts are in proportion to numbers of exponential density.
std::vector<std::size_t> Sizes::partitioned(int source) const {
    const auto partners = partners_of(source);
    std::vector<double> cuts;
    double end = 0;
    for (const int partner : partners) cuts.push_back(end -= std::log(fraction(source, partner, 0)));
    std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks_));
    std::size_t begin = 0;
    for (std::size_t i = 0; i < partners.size(); ++i) {
        const bool last = i + 1 == partners.size();
        const auto cut =
            last ? largest_ : static_cast<std::size_t>(cuts[i] / end * static_cast<double>(largest_));
        sizes[static_cast<std::size_t>(partners[i])] = cut - begin;
        begin = cut;
    }
    return sizes;
}

// Different ranks, and never the source itself.
std::vector<int> Sizes::partners_of(int source) const {
    const int others = ranks_ - 1;
    std::vector<int> partners;
    if (distribution_.partners == 0) {
        for (int i = 0; i < others; ++i) partners.push_back((source + 1 + i) % ranks_);
        return partners;
    }
    for (int i = 0; i < std::min(distribution_.partners, others); ++i) {
        auto distance =
            static_cast<int>(mixed(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(i), seed_) %
                             static_cast<unsigned>(others));
        const auto at = [&] { return (source + 1 + distance) % ranks_; };
        while (std::ranges::find(partners, at()) != partners.end()) distance = (distance + 1) % others;
        partners.push_back(at());
    }
    return partners;
}

std::vector<std::size_t> Sizes::sent_by(int source) const {
    std::vector<std::size_t> sizes(static_cast<std::size_t>(ranks_));
    if (distribution_.kind == Kind::sparse) {
        for (const int partner : partners_of(source)) sizes[static_cast<std::size_t>(partner)] = largest_;
        return sizes;
    }
    if (distribution_.kind == Kind::partition) return partitioned(source);
    for (int i = 0; i < ranks_; ++i) sizes[static_cast<std::size_t>(i)] = (*this)(source, i);
    return sizes;
}

std::vector<std::size_t> Sizes::received_by(int destination) const {
    std::vector<std::size_t> sizes;
    for (int i = 0; i < ranks_; ++i) sizes.push_back((*this)(i, destination));
    return sizes;
}

// Takes the block that a rank has for its neighbour: it is no rank's own block, and a
// `sparse` rank may have one.
std::vector<std::size_t> Sizes::sent_to_all() const {
    std::vector<std::size_t> sizes;
    for (int i = 0; i < ranks_; ++i) sizes.push_back((*this)(i, (i + 1) % ranks_));
    return sizes;
}

} // namespace switchyard::bench
