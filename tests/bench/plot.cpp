#include "tests/bench/results.hpp"
#include "tests/bench/statistics.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace switchyard::bench {

namespace {

using algorithms::Parameter;

struct Curve {
    std::string title;
    std::vector<std::pair<double, double>> points; // x, time in us
};

// Whether some algorithm takes part with several radices.
bool is_over_radix(const Report& report) {
    std::map<std::string, std::set<std::int64_t>> radices;
    for (const Contender& contender : report.contenders)
        if (contender.takes(Parameter::radix))
            radices[contender.without_radix].insert(contender.choice.parameters[Parameter::radix]);
    return std::ranges::any_of(radices, [](const auto& entry) { return entry.second.size() > 1; });
}

std::vector<Curve> curves_of(const Report& report, bool over_radix) {
    std::vector<Curve> curves;
    for (const Result& result : report.results) {
        const Contender& contender = report.contender_of(result);
        if (over_radix && !contender.takes(Parameter::radix)) continue;
        const std::string title =
            over_radix ? contender.without_radix + ", " + std::to_string(result.max_block) + " bytes"
                       : contender.name;
        auto curve = std::ranges::find(curves, title, &Curve::title);
        if (curve == curves.end()) curve = curves.insert(curves.end(), Curve{title, {}});
        const double x = over_radix ? static_cast<double>(contender.choice.parameters[Parameter::radix])
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
    const bool over_radix = is_over_radix(report);
    const auto curves = curves_of(report, over_radix);
    std::ostringstream script;
    script << "set terminal " << (report.options.plot.ends_with(".png") ? "pngcairo" : "svg")
           << " size 900,600 noenhanced\n"
           << "set output " << quoted(report.options.plot) << "\n"
           << "set title "
           << quoted(std::string(name_of(report.options.collective)) + ", " +
                     std::to_string(report.environment.ranks) + " ranks, " +
                     name_of(report.options.distribution))
           << "\nset xlabel " << (over_radix ? "'radix'" : "'largest block, bytes'")
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
    // Where gnuplot cannot write a file it takes stdout.
    if (!std::ofstream(report.options.plot)) return "no plot: " + report.options.plot + " cannot be written";
    const std::string script = plot_script(report);
    const auto before = std::signal(SIGPIPE, SIG_IGN); // no gnuplot: an error is enough
    std::FILE* gnuplot = popen("gnuplot", "w");
    if (gnuplot == nullptr) return "no plot: gnuplot cannot be started";
    const bool written = std::fwrite(script.data(), 1, script.size(), gnuplot) == script.size();
    const int status = pclose(gnuplot);
    std::signal(SIGPIPE, before);
    if (written && status == 0) return "";
    return "no plot " + report.options.plot + ": gnuplot failed or is not installed (Debian: gnuplot-nox)";
}

} // namespace switchyard::bench
