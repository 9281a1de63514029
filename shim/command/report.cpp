// `switchyard report`: where the time of a run's collectives went.

#include "commands.hpp"

#include "shim/report/text.hpp"

#include <iostream>

namespace switchyard::shim::command {

namespace {

report::Profile read(const std::string& path) {
    std::vector<std::string> others;
    const auto run = report::find_run(path, others);
    if (!others.empty())
        std::cerr << "switchyard: " << path << " holds " << others.size() + 1 << " runs; this is the latest, "
                  << run.directory << '\n';
    return report::read_profile(run);
}

} // namespace

int report(const std::string& directory) {
    report::print_text(read(directory), std::cout);
    return 0;
}

} // namespace switchyard::shim::command
