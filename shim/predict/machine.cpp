#include "machine.hpp"

#include "policy/parse.hpp"
#include "policy/spelling.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/object_path.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace switchyard::shim::predict {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string_view>;

constexpr int known_version = 1;
// No machine has numbers beyond these, and with others times would be no numbers.
constexpr double largest_number = 1e18, smallest_number = 1e-9;

// An object of the file, and its place.
class Section {
  public:
    Section(const Json& json, std::string pointer, const std::string& file)
        : json_(json), pointer_(std::move(pointer)), file_(file) {
        if (!json.is_object()) fail("", formatted("must be an object, not {}", what_is(json)));
    }

    void allow_only(const Words& known) const {
        for (const auto& [key, value] : json_.items())
            if (std::ranges::find(known, key) == known.end())
                fail('/' + policy::printable(key, 60), "is not known" + policy::did_you_mean(key, known));
    }
    std::optional<Section> part(const char* key) const {
        if (!json_.contains(key)) return std::nullopt;
        return Section(json_[key], pointer_ + '/' + key, file_);
    }
    std::optional<double> number(const char* key, bool may_be_zero) const {
        if (!json_.contains(key)) return std::nullopt;
        const Json& value = json_[key];
        const char* const wanted = may_be_zero ? "a number, 0 or more" : "a number above 0";
        if (!value.is_number())
            fail(std::string("/") + key, formatted("must be {}, not {}", wanted, what_is(value)));
        const double found = value.get<double>();
        if (found > largest_number || (found > 0 && found < smallest_number))
            fail(std::string("/") + key,
                 formatted("must be from {} to {}, not {}", smallest_number, largest_number, value.dump()));
        if (found < 0 || (found == 0 && !may_be_zero))
            fail(std::string("/") + key, formatted("must be {}, not {}", wanted, value.dump()));
        return found;
    }
    double needed(const char* key, bool may_be_zero) const {
        const auto found = number(key, may_be_zero);
        if (!found) fail(std::string("/") + key, "is missing");
        return *found;
    }
    std::string text(const char* key) const {
        if (!json_.contains(key)) return "";
        if (!json_[key].is_string())
            fail(std::string("/") + key, formatted("must be a text, not {}", what_is(json_[key])));
        return json_[key].get<std::string>();
    }
    [[noreturn]] void fail(const std::string& place, const std::string& what) const {
        throw std::runtime_error(file_ + ": " + pointer_ + place +
                                 (pointer_.empty() && place.empty() ? "" : " ") + what);
    }

  private:
    static std::string what_is(const Json& value) {
        if (value.is_string()) return policy::in_quotes(value.get<std::string>());
        return value.is_primitive() ? value.dump() : value.is_array() ? "an array" : "an object";
    }

    const Json& json_;
    std::string pointer_;
    const std::string& file_;
};

const Words link_members = {"latency_us", "overhead_us", "pair_bytes_per_us", "eager_bytes",
                            "eager_copy_bytes_per_us"};

Words with(Words words, std::initializer_list<std::string_view> more) {
    words.insert(words.end(), more);
    return words;
}

const Words network_members = with(link_members, {"card_bytes_per_us"});
const Words node_members =
    with(link_members, {"memory_bytes_per_us", "epoch_us", "neighbour_us", "memory_bytes"});
const Words packing_members = {"block_us", "copy_bytes_per_us", "part_us", "message_us"};
const Words machine_members = {
    "switchyard_machine", "name", "source", "network", "node", "packing", "spread", "$schema"};

// Members that the file leaves out stay.
void read_link(const Section& from, Link& link) {
    link.latency_us = from.number("latency_us", true).value_or(link.latency_us);
    link.overhead_us = from.number("overhead_us", true).value_or(link.overhead_us);
    link.pair_bytes_per_us = from.number("pair_bytes_per_us", false).value_or(link.pair_bytes_per_us);
    link.eager_bytes = from.number("eager_bytes", true).value_or(link.eager_bytes);
    link.eager_copy_bytes_per_us =
        from.number("eager_copy_bytes_per_us", false).value_or(link.eager_copy_bytes_per_us);
}

