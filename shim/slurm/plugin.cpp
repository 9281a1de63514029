// The SPANK plug-in: `srun --switchyard=FILE ./app` does what `srun switchyard run --policy FILE ./app` does.
//
// Where a job is submitted (srun, sbatch, salloc), the options are checked and go into SLURM_ variables.
// Slurm passes these on to each step of the job, even with --export=NONE. Where a rank starts (slurmstepd),
// they become LD_PRELOAD and SWITCHYARD_ variables. So an option of sbatch holds for each srun of its script,
// but not for the script itself.
//
// Slurm's own processes load this object, so no exception leaves it.
#include "job.hpp"
#include "policy_check.hpp"

#include "shim/common/object_path.hpp"
#include "shim/common/preload_path.hpp"
#include "shim/common/sanitizers.hpp"
#include "shim/common/settings.hpp"

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <unistd.h>

extern "C" {
// Slurm finds them by name. In C++ a constant would not be visible.
#define SWITCHYARD_VISIBLE __attribute__((visibility("default")))
SWITCHYARD_VISIBLE extern const char plugin_name[];
SWITCHYARD_VISIBLE extern const char plugin_type[];
SWITCHYARD_VISIBLE extern const unsigned int plugin_version;
SWITCHYARD_VISIBLE extern const unsigned int spank_plugin_version;
SPANK_PLUGIN(switchyard, 1)
SWITCHYARD_VISIBLE spank_f slurm_spank_init;
SWITCHYARD_VISIBLE spank_f slurm_spank_init_post_opt;
SWITCHYARD_VISIBLE spank_f slurm_spank_task_init;
}

namespace switchyard::shim::slurm {

namespace {

namespace fs = std::filesystem;

constexpr const char* wanted_variable = "SLURM_SWITCHYARD"; // on, off, or the path of a policy
constexpr const char* log_variable = "SLURM_SWITCHYARD_LOG";
constexpr const char *on = "on", *off = "off";
constexpr int done = 0, refused = -1; // srun ends if an option is refused
constexpr int cannot_run = 126;       // as shells have it

template <typename Body>
int guarded(Body body) noexcept {
    try {
        return body();
    } catch (const std::exception& error) {
        slurm_error("switchyard: %s", error.what());
    } catch (...) {
        slurm_error("switchyard: unknown error");
    }
    return refused;
}

// The folder above this object that has bin/switchyard: the object is in lib/slurm, and lib may
// have one more folder level.
fs::path own_prefix() {
    const fs::path own = object_path_of(reinterpret_cast<const void*>(&own_prefix));
    for (auto folder = own.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
        if (fs::exists(folder / "bin" / "switchyard")) return folder;
    return own.parent_path().parent_path().parent_path();
}

// ---- Where a job is submitted ----

// Slurm gives an option of sbatch again to each srun of the script. A policy that is gone by then harms no
// job: the calls go native, and rank 0 says so.
bool was_accepted(const std::string& policy) {
    const char* accepted = std::getenv(wanted_variable);
    return accepted != nullptr && policy == accepted;
}

int want(const std::string& what) {
    const auto prefix = own_prefix();
    if (const auto object = preload_object(prefix.string()); what != off && !fs::exists(object)) {
        slurm_error(
            "switchyard: %s is missing: install switchyard there, or name its plug-in in plugstack.conf",
            object.c_str());
        return refused;
    }
    if (what == on || what == off) return setenv(wanted_variable, what.c_str(), 1);
    const auto policy = fs::absolute(what).string();
    if (was_accepted(policy)) return done;
    if (!is_valid_policy((prefix / "bin" / "switchyard").string(), policy)) return refused;
    return setenv(wanted_variable, policy.c_str(), 1);
}

// No POLICY is given. Slurm writes "(null)" when it passes such an option from salloc to srun.
bool is_without_policy(const char* what) {
    return what == nullptr || *what == '\0' || std::string_view(what) == "(null)";
}

// Slurm calls these where a job is submitted, and again where it runs: there everything is done already.
int take_switchyard(int, const char* what, int remote) {
    if (remote != 0) return done;
    return guarded([&] { return want(is_without_policy(what) ? on : what); });
}

int take_log(int, const char* folder, int remote) {
    return remote != 0 ? done : setenv(log_variable, folder, 1);
}

// Slurm takes non-constant texts, but changes none.
char* text(const char* constant) {
    return const_cast<char*>(constant);
}

void add_options(spank_t spank) {
    static spank_option switchyard{
        text("switchyard"),
        text("POLICY|off"),
        text("put switchyard in front of the programs that srun starts, with this policy file"),
        2,
        0,
        take_switchyard};
    static spank_option log{text("switchyard-log"),
                            text("DIR|off"),
                            text("folder for switchyard's logs of runs, or off"),
                            1,
                            0,
                            take_log};
    spank_option_register(spank, &switchyard);
    spank_option_register(spank, &log);
}

// ---- Where a rank starts ----

// All ranks of a job have switchyard, or none: so a rank that cannot have it does not start.
[[noreturn]] void end_rank(const std::string& why) {
    slurm_error("switchyard: the program is not started: %s", why.c_str());
    _exit(cannot_run);
}

// In $TMPDIR of the job; our own environment is that of Slurm's daemon.
std::vector<std::string> folders_for_links_of(const Job& job) {
    auto folders = folders_for_links();
    if (const char* chosen = job.variable("TMPDIR")) folders.insert(folders.begin(), chosen);
    return folders;
}

std::string path_for_preload(const Job& job) {
    const auto object = preload_object(own_prefix().string());
    if (!fs::exists(object)) end_rank(object + " is missing on this node; install switchyard on all of them");
    auto path = preload_path(object, folders_for_links_of(job));
    if (path.empty())
        end_rank("LD_PRELOAD cannot hold " + object +
                 ", and no temporary folder takes a link to it; install switchyard elsewhere");
    return path;
}

std::string name_of(Setting setting) {
    return std::string(setting_table()[static_cast<std::size_t>(setting)].variable);
}

int set_up(const Job& job) {
    const char* wanted = job.variable(wanted_variable);
    if (wanted == nullptr || std::string_view(wanted) == off || !job.starts_a_program()) return done;
    job.set("LD_PRELOAD", preload_list(path_for_preload(job), job.variable("LD_PRELOAD")));
    job.set(asan_variable, asan_options(job.variable(asan_variable)));
    if (std::string_view(wanted) != on) job.set(name_of(Setting::policy), wanted);
    if (const char* log = job.variable(log_variable)) job.set(name_of(Setting::log), log);
    return done;
}

} // namespace

} // namespace switchyard::shim::slurm

using namespace switchyard::shim::slurm;

int slurm_spank_init(spank_t spank, int, char**) {
    const auto where = spank_context();
    if (where == S_CTX_LOCAL || where == S_CTX_ALLOCATOR || where == S_CTX_REMOTE) add_options(spank);
    return done;
}

int slurm_spank_init_post_opt(spank_t, int, char**) {
    const bool submits = spank_context() == S_CTX_LOCAL || spank_context() == S_CTX_ALLOCATOR;
    if (submits && std::getenv(log_variable) != nullptr && std::getenv(wanted_variable) == nullptr)
        slurm_info("switchyard: --switchyard-log does nothing without --switchyard");
    return done;
}

int slurm_spank_task_init(spank_t spank, int, char**) {
    return guarded([&] { return set_up(Job(spank)); });
}
