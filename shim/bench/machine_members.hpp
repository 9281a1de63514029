// The members of a machine's file, from machine_members.def: where they are, and which values they can have.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace switchyard::bench {

inline constexpr const char* machine_version_key = "switchyard_machine";
inline constexpr int machine_version = 1;

// The objects of numbers. `spread` has the same ones.
inline constexpr std::array<std::string_view, 3> machine_sections = {"network", "node", "packing"};
inline constexpr const char* machine_spread = "spread";

// `network_latency_us` is latency_us of network, and so on.
enum class MachineMember {
#define SWITCHYARD_MACHINE_MEMBER(section, name, least, missing) section##_##name,
#include "machine_members.def"
#undef SWITCHYARD_MACHINE_MEMBER
};

struct MachineMemberTraits {
    enum class Least { zero, above_zero };
    enum class Missing { is_an_error, has_default };

    MachineMember member;
    std::string_view section, name;
    Least least;
    Missing missing;
};

inline constexpr auto machine_members = std::to_array<MachineMemberTraits>({
#define SWITCHYARD_MACHINE_MEMBER(section, name, least, missing)                                             \
    {MachineMember::section##_##name, #section, #name, MachineMemberTraits::Least::least,                    \
     MachineMemberTraits::Missing::missing},
#include "machine_members.def"
#undef SWITCHYARD_MACHINE_MEMBER
});

constexpr const MachineMemberTraits& traits_of(MachineMember member) {
    return machine_members[static_cast<std::size_t>(member)];
}

static_assert(std::ranges::all_of(machine_members, [](const MachineMemberTraits& traits) {
    return std::ranges::find(machine_sections, traits.section) != machine_sections.end() &&
           (traits.name.ends_with("_us") || traits.name.ends_with("_bytes"));
}));

} // namespace switchyard::bench
