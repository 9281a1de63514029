#include "native_facts.hpp"

#include "algorithms/collective.hpp"
#include "shim/entry/counted.hpp"
#include "shim/entry/mpi_families.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <utility>

namespace switchyard::shim {

namespace {

using MpiSetting = NativeFacts::Setting;

struct CollectiveLibrary {
    std::string_view file;             // how its name begins
    std::string_view setting_prefix{}; // of its environment variables; "": it reads none
};
constexpr std::array collective_libraries = {
    CollectiveLibrary{"libhcoll.", "HCOLL_"}, CollectiveLibrary{"libucc.", "UCC_"},
    CollectiveLibrary{"libsharp.", "SHARP_"}, CollectiveLibrary{"libsharp_coll.", "SHARP_"},
    CollectiveLibrary{"libfca."}};

std::string in_small_letters(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
    return small;
}

template <typename Predicate>
bool any_collective(Predicate holds) {
    return std::ranges::any_of(algorithms::collective_names, holds) ||
           std::ranges::any_of(all_counted, holds, &CountedTraits::name);
}

bool is_collective(std::string_view name) {
    return any_collective([name](std::string_view known) { return known == name; });
}

bool is_about_collectives(std::string_view variable) {
    const auto name = in_small_letters(variable);
    const auto has = [&name](std::string_view part) { return name.find(part) != std::string::npos; };
    return has("coll") || any_collective(has);
}

// The rest of a text without its beginning and its end; nothing if it has others.
std::optional<std::string_view> between(std::string_view text, std::string_view beginning,
                                        std::string_view end) {
    if (!text.starts_with(beginning) || !text.ends_with(end) || text.size() < beginning.size() + end.size())
        return {};
    return text.substr(beginning.size(), text.size() - beginning.size() - end.size());
}

// ---- The environment -------------------------------------------------------------------------------------

bool begins_with_any(std::string_view name, const MpiFamily::Words& prefixes) {
    return std::ranges::any_of(
        prefixes, [name](const char* prefix) { return prefix != nullptr && name.starts_with(prefix); });
}

bool is_of_library(std::string_view name, const std::vector<std::string>& libraries) {
    return std::ranges::any_of(collective_libraries, [&](const CollectiveLibrary& library) {
        return !library.setting_prefix.empty() && name.starts_with(library.setting_prefix) &&
               std::ranges::any_of(libraries,
                                   [&](const auto& file) { return file.starts_with(library.file); });
    });
}

std::vector<MpiSetting> settings_in(const char* const* environment, const MpiFamily* family,
                                    const std::vector<std::string>& libraries) {
    std::vector<MpiSetting> settings;
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        const std::string_view entry = *environment;
        const auto name = entry.substr(0, entry.find('='));
        if (name.size() == entry.size()) continue;
        const bool is_of_mpi = family != nullptr && begins_with_any(name, family->setting_prefixes);
        if ((is_of_mpi && is_about_collectives(name)) || is_of_library(name, libraries))
            settings.push_back(
                {std::string(name), std::string(entry.substr(name.size() + 1)), "environment", ""});
    }
    return settings;
}

// `MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=pairwise` has the name; MPICH's own variable is a number.
void find_forced(const MpiFamily* family, NativeFacts& facts) {
    if (family == nullptr) return;
    for (const auto& setting : facts.settings)
        for (const char* prefix : family->setting_prefixes) {
            if (prefix == nullptr) break;
            const auto name = between(setting.name, prefix, "_INTRA_ALGORITHM");
            const auto collective = in_small_letters(name.value_or(""));
            if (is_collective(collective) && setting.value != "auto")
                facts.forced[collective] = setting.value;
        }
}

// ---- Open MPI's variables --------------------------------------------------------------------------------

// The part `alltoallv` of `coll_tuned_alltoallv_algorithm`; nothing if it is no such variable.
std::optional<std::string_view> collective_of(const McaVariable& variable) {
    auto rest = between(variable.name, "coll_", "_algorithm");
    if (!rest || rest->find('_') == std::string_view::npos) return {};
    rest->remove_prefix(rest->find('_') + 1); // the component has no underscore
    return is_collective(*rest) ? rest : std::nullopt;
}

const McaVariable* named(std::string_view name, const std::vector<McaVariable>& variables) {
    const auto found = std::ranges::find(variables, name, &McaVariable::name);
    return found != variables.end() ? &*found : nullptr;
}

// Open MPI's help says it: `Only relevant if coll_tuned_use_dynamic_rules is true.`
std::string why_no_effect(const McaVariable& variable, const std::vector<McaVariable>& variables) {
    constexpr std::string_view only_if = "Only relevant if ";
    const auto at = variable.help.find(only_if);
    if (at == std::string::npos) return "";
    const auto condition = std::string_view(variable.help).substr(at + only_if.size());
    const auto name = condition.substr(0, condition.find(' '));
    const auto* needed =
        condition.substr(name.size()).starts_with(" is true") ? named(name, variables) : nullptr;
    return needed != nullptr && needed->value == "false" ? needed->name + " is false" : "";
}

void add_setting(const McaVariable& variable, const std::vector<McaVariable>& variables, NativeFacts& facts) {
    auto no_effect = why_no_effect(variable, variables);
    const bool is_forced = no_effect.empty() && variable.value != "ignore" && variable.value != "0";
    if (const auto collective = collective_of(variable); collective && is_forced)
        facts.forced[std::string(*collective)] = variable.value;
    facts.settings.push_back({variable.name, variable.value, variable.source, std::move(no_effect)});
}

void add_component(const McaVariable& variable, NativeFacts& facts) {
    const auto name = between(variable.name, "coll_", "_priority");
    if (!name || name->find('_') != std::string_view::npos) return;
    int priority = 0;
    const auto& value = variable.value;
    if (std::from_chars(value.data(), value.data() + value.size(), priority).ec == std::errc())
        facts.components.push_back({std::string(*name), priority});
}

// A variable that no loaded component has, or that is misspelt.
void add_unknown(std::vector<MpiSetting> in_environment, const std::vector<McaVariable>& variables,
                 NativeFacts& facts) {
    constexpr std::string_view prefix = "OMPI_MCA_";
    for (auto& setting : in_environment) {
        if (setting.name.starts_with(prefix)) {
            if (named(std::string_view(setting.name).substr(prefix.size()), variables) != nullptr) continue;
            setting.no_effect = "Open MPI has no such variable here";
        }
        facts.settings.push_back(std::move(setting));
    }
}

} // namespace

