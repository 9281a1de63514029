#include "candidates.hpp"

#include "policy/admissible.hpp"
#include "policy/parse.hpp"

#include <algorithm>

namespace switchyard::shim::tune {

namespace {

using algorithms::Parameter;
using algorithms::Parameters;
using algorithms::Traits;

algorithms::GroupShape group_shape_of(const Shape& shape) {
    return {shape.ranks, shape.nodes, shape.ranks_per_node};
}

policy::Features features_of(const Shape& shape) {
    policy::Features features;
    features.collective = shape.collective;
    features.ranks = shape.ranks;
    features.nodes = shape.nodes;
    features.ranks_per_node = shape.ranks_per_node;
    return features;
}

bool may_be_of_use(const Traits& traits, const Shape& shape) {
    return !traits.native && !traits.has(algorithms::takes_overlap) &&
           (shape.nodes > 1 || !traits.has(algorithms::knows_nodes));
}

// The texts of a candidate with each value of one parameter that is worth a try beside the preset.
std::vector<std::string> varied(const std::string& candidate, Parameter parameter, const Shape& shape) {
    const auto& traits = traits_of(parameter);
    std::vector<std::string> texts;
    for (const auto value : algorithms::grid_of(traits, group_shape_of(shape)))
        texts.push_back(candidate + ':' + std::string(traits.name) + '=' + text_of(traits, value));
    return texts;
}

bool is_given(const policy::Use& use, Parameter parameter) {
    return use.parameters[static_cast<std::size_t>(parameter)].has_value();
}

// The candidates of one shape, each setting of parameters once.
class Collection {
  public:
    explicit Collection(const Shape& shape) : shape_(shape) {}

    void add(const Traits& traits, const std::string& text) {
        const Parameters resolved =
            policy::resolve(traits, use_of(shape_.collective, text), group_shape_of(shape_));
        if (!policy::why_not_admissible(traits, resolved, features_of(shape_)).empty()) return;
        const auto same = [&](const Kept& kept) {
            return kept.traits == &traits && is_same(traits, kept.parameters, resolved);
        };
        if (std::ranges::any_of(kept_, same)) return;
        kept_.push_back({&traits, resolved});
        texts_.push_back(text);
    }
    std::vector<std::string> take() && { return std::move(texts_); }

  private:
    struct Kept {
        const Traits* traits;
        Parameters parameters;
    };

    bool is_same(const Traits& traits, const Parameters& a, const Parameters& b) const {
        const std::int64_t partners = std::max(shape_.ranks - 1, 1);
        return std::ranges::all_of(traits.parameters, [&](Parameter parameter) {
            const auto effective = [&](std::int64_t value) {
                return traits_of(parameter).limits_partners ? std::min(value, partners) : value;
            };
            return effective(a[parameter]) == effective(b[parameter]);
        });
    }

    const Shape& shape_;
    std::vector<Kept> kept_;
    std::vector<std::string> texts_;
};

} // namespace

std::vector<std::string> candidates_of(const Shape& shape) {
    Collection collection(shape);
    for (const Traits& traits : algorithms::all_traits()) {
        if (traits.collective != shape.collective || !may_be_of_use(traits, shape)) continue;
        std::vector<std::string> bases = {std::string(traits.name)};
        for (const Parameter parameter : traits.parameters)
            if (traits_of(parameter).searched_with_others)
                for (const std::string& text : varied(bases.front(), parameter, shape)) bases.push_back(text);
        for (const std::string& base : bases) {
            collection.add(traits, base);
            for (const Parameter parameter : traits.parameters)
                if (!traits_of(parameter).searched_with_others)
                    for (const std::string& text : varied(base, parameter, shape))
                        collection.add(traits, text);
        }
    }
    return std::move(collection).take();
}

std::vector<std::string> coarse_candidates_of(const Shape& shape) {
    Collection collection(shape);
    for (const Traits& traits : algorithms::all_traits()) {
        if (traits.collective != shape.collective || !may_be_of_use(traits, shape)) continue;
        const std::string name(traits.name);
        collection.add(traits, name);
        if (!traits.takes(Parameter::radix)) continue;
        for (int radix = 2; radix <= shape.ranks; radix *= 4) collection.add(traits, with_radix(name, radix));
    }
    return std::move(collection).take();
}

std::string with_radix(const std::string& algorithm, std::int64_t radix) {
    return algorithm + ":radix=" + std::to_string(radix);
}

std::int64_t radix_of(const Shape& shape, const std::string& candidate) {
    const policy::Use use = use_of(shape.collective, candidate);
    const Traits* traits = algorithms::find(shape.collective, use.algorithm);
    return traits->takes(Parameter::radix)
               ? policy::resolve(*traits, use, group_shape_of(shape))[Parameter::radix]
               : 0;
}

std::vector<std::string> variations_of(const Shape& shape, const std::string& candidate) {
    const policy::Use use = use_of(shape.collective, candidate);
    const Traits& traits = *algorithms::find(shape.collective, use.algorithm);
    Collection collection(shape);
    collection.add(traits, candidate);
    for (const Parameter parameter : traits.parameters) {
        if (parameter == Parameter::radix || traits_of(parameter).searched_with_others) continue;
        if (is_given(use, parameter)) continue;
        const auto texts = varied(candidate, parameter, shape);
        for (std::size_t i = 0; i < texts.size(); i += 3) collection.add(traits, texts[i]);
    }
    auto texts = std::move(collection).take();
    texts.erase(texts.begin());
    return texts;
}

bool is_known(policy::Collective collective, const std::string& candidate) {
    const auto parsed = policy::parse_force(std::string(name_of(collective)) + ":" + candidate);
    return std::holds_alternative<policy::Force>(parsed);
}

policy::Use use_of(policy::Collective collective, const std::string& candidate) {
    auto parsed = policy::parse_force(std::string(name_of(collective)) + ":" + candidate);
    return *std::get<policy::Force>(parsed).by_collective[static_cast<std::size_t>(collective)];
}

std::string words_of(std::string_view candidate) {
    std::string words(candidate);
    std::ranges::replace(words, ':', ' ');
    return words;
}

bool needs_agreement(policy::Collective collective, const std::string& candidate) {
    const Traits* traits = algorithms::find(collective, candidate.substr(0, candidate.find(':')));
    if (traits_of(collective).block_is_known() || traits == nullptr) return false;
    return needs_agreed_block(*traits, policy::resolve(*traits, use_of(collective, candidate), 1));
}

} // namespace switchyard::shim::tune
