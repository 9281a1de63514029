#include "process.hpp"

#include "shim/back_end/communicator/comm_state.hpp"
#include "shim/back_end/arguments/datatype.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/back_end/run/end_of_log.hpp"
#include "shim/common/log/file_size_signal.hpp"
#include "shim/common/placement.hpp"
#include "policy/file.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <pthread.h>
#include <random>
#include <unistd.h>

namespace switchyard::shim {

namespace {

std::atomic<Process*> current{nullptr};
Process* started = nullptr; // outlives `current`: records must stay mapped until the process is gone
pid_t started_by = 0;

// The rank as the launcher's environment has it, where nobody can ask MPI; -1: it does not say.
int launched_rank() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
        if (const char* rank = std::getenv(name)) return std::atoi(rank);
    return -1;
}

std::string first_of(const std::vector<policy::Problem>& problems) {
    auto text =
        (problems.front().pointer.empty() ? "" : problems.front().pointer + ": ") + problems.front().message;
    constexpr std::size_t longest = 400; // a warning is a line to read; `switchyard check` says it in full
    if (text.size() > longest) {
        while (!text.empty() && (text.size() > longest || (text.back() & 0x80) != 0)) text.pop_back();
        text += "...";
    }
    if (problems.size() > 1) text += " (and " + std::to_string(problems.size() - 1) + " more)";
    return text;
}

constexpr const char* all_native = ". Every call goes to the MPI library";
constexpr const char* one_passed_over = ". What that is part of is passed over";

// Fills policy and force from the texts; any problem that spoils more than its rule leaves everything native.
// Returns what is wrong and what follows from it.
std::vector<std::string> adopt_policy(Process& self, const std::string& text, const std::string& path) {
    std::vector<std::string> complaints;
    policy::Force force;
    if (const auto& spec = self.settings.given(Setting::force)) {
        auto reading = policy::read_force(*spec);
        if (!reading.problems.empty())
            complaints.push_back("SWITCHYARD_FORCE: " + first_of(reading.problems) +
                                 (reading.value ? one_passed_over : all_native));
        if (!reading.value) return complaints;
        force = *std::move(reading.value);
    }
    auto reading = policy::read(text);
    if (!reading.problems.empty())
        complaints.push_back(path + ": " + first_of(reading.problems) +
                             "; `switchyard check` lists everything" +
                             (reading.value ? one_passed_over : all_native));
    if (!reading.value) return complaints;
    self.force = std::move(force);
    self.policy = *std::move(reading.value);
    self.policy_text = text;
    return complaints;
}

// Reads and checks what only rank 0 looks at, and complains.
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
    info.command_line = log::command_line();
    info.mpi_library = self.host->library_version;
    for (std::size_t i = 0; i < setting_count; ++i)
        info.settings.emplace_back(setting_table()[i].variable, self.settings.value(static_cast<Setting>(i)));
    return info;
}

std::string make_log_directory(const Process& self) {
    if (!self.settings.logs()) return {};
    auto log = self.settings.value(Setting::log);
    try {
        auto directory = log::create_run_directory(log, self.run_info);
        if (log::write_run_json(directory, self.run_info, nullptr)) return directory;
        warn("no log: cannot write to " + directory);
    } catch (const std::exception& error) {
        warn("no log: cannot make a directory in " + log + ": " + error.what());
    }
    return {};
}

void broadcast(std::string& text, MPI_Comm comm) {
    unsigned long long size = text.size();
    PMPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, comm);
    text.resize(size);
    PMPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
}

std::vector<std::string> gather_hosts(MPI_Comm comm, int ranks) {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0, rank = 0;
    PMPI_Get_processor_name(name, &length);
    PMPI_Comm_rank(comm, &rank);
    std::vector<char> all(rank == 0 ? static_cast<std::size_t>(ranks) * sizeof name : 0);
    PMPI_Gather(name, sizeof name, MPI_CHAR, all.data(), sizeof name, MPI_CHAR, 0, comm);
    std::vector<std::string> hosts;
    for (std::size_t i = 0; i < all.size(); i += sizeof name) hosts.emplace_back(all.data() + i);
    return hosts;
}

std::uint64_t mixed(std::uint64_t left, std::uint64_t right) {
    return (left ^ (right + 0x9e3779b97f4a7c15ULL + (left << 6) + (left >> 2))) * 0xff51afd7ed558ccdULL;
}

// Where a rank is among those of its node.
struct Seat {
    int local_rank = 0, ranks = 1;
};

