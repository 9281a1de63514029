#include "job.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace switchyard::shim::slurm {

namespace {

// The daemons of Open MPI 4, of Open MPI 5 and later, of MPICH and Intel MPI.
constexpr std::array<std::string_view, 5> daemons = {"orted", "prted", "hydra_pmi_proxy",
                                                     "hydra_bstrap_proxy", "pmi_proxy"};

bool is_daemon(const char* program) {
    const auto name = std::filesystem::path(program).filename().string();
    return std::find(daemons.begin(), daemons.end(), name) != daemons.end();
}

} // namespace

const char* Job::variable(const std::string& name) const {
    char** environment = nullptr;
    if (spank_get_item(spank_, S_JOB_ENV, &environment) != ESPANK_SUCCESS || environment == nullptr)
        return nullptr;
    for (; *environment != nullptr; ++environment)
        if (std::strncmp(*environment, name.c_str(), name.size()) == 0 && (*environment)[name.size()] == '=')
            return *environment + name.size() + 1;
    return nullptr;
}

void Job::set(const std::string& name, const std::string& value) const {
    spank_setenv(spank_, name.c_str(), value.c_str(), 1);
}

bool Job::starts_a_program() const {
    std::uint32_t step = 0;
    int count = 0;
    char** words = nullptr;
    if (spank_get_item(spank_, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step >= SLURM_MAX_NORMAL_STEP_ID)
        return false;
    if (spank_get_item(spank_, S_JOB_ARGV, &count, &words) != ESPANK_SUCCESS || count < 1) return false;
    return !is_daemon(words[0]);
}

} // namespace switchyard::shim::slurm
