#include "machine.hpp"

#include "policy/parse.hpp"
#include "policy/spelling.hpp"
#include "policy/text/printable.hpp"
#include "shim/bench/machine_members.hpp"
#include "shim/common/formatted.hpp"
#include "shim/common/object_path.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
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
using bench::MachineMember;
using bench::MachineMemberTraits;
using Json = nlohmann::json;
using Words = std::vector<std::string_view>;

// No machine has numbers beyond these bounds. With such numbers, times would be no numbers.
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
                fail('/' + text::printable(key, 60), "is not known" + policy::did_you_mean(key, known));
    }
    std::optional<Section> part(std::string_view name) const {
        const std::string key(name);
        if (!json_.contains(key)) return std::nullopt;
        return Section(json_[key], pointer_ + '/' + key, file_);
    }
    std::optional<double> number(std::string_view name, bool may_be_zero) const {
        const std::string key(name), place = '/' + key;
        if (!json_.contains(key)) return std::nullopt;
        const Json& value = json_[key];
        const char* const wanted = may_be_zero ? "a number, 0 or more" : "a number above 0";
        if (!value.is_number()) fail(place, formatted("must be {}, not {}", wanted, what_is(value)));
        const double found = value.get<double>();
        if (found > largest_number || (found > 0 && found < smallest_number))
            fail(place,
                 formatted("must be from {} to {}, not {}", smallest_number, largest_number, value.dump()));
        if (found < 0 || (found == 0 && !may_be_zero))
            fail(place, formatted("must be {}, not {}", wanted, value.dump()));
        return found;
    }
    std::optional<double> number(const MachineMemberTraits& member) const {
        const auto found = number(member.name, member.least == MachineMemberTraits::Least::zero);
        if (!found && member.missing == MachineMemberTraits::Missing::is_an_error) fail_missing(member.name);
        return found;
    }
    std::string text(const char* key) const {
        if (!json_.contains(key)) return "";
        if (!json_[key].is_string())
            fail(std::string("/") + key, formatted("must be a text, not {}", what_is(json_[key])));
        return json_[key].get<std::string>();
    }
    [[noreturn]] void fail_missing(std::string_view name) const {
        fail('/' + std::string(name), "is missing");
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

// A section's members, by machine_members.def.
std::vector<MachineMemberTraits> members_of(std::string_view section) {
    std::vector<MachineMemberTraits> members;
    std::ranges::copy_if(bench::machine_members, std::back_inserter(members),
                         [&](const auto& member) { return member.section == section; });
    return members;
}

Words names_of(const std::vector<MachineMemberTraits>& members) {
    Words names;
    for (const auto& member : members) names.push_back(member.name);
    return names;
}

// The numbers that a file gives.
class Numbers {
  public:
    explicit Numbers(const Section& whole) {
        for (const std::string_view name : bench::machine_sections) read(whole, name);
    }
    double at(MachineMember member, double missing) const {
        return numbers_[index(member)].value_or(missing);
    }
    double needed(MachineMember member) const { return numbers_[index(member)].value(); }

  private:
    static std::size_t index(MachineMember member) { return static_cast<std::size_t>(member); }
    void read(const Section& whole, std::string_view name) {
        const auto members = members_of(name);
        const auto section = whole.part(name);
        if (section) section->allow_only(names_of(members));
        for (const auto& member : members)
            if (section)
                numbers_[index(member.member)] = section->number(member);
            else if (member.missing == MachineMemberTraits::Missing::is_an_error)
                whole.fail_missing(name);
    }

    std::array<std::optional<double>, bench::machine_members.size()> numbers_;
};

void set_network(const Numbers& numbers, Machine& machine) {
    using enum MachineMember;
    machine.network = {.latency_us = numbers.needed(network_latency_us),
                       .overhead_us = numbers.at(network_overhead_us, 0),
                       .pair_bytes_per_us = numbers.needed(network_pair_bytes_per_us),
                       .eager_bytes = numbers.at(network_eager_bytes, no_bound),
                       .eager_copy_bytes_per_us = numbers.at(network_eager_copy_bytes_per_us, no_bound)};
    machine.card_bytes_per_us = numbers.at(network_card_bytes_per_us, machine.network.pair_bytes_per_us);
    machine.card_messages_per_us = numbers.at(network_card_messages_per_us, no_bound);
}

// Call it after set_network(): what is missing is as in the network.
void set_node(const Numbers& numbers, Machine& machine) {
    using enum MachineMember;
    const Link& network = machine.network;
    machine.node = {.latency_us = numbers.at(node_latency_us, network.latency_us),
                    .overhead_us = numbers.at(node_overhead_us, network.overhead_us),
                    .pair_bytes_per_us = numbers.at(node_pair_bytes_per_us, network.pair_bytes_per_us),
                    .eager_bytes = numbers.at(node_eager_bytes, network.eager_bytes),
                    .eager_copy_bytes_per_us =
                        numbers.at(node_eager_copy_bytes_per_us, network.eager_copy_bytes_per_us)};
    machine.memory_bytes_per_us = numbers.at(node_memory_bytes_per_us, no_bound);
    machine.epoch_us = numbers.at(node_epoch_us, machine.node.latency_us);
    machine.neighbour_us = numbers.at(node_neighbour_us, 0);
    machine.memory_bytes = static_cast<std::uint64_t>(numbers.at(node_memory_bytes, 0));
}

void set_packing(const Numbers& numbers, Machine& machine) {
    using enum MachineMember;
    machine.block_us = numbers.at(packing_block_us, 0);
    machine.copy_bytes_per_us = numbers.at(packing_copy_bytes_per_us, no_bound);
    machine.part_us = numbers.at(packing_part_us, machine.block_us);
    machine.message_us = numbers.at(packing_message_us, 0);
}

// Nobody uses the spread, but a mistake in it is an error.
void check_spread(const Section& spread) {
    spread.allow_only({bench::machine_sections.begin(), bench::machine_sections.end()});
    for (const std::string_view name : bench::machine_sections) {
        const auto section = spread.part(name);
        if (!section) continue;
        const Words names = names_of(members_of(name));
        section->allow_only(names);
        for (const auto member : names) section->number(member, true);
    }
}

void allow_only_members(const Section& whole) {
    Words known = {bench::machine_version_key, "name", "source", bench::machine_spread, "$schema"};
    known.insert(known.end(), bench::machine_sections.begin(), bench::machine_sections.end());
    whole.allow_only(known);
}

void check_version(const Section& whole) {
    const auto version = whole.number(bench::machine_version_key, true);
    if (!version) whole.fail_missing(bench::machine_version_key);
    if (*version != bench::machine_version)
        whole.fail(std::string("/") + bench::machine_version_key,
                   formatted("must be {}, not {}", bench::machine_version, *version));
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
    allow_only_members(whole);
    check_version(whole);
    Machine machine;
    machine.name = whole.text("name");
    machine.source = whole.text("source");
    const Numbers numbers(whole);
    set_network(numbers, machine);
    set_node(numbers, machine);
    set_packing(numbers, machine);
    if (const auto spread = whole.part(bench::machine_spread)) check_spread(*spread);
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
