#include "prove.hpp"

#include "policy_file.hpp"
#include "shim/common/formatted.hpp"
#include "shim/tune/gain.hpp"
#include "shim/tune/launch.hpp"
#include "shim/tune/machine.hpp"
#include "shim/tune/stopped.hpp"

#include <filesystem>
#include <iostream>
#include <stdexcept>

namespace switchyard::shim::command {

namespace {

namespace fs = std::filesystem;
using namespace tune;

std::regex expression(const std::string& text) {
    try {
        return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
        throw std::runtime_error(formatted("--same {} is no regular expression: {}", text, error.what()));
    }
}

// A log of an earlier proof would count as a run of this proof.
fs::path logs_of(const ProveOptions& options) {
    if (options.log.empty())
        return dated_folder("switchyard-proofs", fs::path(options.program.front()).filename().string());
    for (const char* kind : {"native", "policy"})
        if (fs::exists(fs::path(options.log) / kind))
            throw std::runtime_error(
                formatted("--log {} has logs of an earlier proof: name another folder", options.log));
    return options.log;
}

int run(const ProveOptions& options) {
    // Under a policy with an error all calls would go native, and the proof would prove nothing.
    if (!options.policy.empty() && !read_policy(options.policy)) return 1;
    RoundsOptions rounds;
    rounds.rounds = options.rounds;
    rounds.policy = options.policy;
    rounds.logs = logs_of(options);
    if (!options.same.empty()) rounds.same = expression(options.same);
    rounds.say = [](const std::string& line) { std::cout << line << std::endl; };
    print_gain(run_in_rounds(program_of(options.launcher, options.program), rounds), options.policy,
               std::cout);
    return 0;
}

} // namespace

int prove(const ProveOptions& options) {
    hold_back_signals();
    try {
        return run(options);
    } catch (const Stopped&) {
        std::cerr << "switchyard: stopped; nothing is proved\n";
        return 130;
    } catch (const std::exception& error) {
        std::cerr << "switchyard: " << error.what() << '\n';
        return 1;
    }
}

} // namespace switchyard::shim::command
