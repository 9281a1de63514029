#include "native_calls.hpp"

#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace switchyard::shim::report {

namespace {

using Component = NativeFacts::Component;

constexpr std::size_t most_settings = 10;

// Components of Open MPI that serve few communicators, or have no collective of their own.
struct Special {
    std::string_view name, what;
};
constexpr std::array special_components = {
    Special{"self", "one rank alone"}, Special{"inter", "intercommunicators"},
    Special{"sync", "barriers around calls"}, Special{"monitoring", "counts calls"},
    Special{"ftagree", "agreements after a failure"}};

const Special* special_of(const Component& component) {
    const auto* found = std::ranges::find(special_components, component.name, &Special::name);
    return found != special_components.end() ? found : nullptr;
}

// `basic and libnbc (10)`: components of one priority.
std::string name_of_equals(std::span<const Component> equals, bool is_first) {
    std::vector<std::string> names;
    for (const auto& component : equals) names.push_back(shown(component.name, 32));
    return formatted("{} ({}{})", text::enumerated(names), is_first ? "priority " : "",
                     equals.front().priority);
}

std::string order_of(const std::vector<Component>& components) {
    std::string text;
    for (auto begin = components.begin(); begin != components.end();) {
        const auto end = std::find_if(begin, components.end(), [begin](const auto& other) {
            return other.priority != begin->priority;
        });
        text += (text.empty() ? "" : ", ") + name_of_equals({begin, end}, text.empty());
        begin = end;
    }
    return text;
}

// A component with a negative priority takes no part.
std::vector<std::string> component_sentences(const NativeFacts& native) {
    std::vector<Component> usual;
    std::vector<std::string> special;
    for (const auto& component : native.components) {
        if (component.priority < 0) continue;
        if (const auto* found = special_of(component))
            special.push_back(formatted("{} ({}; {})", found->name, component.priority, found->what));
        else
            usual.push_back(component);
    }
    std::vector<std::string> sentences;
    if (!usual.empty())
        sentences.push_back("Open MPI takes each collective from the first component that has it: " +
                            order_of(usual));
    if (!special.empty()) sentences.push_back("For special cases only: " + text::enumerated(special));
    return sentences;
}

std::string forced_sentence(const NativeFacts& native) {
    std::vector<std::string> forced;
    for (const auto& [collective, algorithm] : native.forced)
        forced.push_back(formatted("{} to {}", shown(collective, 32), shown(algorithm, 64)));
    return "Somebody forced " + text::enumerated(forced);
}

std::string setting_sentence(const NativeFacts::Setting& setting) {
    return formatted("Somebody set {} to {} ({}){}", shown(setting.name, 100), shown(setting.value, 100),
                     shown(setting.from, 200),
                     setting.no_effect.empty() ? "" : ", without effect: " + shown(setting.no_effect, 200));
}

void add_settings(const NativeFacts& native, std::vector<std::string>& sentences) {
    if (native.settings.empty()) sentences.push_back("Nobody set anything about the MPI's collectives");
    if (!native.forced.empty()) sentences.push_back(forced_sentence(native));
    const auto some = std::span(native.settings).first(std::min(most_settings, native.settings.size()));
    for (const auto& setting : some) sentences.push_back(setting_sentence(setting));
    if (native.settings.size() > most_settings)
        sentences.push_back(formatted("{} more: switchyard report --format json",
                                      text::plural(native.settings.size() - most_settings, "setting")));
}

// The call in which a run ended has no record, and may have been native.
bool may_have_native_calls(const Profile& profile) {
    return profile.run.partial || profile.calls > profile.routed || !profile.run.counted.empty();
}

} // namespace

std::vector<std::string> native_sentences(const Profile& profile) {
    if (!profile.run.native || !may_have_native_calls(profile)) return {};
    const auto& native = *profile.run.native;
    auto sentences = component_sentences(native);
    if (!native.libraries.empty()) {
        std::vector<std::string> names;
        for (const auto& library : native.libraries) names.push_back(shown(library, 64));
        sentences.push_back("Loaded, and may run collectives for the MPI: " + text::enumerated(names));
    }
    add_settings(native, sentences);
    return sentences;
}

} // namespace switchyard::shim::report
