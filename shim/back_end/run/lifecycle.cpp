#include "lifecycle.hpp"

#include "algorithms/transport/messages/mpi_types.hpp"
#include "algorithms/transport/messages/votes.hpp"
#include "all_manage.hpp"
#include "end_of_log.hpp"
#include "run_configuration.hpp"
#include "shim/back_end/arguments/aliases.hpp"
#include "shim/back_end/arguments/datatype.hpp"
#include "shim/back_end/communicator/comm_state.hpp"
#include "shim/back_end/process/clock.hpp"
#include "shim/back_end/process/native_calls.hpp"
#include "shim/back_end/process/stack_reserve.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/log/file_size_signal.hpp"
#include "topology.hpp"

#include <atomic>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace switchyard::shim {

namespace {

struct Run {
    Process process;
    Communicators communicators{process};
    Run* earlier = nullptr; // a run of sessions before MPI_Init; it also stays
};

Run* started = nullptr; // never deleted: records must stay mapped until the process is gone
pid_t started_by = 0;
std::atomic<bool> has_refused{false}; // the ranks have agreed that there is no run

// The log's end needs all ranks. If some are missing, the records stay where they are, as
// after a job that was killed.
bool all_live(const Process& self) {
    if (self.ulfm == nullptr || self.ulfm->all_know_no_dead(self.world)) return true;
    if (self.world_rank == 0 && !self.log_directory.empty())
        say("a rank has died; `switchyard report` reads what all ranks recorded in " + self.log_directory);
    return false;
}

void finish() noexcept {
    Communicators* communicators = Communicators::take_current();
    if (communicators == nullptr || started_by != getpid()) return;
    Process& self = communicators->process();
    self.recording = false;
    log::CountedSums::set_current(nullptr);
    try {
        const auto counts = communicators->retire_all();
        if (self.world != MPI_COMM_NULL && all_live(self)) end_log(self, counts);
    } catch (...) { // the records stay where they are
    }
    if (self.world != MPI_COMM_NULL) PMPI_Comm_free(&self.world);
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
    if (started != nullptr) started->process.recording = false;
    log::CountedSums::set_current(nullptr);
    Communicators::take_current();
}

void publish(std::unique_ptr<Run> run) {
    started_by = getpid();
    run->earlier = started;
    started = run.release();
    pthread_atfork(nullptr, nullptr, stop_recording_in_child);
    CommState::forget_last(); // of an earlier run, of sessions
    started->communicators.make_current();
    log::CountedSums::set_current(started->process.counted.get());
}

// Needs the settings.
void watch_for_devices(Process& self) {
    const auto gpu = self.settings.gpu();
    if (gpu == Gpu::off) self.devices.set_off();
    self.devices_may_come = gpu == Gpu::on || (gpu == Gpu::detect && device::Devices::may_come());
}

void create_keyvals(Process& self) {
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, CommState::on_delete, &self.comm_keyval, nullptr);
    self.datatype_keyval = create_datatype_keyval();
}

int largest_tag() {
    int* largest = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &found);
    return found != 0 ? *largest : 0;
}

void meet_world(Process& self, const LoadedMpi& loaded, MPI_Comm world) {
    self.loaded = &loaded;
    self.world = world;
    int rank = 0;
    PMPI_Comm_rank(world, &rank);
    self.world_rank = rank;
    PMPI_Comm_size(world, &self.world_ranks);
    self.largest_tag = largest_tag();
    self.ulfm = ulfm_of_mpi(); // the launcher turns it on for all ranks
    self.start_seconds = std::time(nullptr);
}

// Needs the run configuration. No communication.
void set_up_with_world(Process& self) {
    find_node(self);
    watch_for_devices(self);
    create_keyvals(self);
    self.refuses_aliases = refuses_aliases(self.world);
    if (!self.log_directory.empty())
        open_recorder(self, self.log_directory, self.world_rank, self.world_ranks);
}

// Ranks that have the same settings and policy belong to one run, since nothing else is known about them.
std::uint64_t run_of_configuration(const Process& self) {
    const std::hash<std::string> hash;
    return mixed(hash(self.settings.serialized()), hash(self.policy_text)) | 1U;
}

std::string host_name() {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    PMPI_Get_processor_name(name, &length);
    return name;
}

void set_up_alone(Process& self) {
    self.start_seconds = std::time(nullptr);
    std::vector<std::string> complaints;
    self.settings = Settings::from_environment(complaints);
    read_configuration(self, complaints);
    self.run = run_of_configuration(self);
    self.run_info.alone = true;
    self.run_info = describe(self);
    self.run_info.hosts = {host_name()};
    if (self.settings.logs()) self.run_info.native = facts_of_native_calls(*self.loaded);
    find_node(self);
    find_region_of(self);
    watch_for_devices(self);
}

