#include "results.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace switchyard::bench {

namespace {

struct Curve {
    std::string title;
    std::vector<std::pair<double, double>> points; // x, time in us
};

// Words and lists have no place on an axis.
bool has_number(const Contender& contender, const algorithms::ParameterTraits& traits) {
    return contender.takes(traits.parameter) && traits.choices.empty() &&
           !is_list(traits, contender.choice.parameters[traits.parameter]);
}

// The first parameter of which some algorithm has several values. Null: none.
const algorithms::ParameterTraits* varied_in(const Report& report) {
    for (const auto& traits : algorithms::parameter_vocabulary()) {
        std::map<std::string, std::set<std::int64_t>> values;
        for (const Contender& contender : report.contenders)
            if (has_number(contender, traits))
                values[contender.without(traits.parameter)].insert(
                    contender.choice.parameters[traits.parameter]);
        if (std::ranges::any_of(values, [](const auto& entry) { return entry.second.size() > 1; }))
            return &traits;
    }
    return nullptr;
}

// Times over the parameter that varies or, if none does, over the largest block.
std::vector<Curve> curves_of(const Report& report, const algorithms::ParameterTraits* varied) {
    std::vector<Curve> curves;
    for (const Result& result : report.results) {
        const Contender& contender = report.contender_of(result);
        if (varied != nullptr && !has_number(contender, *varied)) continue;
        const std::string title = varied != nullptr ? contender.without(varied->parameter) + ", " +
                                                          std::to_string(result.max_block) + " bytes"
                                                    : contender.name;
        auto curve = std::ranges::find(curves, title, &Curve::title);
        if (curve == curves.end()) curve = curves.insert(curves.end(), Curve{title, {}});
        const double x = varied != nullptr
                             ? static_cast<double>(contender.choice.parameters[varied->parameter])
                             : static_cast<double>(result.max_block);
        curve->points.emplace_back(x, median(result.seconds) * 1e6);
    }
    for (Curve& curve : curves) std::ranges::sort(curve.points);
    return curves;
}

std::string quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "'";
}

} // namespace

std::string plot_script(const Report& report) {
    const auto* varied = varied_in(report);
    const auto curves = curves_of(report, varied);
    std::ostringstream script;
    script << "set terminal " << (report.options.plot.ends_with(".png") ? "pngcairo" : "svg")
           << " size 900,600 noenhanced\n"
           << "set output " << quoted(report.options.plot) << "\n"
           << "set title "
           << quoted(std::string(name_of(report.options.collective)) + ", " +
                     std::to_string(report.environment.ranks) + " ranks, " +
                     name_of(report.options.distribution))
           << "\nset xlabel "
           << quoted(varied != nullptr ? std::string(varied->name) : "largest block, bytes")
           << "\nset ylabel 'time, us'\n"
           << "set logscale x 2\nset logscale y 10\nset grid\nset key outside below\nplot ";
    for (std::size_t i = 0; i < curves.size(); ++i)
        script << (i == 0 ? "" : ", ") << "'-' with linespoints title " << quoted(curves[i].title);
    script << '\n';
    for (const Curve& curve : curves) {
        for (const auto& [x, time] : curve.points) script << x << ' ' << time << '\n';
        script << "e\n";
    }
    return script.str();
}

std::string draw(const Report& report) {
    // gnuplot writes to stdout if it cannot write the file.
    if (!std::ofstream(report.options.plot))
        return "no plot " + report.options.plot + ": the file cannot be written";
    const std::string script = plot_script(report);
    const auto before = std::signal(SIGPIPE, SIG_IGN); // without gnuplot an error of fwrite() is enough
    std::FILE* gnuplot = popen("gnuplot", "w");
    if (gnuplot == nullptr) return "no plot " + report.options.plot + ": gnuplot cannot be started";
    const bool written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
    const int status = pclose(gnuplot);
    std::signal(SIGPIPE, before);
    if (written && status == 0) return "";
    return "no plot " + report.options.plot + ": gnuplot failed or is not installed (Debian: gnuplot-nox)";
}

} // namespace switchyard::bench