std::optional<McaVariable> collective_variable(std::string_view said) {
    const auto equals = said.find('=');
    if (equals == std::string_view::npos || !said.ends_with(')')) return {};
    const auto name = said.substr(0, equals);
    if (name != "coll" && !name.starts_with("coll_")) return {};
    const auto of_file = said.rfind(" (file (");
    const auto source = of_file != std::string_view::npos ? of_file : said.rfind(" (");
    if (source == std::string_view::npos || source < equals) return {};
    return McaVariable{std::string(name), std::string(said.substr(equals + 1, source - equals - 1)),
                       std::string(said.substr(source + 2, said.size() - source - 3)), ""};
}

bool is_collective_library(std::string_view path) {
    const auto name = path.substr(path.rfind('/') + 1);
    return std::ranges::any_of(collective_libraries,
                               [name](const auto& library) { return name.starts_with(library.file); });
}

NativeFacts native_facts(const char* library_version, const std::vector<McaVariable>& variables,
                         const char* const* environment, std::vector<std::string> libraries) {
    NativeFacts facts;
    facts.libraries = std::move(libraries);
    const auto* family = family_that_says(library_version, &MpiFamily::library_says);
    auto in_environment = settings_in(environment, family, facts.libraries);
    for (const auto& variable : variables) {
        add_component(variable, facts);
        if (variable.is_set()) add_setting(variable, variables, facts);
    }
    if (variables.empty())
        facts.settings = std::move(in_environment);
    else
        add_unknown(std::move(in_environment), variables, facts);
    if (variables.empty()) find_forced(family, facts);
    std::ranges::sort(facts.components, [](const auto& left, const auto& right) {
        return left.priority != right.priority ? left.priority > right.priority : left.name < right.name;
    });
    std::ranges::sort(facts.settings, {}, &MpiSetting::name);
    return facts;
}

} // namespace switchyard::shim