// Nodes by shared memory, or as SWITCHYARD_RANKS_PER_NODE pretends.
Seat find_node(Process& self) {
    Seat seat;
    if (const auto& text = self.settings.given(Setting::ranks_per_node)) {
        const auto placement = *Placement::parse(*text);
        const int node = placement.node_of(self.world_rank, self.world_ranks);
        self.node = mixed(self.run, static_cast<std::uint64_t>(node));
        seat.ranks = 0;
        for (int rank = 0; rank < self.world_ranks; ++rank) {
            if (placement.node_of(rank, self.world_ranks) != node) continue;
            ++seat.ranks;
            if (rank < self.world_rank) ++seat.local_rank;
        }
        return seat;
    }
    MPI_Comm node = MPI_COMM_NULL;
    int leader = self.world_rank;
    if (PMPI_Comm_split_type(self.world, MPI_COMM_TYPE_SHARED, self.world_rank, MPI_INFO_NULL, &node) ==
        MPI_SUCCESS) {
        PMPI_Bcast(&leader, 1, MPI_INT, 0, node);
        PMPI_Comm_rank(node, &seat.local_rank);
        PMPI_Comm_size(node, &seat.ranks);
        PMPI_Comm_free(&node);
    }
    self.node = mixed(self.run, static_cast<std::uint64_t>(leader));
    return seat;
}

bool looks_at_regions(const policy::Use& use) {
    if (use.is_adaptive())
        return std::ranges::any_of(use.candidates, [](const auto& one) { return looks_at_regions(one); });
    return use.parameters[static_cast<std::size_t>(algorithms::Parameter::levels)].value_or(1) > 1;
}

// Of the policy and what is forced, so the same on all ranks of a run.
bool looks_at_regions(const Process& self) {
    const auto& forced = self.force.by_collective;
    const auto& rules = self.policy.rules;
    return looks_at_regions(self.policy.otherwise) ||
           std::any_of(rules.begin(), rules.end(),
                       [](const auto& rule) { return looks_at_regions(rule.use); }) ||
           std::any_of(forced.begin(), forced.end(),
                       [](const auto& use) { return use && looks_at_regions(*use); });
}

// What became of the search on all ranks, said by the one that speaks.
void tell_of_regions(const Process& self, const std::string& kind, const std::string& problem) {
    int mine[] = {problem.empty() ? 0 : 1, problem.empty() && self.region == Region::none ? 1 : 0};
    int all[] = {mine[0], mine[1]};
    if (self.world != MPI_COMM_NULL) PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, self.world);
    const auto of_ranks = " of " + std::to_string(self.world_ranks) + " ranks";
    constexpr const char* outcome = "; a node with such a rank counts as one region";
    if (all[0] > 0)
        warn("regions inside nodes are not to be found on " + std::to_string(all[0]) + of_ranks +
             (problem.empty() ? "" : " (" + problem + ")") + outcome);
    if (all[1] > 0) inform(std::to_string(all[1]) + of_ranks + " are bound to no single " + kind + outcome);
}

// Regions inside the node, by hwloc or as SWITCHYARD_RANKS_PER_REGION pretends; only where a rule looks at
// them, since reading the machine takes a while.
void find_region_of(Process& self, const Seat& seat) {
    self.looks_at_regions = looks_at_regions(self);
    const auto kind = self.settings.value(Setting::region);
    if (!self.looks_at_regions) return;
    if (const auto& text = self.settings.given(Setting::ranks_per_region)) {
        self.region = Placement::parse(*text)->node_of(seat.local_rank, seat.ranks);
    } else if (kind != "none") {
        const auto found = find_region(kind);
        self.region = found.number;
        tell_of_regions(self, kind, found.problem);
    }
}

std::uint64_t random_run() {
    std::random_device device;
    return (std::uint64_t{device()} << 32 | device()) ^ Clock::now();
}

int at_end_of_run(MPI_Comm, int, void*, void*) {
    finish();
    return MPI_SUCCESS;
}

void hang_on_comm_self() {
    int keyval = MPI_KEYVAL_INVALID;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end_of_run, &keyval, nullptr) != MPI_SUCCESS)
        return;
    PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
    PMPI_Comm_free_keyval(&keyval);
}

// A forked child shares the mapped records with its parent and must not add to them.
void stop_recording_in_child() {
    if (started != nullptr) started->recording = false;
    current = nullptr;
}

void publish(std::unique_ptr<Process> self) {
    started_by = getpid();
    started = self.release();
    pthread_atfork(nullptr, nullptr, stop_recording_in_child);
    current.store(started, std::memory_order_release);
}

// After the settings are known.
void watch_for_devices(Process& self) {
    const auto gpu = self.settings.gpu();
    if (gpu == Gpu::off) self.devices.set_off();
    self.devices_may_come = gpu == Gpu::on || (gpu == Gpu::detect && device::Devices::may_come());
}

void create_keyvals(Process& self) {
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, CommState::on_delete, &self.comm_keyval, nullptr);
    self.datatype_keyval = create_datatype_keyval();
}

