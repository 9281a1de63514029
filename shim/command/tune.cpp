#include "tune.hpp"

#include "shim/common/formatted.hpp"
#include "shim/tune/candidates.hpp"
#include "shim/tune/duration.hpp"
#include "shim/tune/from_log.hpp"
#include "shim/tune/grid.hpp"
#include "shim/tune/launch.hpp"
#include "shim/tune/tuning.hpp"
#include "shim/tune/write.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <stdexcept>

namespace switchyard::shim::command {

namespace {

using namespace tune;

constexpr double usual_budget = 180; // seconds
constexpr int simulated_ranks = 256;

double budget_of(const TuneOptions& options) {
    if (options.budget.empty())
        return options.platform.empty() ? usual_budget : std::numeric_limits<double>::infinity();
    const auto seconds = parse_duration(options.budget);
    if (!seconds)
        throw std::runtime_error("--budget " + options.budget + " is not a time such as 90s, 3m or 1h30m");
    return *seconds;
}

Machine machine_for(const TuneOptions& options) {
    if (options.platform.empty()) return real_machine(options.launcher, options.mpi, options.benchmark);
    const int ranks = options.ranks.empty() ? simulated_ranks : std::ranges::max(options.ranks);
    return simulated_machine(options.platform, ranks, options.simulated_ranks_per_node);
}

struct Probe {
    Place place;
    double seconds = 0; // of a launch
};

Probe probe(const Machine& machine) {
    Probe probe;
    std::string said;
    LaunchOptions options;
    options.time_limit = 300;
    options.on_line = [&](const std::string& line) {
        said = line;
        if (const auto place = place_in(line)) probe.place = *place;
    };
    const Launched launched = launch(machine.words(arguments_of_probe()), options);
    if (launched.end == Launched::End::stopped) throw Stopped{};
    if (!launched.succeeded()) throw std::runtime_error("the launcher " + launched.why());
    if (probe.place.ranks == 0)
        throw std::runtime_error("the launcher did not run the benchmark; it printed \"" + said + "\"");
    if (probe.place.ranks < 2)
        throw std::runtime_error("the launcher starts one rank, but an exchange needs two");
    probe.seconds = launched.seconds;
    return probe;
}

std::vector<policy::Collective> collectives_of(const std::vector<std::string>& names) {
    std::vector<policy::Collective> collectives;
    for (const std::string& name : names) collectives.push_back(algorithms::collective_of(name).value());
    return collectives;
}

std::vector<Point> points_for(const TuneOptions& options, const Place& place) {
    Shape world;
    world.ranks = place.ranks;
    world.nodes = place.nodes;
    world.ranks_per_node = place.ranks_per_node;
    if (!options.log.empty()) {
        auto points = points_of_log(report::read_profile(report::find_run_saying(options.log, std::cout)),
                                    world, std::cout);
        const auto wanted = collectives_of(options.collectives);
        if (!wanted.empty())
            std::erase_if(points, [&](const Point& point) {
                return std::ranges::find(wanted, point.shape.collective) == wanted.end();
            });
        if (points.empty())
            throw std::runtime_error(options.log + " has no calls of --collective " +
                                     joined(options.collectives, ","));
        return points;
    }
    return grid_of({collectives_of(options.collectives), options.ranks, options.blocks, options.distribution},
                   world);
}

void print_end(const TuneOptions& options, const std::vector<Ruling>& rules, const Tuning& tuning,
               const std::filesystem::path& journal) {
    std::cout << tuning.table(rules) << options.output << ": " << rules.size()
              << (rules.size() == 1 ? " rule" : " rules") << ", otherwise native\n"
              << "every measurement is in " << journal.string()
              << "; with a larger --budget the same command goes on from it\n";
}

int run(const TuneOptions& options) {
    if (const std::string why = why_not_writable(options.output); !why.empty())
        throw std::runtime_error("-o " + options.output + ": " + why);
    const double budget = budget_of(options);
    const Machine machine = machine_for(options);
    const Probe first = probe(machine);
    const auto points = points_for(options, first.place);

    Measurements measurements(!options.platform.empty());
    const std::filesystem::path file = options.output + ".tuning";
    Journal journal(file, {first.place, options.platform, points}, measurements);
    Tuning tuning(machine, points, journal, measurements, first.place, budget, first.seconds);
    if (budget < tuning.least_budget())
        throw std::runtime_error("--budget " + options.budget + " is too small for " +
                                 std::to_string(points.size()) + " points: the least is " +
                                 duration_text(tuning.least_budget()) + ", as a launch takes " +
                                 duration_text(first.seconds));
    if (measurements.count() > 0)
        std::cout << "goes on from " << measurements.count() << " measurements in " << file.string() << '\n';
    if (options.dry_run) {
        std::cout << first.place.mpi << ", " << first.place.ranks << " ranks on " << first.place.nodes
                  << (first.place.nodes == 1 ? " node\n" : " nodes\n") << tuning.plan()
                  << "measurements would go to " << file.string() << ", the policy to " << options.output
                  << '\n';
        return 0;
    }
    try {
        tuning.explore();
        Circumstances circumstances{first.place, options.platform, {}};
        const auto rules = tuning.prove(options.output, circumstances);
        write_whole(options.output, policy_text(rules, circumstances));
        print_end(options, rules, tuning, file);
        return 0;
    } catch (const Stopped&) {
        throw;
    } catch (const std::exception& error) {
        throw std::runtime_error(std::string(error.what()) + "\nno policy was written; " +
                                 std::to_string(measurements.count()) + " measurements are kept in " +
                                 file.string() + ", and the same command goes on from them");
    }
}

} // namespace

int tune(const TuneOptions& options) {
    hold_back_signals();
    try {
        return run(options);
    } catch (const Stopped&) {
        std::cerr << "switchyard: stopped; the measurements are kept in " << options.output
                  << ".tuning, and the same command goes on from there\n";
        return 130;
    } catch (const std::exception& error) {
        std::cerr << "switchyard: " << error.what() << '\n';
        return 1;
    }
}

} // namespace switchyard::shim::command
