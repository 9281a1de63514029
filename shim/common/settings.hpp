// Everything a user can set, in one table: it feeds the shim, `switchyard config` and the warning about names
// that do not exist. No MPI here.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::shim {

enum class Setting : std::size_t {
    enabled,
    policy,
    force,
    log,
    detail,
    ranks_per_node,
    region,
    ranks_per_region,
    shared_bytes,
    gpu,
    gpu_aware,
    verbose
};
inline constexpr std::size_t setting_count = 12;

struct SettingTraits {
    std::string_view variable; // SWITCHYARD_*
    std::string_view meaning;
    std::string_view preset; // "" where there is none or where it is found at run time
};
const std::array<SettingTraits, setting_count>& setting_table();

enum class Detail { calls, ranks, summary };
enum class Gpu { detect, off, on };
enum class GpuAware { detect, yes, no };

class Settings {
  public:
    // From this process's environment. `complaints` gets a sentence per unknown variable or impossible value;
    // such a value counts as not given.
    static Settings from_environment(std::vector<std::string>& complaints);

    // For rank 0 to hand to the other ranks, and back.
    std::string serialized() const;
    static Settings deserialized(std::string_view text);

    // As given by the user; nullopt where the default holds.
    const std::optional<std::string>& given(Setting setting) const { return given_[index(setting)]; }
    // As it is in force.
    std::string value(Setting setting) const;

    bool enabled() const { return value(Setting::enabled) != "off"; }
    bool logs() const { return value(Setting::log) != "off"; }
    Detail detail() const;
    std::size_t shared_bytes() const; // of each rank
    Gpu gpu() const;
    GpuAware gpu_aware() const;

  private:
    static constexpr std::size_t index(Setting setting) { return static_cast<std::size_t>(setting); }
    std::array<std::optional<std::string>, setting_count> given_{};
};

// Where an object of ours lies finds everything else: <prefix>/lib/libswitchyard*.so or
// <prefix>/bin/switchyard gives <prefix>/share/switchyard/<name>.
std::string installed_file(std::string_view object_path, std::string_view name);

// The path of the object (shared library or program) that holds that address.
std::string object_path_of(const void* address);

} // namespace switchyard::shim
