#include "survey.hpp"

#include "doctor_limits.hpp"
#include "probe.hpp"

#include "shim/bench/contenders.hpp"
#include "shim/bench/progress.hpp"
#include "shim/bench/statistics.hpp"
#include "shim/common/formatted.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace switchyard::shim::tune {

namespace {

using policy::Collective;

constexpr std::size_t largest_rung = std::size_t{1} << 18, most_bytes = std::size_t{1} << 24;
constexpr int iterations_on_ladder = 100, warmup = 2;
constexpr double uneven = 4;            // small blocks need less than their share, which large ones may take
constexpr double least_seconds = 0.001; // for a contender at a size
// A slow machine makes the fewest iterations, and still takes longer than it should.
constexpr double patience_factor = 4, patience_seconds = 20;

// One part of the benchmark's command line: all sizes of a collective on a communicator.
struct SurveyPart {
    Members members;
    Collective collective;
};

std::vector<std::string> contenders_for(Collective collective) {
    std::vector<std::string> names;
    for (const Guideline& guideline : guidelines())
        if (guideline.collective == collective) names.push_back(guideline.contender);
    return names;
}

std::vector<SurveyPart> parts_for(const std::vector<Collective>& collectives, const Place& world) {
    std::vector<SurveyPart> parts;
    for (const Members& members : communicators_in(world))
        for (const Collective collective : collectives) parts.push_back({members, collective});
    return parts;
}

double seconds_for_each(const SurveyRequest& request, const std::vector<SurveyPart>& parts,
                        std::size_t sizes) {
    std::size_t contenders = 0;
    for (const SurveyPart& part : parts) contenders += 1 + contenders_for(part.collective).size();
    const auto measurements = static_cast<double>(contenders * sizes * doctor_limits::repetitions);
    return std::max(uneven * request.seconds / measurements, least_seconds);
}

std::vector<std::string> arguments_for(const SurveyPart& part, const std::vector<std::size_t>& blocks,
                                       double seconds) {
    std::vector<std::string> sizes;
    for (const std::size_t block : blocks) sizes.push_back(std::to_string(block));
    std::vector<std::string> words = {"--collective",
                                      std::string(algorithms::name_of(part.collective)),
                                      "--max-block",
                                      joined(sizes, ","),
                                      "--communicator-ranks",
                                      std::to_string(part.members.ranks),
                                      "--iterations",
                                      std::to_string(iterations_on_ladder),
                                      "--warmup",
                                      std::to_string(warmup),
                                      "--time-limit",
                                      formatted("{:.6f}", seconds),
                                      "--format",
                                      "lines",
                                      "--algorithm",
                                      joined(contenders_for(part.collective), "+")};
    if (part.members.ranks_per_node > 0)
        words.insert(words.end(),
                     {"--communicator-ranks-per-node", std::to_string(part.members.ranks_per_node)});
    if (traits_of(part.collective).has_count_arrays()) words.insert(words.end(), {"--distribution", "equal"});
    return words;
}

SurveyStep& step_of(Series& series, std::size_t block) {
    const auto found = std::ranges::find(series.steps, block, &SurveyStep::block);
    if (found != series.steps.end()) return *found;
    series.steps.emplace_back().block = block;
    return series.steps.back();
}

// Adds a repetition. False: the line is no answer.
bool add_line(const std::string& line, Series& series) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    const auto place = place_in(line);
    if (!json.is_object() || !json.contains("results") || !place) return false;
    if (!json.value("verified", false))
        throw std::runtime_error("the benchmark received wrong data in " + series.shape.text() +
                                 "; nothing measured there can be trusted");
    series.shape.ranks = place->ranks;
    series.shape.nodes = place->nodes;
    series.shape.ranks_per_node = place->ranks_per_node;
    std::vector<double> native;
    for (const auto& result : json["results"]) {
        SurveyStep& step = step_of(series, result.at("max_block_bytes"));
        const auto times = result.at("times_us").get<std::vector<double>>();
        if (result.at("algorithm") == "native") { // the first at each size
            native = times;
            step.native_us.push_back(bench::median(times));
            step.fastest_us.push_back(std::ranges::min(times));
        } else {
            step.over[result.at("algorithm")].push_back(std::min(
                bench::median_ratio(native, times), std::ranges::min(native) / bench::median(times)));
        }
    }
    return true;
}

