#include "lesson.hpp"
#include "lesson_json.hpp"

#include "chooser.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace switchyard::shim::adaptive {

namespace {

using Json = nlohmann::ordered_json;

double us(double nanoseconds) {
    return nanoseconds / 1000.0;
}

std::uint64_t nanoseconds(const Json& us) {
    return us.is_null() ? no_time : static_cast<std::uint64_t>(us.get<double>() * 1000.0 + 0.5);
}

Json tried_json(const Lesson::Tried& tried) {
    Json json = {{"use", Json::parse(tried.use)},
                 {"median_us", nullptr},
                 {"trials", tried.trials},
                 {"dropped", tried.dropped},
                 {"needs_agreement", tried.needs_agreement}};
    if (tried.median != no_time) json["median_us"] = us(static_cast<double>(tried.median));
    return json;
}

// Older logs have another name for it.
std::uint64_t own_calls_at(const Json& json) {
    const auto found = json.find("calls_of_measured_communicator");
    return found != json.end() ? *found : json.at("calls_of_who_tried");
}

algorithms::Collective collective_at(const std::string& name) {
    const auto collective = algorithms::collective_of(name);
    if (!collective) throw std::invalid_argument("no collective " + name);
    return *collective;
}

} // namespace

Json json_of(const Lesson& lesson) {
    const auto& subject = lesson.subject;
    Json json = {{"collective", algorithms::name_of(subject.collective)},
                 {"ranks", subject.ranks},
                 {"nodes", subject.nodes},
                 {"ranks_per_node", subject.ranks_per_node},
                 {"max_block_bytes", {{"min", subject.least_block}, {"max", subject.most_block}}},
                 {"in_place", subject.in_place},
                 {"overlapping", subject.overlapping},
                 {"buffer", subject.on_device ? "device" : "host"},
                 {"rule", nullptr},
                 {"rule_has_blocks", lesson.rule_has_blocks},
                 {"best", nullptr},
                 {"calls", lesson.calls},
                 {"calls_of_measured_communicator", lesson.own_calls},
                 {"trial_calls", lesson.trial_calls},
                 {"re_checks", lesson.re_checks},
                 {"regret_us", us(lesson.regret)},
                 {"agreement_us", us(static_cast<double>(lesson.agreement))},
                 {"medians_have_agreement", lesson.pays_agreement},
                 {"proof", nullptr},
                 {"tried", Json::array()}};
    if (!subject.rule.empty()) json["rule"] = subject.rule;
    if (lesson.best) json["best"] = *lesson.best;
    if (const auto& proof = lesson.proof)
        json["proof"] = {{"candidate", proof->candidate},
                         {"pairs", proof->pairs},
                         {"won", proof->won},
                         {"ratio", proof->ratio}};
    for (const auto& one : lesson.tried) json["tried"].push_back(tried_json(one));
    return json;
}

Lesson lesson_from(const Json& json) {
    Lesson lesson;
    auto& subject = lesson.subject;
    subject.collective = collective_at(json.at("collective"));
    subject.ranks = json.at("ranks");
    subject.nodes = json.at("nodes");
    subject.ranks_per_node = json.at("ranks_per_node");
    subject.least_block = json.at("max_block_bytes").at("min");
    subject.most_block = json.at("max_block_bytes").at("max");
    subject.in_place = json.at("in_place");
    subject.overlapping = json.at("overlapping");
    subject.on_device = json.at("buffer") == "device";
    if (json.at("rule").is_string()) subject.rule = json["rule"];
    lesson.rule_has_blocks = json.value("rule_has_blocks", false);
    lesson.calls = json.at("calls");
    lesson.own_calls = own_calls_at(json);
    lesson.trial_calls = json.at("trial_calls");
    lesson.re_checks = json.at("re_checks");
    lesson.regret = json.at("regret_us").get<double>() * 1000.0;
    for (const Json& one : json.at("tried"))
        lesson.tried.push_back({one.at("use").dump(), nanoseconds(one.at("median_us")), one.at("trials"),
                                one.at("dropped"), one.value("needs_agreement", false)});
    lesson.agreement = nanoseconds(json.value("agreement_us", Json(0)));
    lesson.pays_agreement = json.value("medians_have_agreement", false);
    if (!json.at("best").is_null()) lesson.best = json["best"].get<std::size_t>();
    if (const Json proof = json.value("proof", Json()); proof.is_object())
        lesson.proof = {proof.value("candidate", lesson.best.value_or(0)), proof.at("pairs"), proof.at("won"),
                        proof.at("ratio")};
    if (lesson.tried.empty() || lesson.best.value_or(0) >= lesson.tried.size() ||
        (lesson.proof && lesson.proof->candidate >= lesson.tried.size()))
        throw std::invalid_argument("nothing was tried");
    return lesson;
}

std::string use_in_words(const std::string& use) {
    const Json json = Json::parse(use);
    std::string text = json.at("algorithm");
    for (const auto& [key, value] : json.items())
        if (key != "algorithm")
            text += ' ' + key + '=' + (value.is_string() ? value.get<std::string>() : value.dump());
    return text;
}

void Lessons::add(Lesson lesson) {
    const auto [known, is_new] = places_.try_emplace(lesson.subject, lessons_.size());
    if (is_new) {
        lessons_.push_back(std::move(lesson));
        return;
    }
    Lesson* const same = &lessons_[known->second];
    // A communicator whose trials ended knows more than any communicator whose trials did not end.
    const auto knowledge = [](const Lesson& one) { return std::pair(one.best.has_value(), one.own_calls); };
    if (knowledge(lesson) > knowledge(*same)) {
        same->own_calls = lesson.own_calls;
        same->tried = std::move(lesson.tried);
        same->best = lesson.best;
        same->proof = lesson.proof;
        same->rule_has_blocks = lesson.rule_has_blocks;
        same->agreement = lesson.agreement;
        same->pays_agreement = lesson.pays_agreement;
    }
    same->calls += lesson.calls;
    same->trial_calls += lesson.trial_calls;
    same->re_checks += lesson.re_checks;
    same->regret += lesson.regret;
}

std::string Lessons::to_lines() const {
    std::string lines;
    for (const Lesson& lesson : lessons_)
        lines += json_of(lesson).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    return lines;
}

void Lessons::add_lines(const std::string& lines) {
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
        try {
            add(lesson_from(Json::parse(line)));
        } catch (const std::exception&) {
            continue;
        }
    }
}

std::string Lessons::to_array() const {
    auto array = Json::array();
    for (const Lesson& lesson : lessons_) array.push_back(json_of(lesson));
    return array.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const std::vector<Lesson>& Lessons::sorted() {
    std::ranges::sort(lessons_, {}, &Lesson::subject);
    std::size_t place = 0;
    for (auto& [subject, known] : places_) known = place++; // also by subject
    return lessons_;
}

} // namespace switchyard::shim::adaptive
