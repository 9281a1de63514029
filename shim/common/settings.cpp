#include "settings.hpp"

#include "network.hpp"
#include "placement.hpp"
#include "policy/parse.hpp"
#include "policy/text/lists.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <unistd.h>

namespace switchyard::shim {

namespace {

constexpr std::string_view prefix = "SWITCHYARD";

constexpr std::array<std::string_view, 3> log_mode_names = {"0644", "0640", "0600"};
constexpr std::array<std::string_view, 3> region_names = {"none", "numa", "package"};
constexpr std::array<std::string_view, 3> network_setting_names = {"detect", "tcp", "rdma"};
constexpr std::array<std::string_view, 3> gpu_names = {"detect", "off", "on"};
constexpr std::array<std::string_view, 3> gpu_aware_names = {"detect", "yes", "no"};
constexpr std::array<std::string_view, 9> verbose_names = {"trace", "debug", "info",     "warn", "warning",
                                                           "err",   "error", "critical", "off"};

// The enum's value for a word; `names` has its words in order.
template <typename Enum, typename Names>
Enum word_of(const Names& names, const std::string& word) {
    return static_cast<Enum>(std::find(names.begin(), names.end(), word) - names.begin());
}

constexpr std::size_t most_shared_bytes = std::size_t{1} << 30;

std::optional<std::size_t> number_of(const std::string& text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<std::size_t> bytes_of(const std::string& text) {
    const auto bytes = number_of(text);
    return bytes && *bytes <= most_shared_bytes ? bytes : std::nullopt;
}

// What the value should be; "" where the value is possible.
std::string what_it_should_be(Setting setting, const std::string& value) {
    auto is_in = [&](const auto& names) {
        return std::find(names.begin(), names.end(), value) != names.end();
    };
    switch (setting) {
    case Setting::enabled: return value == "on" || value == "off" ? "" : "on or off";
    case Setting::detail: return is_in(detail_names) ? "" : text::enumerated(detail_names, "or");
    case Setting::log_mode: return is_in(log_mode_names) ? "" : text::enumerated(log_mode_names, "or");
    case Setting::verbose: return is_in(verbose_names) ? "" : text::enumerated(verbose_names, "or");
    case Setting::region: return is_in(region_names) ? "" : text::enumerated(region_names, "or");
    case Setting::network:
        return is_in(network_setting_names) ? "" : text::enumerated(network_setting_names, "or");
    case Setting::gpu: return is_in(gpu_names) ? "" : text::enumerated(gpu_names, "or");
    case Setting::gpu_aware: return is_in(gpu_aware_names) ? "" : text::enumerated(gpu_aware_names, "or");
    case Setting::ranks_per_node:
    case Setting::ranks_per_region:
        return Placement::parse(value)
                   ? ""
                   : "4 (blocks of four), 3,1,4 (ragged blocks) or cyclic:4 (one rank for each in turn)";
    case Setting::shared_bytes:
        return bytes_of(value) ? "" : "a number of bytes, at most " + std::to_string(most_shared_bytes);
    case Setting::in_flight_limit:
        return number_of(value).value_or(0) > 0 ? "" : "a whole number of messages, 1 or more";
    case Setting::policy:
    case Setting::force:
    case Setting::log: return "";
    }
    return "";
}

} // namespace

Settings Settings::from_environment(std::vector<std::string>& complaints) {
    Settings settings;
    const auto& table = setting_table();
    std::vector<std::string_view> known;
    for (const auto& traits : table) known.push_back(traits.variable);

    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        std::string_view line = *entry;
        if (!line.starts_with(prefix)) continue;
        auto equals = line.find('=');
        auto name = line.substr(0, equals);
        if (name.size() > prefix.size() && name[prefix.size()] != '_')
            continue; // SWITCHYARDxyz belongs to somebody else
        auto value = equals == line.npos ? std::string{} : std::string(line.substr(equals + 1));
        auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            complaints.push_back(std::string(name) + " is not a setting" + policy::did_you_mean(name, known));
            continue;
        }
        if (value.empty()) continue; // an empty value counts as not given
        auto which = static_cast<std::size_t>(found - known.begin());
        if (auto possible = what_it_should_be(static_cast<Setting>(which), value); !possible.empty())
            complaints.push_back(std::string(name) + "=" + value + " is ignored: it should be " + possible);
        else
            settings.given_[which] = value;
    }
    return settings;
}

std::string Settings::serialized() const {
    std::string text;
    for (const auto& value : given_) {
        text += value ? std::to_string(value->size()) + ":" + *value : "-";
        text += ';';
    }
    return text;
}

Settings Settings::deserialized(std::string_view text) {
    Settings settings;
    for (auto& value : settings.given_) {
        if (text.empty()) break;
        if (text.front() == '-') {
            text.remove_prefix(std::min<std::size_t>(2, text.size()));
            continue;
        }
        std::size_t length = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
        auto start = static_cast<std::size_t>(end - text.data()) + 1;
        if (error != std::errc{} || start + length > text.size()) break;
        value = std::string(text.substr(start, length));
        text.remove_prefix(std::min(start + length + 1, text.size()));
    }
    return settings;
}

std::string Settings::value(Setting setting) const {
    const auto& traits = setting_table()[index(setting)];
    if (const auto& text = given(setting)) return *text;
    if (setting == Setting::policy)
        return installed_file(object_path_of(reinterpret_cast<const void*>(&setting_table)),
                              "default.policy.json");
    return std::string(traits.preset);
}

Detail Settings::detail() const {
    return word_of<Detail>(detail_names, value(Setting::detail));
}

mode_t Settings::log_mode() const {
    mode_t mode = 0;
    const auto text = value(Setting::log_mode);
    std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    return mode;
}

policy::Network Settings::network() const {
    const auto text = value(Setting::network);
    if (text == "detect") return has_rdma_device() ? policy::Network::rdma : policy::Network::tcp;
    return text == "rdma" ? policy::Network::rdma : policy::Network::tcp;
}

Gpu Settings::gpu() const {
    return word_of<Gpu>(gpu_names, value(Setting::gpu));
}

GpuAware Settings::gpu_aware() const {
    return word_of<GpuAware>(gpu_aware_names, value(Setting::gpu_aware));
}

std::size_t Settings::shared_bytes() const {
    return bytes_of(value(Setting::shared_bytes)).value_or(0);
}

std::uint64_t Settings::in_flight_limit() const {
    return number_of(value(Setting::in_flight_limit)).value_or(0);
}

std::string installed_file(std::string_view object_path, std::string_view name) {
    auto directory = std::filesystem::path(object_path).parent_path();
    // lib may be lib/x86_64-linux-gnu: look for share/switchyard in each folder above.
    for (int up = 0; up < 3 && directory.has_parent_path(); ++up) {
        directory = directory.parent_path();
        auto file = directory / "share" / "switchyard" / name;
        std::error_code error;
        if (std::filesystem::exists(file, error)) return file.string();
    }
    return (std::filesystem::path(object_path).parent_path().parent_path() / "share" / "switchyard" / name)
        .string();
}

} // namespace switchyard::shim
