#include "candidates.hpp"

#include "policy/admissible.hpp"
#include "policy/parse.hpp"

#include <algorithm>

namespace switchyard::shim::tune {

namespace {

using algorithms::Parameter;
using algorithms::Parameters;
using algorithms::Traits;

policy::Features features_of(const Shape& shape) {
    policy::Features features;
    features.collective = shape.collective;
    features.ranks = shape.ranks;
    features.nodes = shape.nodes;
    features.ranks_per_node = shape.ranks_per_node;
    return features;
}

bool is_there_any_use_of(const Traits& traits, const Shape& shape) {
    return !traits.native && !traits.has(algorithms::takes_overlap) &&
           (shape.nodes > 1 || !traits.has(algorithms::knows_nodes));
}

// Values worth trying beside the preset, as the benchmark spells them.
std::vector<std::string> values_of(Parameter parameter, const Shape& shape) {
    std::vector<std::string> values;
    const auto doubling = [&](int first, int last) {
        for (int value = first; value <= last; value *= 2) values.push_back(std::to_string(value));
    };
    switch (parameter) {
    case Parameter::radix:
        doubling(2, shape.ranks);
        values.push_back(std::to_string(shape.ranks));
        break;
    case Parameter::block_count:
    case Parameter::stride: doubling(1, std::min(shape.ranks - 1, 512)); break;
    case Parameter::in_flight: doubling(1, std::min(shape.ranks - 1, 8)); break;
    case Parameter::lanes: doubling(1, shape.ranks_per_node); break;
    case Parameter::metadata: values.emplace_back("separate"); break;
    case Parameter::intra:
        if (shape.ranks_per_node > 1) values.emplace_back("shared");
        break;
    // Buffers are for exchanges in place, and which regions there are inside a node the benchmark does not
    // know.
    case Parameter::auxiliary_bytes:
    case Parameter::buffers:
    case Parameter::levels: break;
    }
    return values;
}

class Collection {
  public:
    explicit Collection(const Shape& shape) : shape_(shape) {}

    void add(const Traits& traits, const std::string& text) {
        const Parameters resolved = policy::resolve(traits, use_of(shape_.collective, text), shape_.ranks);
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

    // A limit on partners that is above their number is none.
    bool is_same(const Traits& traits, const Parameters& a, const Parameters& b) const {
        return std::ranges::all_of(traits.parameters, [&](Parameter parameter) {
            const bool limit = parameter == Parameter::block_count || parameter == Parameter::stride ||
                               parameter == Parameter::in_flight;
            const auto value = [&](const Parameters& of) {
                return limit ? std::min<std::int64_t>(of[parameter], std::max(shape_.ranks - 1, 1))
                             : of[parameter];
            };
            return value(a) == value(b);
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
        if (traits.collective != shape.collective || !is_there_any_use_of(traits, shape)) continue;
        std::vector<std::string> bases = {std::string(traits.name)};
        if (traits.takes(Parameter::intra))
            for (const std::string& value : values_of(Parameter::intra, shape))
                bases.push_back(std::string(traits.name) + ":intra=" + value);
        for (const std::string& base : bases) {
            collection.add(traits, base);
            for (const Parameter parameter : traits.parameters)
                if (parameter != Parameter::intra)
                    for (const std::string& value : values_of(parameter, shape))
                        collection.add(traits,
                                       base + ':' + std::string(traits_of(parameter).name) + '=' + value);
        }
    }
    return std::move(collection).take();
}

std::vector<std::string> coarse_candidates_of(const Shape& shape) {
    Collection collection(shape);
    for (const Traits& traits : algorithms::all_traits()) {
        if (traits.collective != shape.collective || !is_there_any_use_of(traits, shape)) continue;
        if (traits.has(algorithms::shared_memory)) continue; // simulated ranks share none
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
    return traits->takes(Parameter::radix) ? policy::resolve(*traits, use, shape.ranks)[Parameter::radix] : 0;
}

std::vector<std::string> variations_of(const Shape& shape, const std::string& candidate) {
    const policy::Use use = use_of(shape.collective, candidate);
    const Traits& traits = *algorithms::find(shape.collective, use.algorithm);
    Collection collection(shape);
    collection.add(traits, candidate);
    for (const Parameter parameter : traits.parameters) {
        if (parameter == Parameter::radix || parameter == Parameter::intra) continue;
        const auto values = values_of(parameter, shape);
        for (std::size_t i = 0; i < values.size(); i += 3)
            collection.add(traits,
                           candidate + ':' + std::string(traits_of(parameter).name) + '=' + values[i]);
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
    return !traits_of(collective).block_is_known() && traits != nullptr &&
           traits->has(algorithms::agreed_block);
}

} // namespace switchyard::shim::tune
