#include "end_of_log.hpp"

#include "algorithms/collective.hpp"
#include "algorithms/transport/messages/small_messages.hpp"
#include "all_manage.hpp"
#include "final_merge.hpp"
#include "policy/text/lists.hpp"
#include "quiet_wait.hpp"
#include "shim/back_end/process/clock.hpp"
#include "shim/common/agreement_cost.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/log/file_size_signal.hpp"
#include "shim/common/log/line.hpp"
#include "shim/common/log/log_writer.hpp"

#include <array>
#include <utility>
#include <vector>

namespace switchyard::shim {

namespace log {

namespace {

// One communicator's calls as this rank saw them. All slots of a call are consecutive.
class RankLines {
  public:
    RankLines(const Process& self, LogWriter& log)
        : self_(self), log_(log), some_(SlotReader::slots_at_once) {}

    void write(const CommunicatorName& name, SlotReader& reader) {
        CallRecord call;
        for (std::size_t count = some_.size(); count == some_.size();) {
            count = reader.read(name.number, UINT32_MAX, some_.data(), some_.size());
            for (std::size_t i = 0; i < count; ++i) {
                if (some_[i].sequence != call.sequence) finish(std::exchange(call, {}), name);
                some_[i].tell(call);
            }
        }
        finish(call, name);
    }

  private:
    void finish(const CallRecord& call, const CommunicatorName& name) {
        if (call.sequence == 0) return;
        const auto& decision = self_.recorder->names().decision(call.decision);
        log_.line(rank_line(call, self_.world_rank, name, decision));
    }

    const Process& self_;
    LogWriter& log_;
    std::vector<Slot> some_;
};

// The calls that are only counted, in the order of their records.
void write_counted_lines(const Process& self, SlotReader& reader) {
    LogWriter log(self.log_folder, "seen-" + std::to_string(self.world_rank) + ".jsonl");
    std::vector<Slot> some(SlotReader::slots_at_once);
    for (std::size_t count = some.size(); count == some.size();) {
        count = reader.read(Slot::no_communicator, UINT32_MAX, some.data(), some.size());
        for (std::size_t i = 0; i < count; ++i)
            log.line(counted_line(some[i].counted_record(), self.world_rank));
    }
}

void write_rank_lines(const Process& self) {
    self.recorder->finish();
    SlotReader reader(*self.recorder);
    LogWriter log(self.log_folder, "rank-" + std::to_string(self.world_rank) + ".jsonl");
    RankLines lines(self, log);
    for (const auto& name : self.recorder->names().communicators) lines.write(name, reader);
    if (self.settings.detail() == Detail::all) write_counted_lines(self, reader);
}

// The sums of all ranks, on rank 0: calls, and what is known about the functions that are only counted. All
// ranks have the same table of these functions. No other rank waits.
class Totals {
  public:
    Totals(const Process& self, const CallCounts& counts) {
        static_assert(sizeof mine_ <= algorithms::largest_own_message);
        mine_[calls_seen] = counts.seen;
        mine_[calls_routed] = counts.routed;
        if (!self.counted) return;
        const auto own = self.counted->sums();
        for (std::size_t i = 0; i < counted_functions; ++i) {
            mine_[elapsed + i] = own[i].elapsed;
            mine_[calls + i] = own[i].calls;
            mine_[bytes + i] = own[i].bytes;
        }
    }
    void add_up(MPI_Comm comm) {
        PMPI_Reduce(mine_.data(), sums_.data(), static_cast<int>(mine_.size()), MPI_UINT64_T, MPI_SUM, 0,
                    comm);
        PMPI_Reduce(&mine_[elapsed], most_.data(), static_cast<int>(counted_functions), MPI_UINT64_T, MPI_MAX,
                    0, comm);
    }
    // May throw.
    void tell(RunEnd& end) const {
        end.calls_seen = sums_[calls_seen];
        end.calls_routed = sums_[calls_routed];
        for (std::size_t i = 0; i < counted_functions; ++i)
            if (sums_[calls + i] > 0)
                end.counted.push_back({std::string(all_counted[i].name), sums_[calls + i], sums_[elapsed + i],
                                       most_[i], sums_[bytes + i]});
    }

