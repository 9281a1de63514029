// A machine file, and times on that machine.
#include "tests/fuzz/check.hpp"

#include "shim/predict/predict.hpp"

#include <cmath>
#include <exception>
#include <string>

namespace {

using namespace switchyard;
using namespace switchyard::fuzz;

constexpr std::size_t longest_message = 600;

void check_times(const shim::predict::Machine& machine) {
    const shim::predict::Call call{algorithms::Collective::alltoallv,
                                   shim::predict::shape_of(6, 2),
                                   {bench::Distribution::Kind::uniform, 0},
                                   300};
    const shim::predict::Predictor predictor(machine, call);
    for (const char* name : {"spread_out", "stride_testany", "tuna", "tuna_coalesced", "node_aware"}) {
        policy::Choice choice;
        choice.algorithm = algorithms::find(call.collective, name);
        for (const auto parameter : choice.algorithm->parameters)
            choice.parameters[parameter] =
                algorithms::preset_of(algorithms::traits_of(parameter), call.shape.ranks);
        const auto prediction = predictor.of(choice);
        require(std::isfinite(prediction.us()) && prediction.us() >= 0, "a time is a time");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    try {
        check_times(shim::predict::parse_machine({reinterpret_cast<const char*>(data), size}, "a file"));
    } catch (const std::exception& error) {
        require_sentence(error.what());
        require(std::string_view(error.what()).size() <= longest_message, "a message is short");
    }
    return 0;
}
