#include "results.hpp"
#include "statistics.hpp"

#include "algorithms/phases.hpp"
#include "policy/parameter_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace switchyard::bench {

namespace {

using Json = nlohmann::ordered_json;

Json parameters_of(const Contender& contender) {
    Json json = Json::object();
    for (const algorithms::Parameter parameter : contender.choice.algorithm->parameters)
        policy::add_parameter(json, algorithms::traits_of(parameter), contender.choice.parameters[parameter]);
    return json;
}

std::vector<double> in_us(std::vector<double> seconds) {
    for (double& time : seconds) time *= 1e6;
    return seconds;
}

Json phases_of(const Result& result) {
    Json json = Json::object();
    for (std::size_t i = 0; i < result.phases.size(); ++i)
        if (result.phases[i] > 0)
            json[std::string(algorithms::phase_traits[i].name)] = result.phases[i] * 1e6;
    return json;
}

Json result_of(const Report& report, const Result& result) {
    const Contender& contender = report.contender_of(result);
    const auto times_us = in_us(result.seconds), all = result.all_seconds();
    Json json = {{"algorithm", contender.kind == Contender::Kind::algorithm
                                   ? std::string(contender.choice.algorithm->name)
                                   : contender.name},
                 {"parameters", parameters_of(contender)},
                 {"max_block_bytes", result.max_block},
                 {"largest_block_bytes", result.largest_block},
                 {"median_us", median(times_us)},
                 {"mad_us", median_absolute_deviation(times_us)},
                 {"min_us", *std::ranges::min_element(times_us)},
                 {"max_us", *std::ranges::max_element(times_us)},
                 {"ratio_to_native", nullptr},
                 {"first_us", all.front() * 1e6},
                 {"mean_us", mean(all) * 1e6},
                 {"mean_ratio_to_native", nullptr},
                 {"messages", nullptr},
                 {"wire_bytes", nullptr},
                 {"messages_inter", nullptr},
                 {"wire_bytes_inter", nullptr},
                 {"rounds", nullptr},
                 {"scratch_bytes", nullptr},
                 {"verified", result.verified},
                 {"warmup_us", in_us(result.warmup)},
                 {"times_us", times_us}};
    if (!result.baseline.empty()) {
        json["ratio_to_native"] = median_ratio(result.seconds, result.baseline);
        json["mean_ratio_to_native"] = ratio_of_means(all, result.all_baseline());
    }
    if (!result.phases.empty()) json["phases_us"] = phases_of(result);
    if (contender.is_ours()) { // the messages of the MPI library are not known
        json["messages"] = result.messages;
        json["wire_bytes"] = result.bytes;
        json["messages_inter"] = result.messages_inter;
        json["wire_bytes_inter"] = result.bytes_inter;
        json["rounds"] = result.rounds;
        json["scratch_bytes"] = result.scratch_bytes;
    }
    return json;
}

} // namespace

std::string json_of(const Report& report) {
    const Options& options = report.options;
    const Environment& environment = report.environment;
    Json json;
    json["environment"] = {{"mpi", environment.mpi},
                           {"ranks", environment.ranks},
                           {"nodes", environment.nodes},
                           {"ranks_per_node", environment.ranks_per_node},
                           {"hosts", environment.hosts},
                           {"simulated", environment.simulated},
                           {"date", environment.date},
                           {"command", options.command},
                           {"elapsed_seconds", environment.elapsed_seconds},
                           {"peak_process_bytes", nullptr}};
    if (environment.peak_bytes != 0) json["environment"]["peak_process_bytes"] = environment.peak_bytes;
    json["settings"] = {{"collective", name_of(options.collective)},
                        {"distribution", name_of(options.distribution)},
                        {"iterations", options.iterations},
                        {"warmup", options.warmup},
                        {"seed", options.seed},
                        {"in_place", options.in_place},
                        {"read", options.reads},
                        {"cold", options.cold}};
    json["verified"] = report.is_verified();
    json["results"] = Json::array();
    for (const Result& result : report.results) json["results"].push_back(result_of(report, result));
    const int indent = options.format == Format::lines ? -1 : 1;
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace switchyard::bench
