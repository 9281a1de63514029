#include "probe.hpp"

#include <stdexcept>

namespace switchyard::shim::tune {

Probe probe(const Machine& machine) {
    Probe probe;
    const Launched launched =
        ask(machine.words(arguments_of_probe()), 300, 1, [&](const std::string& line, std::size_t) {
            const auto place = place_in(line);
            if (place) probe.place = *place;
            return place.has_value();
        });
    if (!launched.succeeded()) throw std::runtime_error("the launcher " + launched.why());
    if (probe.place.ranks < 2)
        throw std::runtime_error("the launcher starts one rank, but an exchange needs two");
    probe.seconds = launched.seconds;
    return probe;
}

} // namespace switchyard::shim::tune