void take_orders(Process& self, std::vector<std::string>& complaints) {
    std::string settings, policy, directory;
    if (self.world_rank == 0) {
        give_orders(self, complaints);
        self.run = random_run();
        self.run_info = describe(self);
        settings = self.settings.serialized();
        policy = self.policy_text;
    }
    broadcast(settings, self.world);
    broadcast(policy, self.world);
    PMPI_Bcast(&self.run, 1, MPI_UINT64_T, 0, self.world);
    self.run_info.hosts = gather_hosts(self.world, self.world_ranks);
    if (self.world_rank == 0) {
        directory = make_log_directory(self);
    } else {
        self.settings = Settings::deserialized(settings);
        set_up_diagnostics(self.settings.value(Setting::verbose), false);
        if (!policy.empty()) adopt_policy(self, policy, {});
    }
    broadcast(directory, self.world);
    self.log_directory = directory;
}

} // namespace

Process* process() {
    return current.load(std::memory_order_acquire);
}

bool all_agree(bool here, MPI_Comm comm) {
    int mine = here ? 1 : 0, all = 0;
    return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all == 1;
}

MPI_Comm create_private(MPI_Comm comm) {
    // MPI_Comm_dup would run the application's attribute copy functions; and where MPI runs out of
    // communicators the application's error handler must not hear of it.
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm, &handler);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm copy = MPI_COMM_NULL;
    if (PMPI_Comm_group(comm, &group) == MPI_SUCCESS) {
        if (PMPI_Comm_create(comm, group, &copy) != MPI_SUCCESS) copy = MPI_COMM_NULL;
        PMPI_Group_free(&group);
    }
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
    if (copy != MPI_COMM_NULL) PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    return copy;
}

void open_recorder(Process& self, const std::string& directory, int rank, int ranks) {
    int level = MPI_THREAD_MULTIPLE;
    if (self.world != MPI_COMM_NULL) PMPI_Query_thread(&level);
    self.recorder = std::make_unique<log::Recorder>(directory, rank, ranks, level == MPI_THREAD_MULTIPLE);
    if (!self.recorder->problem().empty() && rank == 0)
        warn("records stay in memory until the end (" + self.recorder->problem() +
             "): they are lost if the program is killed");
    self.log_directory = directory;
    self.summary = self.settings.detail() == Detail::summary;
    self.recording = true;
}

void start_with_world(const Host& host) noexcept {
    log::FileSizeSignalBlocked blocked;
    MPI_Comm world = create_private(MPI_COMM_WORLD);
    if (world == MPI_COMM_NULL) return;
    bool good = true;
    std::unique_ptr<Process> self;
    try {
        self = std::make_unique<Process>();
        self->host = &host;
        self->world = world;
        PMPI_Comm_rank(world, &self->world_rank);
        PMPI_Comm_size(world, &self->world_ranks);
        self->start_seconds = std::time(nullptr);
        std::vector<std::string> complaints;
        self->settings = Settings::from_environment(complaints);
        take_orders(*self, complaints);
        find_region_of(*self, find_node(*self));
        watch_for_devices(*self);
        create_keyvals(*self);
        if (!self->log_directory.empty())
            open_recorder(*self, self->log_directory, self->world_rank, self->world_ranks);
    } catch (...) {
        good = false;
    }
    // No communication may hang on one rank's luck: either all start or none does.
    if (!all_agree(good, world)) return;
    Clock::start_run();
    hang_on_comm_self();
    publish(std::move(self));
}

void start_alone(const Host& host) noexcept {
    static std::mutex starting;
    std::lock_guard lock(starting);
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (started != nullptr || finalized != 0) return;
    try {
        auto self = std::make_unique<Process>();
        self->host = &host;
        self->start_seconds = std::time(nullptr);
        std::vector<std::string> complaints;
        self->settings = Settings::from_environment(complaints);
        give_orders(*self, complaints);
        self->run = mixed(std::hash<std::string>{}(self->settings.serialized()),
                          std::hash<std::string>{}(self->policy_text)) |
                    1U;
        self->run_info.alone = true;
        self->run_info = describe(*self);
        char name[MPI_MAX_PROCESSOR_NAME] = {};
        int length = 0;
        PMPI_Get_processor_name(name, &length);
        self->run_info.hosts = {name};
        self->node = std::hash<std::string_view>{}(name);
        find_region_of(*self, {}); // nobody knows yet who else is on the node
        watch_for_devices(*self);
        Clock::start_run();
        create_keyvals(*self);
        publish(std::move(self));
    } catch (...) { // nothing is routed
    }
}

void finish() noexcept {
    Process* self = current.exchange(nullptr);
    if (self == nullptr || started_by != getpid()) return;
    self->recording = false;
    try {
        CommState::release_all(*self);
        if (self->world != MPI_COMM_NULL) log::collect(*self);
    } catch (...) { // the records stay where they are
    }
    if (self->world != MPI_COMM_NULL) PMPI_Comm_free(&self->world);
}

} // namespace switchyard::shim
