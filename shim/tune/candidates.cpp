#include "candidates.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace switchyard::shim::tune {

namespace {

using algorithms::Parameter;
using algorithms::Parameters;
using algorithms::Traits;

bool may_be_of_use(const Traits& traits, const Shape& shape) {
    return traits.collective == shape.collective && !traits.native &&
           !traits.has(algorithms::takes_overlap) &&
           (shape.nodes > 1 || !traits.has(algorithms::knows_nodes));
}

// The candidate with each value of one parameter that is worth a try besides the preset.
std::vector<Candidate> varied(const Traits& algorithm, const Candidate& candidate, Parameter parameter,
                              const Shape& shape) {
    const auto& traits = traits_of(parameter);
    auto values = algorithms::grid_of(traits, shape.of_group());
    if (traits.takes_list)
        for (const auto list : algorithms::balanced_lists(distances_of(algorithm, shape.of_group())))
            values.push_back(list);
    std::vector<Candidate> all;
    for (const auto value : values) all.push_back(candidate.with(parameter, value));
    return all;
}

// The same in the first pass of a search, with only the middle border: the other borders are for
// combinations_of().
std::vector<Candidate> varied_first(const Traits& algorithm, const Candidate& candidate, Parameter parameter,
                                    const Shape& shape) {
    auto all = varied(algorithm, candidate, parameter, shape);
    if (parameter == Parameter::direct_from) all = {all[all.size() / 2]};
    return all;
}

// The candidate with another radix, within the bounds of the shape. A radix that is the preset is not given.
Candidate with_radix(const Shape& shape, const Candidate& candidate, std::int64_t radix) {
    const Candidate plain = candidate.without(Parameter::radix);
    radix = std::clamp<std::int64_t>(radix, 2, shape.ranks);
    return radix == plain.radix(shape) ? plain : plain.with(Parameter::radix, radix);
}

// The borders that tell blocks of up to `largest_block` bytes apart, and the next border, with which all
// these blocks are forwarded.
std::vector<std::int64_t> borders_for(const Shape& shape, std::size_t largest_block) {
    auto borders = algorithms::grid_of(traits_of(Parameter::direct_from), shape.of_group());
    const auto is_above = [&](std::int64_t border) {
        return border > static_cast<std::int64_t>(largest_block);
    };
    const auto first_above = std::ranges::find_if(borders, is_above);
    if (first_above != borders.end()) borders.erase(std::next(first_above), borders.end());
    return borders;
}

// The candidates of one shape, each setting of parameters once.
class Collection {
  public:
    explicit Collection(const Shape& shape) : shape_(shape) {}

    void add(const Candidate& candidate) {
        if (!candidate.why_not_admissible(shape_).empty()) return;
        const Parameters resolved = candidate.resolved(shape_);
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (all_[i].algorithm() == candidate.algorithm() && is_same(candidate, resolved_[i], resolved))
                return;
        all_.push_back(candidate);
        resolved_.push_back(resolved);
    }
    std::vector<Candidate> take() && { return std::move(all_); }

  private:
    bool is_same(const Candidate& candidate, const Parameters& a, const Parameters& b) const {
        const std::int64_t partners = std::max(shape_.ranks - 1, 1);
        return std::ranges::all_of(algorithms::parameter_vocabulary(), [&](const auto& traits) {
            const auto effective = [&](std::int64_t value) {
                return traits.limits_partners ? std::min(value, partners) : value;
            };
            return !candidate.takes(traits.parameter) ||
                   effective(a[traits.parameter]) == effective(b[traits.parameter]);
        });
    }

    const Shape& shape_;
    std::vector<Candidate> all_;
    std::vector<Parameters> resolved_; // of each
};

} // namespace

std::vector<Candidate> candidates_of(const Shape& shape) {
    Collection collection(shape);
    for (const Traits& traits : algorithms::all_traits()) {
        if (!may_be_of_use(traits, shape)) continue;
        std::vector<Candidate> bases = {Candidate(traits)};
        for (const Parameter parameter : traits.parameters)
            if (traits_of(parameter).searched_with_others)
                for (Candidate& candidate : varied(traits, bases.front(), parameter, shape))
                    bases.push_back(std::move(candidate));
        for (const Candidate& base : bases) {
            collection.add(base);
            for (const Parameter parameter : traits.parameters)
                if (!traits_of(parameter).searched_with_others)
                    for (const Candidate& candidate : varied_first(traits, base, parameter, shape))
                        collection.add(candidate);
        }
    }
    return std::move(collection).take();
}

std::vector<Candidate> coarse_candidates_of(const Shape& shape) {
    Collection collection(shape);
    for (const Traits& traits : algorithms::all_traits()) {
        if (!may_be_of_use(traits, shape)) continue;
        const Candidate plain(traits);
        collection.add(plain);
        if (!plain.takes(Parameter::radix)) continue;
        for (int radix = 2; radix <= shape.ranks; radix *= 4)
            collection.add(plain.with(Parameter::radix, radix));
    }
    return std::move(collection).take();
}

std::vector<Candidate> near_radices(const Shape& shape, const Candidate& candidate) {
    Collection collection(shape);
    if (const auto own = static_cast<double>(candidate.radix(shape)); own != 0)
        for (const double factor : {std::numbers::sqrt2 / 2, std::numbers::sqrt2})
            collection.add(with_radix(shape, candidate, std::llround(own * factor)));
    return std::move(collection).take();
}

std::vector<Candidate> variations_of(const Shape& shape, const Candidate& candidate) {
    Collection collection(shape);
    const Traits& traits = *algorithms::find(shape.collective, candidate.algorithm());
    for (const Parameter parameter : traits.parameters) {
        const bool is_combined = parameter == Parameter::radix || parameter == Parameter::direct_from;
        if (is_combined || traits_of(parameter).searched_with_others || candidate.gives(parameter)) continue;
        const auto all = varied(traits, candidate, parameter, shape);
        for (std::size_t i = 0; i < all.size(); i += 3) collection.add(all[i]);
    }
    return std::move(collection).take();
}

std::vector<Candidate> combinations_of(const Shape& shape, const Candidate& setting,
                                       std::size_t largest_block) {
    std::vector<Candidate> settings = {setting};
    if (const std::int64_t own = setting.radix(shape); own != 0)
        for (const std::int64_t radix : {own / 2, own * 2})
            settings.push_back(with_radix(shape, setting, radix));
    Collection collection(shape);
    for (const Candidate& near : settings)
        for (const std::int64_t border : borders_for(shape, largest_block))
            collection.add(near.with(Parameter::direct_from, border));
    return std::move(collection).take();
}

} // namespace switchyard::shim::tune
