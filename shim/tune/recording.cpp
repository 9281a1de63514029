#include "recording.hpp"

#include "shim/common/formatted.hpp"
#include "shim/common/units.hpp"
#include "shim/common/whole_file.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace switchyard::shim::tune {

namespace {

namespace fs = std::filesystem;

nlohmann::json description_of(const Program& program) {
    return {{"launcher", program.launcher}, {"program", program.words}};
}

// Written after the run, so a run that failed or was stopped is repeated.
fs::path description_in(const fs::path& folder) {
    return folder / "recorded.json";
}

fs::path logs_in(const fs::path& folder) {
    return folder / "recorded";
}

} // namespace

bool is_recorded(const Program& program, const fs::path& folder) {
    std::ifstream file(description_in(folder));
    if (!file) return false;
    const auto known = nlohmann::json::parse(file, nullptr, false);
    if (known == description_of(program)) return true;
    throw std::runtime_error(
        formatted("{} has the recorded run of another program or launcher: write another policy with "
                  "-o, or delete the folder and the policy's .tuning file",
                  folder.string()));
}

fs::path recorded(const Program& program, const fs::path& folder, std::ostream& notes) {
    if (is_recorded(program, folder)) {
        notes << "the run of " << shown(program.text()) << " is recorded in " << logs_in(folder).string()
              << '\n';
        return logs_in(folder);
    }
    notes << "runs " << shown(program.text()) << " once to record its calls" << std::endl;
    const double seconds = record(program, logs_in(folder));
    if (const auto error =
            shim::write_whole(description_in(folder).string(), description_of(program).dump() + '\n'))
        throw std::runtime_error(description_in(folder).string() + ": " + error.message());
    notes << formatted("recorded in {:.1f} s\n", seconds);
    return logs_in(folder);
}

} // namespace switchyard::shim::tune
