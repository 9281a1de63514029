#include "journal.hpp"

#include "shim/common/whole_number.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace switchyard::shim::tune {

namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;

Json json_of(const Point& point) {
    return {{"collective", algorithms::name_of(point.shape.collective)},
            {"ranks", point.shape.ranks},
            {"nodes", point.shape.nodes},
            {"ranks_per_node", point.shape.ranks_per_node},
            {"max_block_bytes", point.max_block},
            {"distribution", point.distribution}};
}

Point point_of(const Json& json) {
    Point point;
    const auto name = json.at("collective").get<std::string>();
    const auto collective = algorithms::collective_of(name);
    if (!collective) throw std::runtime_error("there is no collective " + name);
    point.shape.collective = *collective;
    point.shape.ranks = whole_number<int>(json.at("ranks"));
    point.shape.nodes = whole_number<int>(json.at("nodes"));
    point.shape.ranks_per_node = whole_number<int>(json.at("ranks_per_node"));
    point.max_block = whole_number<std::size_t>(json.at("max_block_bytes"));
    point.distribution = json.at("distribution");
    return point;
}

// All that must be equal, by name. The first difference is the one in the message.
Json json_of(const JournalHead& head) {
    auto hosts = head.place.hosts;
    std::ranges::sort(hosts);
    auto points = head.points;
    std::ranges::sort(points);
    Json grid = Json::array();
    for (const Point& point : points) grid.push_back(json_of(point));
    return {{"switchyard_tuning", version},
            {"platform", head.platform},
            {"mpi", head.place.mpi},
            {"ranks", head.place.ranks},
            {"nodes", head.place.nodes},
            {"ranks_per_node", head.place.ranks_per_node},
            {"hosts", hosts},
            {"grid", grid}};
}

std::string difference(const Json& theirs, const Json& ours) {
    for (const auto& [key, value] : ours.items()) {
        const Json other = theirs.value(key, Json());
        if (other == value) continue;
        if (key == "grid") return "another grid of collectives, ranks, block sizes and distributions";
        return key + " " + other.dump() + ", and here it is " + value.dump();
    }
    return "";
}

Json json_of(const Measurement& measurement) {
    Json json = json_of(measurement.point);
    json["candidate"] = measurement.candidate.text();
    json["pass"] = measurement.pass;
    json["median_us"] = measurement.median_us;
    json["native_us"] = measurement.native_us;
    json["largest_block_bytes"] = measurement.largest_block;
    json["seconds_per_iteration"] = measurement.seconds_per_iteration;
    json["ratios"] = measurement.ratios;
    return json;
}

Measurement measurement_of(const Json& json) {
    Measurement measurement;
    measurement.point = point_of(json);
    const auto name = json.at("candidate").get<std::string>();
    const auto known = Candidate::read(measurement.point.shape.collective, name);
    if (!known && Candidate::agreement() != name) throw std::runtime_error("there is no " + name);
    measurement.candidate = known.value_or(Candidate::agreement());
    const auto* pass = json.contains("pass") ? "pass" : "round"; // `round` in earlier journals
    measurement.pass = whole_number<int>(json.at(pass));
    measurement.median_us = json.at("median_us");
    measurement.native_us = json.at("native_us");
    measurement.largest_block = whole_number<std::size_t>(json.at("largest_block_bytes"));
    measurement.seconds_per_iteration = json.at("seconds_per_iteration");
    measurement.ratios = json.at("ratios").get<std::vector<double>>();
    return measurement;
}

} // namespace

Journal::Journal(std::filesystem::path file, JournalHead head, Measurements& measurements)
    : file_(std::move(file)), head_(std::move(head)) {
    if (std::filesystem::exists(file_)) read(measurements);
}

Journal::~Journal() {
    if (descriptor_ >= 0) close(descriptor_);
}

void Journal::read(Measurements& measurements) {
    std::ifstream in(file_);
    std::string line;
    if (!std::getline(in, line)) return; // an empty file is as good as none
    const std::string remedy = "; remove it, or write to another file with -o";
    const Json theirs = Json::parse(line, nullptr, false);
    if (!theirs.is_object() || theirs.value("switchyard_tuning", Json()) != version)
        throw std::runtime_error(file_.string() + " is no journal of this version of switchyard tune" +
                                 remedy);
    const std::string other = difference(theirs, json_of(head_));
    if (!other.empty())
        throw std::runtime_error(file_.string() + " holds measurements of other circumstances: " + other +
                                 remedy);
    is_new_ = false;
    while (std::getline(in, line)) {
        ends_torn_ = in.eof();
        const Json json = Json::parse(line, nullptr, false);
        if (!json.is_object()) continue; // torn where the disk was full
        try {
            if (json.contains("seconds"))
                seconds_ += json.at("seconds").get<double>();
            else
                measurements.add(measurement_of(json));
        } catch (const std::exception& error) {
            throw std::runtime_error(file_.string() + ": a line cannot be read (" + error.what() + ")" +
                                     remedy);
        }
    }
}

void Journal::open() {
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (descriptor_ < 0)
        throw std::runtime_error("cannot write " + file_.string() + ": " + std::strerror(errno));
    if (is_new_) write(json_of(head_).dump());
    if (ends_torn_) write("");
    is_new_ = ends_torn_ = false;
}

void Journal::write(const std::string& line) {
    if (descriptor_ < 0) open();
    const std::string text = line + '\n';
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t bytes = ::write(descriptor_, text.data() + done, text.size() - done);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0)
            throw std::runtime_error("cannot write " + file_.string() + ": " + std::strerror(errno));
        done += static_cast<std::size_t>(bytes);
    }
}

void Journal::add(const Measurement& measurement) {
    write(json_of(measurement).dump());
}

void Journal::add_seconds(double seconds) {
    write(Json{{"seconds", seconds}}.dump());
}

} // namespace switchyard::shim::tune
