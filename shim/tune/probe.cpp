#include "probe.hpp"

#include "launch.hpp"
#include "stopped.hpp"

#include <stdexcept>

namespace switchyard::shim::tune {

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

} // namespace switchyard::shim::tune