bool calls_come_one_by_one() {
    int level = MPI_THREAD_MULTIPLE;
    PMPI_Query_thread(&level);
    return level != MPI_THREAD_MULTIPLE;
}

// As all_agree(); and all ranks learn whether some rank has threads.
bool all_are_ready(bool here, Run* run, MPI_Comm world) {
    enum Ability : unsigned { ready = 1, has_no_threads = 2 };
    unsigned abilities = here ? unsigned{ready} : 0U;
    if (calls_come_one_by_one()) abilities |= has_no_threads;
    abilities = algorithms::common_bits(abilities, algorithms::comm_of(world));
    if (run != nullptr) run->process.some_have_threads = (abilities & has_no_threads) == 0;
    return (abilities & ready) != 0;
}

// A run whose ranks all have what they need; else null on all ranks. Each collective at the start makes every
// rank wait for every other rank. So each rank does by itself what it can, receives rank 0's configuration
// whether it succeeded or not, and one vote ends the start. Collective.
std::unique_ptr<Run> run_of_all(const LoadedMpi& loaded, MPI_Comm world) noexcept {
    std::unique_ptr<Run> run;
    RunConfiguration configuration;
    const bool has_met = manages([&] {
        run = std::make_unique<Run>();
        meet_world(run->process, loaded, world);
        if (run->process.world_rank == 0) configuration.write(run->process);
    });
    configuration.spread(world);
    const bool is_ready = has_met && manages([&] {
                              configuration.take(run->process);
                              set_up_with_world(run->process);
                              run->communicators.spare_list().make(run->process.world_ranks);
                          });
    configuration.meet_hosts(run ? &run->process : nullptr, world);
    const bool all_ready = all_are_ready(is_ready, run.get(), world);
    return all_ready && manages([&] { find_region_of(run->process); }) ? std::move(run) : nullptr;
}

// A communicator of our own, not made by MPI_Comm_create. Open MPI numbers the nonblocking collectives of a
// communicator by tags, and its MPI_Comm_create takes three of them. MPI_Dist_graph_create receives from any
// rank by two of these tags (open-mpi/ompi#13918): it may hang where the next nonblocking collective has one,
// in 4.1.4 after 23 or 24 nonblocking collectives. A program that is spared this must not meet it because of
// us. Open MPI's MPI_Comm_create_group takes no such tags. But its messages can match receives of the
// program, and it runs attribute copy functions: so only at the start, when MPI_COMM_WORLD has neither.
// Collective.
MPI_Comm create_world() noexcept {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm world = MPI_COMM_NULL;
    if (PMPI_Comm_group(MPI_COMM_WORLD, &all) != MPI_SUCCESS) return MPI_COMM_NULL;
    if (PMPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &world) != MPI_SUCCESS) world = MPI_COMM_NULL;
    PMPI_Group_free(&all);
    if (world != MPI_COMM_NULL) PMPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    return world;
}

void go_without(MPI_Comm world) noexcept {
    int rank = 0;
    PMPI_Comm_rank(world, &rank);
    if (rank == 0) warn("a rank has no memory at the start. Every call goes to the MPI library");
    PMPI_Comm_free(&world);
}

} // namespace

void start_with_world(const LoadedMpi& loaded) noexcept {
    reserve_stack();
    log::FileSizeSignalBlocked blocked;
    has_refused = true; // until they agree
    const MPI_Comm world = create_world();
    if (world == MPI_COMM_NULL) return;
    auto run = run_of_all(loaded, world);
    if (!run) return go_without(world);
    Clock::start_run();
    hang_on_comm_self();
    publish(std::move(run));
    has_refused = false;
}

void start_alone(const LoadedMpi& loaded) noexcept {
    static std::mutex starting;
    std::lock_guard lock(starting);
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (started != nullptr || has_refused || finalized != 0) return;
    reserve_stack();
    try {
        auto run = std::make_unique<Run>();
        run->process.loaded = &loaded;
        set_up_alone(run->process);
        Clock::start_run();
        create_keyvals(run->process);
        int has_world = 0; // the program calls MPI_Init in a way that we do not see
        PMPI_Initialized(&has_world);
        if (has_world != 0) hang_on_comm_self();
        publish(std::move(run));
    } catch (...) { // nothing is routed
    }
}

} // namespace switchyard::shim
