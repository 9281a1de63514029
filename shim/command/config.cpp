#include "commands.hpp"

#include "policy/file.hpp"
#include "policy/parse.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/settings.hpp"

#include <iostream>

namespace switchyard::shim::command {

int config() {
    std::vector<std::string> complaints;
    auto settings = Settings::from_environment(complaints);
    for (std::size_t i = 0; i < setting_count; ++i) {
        auto setting = static_cast<Setting>(i);
        const auto& traits = setting_table()[i];
        auto value = settings.value(setting);
        const bool detected = setting == Setting::ranks_per_node || setting == Setting::ranks_per_region;
        if (value.empty()) value = detected ? "(detected)" : "(none)";
        std::cout << formatted("{:<28} {:<40} {:<12} {}\n", traits.variable, value,
                               settings.given(setting) ? "environment" : "default", traits.meaning);
    }
    if (const auto& forced = settings.given(Setting::force))
        for (const auto& problem : policy::read_force(*forced).problems)
            complaints.push_back(
                policy::told(setting_table()[static_cast<std::size_t>(Setting::force)].variable, problem));
    for (const auto& complaint : complaints) std::cout << "warning: " << complaint << '\n';
    return complaints.empty() ? 0 : 1;
}

} // namespace switchyard::shim::command
