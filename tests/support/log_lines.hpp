// A log's lines. Those of a killed run are made of its records, as the end of the run would have done.
#pragma once

#include "shim/common/log/line.hpp"
#include "shim/common/log/read.hpp"

#include <string>
#include <vector>

namespace switchyard::tests {

inline std::vector<std::string> lines_of(const shim::log::LoggedRun& run) {
    std::vector<std::string> lines;
    const auto add = [&](const shim::log::RecordedCall& recorded) {
        lines.push_back(call_line(recorded.number, recorded.call, recorded.communicator, recorded.decision));
    };
    shim::log::read_log(run, {[&](const std::string& line) { lines.push_back(line); }, add, [] {}});
    return lines;
}

} // namespace switchyard::tests
