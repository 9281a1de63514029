#include "vocabulary.hpp"

namespace switchyard::policy {

std::vector<std::string_view> algorithms_of(Collective collective) {
    std::vector<std::string_view> names;
    for (const algorithms::Traits& traits : algorithms::all_traits())
        if (traits.collective == collective) names.push_back(traits.name);
    return names;
}

std::vector<const algorithms::Traits*> find_all(std::string_view name, std::optional<Collective> only) {
    std::vector<const algorithms::Traits*> found;
    for (const algorithms::Traits& traits : algorithms::all_traits())
        if (traits.name == name && (!only || traits.collective == *only)) found.push_back(&traits);
    return found;
}

} // namespace switchyard::policy
