#include "doctor.hpp"

#include "shim/tune/duration.hpp"
#include "shim/tune/launch.hpp"
#include "shim/tune/stopped.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

namespace switchyard::shim::command {

namespace {

using namespace tune;

constexpr double usual_seconds = 120, for_survey = 0.4; // share of the budget
constexpr int found_something = 1, failed = 2;

double seconds_of(const DoctorOptions& options) {
    if (options.budget.empty()) return usual_seconds;
    const auto seconds = parse_duration(options.budget);
    if (!seconds)
        throw std::runtime_error("--budget " + options.budget + " is not a time such as 90s, 3m or 1h30m");
    return *seconds;
}

SurveyRequest request_of(const DoctorOptions& options) {
    SurveyRequest request;
    for (const std::string& name : options.collectives)
        request.collectives.push_back(algorithms::collective_of(name).value());
    request.blocks = options.blocks;
    request.seconds = for_survey * seconds_of(options);
    return request;
}

// Beside the policy, or here: rank 0 must be able to read it.
std::filesystem::path trial_of(const DoctorOptions& options) {
    if (!options.output.empty()) return options.output + ".trial";
    return ".switchyard-doctor." + std::to_string(getpid()) + ".trial";
}

// What the survey has, and a second survey of the same collectives: a disturbance ends. Takes the seconds of
// the second survey off `seconds`.
std::vector<Finding> lasting_findings(const Machine& machine, const Survey& survey, SurveyRequest request,
                                      double& seconds) {
    const auto findings = findings_in(survey);
    if (findings.empty()) return findings;
    request.collectives.clear();
    for (const Finding& finding : findings)
        if (std::ranges::find(request.collectives, finding.shape.collective) == request.collectives.end())
            request.collectives.push_back(finding.shape.collective);
    request.seconds /= 2;
    const Survey second = tune::survey(machine, request);
    seconds -= second.seconds;
    return confirmed(findings, findings_in(second));
}

int run_doctor(const DoctorOptions& options) {
    const auto trial = trial_of(options);
    if (const std::string why = why_not_writable(trial); !why.empty())
        throw std::runtime_error((options.output.empty() ? "" : "-o " + options.output + ": ") + why);
    double seconds = seconds_of(options);
    const Machine machine = real_machine(options.launcher, options.mpi, options.benchmark);
    const SurveyRequest request = request_of(options);
    const Survey survey = tune::survey(machine, request);
    seconds -= survey.seconds;
    const auto findings = lasting_findings(machine, survey, request, seconds);
    Remedies remedies;
    if (!findings.empty()) remedies = remedies_for(findings, machine, survey, seconds, trial);
    print_diagnosis(survey, findings, remedies, options.format, std::cout);
    if (!options.output.empty() && !remedies.policy.empty()) write_policy(options.output, remedies.policy);
    return findings.empty() ? 0 : found_something;
}

} // namespace

int doctor(const DoctorOptions& options) {
    hold_back_signals();
    try {
        return run_doctor(options);
    } catch (const Stopped&) {
        std::cerr << "switchyard: stopped; nothing is known about the MPI library\n";
        return 130;
    } catch (const std::exception& error) {
        std::cerr << "switchyard: " << error.what() << '\n';
        return failed;
    }
}

} // namespace switchyard::shim::command
