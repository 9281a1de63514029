#include "run_configuration.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "policy/file.hpp"
#include "policy/parse.hpp"
#include "policy/without_reasons.hpp"
#include "shim/back_end/process/clock.hpp"
#include "shim/back_end/process/native_calls.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/entry/mpi_families.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <random>
#include <unistd.h>

namespace switchyard::shim {

namespace {

// The rank in the launcher's environment, for when MPI cannot be asked; -1: the environment has none.
int launched_rank() {
    const char* rank = rank_by_any_launcher();
    return rank != nullptr ? std::atoi(rank) : -1;
}

// `where`: the policy's file, or the variable.
std::string first_of(const std::vector<policy::Problem>& problems, const std::string& where) {
    policy::Problem first = problems.front();
    auto& text = first.message;
    constexpr std::size_t longest = 400; // a warning is a line to read; `switchyard check` says it in full
    if (text.size() > longest) {
        while (!text.empty() && (text.size() > longest || (text.back() & 0x80) != 0)) text.pop_back();
        text += "...";
    }
    if (problems.size() > 1) text += " (and " + std::to_string(problems.size() - 1) + " more)";
    return policy::told(where, first);
}

constexpr const char* all_native = ". Every call goes to the MPI library";
constexpr const char* rule_skipped = ". The rule with it is skipped";

// Fills policy and force from the texts. A problem that spoils more than its rule leaves everything native.
// Returns a sentence for each problem, with its consequence.
std::vector<std::string> adopt_policy(Process& self, const std::string& text, const std::string& path) {
    std::vector<std::string> complaints;
    policy::Force force;
    if (const auto& spec = self.settings.given(Setting::force)) {
        auto reading = policy::read_force(*spec);
        if (!reading.problems.empty())
            complaints.push_back(first_of(reading.problems, "SWITCHYARD_FORCE") +
                                 (reading.value ? rule_skipped : all_native));
        if (!reading.value) return complaints;
        force = *std::move(reading.value);
    }
    auto reading = policy::read(text);
    if (!reading.problems.empty())
        complaints.push_back(first_of(reading.problems, path) + "; `switchyard check` lists everything" +
                             (reading.value ? rule_skipped : all_native));
    if (!reading.value) return complaints;
    self.force = std::move(force);
    self.policy = *std::move(reading.value);
    self.policy_text = text;
    return complaints;
}

std::string make_log_directory(Process& self) {
    if (!self.settings.logs()) return {};
    auto log = self.settings.value(Setting::log);
    try {
        self.log_folder = log::create_run_directory(log, self.run_info);
        const auto& directory = self.log_folder.path();
        if (log::write_run_json(self.log_folder, self.run_info, nullptr)) return directory;
        warn("no log: cannot write to " + directory);
    } catch (const std::exception& error) {
        warn("no log: cannot make a directory in " + log + ": " + error.what());
    }
    return {};
}

std::uint64_t random_run() {
    std::random_device device;
    return (std::uint64_t{device()} << 32 | device()) ^ Clock::now();
}

// Bytes of a host name. Linux allows 64 characters.
constexpr std::size_t host_bytes = 128;

std::vector<std::string> hosts_in(const std::vector<char>& all) {
    std::vector<std::string> hosts;
    for (std::size_t i = 0; i < all.size(); i += host_bytes) hosts.emplace_back(all.data() + i);
    return hosts;
}

} // namespace

void read_configuration(Process& self, const std::vector<std::string>& complaints) {
    set_up_diagnostics(self.settings.value(Setting::verbose), self.world_rank == 0 || launched_rank() <= 0);
    for (const auto& complaint : complaints) warn(complaint);
    auto path = self.settings.value(Setting::policy);
    auto read = policy::read_file(path);
    std::string text;
    if (auto* unreadable = read.error()) {
        warn(path + ": " + unreadable->message + all_native);
    } else {
        text = std::move(read).value();
        const auto about_policy = adopt_policy(self, text, path);
        for (const auto& complaint : about_policy) warn(complaint);
        // The ranks of a run get it in few messages.
        if (about_policy.empty()) self.policy_text = policy::without_reasons(text);
    }
    self.run_info.policy_file = path;
    self.run_info.policy = text;
}

log::RunInfo describe(const Process& self) {
    auto info = self.run_info;
    info.program = log::program_name();
    info.started = log::local_time(self.start_seconds);
    info.pid = getpid();
    info.ranks = self.world_ranks;
    info.file_mode = self.settings.log_mode();
    info.command_line = log::command_line();
    info.mpi_library = self.loaded->library_version;
    info.network = policy::network_names[static_cast<std::size_t>(self.settings.network())];
    for (std::size_t i = 0; i < setting_count; ++i)
        info.settings.emplace_back(setting_table()[i].variable, self.settings.value(static_cast<Setting>(i)));
    return info;
}

std::uint64_t RunConfiguration::Head::bytes() const {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

void RunConfiguration::write(Process& self) {
    gives_ = true;
    std::vector<std::string> complaints;
    self.settings = Settings::from_environment(complaints);
    read_configuration(self, complaints);
    self.run = random_run();
    self.run_info = describe(self);
    self.log_directory = make_log_directory(self);
    if (!self.log_directory.empty()) hosts_.resize(static_cast<std::size_t>(self.world_ranks) * host_bytes);
    const auto own_settings = self.settings.serialized();
    text_ = own_settings + self.policy_text + self.log_directory;
    first_.head.sizes = {own_settings.size(), self.policy_text.size(), self.log_directory.size()};
    std::memcpy(first_.text.data(), text_.data(), std::min(text_.size(), first_.text.size()));
    first_.head.run = self.run; // last: without it the configuration is not whole
}

void RunConfiguration::spread(MPI_Comm world) noexcept {
    static_assert(sizeof(First) <= algorithms::largest_own_message);
    PMPI_Bcast(&first_, sizeof first_, MPI_BYTE, 0, world);
    if (first_.head.run == 0) return;
    const auto bytes = first_.head.bytes();
    const auto in_first = std::min<std::size_t>(bytes, first_.text.size());
    try {
        if (!gives_) text_.assign(first_.text.data(), in_first).resize(bytes);
        is_whole_ = true;
    } catch (...) { // no memory; the vote tells the others
    }
    First passing; // for a rank without memory
    for (std::size_t done = in_first; done < bytes;) {
        const auto some = std::min<std::size_t>(bytes - done, passing.text.size());
        char* const place = is_whole_ ? text_.data() + done : passing.text.data();
        PMPI_Bcast(place, static_cast<int>(some), MPI_BYTE, 0, world);
        done += some;
    }
}

std::string RunConfiguration::text(Text which) const {
    const auto* end = first_.head.sizes.begin() + which;
    return text_.substr(std::accumulate(first_.head.sizes.begin(), end, std::uint64_t{0}), *end);
}

void RunConfiguration::take(Process& self) const {
    if (!is_whole_) throw std::bad_alloc();
    if (gives_) return;
    self.log_directory = text(log_directory);
    self.run = first_.head.run;
    self.settings = Settings::deserialized(text(settings));
    set_up_diagnostics(self.settings.value(Setting::verbose), false);
    if (const auto policy_text = text(policy); !policy_text.empty()) adopt_policy(self, policy_text, {});
}

void RunConfiguration::meet_hosts(Process* self, MPI_Comm world) noexcept {
    if (!is_logged()) return;
    std::array<char, MPI_MAX_PROCESSOR_NAME + host_bytes> name{};
    int length = 0;
    PMPI_Get_processor_name(name.data(), &length);
    name[host_bytes - 1] = '\0';
    algorithms::gather(name.data(), host_bytes, hosts_.empty() ? nullptr : hosts_.data(),
                       algorithms::comm_of(world));
    if (hosts_.empty()) return;
    try {
        self->run_info.hosts = hosts_in(hosts_);
        self->run_info.native = facts_of_native_calls(*self->loaded);
        log::write_run_json(self->log_folder, self->run_info, nullptr);
    } catch (...) { // the end of the run writes it again
    }
}

} // namespace switchyard::shim
