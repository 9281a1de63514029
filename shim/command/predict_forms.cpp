#include "predict.hpp"

#include "policy/parameter_json.hpp"
#include "policy/text/lists.hpp"
#include "policy/text/printable.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/report/text/text_table.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>

namespace switchyard::shim::command {

namespace {

using Json = nlohmann::ordered_json;
using predict::Bound;

std::uint64_t whole(double value) {
    return static_cast<std::uint64_t>(std::llround(value));
}

std::string bound_text(const predict::Prediction& prediction) {
    const Bound bound = prediction.spent.most();
    return formatted("{} {}", predict::bound_names[static_cast<std::size_t>(bound)],
                     share_text(prediction.spent.on(bound), prediction.us()));
}

std::string heading(const std::string& machine, const PredictedPoint& point) {
    const auto& [collective, shape, distribution, max_block] = point.call;
    const std::string sizes = traits_of(collective).has_count_arrays()
                                  ? formatted("blocks {} of up to {} bytes", name_of(distribution), max_block)
                                  : formatted("blocks of {} bytes", max_block);
    return formatted("{}, {} ranks on {}, {}, predicted for {}; buffers {} a rank\n", name_of(collective),
                     shape.ranks, text::plural(static_cast<std::uint64_t>(shape.nodes), "node"), sizes,
                     text::printable(machine, 60), size_text(point.buffer_bytes));
}

// Both are largest blocks.
std::string sentence_of(const CrossoverAt& at) {
    const auto& [by_formula, by_model] = at.crossover;
    const std::string formula =
        std::isinf(by_formula)
            ? "never by the formula of its paper"
            : formatted("from blocks of {} bytes on by the formula of its paper",
                        count_text(static_cast<std::uint64_t>(std::floor(by_formula)) + 1));
    const std::string model =
        by_model ? formatted("from {} bytes on by the model", count_text(*by_model)) : "never by the model";
    return formatted("on {} ranks two_phase_bruck is faster than padded_bruck {}, {}\n", at.ranks, formula,
                     model);
}

void print_text(const Predictions& predictions, std::ostream& out) {
    const auto& [machine, points, crossovers] = predictions;
    for (const PredictedPoint& point : points) {
        if (&point != &points.front()) out << '\n';
        out << heading(machine, point);
        report::TextTable table({{"algorithm", report::Align::left},
                                 {"time us"},
                                 {"messages"},
                                 {"bytes"},
                                 {"scratch"},
                                 {"bound by", report::Align::left}});
        bool has_native = false;
        for (const auto& [choice, name, prediction, alike] : point.settings) {
            has_native = has_native || choice.algorithm->native;
            const std::string more = alike > 0 ? formatted(" (+{})", alike) : std::string();
            table.row({choice.algorithm->native ? name + " (assumed)" : name + more,
                       formatted("{:.1f}", prediction.us()), count_text(whole(prediction.counts.messages)),
                       count_text(whole(prediction.counts.bytes)),
                       size_text(static_cast<double>(prediction.scratch_bytes)), bound_text(prediction)});
        }
        table.print(out);
        if (has_native) out << "native is assumed to do what MPICH does by its defaults\n";
    }
    for (const CrossoverAt& at : crossovers)
        out << (&at == &crossovers.front() ? "\n" : "") << sentence_of(at);
}

Json parameters_of(const policy::Choice& choice) {
    Json json = Json::object();
    for (const algorithms::Parameter parameter : choice.algorithm->parameters)
        policy::add_parameter(json, algorithms::traits_of(parameter), choice.parameters[parameter]);
    return json;
}

Json json_of(const PredictedSetting& setting) {
    const auto& prediction = setting.prediction;
    Json json = {{"algorithm", setting.choice.algorithm->name},
                 {"parameters", parameters_of(setting.choice)},
                 {"time_us", prediction.us()},
                 {"messages", whole(prediction.counts.messages)},
                 {"wire_bytes", whole(prediction.counts.bytes)},
                 {"messages_inter", whole(prediction.counts.messages_inter)},
                 {"wire_bytes_inter", whole(prediction.counts.bytes_inter)},
                 {"rounds", whole(prediction.counts.rounds)},
                 {"scratch_bytes", prediction.scratch_bytes},
                 {"bound_by", predict::bound_names[static_cast<std::size_t>(prediction.spent.most())]},
                 {"is_assumed", setting.choice.algorithm->native},
                 {"spent_us", Json::object()}};
    for (std::size_t i = 0; i < predict::bound_names.size(); ++i)
        json["spent_us"][std::string(predict::bound_names[i])] = prediction.spent.on(static_cast<Bound>(i));
    return json;
}

Json json_of(const CrossoverAt& at) {
    const auto& [by_formula, by_model] = at.crossover;
    return {{"ranks", at.ranks},
            {"slower_below", "two_phase_bruck"},
            {"faster_below", "padded_bruck"},
            {"formula_bytes", std::isinf(by_formula) ? Json() : Json(by_formula)},
            {"model_bytes", by_model ? Json(*by_model) : Json()}};
}

void print_json(const Predictions& predictions, std::ostream& out) {
    const auto& [machine, points, crossovers] = predictions;
    Json json = {{"machine", machine}, {"points", Json::array()}};
    for (const PredictedPoint& point : points) {
        const auto& [collective, shape, distribution, max_block] = point.call;
        Json results = Json::array();
        for (const PredictedSetting& setting : point.settings) results.push_back(json_of(setting));
        json["points"].push_back({{"collective", name_of(collective)},
                                  {"ranks", shape.ranks},
                                  {"nodes", shape.nodes},
                                  {"ranks_per_node", shape.ranks_per_node},
                                  {"distribution", name_of(distribution)},
                                  {"max_block_bytes", max_block},
                                  {"largest_block_bytes", whole(point.largest_block)},
                                  {"buffer_bytes", whole(point.buffer_bytes)},
                                  {"results", std::move(results)}});
    }
    json["crossovers"] = Json::array();
    for (const CrossoverAt& at : crossovers) json["crossovers"].push_back(json_of(at));
    out << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_csv(const std::vector<PredictedPoint>& points, std::ostream& out) {
    out << "collective,ranks,nodes,ranks_per_node,distribution,max_block_bytes,setting,time_us,messages,wire_"
           "bytes,"
           "messages_inter,wire_bytes_inter,rounds,scratch_bytes,bound_by\n";
    for (const PredictedPoint& point : points)
        for (const auto& [choice, name, prediction, _] : point.settings)
            out << formatted("{},{},{},{},{},{},{},{:.3f},{},{},{},{},{},{},{}\n",
                             name_of(point.call.collective), point.call.shape.ranks, point.call.shape.nodes,
                             point.call.shape.ranks_per_node, name_of(point.call.distribution),
                             point.call.max_block, name, prediction.us(), whole(prediction.counts.messages),
                             whole(prediction.counts.bytes), whole(prediction.counts.messages_inter),
                             whole(prediction.counts.bytes_inter), whole(prediction.counts.rounds),
                             prediction.scratch_bytes,
                             predict::bound_names[static_cast<std::size_t>(prediction.spent.most())]);
}

} // namespace

void print_predictions(const Predictions& predictions, Format format, std::ostream& out) {
    switch (format) {
    case Format::text: return print_text(predictions, out);
    case Format::json: return print_json(predictions, out);
    case Format::csv: return print_csv(predictions.points, out);
    }
}

} // namespace switchyard::shim::command
