#include "tune.hpp"

#include "policy/text/lists.hpp"
#include "policy_file.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/predict/predict.hpp"
#include "shim/report/facts/cliff_rules.hpp"
#include "shim/tune/command_line.hpp"
#include "shim/tune/duration.hpp"
#include "shim/tune/from_log.hpp"
#include "shim/tune/gain.hpp"
#include "shim/tune/grid.hpp"
#include "shim/tune/launch.hpp"
#include "shim/tune/predicted.hpp"
#include "shim/tune/probe.hpp"
#include "shim/tune/recording.hpp"
#include "shim/tune/refuse.hpp"
#include "shim/tune/result_table.hpp"
#include "shim/tune/tuning.hpp"
#include "shim/tune/write.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
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

std::vector<policy::Collective> collectives_of(const std::vector<std::string>& names) {
    std::vector<policy::Collective> collectives;
    for (const std::string& name : names) collectives.push_back(algorithms::collective_of(name).value());
    return collectives;
}

std::vector<Point> points_of(const std::string& log, const TuneOptions& options, const Shape& world) {
    auto points =
        points_of_log(report::read_profile(report::find_run_saying(log, std::cout)), world, std::cout);
    const auto wanted = collectives_of(options.collectives);
    if (!wanted.empty())
        std::erase_if(points, [&](const Point& point) {
            return std::ranges::find(wanted, point.shape.collective) == wanted.end();
        });
    if (points.empty())
        throw std::runtime_error(log + " has no calls of --collective " + joined(options.collectives, ","));
    return points;
}

std::vector<Point> points_for(const TuneOptions& options, const Place& place, const std::string& log) {
    Shape world;
    world.ranks = place.ranks;
    world.nodes = place.nodes;
    world.ranks_per_node = place.ranks_per_node;
    if (!log.empty()) return points_of(log, options, world);
    return grid_of({collectives_of(options.collectives), options.ranks, options.blocks, options.distribution},
                   world);
}

Program program_of(const TuneOptions& options) {
    return tune::program_of(options.launcher, split_words(options.program));
}

// The log that says what to measure; "": none, a grid is measured.
std::string log_for(const TuneOptions& options) {
    if (options.program.empty()) return options.log;
    return recorded(program_of(options), options.output + ".runs", std::cout).string();
}

// Runs the program in turn without and with the new policy.
void prove_program(const TuneOptions& options) {
    RoundsOptions rounds;
    rounds.rounds = options.rounds;
    rounds.policy = options.output;
    rounds.logs = dated_folder(options.output + ".runs", "proof");
    rounds.say = [](const std::string& line) { std::cout << line << std::endl; };
    std::cout << "\nThe program itself:\n";
    print_gain(run_in_rounds(program_of(options), rounds), options.output, std::cout);
}

void print_end(const TuneOptions& options, const std::vector<Ruling>& rules, const Tuning& tuning,
               const std::filesystem::path& journal) {
    std::cout << tuning.table(rules) << options.output << ": " << text::plural(rules.size(), "rule")
              << ", otherwise native\n"
              << "every measurement is in " << journal.string()
              << "; with a larger --budget the same command goes on from it\n";
}

// Which rules of the new policy take the calls of the log's cliffs.
void print_cliffs(const std::string& log, const std::string& output) {
    const auto policy = read_policy(output);
    if (!policy) return;
    std::ostringstream said; // it was said before the measurements
    const auto run = report::find_run_saying(log, said);
    auto facts = report::facts_of(run);
    report::PolicyOnLog asked(*policy, report::network_of(facts));
    const auto profile = report::read_profile(run, std::move(facts), asked);
    for (const std::string& sentence : report::cliff_rules(*policy, asked.groups(), profile))
        std::cout << "cliff of " << sentence << '\n';
}

// Makes the policy. Nothing: a dry run, which prints what it would do.
std::optional<std::vector<Ruling>> make_policy(const TuneOptions& options, const Machine& machine,
                                               const Probe& first, const std::vector<Point>& points) {
    const double budget = budget_of(options);
    Measurements measurements(!options.platform.empty());
    const std::filesystem::path file = options.output + ".tuning";
    Journal journal(file, {first.place, options.platform, points}, measurements);
    Tuning tuning(machine, points, &journal, measurements, first.place, budget, first.seconds);
    if (budget < tuning.least_budget())
        throw std::runtime_error(
            formatted("--budget {} is too small for {}: the least is {}, as a launch takes {}",
                      options.budget, text::plural(points.size(), "point"),
                      duration_text(tuning.least_budget()), duration_text(first.seconds)));
    if (measurements.count() > 0)
        std::cout << "goes on from " << text::plural(measurements.count(), "measurement") << " in "
                  << file.string() << '\n';
    if (options.dry_run) {
        std::cout << first.place.mpi << ", " << first.place.ranks << " ranks on "
                  << text::plural(static_cast<std::uint64_t>(first.place.nodes), "node") << '\n'
                  << tuning.plan() << "measurements would go to " << file.string() << ", the policy to "
                  << options.output << '\n';
        return {};
    }
    try {
        tuning.explore();
        Circumstances circumstances{first.place, options.platform, "", {}};
        auto rules = tuning.prove(options.output, circumstances);
        write_policy(options.output, policy_text(rules, circumstances));
        print_end(options, rules, tuning, file);
        return rules;
    } catch (const Stopped&) {
        throw;
    } catch (const std::exception& error) {
        throw std::runtime_error(
            formatted("{}\nno policy was written; {} has {}, and the same command goes on from there",
                      error.what(), file.string(), text::plural(measurements.count(), "measurement")));
    }
}

