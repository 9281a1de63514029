#include "process.hpp"

#include "shim/common/diagnostics.hpp"

namespace switchyard::shim {

void open_recorder(Process& self, const std::string& directory, int rank, int ranks) {
    int level = MPI_THREAD_MULTIPLE;
    if (self.world != MPI_COMM_NULL) PMPI_Query_thread(&level);
    // A host that does not see rank 0's file system has no such folder yet.
    if (!self.log_folder.is_open()) self.log_folder = log::Folder::made(directory, self.settings.log_mode());
    const bool threads = level == MPI_THREAD_MULTIPLE;
    auto recorder = std::make_unique<log::Recorder>(self.log_folder, rank, ranks, threads);
    self.counted = std::make_unique<log::CountedSums>(*recorder, threads);
    self.recorder = std::move(recorder); // after all that may throw: nobody finds one without the other
    if (!self.recorder->problem().empty() && rank == 0)
        warn("the log's records stay in memory until the end (" + self.recorder->problem() +
             "); a program that is killed loses them");
    if (self.settings.detail() == Detail::all) self.counted->record_in(*self.recorder);
    self.log_directory = directory;
    self.summary = self.settings.detail() == Detail::summary;
    self.times_phases = self.settings.times_phases();
    self.reserve.take();
    self.recording = true;
}

} // namespace switchyard::shim