  private:
    enum Place : std::size_t {
        calls_seen,
        calls_routed,
        elapsed,
        calls = elapsed + counted_functions,
        bytes = calls + counted_functions,
        places = bytes + counted_functions
    };
    std::array<std::uint64_t, places> mine_{}, sums_{};
    std::array<std::uint64_t, counted_functions> most_{};
};

// What the agreement cost and which rule is the cause, if that is worth a sentence. Forced
// algorithms have no rule.
std::string agreement_text(const Process& self, const RunEnd& end, const AgreementCost& cost) {
    const double wall_ns = end.wall_s * 1e9 * self.world_ranks;
    if (self.settings.given(Setting::force) || !cost.is_worth_a_sentence(wall_ns)) return "";
    return "; " + cost.sentence(self.policy);
}

void say_goodbye(const Process& self, const RunEnd& end, const AgreementCost& cost) {
    auto where = self.log_directory.empty() ? std::string("log off") : "log in " + self.log_directory;
    if (end.calls_seen == 0)
        return say(
            "no calls seen: the program made no " + text::enumerated(algorithms::function_names, "or") +
            ", or makes them where no preload can see them (MPI linked statically, opened RTLD_DEEPBIND, or "
            "looked up by name); " +
            where);
    auto text = std::to_string(end.calls_seen) + " calls seen, " + std::to_string(end.calls_routed) +
                " routed, " + where;
    if (end.records_dropped > 0)
        text += " (" + std::to_string(end.records_dropped) + " records dropped: no room)";
    say(text + agreement_text(self, end, cost));
}

// False, on all ranks: the lines could not be written and the records must stay.
bool write_log(Process& self, RunEnd& end, AgreementCost& cost) {
    if (self.settings.logs_each_rank()) {
        try {
            write_rank_lines(self);
        } catch (...) { // no memory: the other ranks go on, and so does this one
        }
    }
    FinalMerge merge(self);
    const bool written = merge.run(end.records_dropped);
    cost = merge.take_agreement_cost();
    return written;
}

// Rank 0 closes run.json and says where the log is. True: the log is complete.
bool close_run(const Process& self, const RunEnd& end, const AgreementCost& cost, bool written) {
    const bool complete = written && write_run_json(self.log_folder, self.run_info, &end);
    // Where this rank's records are in no file, the start has said so, and the last
    // line says how many are lost.
    if (self.recorder && !complete && self.recorder->problem().empty())
        warn("the log could not be written as a whole, is the disk or the memory full? The ranks' records "
             "stay: `switchyard report` reads them");
    say_goodbye(self, end, cost);
    return complete;
}

// close_run() on rank 0, whatever fails there. False on other ranks.
bool try_to_close_run(const Process& self, const RunEnd& end, const AgreementCost& cost,
                      bool written) noexcept {
    if (self.world_rank != 0) return false;
    try {
        return close_run(self, end, cost, written);
    } catch (...) {
        return false;
    }
}

} // namespace

} // namespace log

// No step may throw on one rank only: the other ranks would wait for it.
void end_log(Process& self, const CallCounts& counts) {
    const log::FileSizeSignalBlocked blocked;
    self.reserve.release();
    log::RunEnd end;
    AgreementCost cost;
    log::Totals totals(self, counts);
    totals.add_up(self.world);
    manages([&] { totals.tell(end); });
    const bool written = self.recorder && log::write_log(self, end, cost);
    end.wall_s = static_cast<double>(Clock::now()) * 1e-9;
    const int complete = log::try_to_close_run(self, end, cost, written) ? 1 : 0;
    if (!self.recorder || hear_quietly(complete, self.world) == 0) return; // the records are all that is left
    self.recorder->remove_files();
    self.log_folder.remove_folder("ranks"); // the last rank of a file system finds it empty
}

} // namespace switchyard::shim