void read_network(const Section& from, Machine& machine) {
    from.allow_only(network_members);
    machine.network.latency_us = from.needed("latency_us", true);
    machine.network.pair_bytes_per_us = from.needed("pair_bytes_per_us", false);
    read_link(from, machine.network);
    machine.card_bytes_per_us =
        from.number("card_bytes_per_us", false).value_or(machine.network.pair_bytes_per_us);
}

void read_node(const Section& from, Machine& machine) {
    from.allow_only(node_members);
    read_link(from, machine.node);
    machine.memory_bytes_per_us = from.number("memory_bytes_per_us", false).value_or(no_bound);
    machine.epoch_us = from.number("epoch_us", true).value_or(machine.epoch_us);
    machine.neighbour_us = from.number("neighbour_us", true).value_or(machine.neighbour_us);
    machine.memory_bytes = static_cast<std::uint64_t>(from.number("memory_bytes", false).value_or(0));
}

void read_packing(const Section& from, Machine& machine) {
    from.allow_only(packing_members);
    machine.block_us = from.number("block_us", true).value_or(0);
    machine.copy_bytes_per_us = from.number("copy_bytes_per_us", false).value_or(no_bound);
    machine.part_us = from.number("part_us", true).value_or(machine.block_us);
    machine.message_us = from.number("message_us", true).value_or(0);
}

// Nobody uses it, but a mistake in it is one.
void check_spread(const Section& spread) {
    const auto check = [&](const char* part, const Words& members) {
        const auto section = spread.part(part);
        if (!section) return;
        section->allow_only(members);
        for (const auto member : members) section->number(std::string(member).c_str(), true);
    };
    spread.allow_only({"network", "node", "packing"});
    check("network", network_members);
    check("node", node_members);
    check("packing", packing_members);
}

void check_version(const Section& whole) {
    if (const double version = whole.needed("switchyard_machine", true); version != known_version)
        whole.fail("/switchyard_machine", formatted("must be {}, not {}", known_version, version));
}

fs::path folder_of_machines() {
    const fs::path program = object_path_of(reinterpret_cast<const void*>(&folder_of_machines));
    return program.parent_path().parent_path() / "share" / "switchyard" / "machines";
}

std::string known_machines() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_of_machines(), error))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names.empty() ? "the files in " + folder_of_machines().string() : joined(names, ", ");
}

} // namespace

Machine parse_machine(const std::string& text, const std::string& file) {
    Json json;
    try {
        json = Json::parse(text, nullptr, true, true); // with comments
    } catch (const Json::parse_error& error) {
        throw std::runtime_error(formatted("{}: is not JSON from byte {} on", file, error.byte));
    } catch (const Json::exception&) {
        throw std::runtime_error(file + ": a number in it is too large");
    }
    const Section whole(json, "", file);
    whole.allow_only(machine_members);
    check_version(whole);
    Machine machine;
    machine.name = whole.text("name");
    machine.source = whole.text("source");
    const auto network = whole.part("network");
    if (!network) whole.fail("/network", "is missing");
    read_network(*network, machine);
    machine.node = machine.network;
    machine.epoch_us = machine.node.latency_us;
    if (const auto node = whole.part("node")) {
        machine.node.latency_us = node->number("latency_us", true).value_or(machine.node.latency_us);
        machine.epoch_us = machine.node.latency_us;
        read_node(*node, machine);
    }
    if (const auto packing = whole.part("packing")) read_packing(*packing, machine);
    if (const auto spread = whole.part("spread")) check_spread(*spread);
    return machine;
}

Machine find_machine(const std::string& machine) {
    const fs::path installed = folder_of_machines() / (machine + ".json");
    const fs::path file = fs::exists(installed) ? installed : fs::path(machine);
    if (!fs::is_regular_file(file))
        throw std::runtime_error("no machine " + machine + ": give a machine file, or one of " +
                                 known_machines());
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) throw std::runtime_error("cannot read " + file.string());
    return parse_machine(text, file.string());
}

} // namespace switchyard::shim::predict
