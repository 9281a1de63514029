#include "bench_run.hpp"

#include "stopped.hpp"

#include "policy/text/printable.hpp"
#include "shim/common/formatted.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace switchyard::shim::tune {

namespace {

// Compared with native in the same iteration, since a disturbance hits both.
std::vector<double> ratios_of(const std::vector<double>& times, const std::vector<double>& native) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(times.size(), native.size()); ++i)
        if (native[i] > 0) ratios.push_back(std::round(1e4 * times[i] / native[i]) / 1e4);
    return ratios;
}

// A benchmark of an earlier version does not report the times of its warm-up.
std::vector<double> times_from_first(const nlohmann::json& result) {
    auto times = result.value("warmup_us", std::vector<double>{});
    const auto measured = result.at("times_us").get<std::vector<double>>();
    times.insert(times.end(), measured.begin(), measured.end());
    return times;
}

std::vector<std::string> arguments_for(const Work& work) {
    const Shape& shape = work.point.shape;
    std::vector<std::string> contenders;
    for (const Candidate& candidate : work.candidates) contenders.push_back(candidate.text());
    std::vector<std::string> words = {"--collective",
                                      std::string(algorithms::name_of(shape.collective)),
                                      "--max-block",
                                      std::to_string(work.point.max_block),
                                      "--communicator-ranks",
                                      std::to_string(shape.ranks),
                                      "--communicator-ranks-per-node",
                                      std::to_string(shape.ranks_per_node),
                                      "--iterations",
                                      std::to_string(work.iterations),
                                      "--warmup",
                                      std::to_string(work.warmup),
                                      "--format",
                                      "lines",
                                      "--algorithm",
                                      joined(contenders, "+")};
    if (work.time_limit > 0)
        words.insert(words.end(), {"--time-limit", formatted("{:.6f}", work.time_limit)});
    if (traits_of(shape.collective).has_count_arrays())
        words.insert(words.end(), {"--distribution", work.point.distribution});
    return words;
}

} // namespace

std::vector<std::string> arguments_of(const std::vector<Work>& works) {
    std::vector<std::string> words;
    for (const Work& work : works) {
        if (!words.empty()) words.emplace_back("--then");
        const auto more = arguments_for(work);
        words.insert(words.end(), more.begin(), more.end());
    }
    return words;
}

std::vector<std::string> arguments_of_probe() {
    return {"--collective", "alltoall", "--max-block", "1",    "--iterations", "1",
            "--warmup",     "0",        "--format",    "lines"};
}

Launched ask(const std::vector<std::string>& words, double time_limit, std::size_t answers,
             const std::function<bool(const std::string& line, std::size_t answer)>& take,
             const std::function<void(std::size_t answers)>& show) {
    std::size_t done = 0;
    LaunchOptions options;
    options.time_limit = time_limit;
    options.on_line = [&](const std::string& line) {
        if (done < answers && take(line, done)) ++done;
    };
    options.on_tick = [&] { show(done); };
    const Launched launched = launch(words, options);
    if (launched.end == Launched::End::stopped) throw Stopped{};
    if (launched.end == Launched::End::timed_out) return launched;
    if (!launched.succeeded()) throw std::runtime_error("the launcher " + launched.why());
    if (done == 0)
        throw std::runtime_error("the launcher did not run the benchmark; it printed \"" +
                                 launched.complaint + '"');
    if (done < answers)
        throw std::runtime_error(formatted("the benchmark answered {} of {} measurements", done, answers));
    return launched;
}

std::optional<std::vector<Measurement>> measurements_in(const std::string& line, const Work& work) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("results")) return std::nullopt;
    const nlohmann::json& results = json["results"];
    if (results.size() != work.candidates.size() + 1) return std::nullopt;
    if (!json.value("verified", false))
        throw std::runtime_error("the benchmark received wrong data at " + work.point.text() +
                                 "; nothing measured there can be trusted");
    const auto native = results[0].at("times_us").get<std::vector<double>>();
    const auto all_of_native = times_from_first(results[0]);
    double all_us = 0;
    for (const nlohmann::json& result : results)
        for (const double time : result.at("times_us").get<std::vector<double>>()) all_us += time;
    const double seconds = json.at("environment").value("elapsed_seconds", 0.0);
    std::vector<Measurement> measurements;
    for (std::size_t i = 0; i < work.candidates.size(); ++i) {
        const nlohmann::json& result = results[i + 1];
        Measurement measurement;
        measurement.point = work.point;
        measurement.candidate = work.candidates[i];
        measurement.pass = work.pass;
        measurement.ratios = ratios_of(result.at("times_us").get<std::vector<double>>(), native);
        measurement.from_first = ratio_from_first(times_from_first(result), all_of_native, work.point.calls);
        measurement.median_us = result.at("median_us");
        measurement.native_us = results[0].at("median_us");
        measurement.largest_block = result.at("largest_block_bytes");
        if (all_us > 0) measurement.seconds_per_iteration = seconds * measurement.median_us / all_us;
        measurements.push_back(std::move(measurement));
    }
    return measurements;
}

std::optional<Place> place_in(const std::string& line) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("environment")) return std::nullopt;
    const nlohmann::json& environment = json["environment"];
    Place place;
    place.mpi = text::first_line(environment.value("mpi", ""));
    place.mpi = place.mpi.substr(0, place.mpi.find(','));
    place.date = environment.value("date", "");
    place.ranks = environment.value("ranks", 0);
    place.nodes = environment.value("nodes", 1);
    place.ranks_per_node = environment.value("ranks_per_node", place.ranks);
    place.hosts = environment.value("hosts", std::vector<std::string>{});
    return place.ranks > 0 ? std::optional(place) : std::nullopt;
}

} // namespace switchyard::shim::tune
