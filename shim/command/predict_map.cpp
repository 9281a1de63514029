#include "predict.hpp"

#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/common/whole_file.hpp"
#include "shim/report/page/map_plot.hpp"

#include "policy/text/lists.hpp"
#include "policy/text/printable.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace switchyard::shim::command {

namespace {

using algorithms::Parameter;
using report::WinnerMap;
using Settings = std::vector<PredictedSetting>;

// For each algorithm, the parameters of which it was asked for several values.
class Varied {
  public:
    explicit Varied(const std::vector<PredictedPoint>& points) {
        for (const PredictedPoint& point : points)
            for (const PredictedSetting& setting : point.settings)
                for (const Parameter parameter : setting.choice.algorithm->parameters)
                    values_[{setting.choice.algorithm->name, parameter}].insert(
                        setting.choice.parameters[parameter]);
    }
    // Their values in a setting: "8", or "8 fused".
    std::string values_in(const policy::Choice& choice) const {
        std::string text;
        for (const Parameter parameter : choice.algorithm->parameters) {
            const auto& traits = algorithms::traits_of(parameter);
            const auto value = choice.parameters[parameter];
            if (values_.at({choice.algorithm->name, parameter}).size() > 1 && !is_absent(traits, value))
                text += (text.empty() ? "" : " ") + algorithms::text_of(traits, value);
        }
        return text;
    }

  private:
    std::map<std::pair<std::string_view, Parameter>, std::set<std::int64_t>> values_;
};

const PredictedSetting* first_of_another(const Settings& settings) {
    for (const PredictedSetting& setting : settings)
        if (setting.choice.algorithm != settings.front().choice.algorithm) return &setting;
    return nullptr;
}

std::string line_of(const PredictedSetting& setting) {
    return formatted("{}: {}", setting.name, time_text(setting.prediction.us()));
}

// How many of the winner's settings are faster than the best of the other algorithms.
std::string how_many_win(const Settings& settings, const PredictedSetting& next) {
    const auto* const winner = settings.front().choice.algorithm;
    std::uint64_t all = 0, winning = 0;
    for (const PredictedSetting& setting : settings) {
        if (setting.choice.algorithm != winner) continue;
        all += 1;
        winning += setting.prediction.us() < next.prediction.us() ? 1 : 0;
    }
    return all > 1 ? formatted("\n{} of its {} settings are faster than {}", winning, all, next.name) : "";
}

WinnerMap::Field field_of(const PredictedPoint& point, const Varied& varied,
                          std::vector<std::string>& names) {
    const std::string where = formatted("{} ranks, blocks up to {}", point.call.shape.ranks,
                                        size_text(static_cast<double>(point.call.max_block)));
    if (point.settings.empty()) return {std::nullopt, "", "", where + "\nnothing fits into the memory"};
    const PredictedSetting& best = point.settings.front();
    const std::string name(best.choice.algorithm->name);
    const auto found = std::ranges::find(names, name);
    WinnerMap::Field field{static_cast<std::size_t>(found - names.begin()), "", varied.values_in(best.choice),
                           where + '\n' + line_of(best)};
    if (found == names.end()) names.push_back(name);
    if (const auto* next = first_of_another(point.settings)) {
        const double lead = next->prediction.us() / best.prediction.us();
        field.lead = lead < 10 ? formatted("{:.1f}", lead) : formatted("{:.0f}", lead);
        field.tip += '\n' + line_of(*next) + how_many_win(point.settings, *next);
    }
    return field;
}

std::string title_of(const std::string& machine, const predict::Call& call) {
    const std::string sizes =
        traits_of(call.collective).has_count_arrays() ? ", blocks " + name_of(call.distribution) : "";
    return formatted("The fastest {}, predicted for {}{}, {} a node", name_of(call.collective),
                     text::printable(machine, 30), sizes,
                     text::plural(static_cast<std::uint64_t>(call.shape.ranks_per_node), "rank"));
}

} // namespace

std::string map_of(const std::string& machine, const std::vector<PredictedPoint>& points) {
    const Varied varied(points);
    WinnerMap map;
    std::map<int, std::map<std::size_t, const PredictedPoint*>> places;
    for (const PredictedPoint& point : points) places[point.call.shape.ranks][point.call.max_block] = &point;
    const auto& [most_ranks, widest] = *places.rbegin();
    map.title = title_of(machine, widest.rbegin()->second->call);
    map.note = "In a field: how many times faster than the best of the other algorithms; below, the "
               "parameters that vary.";
    for (const auto& [block, point] : widest) map.blocks.push_back(block);
    for (const auto& [ranks, row] : places) {
        map.ranks.push_back(ranks);
        map.fields.emplace_back();
        for (const auto& [block, point] : row)
            map.fields.back().push_back(field_of(*point, varied, map.algorithms));
    }
    return map_plot(map);
}

void write_map(const std::string& machine, const std::vector<PredictedPoint>& points,
               const std::string& file) {
    WholeFile whole(file);
    whole.stream() << map_of(machine, points);
    whole.keep();
}

} // namespace switchyard::shim::command
