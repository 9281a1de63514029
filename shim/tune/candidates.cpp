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

bool may_be_of_use(const Traits& traits, const Shape& shape) {
    return !traits.native && !traits.has(algorithms::takes_overlap) &&
           (shape.nodes > 1 || !traits.has(algorithms::knows_nodes));
}

// The texts of a candidate of `algorithm` with each value of one parameter that is worth a try besides the
// preset.
std::vector<std::string> varied(const Traits& algorithm, const std::string& candidate, Parameter parameter,
                                const Shape& shape) {
    const auto& traits = traits_of(parameter);
    auto values = algorithms::grid_of(traits, shape.of_group());
    if (traits.takes_list)
        for (const auto list : algorithms::balanced_lists(distances_of(algorithm, shape.of_group())))
            values.push_back(list);
    std::vector<std::string> texts;
    for (const auto value : values)
        texts.push_back(candidate + ':' + std::string(traits.name) + '=' + text_of(traits, value));
    return texts;
}

// The same in the first pass of a search, with only the middle border: the other borders are for
// combinations_of().
std::vector<std::string> varied_first(const Traits& algorithm, const std::string& candidate,
                                      Parameter parameter, const Shape& shape) {
    auto texts = varied(algorithm, candidate, parameter, shape);
    if (parameter == Parameter::direct_from) texts = {texts[texts.size() / 2]};
    return texts;
}

// The text without a value for that parameter.
std::string without(std::string candidate, Parameter parameter) {
    const auto begin = candidate.find(':' + std::string(traits_of(parameter).name) + '=');
    if (begin == std::string::npos) return candidate;
    const auto end = candidate.find(':', begin + 1);
    return candidate.erase(begin, end == std::string::npos ? end : end - begin);
}

// The setting with half its radix, with its own and with twice its own.
std::vector<std::string> with_near_radices(const Shape& shape, const std::string& setting) {
    std::vector<std::string> texts = {setting};
    const std::int64_t own = radix_of(shape, setting);
    if (own == 0) return texts;
    const std::string plain = without(setting, Parameter::radix);
    for (const std::int64_t radix :
         {std::max<std::int64_t>(own / 2, 2), std::min<std::int64_t>(own * 2, shape.ranks)})
        texts.push_back(radix == radix_of(shape, plain) ? plain : with_radix(plain, radix));
    return texts;
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

bool is_given(const policy::Use& use, Parameter parameter) {
    return use.parameters[static_cast<std::size_t>(parameter)].has_value();
}

// The candidates of one shape, each setting of parameters once.
class Collection {
  public:
    explicit Collection(const Shape& shape) : shape_(shape) {}

    void add(const Traits& traits, const std::string& text) {
        const Parameters resolved =
            policy::resolve(traits, use_of(shape_.collective, text), shape_.of_group());
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
                for (const std::string& text : varied(traits, bases.front(), parameter, shape))
                    bases.push_back(text);
        for (const std::string& base : bases) {
            collection.add(traits, base);
            for (const Parameter parameter : traits.parameters)
                if (!traits_of(parameter).searched_with_others)
                    for (const std::string& text : varied_first(traits, base, parameter, shape))
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
    if (!traits->takes(Parameter::radix)) return 0;
    const auto radix = policy::resolve(*traits, use, shape.of_group())[Parameter::radix];
    return is_list(traits_of(Parameter::radix), radix) ? 0 : radix;
}

std::vector<std::string> variations_of(const Shape& shape, const std::string& candidate) {
    const policy::Use use = use_of(shape.collective, candidate);
    const Traits& traits = *algorithms::find(shape.collective, use.algorithm);
    Collection collection(shape);
    collection.add(traits, candidate);
    for (const Parameter parameter : traits.parameters) {
        const bool is_combined = parameter == Parameter::radix || parameter == Parameter::direct_from;
        if (is_combined || traits_of(parameter).searched_with_others || is_given(use, parameter)) continue;
        const auto texts = varied(traits, candidate, parameter, shape);
        for (std::size_t i = 0; i < texts.size(); i += 3) collection.add(traits, texts[i]);
    }
    auto texts = std::move(collection).take();
    texts.erase(texts.begin());
    return texts;
}

bool takes_border(const Shape& shape, const std::string& candidate) {
    const Traits* traits = algorithms::find(shape.collective, candidate.substr(0, candidate.find(':')));
    return traits != nullptr && traits->takes(Parameter::direct_from);
}

std::string without_border(const std::string& candidate) {
    return without(candidate, Parameter::direct_from);
}

std::vector<std::string> combinations_of(const Shape& shape, const std::string& setting,
                                         std::size_t largest_block) {
    const Traits& traits = *algorithms::find(shape.collective, use_of(shape.collective, setting).algorithm);
    const std::string key = ':' + std::string(traits_of(Parameter::direct_from).name) + '=';
    Collection collection(shape);
    for (const std::string& text : with_near_radices(shape, setting))
        for (const std::int64_t border : borders_for(shape, largest_block))
            collection.add(traits, text + key + std::to_string(border));
    return std::move(collection).take();
}

bool is_known(policy::Collective collective, const std::string& candidate) {
    const auto parsed = policy::parse_force(std::string(name_of(collective)) + ":" + candidate);
    return static_cast<bool>(parsed);
}

policy::Use use_of(policy::Collective collective, const std::string& candidate) {
    auto parsed = policy::parse_force(std::string(name_of(collective)) + ":" + candidate);
    return *parsed.value().by_collective[static_cast<std::size_t>(collective)];
}

std::string algorithm_of(std::string_view candidate) {
    return std::string(candidate.substr(0, candidate.find(':')));
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