std::vector<Point> points_of_shapes(const TuneOptions& options) {
    std::vector<Point> points;
    for (const int ranks : options.ranks) {
        const auto group = predict::shape_of(ranks, options.simulated_ranks_per_node);
        Shape world;
        world.ranks = ranks;
        world.nodes = group.nodes;
        world.ranks_per_node = group.ranks_per_node;
        for (Point& point :
             grid_of({collectives_of(options.collectives), {}, options.blocks, options.distribution}, world))
            points.push_back(std::move(point));
    }
    return points;
}

// A policy from the model, for scales that cannot run here.
void write_predicted(const TuneOptions& options, const predict::Machine& model,
                     const Circumstances& circumstances) {
    const auto points = points_of_shapes(options);
    Measurements predictions(true);
    predict_points(model, points, predictions);
    const auto rules = predicted_rules(model, points, predictions);
    write_policy(options.output, policy_text(rules, circumstances));
    std::cout << table_of(rules, points, predictions, {}) << options.output << ": "
              << text::plural(rules.size(), "rule")
              << ", otherwise native; predicted, not measured: where you have the ranks, give --launcher in "
                 "place of --ranks, and the rules are proved\n";
}

std::size_t points_with_rule(const std::vector<Point>& points, const std::vector<Ruling>& rules) {
    return static_cast<std::size_t>(std::ranges::count_if(
        points, [&](const Point& point) { return ruling_over(rules, point) != nullptr; }));
}

// A policy from the model. Its rules run under the launcher next to native, and rules that
// are not faster are dropped.
void prove_predicted(const TuneOptions& options, const predict::Machine& model, Circumstances circumstances) {
    const double budget = budget_of(options);
    const Machine machine = machine_for(options);
    const Probe first = probe(machine);
    circumstances.place = first.place;
    const auto points = points_for(options, first.place, "");
    Measurements predictions(true);
    predict_points(model, points, predictions);
    Tuning tuning(machine, points, nullptr, predictions, first.place, budget, first.seconds);
    const auto rules = tuning.prove(options.output, circumstances);
    write_policy(options.output, policy_text(rules, circumstances));
    std::cout << tuning.table(rules) << options.output << ": " << text::plural(rules.size(), "rule")
              << ", otherwise native; the model had rules for "
              << text::plural(points_with_rule(points, rules_of(points, predictions, {})), "point")
              << ", and under the launcher " << points_with_rule(points, rules) << " held\n";
}

int run_predicted(const TuneOptions& options) {
    const predict::Machine model = predict::find_machine(options.model);
    Circumstances circumstances;
    circumstances.model = model.name.empty() ? options.model : model.name;
    if (options.launcher.empty())
        write_predicted(options, model, circumstances);
    else
        prove_predicted(options, model, std::move(circumstances));
    return 0;
}

int run(const TuneOptions& options) {
    if (const std::string why = why_not_writable(options.output); !why.empty())
        throw std::runtime_error("-o " + options.output + ": " + why);
    if (options.predict) return run_predicted(options);
    budget_of(options); // throws if it is no time
    const Machine machine = machine_for(options);
    const Probe first = probe(machine);
    if (options.dry_run && !options.program.empty() &&
        !is_recorded(program_of(options), options.output + ".runs")) {
        std::cout << "the program would run once, and its calls would say what to measure\n";
        return 0;
    }
    const std::string log = log_for(options);
    const auto points = points_for(options, first.place, log);
    const auto rules = make_policy(options, machine, first, points);
    if (rules && !log.empty()) print_cliffs(log, options.output);
    if (!rules || options.program.empty()) return 0;
    if (rules->empty()) // under such a policy the program runs as without switchyard
        std::cout << "no algorithm is faster than MPI's own in the calls of this program\n";
    else
        prove_program(options);
    return 0;
}

} // namespace

int tune(const TuneOptions& options) {
    hold_back_signals();
    try {
        return run(options);
    } catch (const Stopped&) {
        if (options.predict) {
            std::cerr << "switchyard: stopped; no policy was written\n";
            return 130;
        }
        std::cerr << "switchyard: stopped; the measurements are kept in " << options.output
                  << ".tuning, and the same command goes on from there\n";
        return 130;
    } catch (const std::exception& error) {
        std::cerr << "switchyard: " << error.what() << '\n';
        return 1;
    }
}

} // namespace switchyard::shim::command
