#include "orders.hpp"

#include "algorithms/small_messages.hpp"
#include "all_manage.hpp"
#include "policy/file.hpp"
#include "policy/parse.hpp"
#include "shim/back_end/process/clock.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/entry/mpi_families.hpp"

#include <array>
#include <cstdlib>
#include <new>
#include <numeric>
#include <random>
#include <unistd.h>

namespace switchyard::shim {

namespace {

// The rank by the launcher's environment, where MPI cannot be asked; -1: the environment has none.
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

// Fills policy and force from the texts. A problem that spoils more than its rule leaves everything native. Returns a
// sentence for each problem, with its consequence.
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

// Rank 0 alone gets the names, into memory that it has made before.
void gather_hosts(std::vector<char>& all, MPI_Comm comm) {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    PMPI_Get_processor_name(name, &length);
    algorithms::gather(name, sizeof name, all.data(), comm);
}

std::vector<std::string> hosts_in(const std::vector<char>& all) {
    std::vector<std::string> hosts;
    for (std::size_t i = 0; i < all.size(); i += MPI_MAX_PROCESSOR_NAME) hosts.emplace_back(all.data() + i);
    return hosts;
}

// What rank 0 tells all others, texts behind each other. Each collective at the start is a wait of every rank
// for every other one.
class Message {
  public:
    // Rank 0. May throw.
    void write(std::uint64_t run, std::initializer_list<const std::string*> texts) {
        for (const auto* text : texts) text_ += *text;
        std::size_t i = 0;
        for (const auto* text : texts) head_.sizes[i++] = text->size();
        head_.run = run; // last: without it the message is not whole
    }
    // Throws on all ranks where rank 0 has no message, or a rank has no memory for it. Collective.
    void send(MPI_Comm comm) {
        PMPI_Bcast(&head_, sizeof head_, MPI_BYTE, 0, comm);
        if (head_.run == 0) throw std::bad_alloc();
        const auto bytes = std::accumulate(head_.sizes.begin(), head_.sizes.end(), std::uint64_t{0});
        manage_together(comm, [&] { text_.resize(bytes); });
        algorithms::broadcast(text_.data(), bytes, comm);
    }
    std::uint64_t run() const { return head_.run; }
    // May throw.
    std::string text(std::size_t number) const {
        const auto* end = head_.sizes.begin() + static_cast<std::ptrdiff_t>(number);
        return text_.substr(std::accumulate(head_.sizes.begin(), end, std::uint64_t{0}), *end);
    }

  private:
    struct Head {
        std::uint64_t run = 0;
        std::array<std::uint64_t, 3> sizes{};
    } head_;
    std::string text_;
};

std::uint64_t random_run() {
    std::random_device device;
    return (std::uint64_t{device()} << 32 | device()) ^ Clock::now();
}

// What fails here leaves the message unwritten, and its send tells all ranks.
void write_orders(Process& self, const std::vector<char>& hosts, Message& message) noexcept {
    try {
        self.run_info.hosts = hosts_in(hosts);
        const auto settings = self.settings.serialized();
        const auto directory = make_log_directory(self);
        message.write(self.run, {&settings, &self.policy_text, &directory});
    } catch (...) {
    }
}

} // namespace

void give_orders(Process& self, const std::vector<std::string>& complaints) {
    set_up_diagnostics(self.settings.value(Setting::verbose), self.world_rank == 0 || launched_rank() <= 0);
    for (const auto& complaint : complaints) warn(complaint);
    auto path = self.settings.value(Setting::policy);
    auto read = policy::read_file(path);
    std::string text;
    if (auto* unreadable = std::get_if<policy::Problem>(&read)) {
        warn(path + ": " + unreadable->message + all_native);
    } else {
        text = std::get<std::string>(std::move(read));
        for (const auto& complaint : adopt_policy(self, text, path)) warn(complaint);
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
    info.mpi_library = self.host->library_version;
    for (std::size_t i = 0; i < setting_count; ++i)
        info.settings.emplace_back(setting_table()[i].variable, self.settings.value(static_cast<Setting>(i)));
    return info;
}

void take_orders(Process& self) {
    const bool gives = self.world_rank == 0;
    std::vector<char> hosts;
    manage_together(self.world, [&] {
        std::vector<std::string> complaints;
        self.settings = Settings::from_environment(complaints);
        if (!gives) return;
        give_orders(self, complaints);
        self.run = random_run();
        self.run_info = describe(self);
        hosts.resize(static_cast<std::size_t>(self.world_ranks) * MPI_MAX_PROCESSOR_NAME);
    });
    gather_hosts(hosts, self.world);
    Message message;
    if (gives) write_orders(self, hosts, message);
    message.send(self.world);
    manage_together(self.world, [&] {
        self.log_directory = message.text(2);
        if (gives) return;
        self.run = message.run();
        self.settings = Settings::deserialized(message.text(0));
        set_up_diagnostics(self.settings.value(Setting::verbose), false);
        if (const auto policy = message.text(1); !policy.empty()) adopt_policy(self, policy, {});
    });
}

} // namespace switchyard::shim
