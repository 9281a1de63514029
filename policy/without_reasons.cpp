#include "without_reasons.hpp"

#include <nlohmann/json.hpp>

namespace switchyard::policy {

std::string without_reasons(const std::string& text) {
    constexpr bool throws = false, ignores_comments = true;
    try {
        auto policy = nlohmann::ordered_json::parse(text, nullptr, throws, ignores_comments);
        if (!policy.is_object() || !policy.contains("rules") || !policy["rules"].is_array()) return text;
        policy.erase("$schema");
        for (auto& rule : policy["rules"])
            if (rule.is_object()) rule.erase("because");
        return policy.dump();
    } catch (const nlohmann::json::exception&) { // a string that is no UTF-8 cannot be written again
        return text;
    }
}

} // namespace switchyard::policy
