#include "machine.hpp"

#include "command_line.hpp"
#include "launch.hpp"

#include "shim/common/formatted.hpp"
#include "shim/common/settings.hpp"
#include "shim/entry/mpi_families.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace switchyard::shim::tune {

namespace {

namespace fs = std::filesystem;

// The folder of this program: bin of the build tree or of the installation.
fs::path own_folder() {
    return fs::path(object_path_of(reinterpret_cast<const void*>(&own_folder))).parent_path();
}

// "": mpirun with a rank for each core.
std::vector<std::string> launcher_words(const std::string& launcher) {
    auto words = split_words(launcher);
    if (words.empty())
        words = {"mpirun", "-n", std::to_string(std::max(1U, std::thread::hardware_concurrency()))};
    return words;
}

// The MPI family of a launcher by the output of its --version; "" if the output names none.
std::string mpi_of(const std::string& launcher) {
    std::string said;
    LaunchOptions options;
    options.time_limit = 20;
    options.on_line = [&](const std::string& line) { said += line + '\n'; };
    const Launched launched = launch({launcher, "--version"}, options);
    if (launched.end == Launched::End::not_started)
        throw std::runtime_error("the launcher " + launched.why());
    const MpiFamily* family = family_that_says(said.c_str(), &MpiFamily::launcher_says);
    return family == nullptr ? "" : family->name;
}

std::string benchmark_for(const std::string& mpi) {
    const fs::path benchmark = own_folder() / ("switchyard-bench-" + mpi);
    if (fs::exists(benchmark)) return benchmark.string();
    const fs::path builder = own_folder() / "switchyard-build-benchmark";
    throw std::runtime_error(benchmark.string() +
                             " is not there, but it makes the measurements: build it with " +
                             (fs::exists(builder) ? builder.string() : "scripts/build") +
                             ", name one with --benchmark, or name another MPI with --mpi");
}

// The launcher may start it in another folder.
std::string named_benchmark(const std::string& benchmark) {
    if (access(benchmark.c_str(), X_OK) != 0)
        throw std::runtime_error("--benchmark " + benchmark + " is no program");
    return fs::absolute(benchmark).string();
}

fs::path simgrid_folder() {
    return own_folder().parent_path() / "share" / "switchyard" / "simgrid";
}

fs::path platform_file(const std::string& platform) {
    const fs::path known = simgrid_folder() / (platform + ".xml");
    if (fs::exists(known)) return known;
    if (fs::is_regular_file(platform)) return platform;
    std::string names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(simgrid_folder(), error))
        if (entry.path().extension() == ".xml")
            names += (names.empty() ? "" : ", ") + entry.path().stem().string();
    throw std::runtime_error("no platform " + platform + ": give a platform file of SimGrid, or one of " +
                             (names.empty() ? "the files in " + simgrid_folder().string() : names));
}

// A file with a line for each rank. It is deleted with its last holder.
std::shared_ptr<std::string> write_hosts(int ranks, int ranks_per_node) {
    auto pattern = (fs::temp_directory_path() / "switchyard-hosts-XXXXXX").string();
    const int descriptor = mkstemp(pattern.data());
    if (descriptor < 0)
        throw std::runtime_error("cannot write a file in " + fs::temp_directory_path().string());
    close(descriptor);
    std::shared_ptr<std::string> file(new std::string(pattern), [](const std::string* name) {
        unlink(name->c_str());
        delete name;
    });
    std::ofstream out(*file);
    for (int rank = 0; rank < ranks; ++rank) out << "node-" << rank / ranks_per_node << '\n';
    if (!out.flush()) throw std::runtime_error("cannot write " + *file);
    return file;
}

nlohmann::json simulator_settings() {
    const fs::path file = simgrid_folder() / "settings.json";
    std::ifstream in(file);
    auto json = nlohmann::json::parse(in, nullptr, false);
    if (!json.is_object()) throw std::runtime_error(file.string() + " is missing or no JSON");
    return json;
}

} // namespace

std::vector<std::string> Machine::words(const std::vector<std::string>& arguments, bool ordered) const {
    std::vector<std::string> words = launcher;
    if (ordered) words.insert(words.end(), in_order.begin(), in_order.end());
    words.push_back(benchmark);
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

std::vector<std::string> Machine::words_under(const fs::path& policy,
                                              const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = launcher;
    for (const std::string& word :
         {command, std::string("run"), std::string("--policy"), fs::absolute(policy).string(),
          std::string("--log"), std::string("off"), std::string("--"), benchmark})
        words.push_back(word);
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

std::vector<std::string> mpi_names() {
    std::vector<std::string> names;
    for (const MpiFamily& family : mpi_families) names.emplace_back(family.name);
    return names;
}

Program program_of(const std::string& launcher, const std::vector<std::string>& program) {
    return {launcher_words(launcher), own_folder() / "switchyard", program};
}

Machine real_machine(const std::string& launcher, const std::string& mpi, const std::string& benchmark) {
    Machine machine;
    machine.launcher = launcher_words(launcher);
    machine.command = own_folder() / "switchyard";
    if (!benchmark.empty()) {
        machine.benchmark = named_benchmark(benchmark);
        return machine;
    }
    std::string found = mpi;
    if (found.empty()) found = mpi_of(machine.launcher.front());
    if (found.empty())
        throw std::runtime_error("`" + machine.launcher.front() +
                                 " --version` does not say which MPI it belongs to: say it with --mpi " +
                                 joined(mpi_names(), " or --mpi "));
    machine.benchmark = benchmark_for(found);
    return machine;
}

Machine simulated_machine(const std::string& platform, int ranks, int ranks_per_node) {
    const fs::path file = platform_file(platform);
    const auto settings = simulator_settings();
    const auto hosts = write_hosts(ranks, ranks_per_node);
    Machine machine;
    machine.platform = platform;
    machine.launcher = {"smpirun",   "-quiet", "-no-privatize", "-np",         std::to_string(ranks),
                        "-hostfile", *hosts,   "-platform",     file.string(), "--log=root.thresh:critical"};
    const auto append = [&settings](std::vector<std::string>& words, const char* group) {
        for (const auto& [key, value] : settings.at(group).items())
            words.push_back("--cfg=" + key + ":" + value.at("value").get<std::string>());
    };
    append(machine.launcher, "settings");
    append(machine.launcher, "search");
    append(machine.in_order, "in_order");
    settings.at("needs_order").get_to(machine.needing_order);
    machine.benchmark = benchmark_for("smpi");
    machine.files = hosts;
    return machine;
}

bool needs_order(const Machine& machine, const Candidate& candidate) {
    return std::ranges::find(machine.needing_order, candidate.algorithm()) != machine.needing_order.end();
}

} // namespace switchyard::shim::tune
