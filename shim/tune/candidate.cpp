#include "candidate.hpp"

#include "policy/admissible.hpp"
#include "policy/parse.hpp"

#include <algorithm>

namespace switchyard::shim::tune {

using algorithms::Parameter;

Candidate::Candidate(const algorithms::Traits& algorithm) : traits_(&algorithm), text_(algorithm.name) {
    use_.algorithm = algorithm.name;
}

std::optional<Candidate> Candidate::read(policy::Collective collective, const std::string& text) {
    const auto parsed = policy::parse_force(std::string(name_of(collective)) + ":" + text);
    if (!parsed) return std::nullopt;
    const policy::Use& use = *parsed.value().by_collective[static_cast<std::size_t>(collective)];
    return Candidate(*algorithms::find(collective, use.algorithm)).with(use);
}

Candidate Candidate::with(policy::Use use) const {
    Candidate other(*traits_);
    other.use_ = std::move(use);
    for (const auto& traits : algorithms::parameter_vocabulary())
        if (const auto& value = other.value_of(traits.parameter))
            other.text_ += ':' + std::string(traits.name) + '=' + text_of(traits, *value);
    return other;
}

std::string Candidate::words() const {
    std::string words = text_;
    std::ranges::replace(words, ':', ' ');
    return words;
}

bool Candidate::takes(Parameter parameter) const {
    return traits_ != nullptr && traits_->takes(parameter);
}

Candidate Candidate::with(Parameter parameter, std::int64_t value) const {
    policy::Use use = use_;
    use.parameters[static_cast<std::size_t>(parameter)] = value;
    return with(std::move(use));
}

Candidate Candidate::without(Parameter parameter) const {
    policy::Use use = use_;
    use.parameters[static_cast<std::size_t>(parameter)].reset();
    return with(std::move(use));
}

algorithms::Parameters Candidate::resolved(const Shape& shape) const {
    return policy::resolve(*traits_, use_, shape.of_group());
}

std::int64_t Candidate::radix(const Shape& shape) const {
    if (!takes(Parameter::radix)) return 0;
    const std::int64_t radix = resolved(shape)[Parameter::radix];
    return is_list(traits_of(Parameter::radix), radix) ? 0 : radix;
}

bool Candidate::needs_agreement() const {
    return traits_ != nullptr && !traits_of(traits_->collective).block_is_known() &&
           needs_agreed_block(*traits_, policy::resolve(*traits_, use_, 1));
}

std::string Candidate::why_not_admissible(const Shape& shape) const {
    policy::Features features;
    features.collective = shape.collective;
    features.ranks = shape.ranks;
    features.nodes = shape.nodes;
    features.ranks_per_node = shape.ranks_per_node;
    return policy::why_not_admissible(*traits_, resolved(shape), features);
}

} // namespace switchyard::shim::tune
