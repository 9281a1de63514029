#include "native_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace switchyard::shim::log {

namespace {

using nlohmann::json;

const json& member(const json& object, const char* key) {
    static const json nothing;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() ? *found : nothing;
}

std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : "";
}

int priority_of(const json& value) {
    return value.is_number() ? static_cast<int>(std::clamp(value.get<double>(), -1e9, 1e9)) : 0;
}

} // namespace

nlohmann::ordered_json native_json(const NativeFacts& native) {
    auto components = nlohmann::ordered_json::array();
    for (const auto& component : native.components)
        components.push_back({{"name", component.name}, {"priority", component.priority}});
    auto settings = nlohmann::ordered_json::array();
    for (const auto& setting : native.settings) {
        settings.push_back({{"name", setting.name}, {"value", setting.value}, {"from", setting.from}});
        if (!setting.no_effect.empty()) settings.back()["no_effect"] = setting.no_effect;
    }
    return {{"components", std::move(components)},
            {"settings", std::move(settings)},
            {"forced", native.forced},
            {"libraries", native.libraries}};
}

std::optional<NativeFacts> native_in(const json& run_json) {
    const auto& native = member(run_json, "native");
    if (!native.is_object()) return {};
    NativeFacts facts;
    for (const auto& entry : member(native, "components"))
        if (auto name = text_of(member(entry, "name")); !name.empty())
            facts.components.push_back({std::move(name), priority_of(member(entry, "priority"))});
    for (const auto& entry : member(native, "settings"))
        if (auto name = text_of(member(entry, "name")); !name.empty())
            facts.settings.push_back({std::move(name), text_of(member(entry, "value")),
                                      text_of(member(entry, "from")), text_of(member(entry, "no_effect"))});
    if (const auto& forced = member(native, "forced"); forced.is_object())
        for (const auto& [collective, algorithm] : forced.items())
            if (algorithm.is_string()) facts.forced[collective] = algorithm;
    for (const auto& library : member(native, "libraries"))
        if (library.is_string()) facts.libraries.push_back(library);
    return facts;
}

} // namespace switchyard::shim::log
