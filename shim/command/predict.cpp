#include "predict.hpp"

#include "policy/text/lists.hpp"
#include "shim/bench/contenders.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/tune/candidates.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

namespace switchyard::shim::command {

namespace {

using predict::Call;

bench::Distribution distribution_of(const PredictOptions& options) {
    const auto parsed = bench::parse_distribution(options.distribution);
    if (const auto* problem = parsed.error()) throw std::runtime_error("--distribution: " + *problem);
    return parsed.value();
}

// The settings that tune would measure.
std::vector<std::string> all_settings(const Call& call) {
    tune::Shape shape;
    shape.collective = call.collective;
    shape.ranks = call.shape.ranks;
    shape.nodes = call.shape.nodes;
    shape.ranks_per_node = call.shape.ranks_per_node;
    std::vector<std::string> settings;
    for (const tune::Candidate& candidate : tune::candidates_of(shape)) settings.push_back(candidate.text());
    return settings;
}

std::vector<bench::Contender> contenders_of(const PredictOptions& options, const Call& call) {
    const bool all = options.algorithms.empty();
    auto made = bench::contenders_of(call.collective, all ? all_settings(call) : options.algorithms,
                                     call.shape, all, false, {&call.max_block, 1});
    if (const auto* problem = made.error())
        throw std::runtime_error(formatted("--algorithm, on {} ranks: {}", call.shape.ranks, *problem));
    auto contenders = std::move(made).value();
    for (const auto& contender : contenders)
        if (contender.kind != bench::Contender::Kind::algorithm)
            throw std::runtime_error("--algorithm " + contender.name +
                                     " is for the benchmark: it is no algorithm");
    return contenders;
}

// ---- Memory ---------------------------------------------------------------------------------------------

struct NodeMemory {
    double bytes;
    std::string owner;
};

NodeMemory memory_of(const predict::Machine& machine) {
    if (machine.memory_bytes > 0)
        return {static_cast<double>(machine.memory_bytes), "a node of " + machine.name};
    return {static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)),
            "this machine"};
}

std::string point_text(const Call& call) {
    return formatted("{} ranks and blocks of up to {} bytes", call.shape.ranks, call.max_block);
}

void check_buffers(const Call& call, double buffer_bytes, const NodeMemory& memory) {
    const double node_bytes = buffer_bytes * call.shape.ranks_per_node;
    if (node_bytes > memory.bytes)
        throw std::runtime_error(
            formatted("with {} the buffers of {} need {} on a node, and {} has {}", point_text(call),
                      text::plural(static_cast<std::uint64_t>(call.shape.ranks_per_node), "rank"),
                      size_text(node_bytes), memory.owner, size_text(memory.bytes)));
}

// Leaves these settings out, and says so before the table.
void leave_out_what_does_not_fit(PredictedPoint& point, const NodeMemory& memory) {
    std::size_t count = 0;
    double least = 0;
    std::erase_if(point.settings, [&](const PredictedSetting& setting) {
        const double bytes = (point.buffer_bytes + static_cast<double>(setting.prediction.scratch_bytes)) *
                             point.call.shape.ranks_per_node;
        if (bytes <= memory.bytes) return false;
        least = count++ == 0 ? bytes : std::min(least, bytes);
        return true;
    });
    if (count > 0)
        std::cerr << formatted(
            "switchyard: with {}, {} would need {} or more on a node, and {} has {}: left out\n",
            point_text(point.call), text::plural(count, "setting"), size_text(least), memory.owner,
            size_text(memory.bytes));
}

// A large radix may mean the same as a larger one. Nobody needs to read both.
void leave_out_alike(std::vector<PredictedSetting>& settings) {
    std::vector<PredictedSetting> kept;
    for (PredictedSetting& setting : settings) {
        const auto same = std::ranges::find_if(kept, [&](const PredictedSetting& other) {
            return other.choice.algorithm == setting.choice.algorithm &&
                   other.prediction.us() == setting.prediction.us() &&
                   other.prediction.counts == setting.prediction.counts &&
                   other.prediction.scratch_bytes == setting.prediction.scratch_bytes;
        });
        if (same == kept.end())
            kept.push_back(std::move(setting));
        else
            ++same->alike;
    }
    settings = std::move(kept);
}

PredictedPoint predicted(const PredictOptions& options, const predict::Machine& machine, const Call& call) {
    const predict::Predictor predictor(machine, call);
    const NodeMemory memory = memory_of(machine);
    check_buffers(call, predictor.buffer_bytes(), memory);
    PredictedPoint point{call, predictor.buffer_bytes(), predictor.largest_block(), {}};
    for (const auto& contender : contenders_of(options, call))
        point.settings.push_back({contender.choice, contender.name, predictor.of(contender.choice), 0});
    leave_out_what_does_not_fit(point, memory);
    std::ranges::stable_sort(point.settings, {}, [](const auto& setting) { return setting.prediction.us(); });
    return point;
}

void shorten(PredictedPoint& point, const PredictOptions& options) {
    if (options.format == Format::text) leave_out_alike(point.settings);
    if (options.best > 0 && point.settings.size() > options.best)
        point.settings.erase(point.settings.begin() + static_cast<std::ptrdiff_t>(options.best),
                             point.settings.end());
}

bool has(const PredictedPoint& point, std::string_view algorithm) {
    return std::ranges::any_of(point.settings, [&](const PredictedSetting& setting) {
        return setting.choice.algorithm->name == algorithm;
    });
}

// For each number of ranks whose points have both algorithms.
std::vector<CrossoverAt> crossovers_of(const predict::Machine& machine,
                                       const std::vector<PredictedPoint>& points) {
    std::vector<CrossoverAt> found;
    for (const PredictedPoint& point : points) {
        const int ranks = point.call.shape.ranks;
        if (!traits_of(point.call.collective).has_count_arrays() || !has(point, "padded_bruck") ||
            !has(point, "two_phase_bruck") ||
            std::ranges::find(found, ranks, &CrossoverAt::ranks) != found.end())
            continue;
        found.push_back({ranks, predict::crossover_of(machine, point.call)});
    }
    return found;
}

std::vector<std::size_t> blocks_of(const PredictOptions& options) {
    if (!options.blocks.empty()) return options.blocks;
    if (options.map.empty()) return {16, 256, 4096};
    std::vector<std::size_t> blocks;
    for (std::size_t block = 8; block <= std::size_t{1} << 16; block *= 2) blocks.push_back(block);
    return blocks;
}

} // namespace

int predict(const PredictOptions& options) {
    const predict::Machine machine = predict::find_machine(options.machine);
    const auto distribution = distribution_of(options);
    const auto collective = algorithms::collective_of(options.collective).value();
    Predictions predictions{machine.name.empty() ? options.machine : machine.name, {}, {}};
    for (const int ranks : options.ranks)
        for (const std::size_t block : blocks_of(options))
            predictions.points.push_back(predicted(
                options, machine,
                {collective, predict::shape_of(ranks, options.ranks_per_node), distribution, block}));
    if (!options.map.empty()) {
        write_map(predictions.machine, predictions.points, options.map);
        if (options.format == Format::text) return 0;
    }
    for (PredictedPoint& point : predictions.points) shorten(point, options);
    predictions.crossovers = crossovers_of(machine, predictions.points);
    print_predictions(predictions, options.format, std::cout);
    return 0;
}

} // namespace switchyard::shim::command
