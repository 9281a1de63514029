// Every setting, in one table. The shim, `switchyard config` and the warning about unknown
// names read it. No MPI here.
#pragma once

#include "policy/features.hpp"
#include "shim/common/object_path.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace switchyard::shim {

enum class Setting : std::size_t {
    enabled,
    policy,
    force,
    log,
    log_mode,
    detail,
    ranks_per_node,
    region,
    ranks_per_region,
    network,
    shared_bytes,
    in_flight_limit,
    gpu,
    gpu_aware,
    verbose
};
inline constexpr std::size_t setting_count = 15;

struct SettingTraits {
    std::string_view variable; // SWITCHYARD_*
    std::string_view meaning;
    std::string_view preset; // "" where there is none, or where the run finds it out
};
const std::array<SettingTraits, setting_count>& setting_table();

enum class Detail { calls, ranks, summary, phases, all };
inline constexpr std::array<std::string_view, 5> detail_names = {"calls", "ranks", "summary", "phases",
                                                                 "all"};
enum class Gpu { detect, off, on };
enum class GpuAware { detect, yes, no };

class Settings {
  public:
    // From this process's environment. `complaints` gets a sentence for each unknown variable and each
    // impossible value; an impossible value counts as not given.
    static Settings from_environment(std::vector<std::string>& complaints);

    // Rank 0 sends its settings to the other ranks in this form.
    std::string serialized() const;
    static Settings deserialized(std::string_view text);

    // The user's value; nullopt if the default holds.
    const std::optional<std::string>& given(Setting setting) const { return given_[index(setting)]; }
    // The value in force.
    std::string value(Setting setting) const;

    bool enabled() const { return value(Setting::enabled) != "off"; }
    bool logs() const { return value(Setting::log) != "off"; }
    Detail detail() const;
    bool times_phases() const { return detail() == Detail::phases || detail() == Detail::all; }
    bool logs_each_rank() const { return detail() == Detail::ranks || detail() == Detail::all; }
    mode_t log_mode() const;               // of the log's files
    std::size_t shared_bytes() const;      // of each rank
    std::uint64_t in_flight_limit() const; // sends, and receives, under way at once on a rank
    Gpu gpu() const;
    GpuAware gpu_aware() const;
    // As given, or as this machine's devices say.
    policy::Network network() const;

  private:
    static constexpr std::size_t index(Setting setting) { return static_cast<std::size_t>(setting); }
    std::array<std::optional<std::string>, setting_count> given_{};
};

// An installed file, found from the path of an object of ours: <prefix>/lib/libswitchyard*.so and
// <prefix>/bin/switchyard both give <prefix>/share/switchyard/<name>.
std::string installed_file(std::string_view object_path, std::string_view name);

} // namespace switchyard::shim
