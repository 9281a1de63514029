#include "write.hpp"

#include "policy/parameter_json.hpp"
#include "policy/parse.hpp"
#include "policy/text/lists.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/common/whole_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

namespace switchyard::shim::tune {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

Json json_of(const policy::Range& range) {
    Json json = Json::object();
    if (range.min > 0) json["min"] = range.min;
    if (range.max < no_limit) json["max"] = range.max;
    return json;
}

std::string text_of(const policy::Range& range) {
    return range.min == range.max ? std::to_string(range.min)
                                  : std::to_string(range.min) + " to " + std::to_string(range.max);
}

std::string name_of(const Ruling& ruling) {
    std::string name = std::string(algorithms::name_of(ruling.collective)) + ", " + text_of(ruling.ranks) +
                       " ranks on " + text_of(ruling.nodes) + (ruling.nodes.max == 1 ? " node" : " nodes");
    if (!ruling.looks_at_block()) return name;
    return ruling.blocks.min == 0 ? name + ", up to " + std::to_string(ruling.blocks.max) + " bytes"
                                  : name + ", " + text_of(ruling.blocks) + " bytes";
}

Json use_json(const Ruling& ruling) {
    const policy::Use& use = ruling.candidate.use();
    Json json = {{"algorithm", use.algorithm}};
    for (const auto& traits : algorithms::parameter_vocabulary()) {
        const auto value = use.parameters[static_cast<std::size_t>(traits.parameter)];
        if (value) policy::add_parameter(json, traits, *value);
    }
    return json;
}

// What the agreement of a rule costs calls of sizes without a rule: ` Other sizes: 1.01 at 65536 bytes.`
std::string price_for_others(const Ruling& ruling, const std::vector<Ruling>& rules,
                             const Circumstances& circumstances) {
    if (!ruling.looks_at_block() || traits_of(ruling.collective).block_is_known()) return "";
    std::string text;
    for (const auto& [point, proof] : circumstances.verified) {
        const bool has_rule =
            std::ranges::any_of(rules, [&](const Ruling& other) { return other.covers(point); });
        if (has_rule || !ruling.covers_shape(point.shape)) continue;
        text += text.empty() ? " Other sizes: " : ", ";
        text += formatted("{:.2f} at {} bytes", proof.estimate.ratio, point.max_block);
    }
    return text.empty() ? text : text + ", which take part in its agreement.";
}

// `; 0.72 for 8 calls from the first on`
std::string from_first_text(const Point& point, const Proof& proof) {
    if (proof.from_first <= 0) return "";
    return formatted("; {:.2f} for {} from the first on", proof.from_first,
                     point.calls == 0 ? "all calls" : text::plural(point.calls, "call"));
}

std::string because(const Ruling& ruling, const Circumstances& circumstances) {
    const bool several_shapes = ruling.ranks.min != ruling.ranks.max;
    const bool verified = std::ranges::all_of(ruling.evidence, [&](const Evidence& evidence) {
        return circumstances.verified.contains(evidence.point);
    });
    const bool predicted = !circumstances.model.empty();
    const bool exact = !circumstances.platform.empty() || (predicted && !verified);
    std::string text;
    for (const Evidence& evidence : ruling.evidence) {
        const auto found = circumstances.verified.find(evidence.point);
        const Proof proof = found == circumstances.verified.end() ? Proof{evidence.estimate} : found->second;
        const Estimate& estimate = proof.estimate;
        text += text.empty() ? "" : ", ";
        text += formatted("{:.2f} of native's time at {} bytes", estimate.ratio, evidence.point.max_block);
        if (several_shapes) text += formatted(" on {} ranks", evidence.point.shape.ranks);
        if (!exact)
            text += formatted(" (MAD {:.2f}, {} iterations{})", estimate.spread, estimate.iterations,
                              from_first_text(evidence.point, proof));
    }
    std::string hosts;
    for (const std::string& host : circumstances.place.hosts) hosts += (hosts.empty() ? "" : " ") + host;
    constexpr std::size_t enough = 60;
    if (hosts.size() > enough)
        hosts = circumstances.place.hosts.front() + " and " +
                std::to_string(circumstances.place.hosts.size() - 1) + " more";
    const std::string how = traits_of(ruling.collective).has_count_arrays()
                                ? ", blocks " + ruling.evidence.front().point.distribution
                                : std::string();
    if (predicted && !verified)
        return text + ". Predicted for " + circumstances.model + how +
               ", not measured; native is assumed to do what MPICH does.";
    if (exact) return text + ". Simulated on " + circumstances.platform + how + ".";
    return text + (predicted ? ". Predicted for " + circumstances.model + ". Measured " : ". Measured ") +
           circumstances.place.date.substr(0, 10) + " on " + hosts + ", " + circumstances.place.mpi + how +
           (verified ? ", under switchyard with this policy, everything included."
                     : ", without the costs of switchyard itself.");
}

Json json_of(const Ruling& ruling, const std::vector<Ruling>& rules, const Circumstances& circumstances) {
    Json when = {{"collective", algorithms::name_of(ruling.collective)},
                 {"ranks", json_of(ruling.ranks)},
                 {"nodes", json_of(ruling.nodes)},
                 {"ranks_per_node", json_of(ruling.ranks_per_node)}};
    if (ruling.looks_at_block()) when["max_block_bytes"] = json_of(ruling.blocks);
    when["buffer"] = "host";
    return {{"name", name_of(ruling)},
            {"when", std::move(when)},
            {"use", use_json(ruling)},
            {"because", because(ruling, circumstances) + price_for_others(ruling, rules, circumstances)}};
}

} // namespace

std::string policy_text(const std::vector<Ruling>& rules, const Circumstances& circumstances) {
    Json json = {{"$schema", "switchyard-policy.schema.json"}, {"version", 1}, {"rules", Json::array()}};
    for (const Ruling& ruling : rules) json["rules"].push_back(json_of(ruling, rules, circumstances));
    json["otherwise"] = {{"algorithm", "native"}};
    std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
    const auto parsed = policy::parse(text);
    if (const auto* problems = parsed.error())
        throw std::runtime_error("the policy would not be valid, so it is not written: " +
                                 problems->front().pointer + ": " + problems->front().message);
    return text;
}

void write_policy(const std::filesystem::path& file, const std::string& text) {
    if (const auto error = shim::write_whole(file.string(), text))
        throw std::runtime_error("cannot write " + file.string() + ": " + error.message());
}

std::string why_not_writable(const std::filesystem::path& file) {
    if (std::filesystem::is_directory(file)) return file.string() + " is a folder";
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder)) return "there is no folder " + folder.string();
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return "the folder " + folder.string() + " is not writable: " + std::strerror(errno);
    return "";
}

} // namespace switchyard::shim::tune