class Surveying {
  public:
    Surveying(const Machine& machine, const SurveyRequest& request, const Probe& first)
        : machine_(machine), request_(request), blocks_(request.blocks),
          parts_(parts_for(request.collectives, first.place)) {
        if (blocks_.empty()) blocks_ = ladder_for(first.place.ranks);
        std::ranges::sort(blocks_);
        const auto copies = std::ranges::unique(blocks_);
        blocks_.erase(copies.begin(), copies.end());
        survey_.place = first.place;
        survey_.launch_seconds = first.seconds;
        for (const SurveyPart& part : parts_) {
            Series& series = survey_.series.emplace_back();
            series.communicator = part.members.name;
            series.shape.collective = part.collective;
            series.shape.ranks = part.members.ranks;
        }
    }

    Survey take() && {
        const double limit = patience_factor * request_.seconds + patience_seconds + survey_.launch_seconds;
        const auto take_line = [&](const std::string& line, std::size_t number) {
            return add_line(line, survey_.series[number % parts_.size()]);
        };
        const auto show = [&](std::size_t done) {
            progress_.show(static_cast<double>(done) / static_cast<double>(all()),
                           formatted("native: {} of {} ladders", done, all()));
        };
        const Launched launched = ask(machine_.words(arguments()), limit, all(), take_line, show);
        survey_.seconds = launched.seconds;
        if (!launched.succeeded())
            throw std::runtime_error(
                formatted("the measurements are far from their end after {:.0f} s: give a larger --budget, "
                          "fewer ranks, or less to measure (--collective, --max-block)",
                          launched.seconds));
        return std::move(survey_);
    }

  private:
    std::size_t all() const { return parts_.size() * doctor_limits::repetitions; }

    std::vector<std::string> arguments() const {
        const double seconds = seconds_for_each(request_, parts_, blocks_.size());
        std::vector<std::string> words;
        for (std::size_t i = 0; i < all(); ++i) {
            if (i > 0) words.emplace_back("--then");
            const auto more = arguments_for(parts_[i % parts_.size()], blocks_, seconds);
            words.insert(words.end(), more.begin(), more.end());
        }
        return words;
    }

    const Machine& machine_;
    const SurveyRequest& request_;
    std::vector<std::size_t> blocks_;
    std::vector<SurveyPart> parts_;
    Survey survey_;
    bench::Progress progress_{true, 100};
};

} // namespace

const std::vector<Guideline>& guidelines() {
    using namespace doctor_limits;
    const auto as = [](Collective function) { return bench::name_as(function); };
    static const std::vector<Guideline> all = {
        {Collective::alltoall, as(Collective::alltoallv), guideline, "MPI_Alltoallv with equal counts"},
        {Collective::alltoallv, as(Collective::alltoallw), guideline, "MPI_Alltoallw with the same counts"},
        {Collective::alltoallv, as(Collective::alltoall), generality,
         "MPI_Alltoall, as all counts are equal"},
        {Collective::alltoallw, as(Collective::alltoallv), generality,
         "MPI_Alltoallv, as all types are equal"},
        {Collective::allgather, as(Collective::allgatherv), guideline, "MPI_Allgatherv with equal counts"},
        {Collective::allgather, bench::gather_and_bcast_name, guideline, "MPI_Gather and MPI_Bcast"},
        {Collective::allgatherv, as(Collective::allgather), generality,
         "MPI_Allgather, as all counts are equal"}};
    return all;
}

std::vector<Members> communicators_in(const Place& world) {
    std::vector<Members> found;
    const auto add = [&](const char* name, int ranks, int per_node) {
        const bool is_new = std::ranges::none_of(found, [&](const Members& members) {
            return members.ranks == ranks && members.ranks_per_node == per_node;
        });
        if (ranks >= 2 && (ranks < world.ranks || found.empty()) && is_new)
            found.push_back({name, ranks, per_node});
    };
    add("all ranks", world.ranks, 0);
    add("the first half", world.ranks / 2, 0);
    if (world.nodes > 1) {
        add("a node", world.ranks_per_node, world.ranks_per_node);
        add("one of each node", world.nodes, 1);
    }
    constexpr int small_odd = 3, odd = 5;
    add("a small odd group", world.ranks > 2 * odd ? odd : small_odd, 0);
    return found;
}

std::vector<std::size_t> ladder_for(int ranks) {
    std::vector<std::size_t> blocks;
    for (std::size_t block = 1; block <= largest_rung; block *= 2)
        if (block * static_cast<std::size_t>(ranks) <= most_bytes || block == 1) blocks.push_back(block);
    return blocks;
}

Survey survey(const Machine& machine, const SurveyRequest& request) {
    const Probe first = probe(machine);
    SurveyRequest whole = request;
    if (whole.collectives.empty())
        for (const auto& traits : algorithms::dense_collectives)
            whole.collectives.push_back(traits.collective);
    return Surveying(machine, whole, first).take();
}

} // namespace switchyard::shim::tune
