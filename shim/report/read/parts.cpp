#include "parts.hpp"

#include <algorithm>

namespace switchyard::shim::report {

std::vector<Part> parts_of(const Call& call, double duration) {
    std::vector<Part> parts;
    double done = 0;
    const auto fitting = [&](double length) { return std::min(length, duration - done); };
    const auto add = [&](const char* name, double length) {
        if (fitting(length) <= 0) return;
        parts.push_back({name, done, fitting(length)});
        done += parts.back().duration;
    };
    add("agreement", call.agree);
    add("copies from the device", call.copy_in);
    add("packing and unpacking", call.stage);
    if (const double out = fitting(call.copy_out); out > 0)
        parts.push_back({"copies to the device", duration - out, out});
    return parts;
}

} // namespace switchyard::shim::report
