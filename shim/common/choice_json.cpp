#include "choice_json.hpp"

#include "policy/parameter_json.hpp"
#include "policy/vocabulary.hpp"

#include <nlohmann/json.hpp>

namespace switchyard::shim {

nlohmann::ordered_json parameters_json(const policy::Choice& choice) {
    auto json = nlohmann::ordered_json::object();
    for (auto parameter : choice.algorithm->parameters)
        policy::add_parameter(json, algorithms::traits_of(parameter), choice.parameters[parameter]);
    return json;
}

nlohmann::ordered_json use_json(const policy::Choice& choice) {
    nlohmann::ordered_json json = {{"algorithm", choice.algorithm->name}};
    json.update(parameters_json(choice));
    if (choice.transfer)
        json["transfer"] = policy::transfer_names[static_cast<std::size_t>(*choice.transfer)];
    if (choice.memory_limit_bytes != policy::Choice{}.memory_limit_bytes)
        json["memory_limit_bytes"] = choice.memory_limit_bytes;
    if (!choice.algorithm->native && choice.chunk_bytes != policy::preset_chunk_bytes)
        json["chunk_bytes"] = choice.chunk_bytes;
    return json;
}

} // namespace switchyard::shim
