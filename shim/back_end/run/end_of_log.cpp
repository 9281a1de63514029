#include "end_of_log.hpp"

#include "end_of_learning.hpp"
#include "gather.hpp"
#include "shim/back_end/process/clock.hpp"
#include "shim/common/diagnostics.hpp"
#include "shim/common/log/file_size_signal.hpp"
#include "shim/common/log/line.hpp"
#include "shim/common/log/log_writer.hpp"
#include "shim/common/log/merge.hpp"
#include "shim/common/words.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <queue>
#include <tuple>

namespace switchyard::shim {

namespace log {

namespace {

constexpr int count_tag = 1, slot_tag = 2, wish_tag = 3, merged_tag = 4;
constexpr std::size_t slots_at_once = 8192;
constexpr std::size_t calls_at_once = 1024;

template <typename T>
void send(const std::vector<T>& items, int destination, int tag, MPI_Comm comm) {
    PMPI_Send(items.data(), static_cast<int>(items.size() * sizeof(T)), MPI_BYTE, destination, tag, comm);
}

template <typename T>
std::vector<T> receive(int source, int tag, MPI_Comm comm) {
    MPI_Status status;
    int bytes = 0;
    PMPI_Probe(source, tag, comm, &status);
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    std::vector<T> items(static_cast<std::size_t>(bytes) / sizeof(T));
    PMPI_Recv(items.data(), bytes, MPI_BYTE, source, tag, comm, MPI_STATUS_IGNORE);
    return items;
}

// This rank's slots, by communicator.
using ByCommunicator = std::vector<std::vector<const Slot*>>;

ByCommunicator sort_slots(Recorder& recorder, std::size_t communicators) {
    ByCommunicator sorted(communicators + 1);
    for (const auto* slot : recorder.finish())
        if (slot->communicator < sorted.size()) sorted[slot->communicator].push_back(slot);
    return sorted;
}

void send_slots(const std::vector<const Slot*>& slots, int leader, MPI_Comm comm) {
    unsigned long long count = slots.size();
    PMPI_Send(&count, 1, MPI_UNSIGNED_LONG_LONG, leader, count_tag, comm);
    for (std::size_t start = 0; start < slots.size(); start += slots_at_once) {
        std::vector<Slot> some;
        for (auto i = start; i < std::min(start + slots_at_once, slots.size()); ++i)
            some.push_back(*slots[i]);
        send(some, leader, slot_tag, comm);
    }
}

std::vector<MergedCall> merge_records(const CommunicatorName& name, const std::vector<const Slot*>& own,
                                      MPI_Comm comm) {
    CommunicatorCalls calls;
    for (int rank = 0; rank < static_cast<int>(name.members.size()); ++rank) {
        int member = name.members[static_cast<std::size_t>(rank)];
        if (member == name.leader) {
            for (const auto* slot : own) calls.add(*slot, rank);
            continue;
        }
        unsigned long long count = 0;
        PMPI_Recv(&count, 1, MPI_UNSIGNED_LONG_LONG, member, count_tag, comm, MPI_STATUS_IGNORE);
        while (count > 0) {
            auto slots = receive<Slot>(member, slot_tag, comm);
            for (const auto& slot : slots) calls.add(slot, rank);
            count -= slots.size();
        }
    }
    auto merged = calls.take();
    for (auto& call : merged) call.communicator = name.number; // the leader's number
    return merged;
}

// All ranks take the communicators in one order, the leader's rank and number, so every wait ends.
std::vector<MergedCall> merge_communicators(Process& self, const Names& names, const ByCommunicator& slots) {
    std::vector<const CommunicatorName*> ordered;
    for (const auto& name : names.communicators) ordered.push_back(&name);
    std::sort(ordered.begin(), ordered.end(), [](const auto* left, const auto* right) {
        return std::tie(left->leader, left->leader_number) < std::tie(right->leader, right->leader_number);
    });
    std::vector<MergedCall> merged;
    for (const auto* name : ordered) {
        const auto& own = slots[name->number];
        if (name->leader != self.world_rank) {
            send_slots(own, name->leader, self.world);
            continue;
        }
        auto calls = merge_records(*name, own, self.world);
        merged.insert(merged.end(), calls.begin(), calls.end());
    }
    std::sort(merged.begin(), merged.end(),
              [](const MergedCall& left, const MergedCall& right) { return left.begin < right.begin; });
    return merged;
}

// Only leaders' names are needed at rank 0.
std::string led_names(const Names& names, int rank) {
    std::string text;
    bool leads = false;
    for (auto name : names.communicators) {
        if (name.leader != rank) continue;
        name.members.clear();
        text += name.to_line() + "\n";
        leads = true;
    }
    if (leads)
        for (const auto& decision : names.decisions) text += decision.to_line() + "\n";
    return text;
}

// A leader hands its calls out, some at a time, as rank 0 asks for them.
void serve(const std::vector<MergedCall>& calls, MPI_Comm comm) {
    for (std::size_t start = 0; start < calls.size(); start += calls_at_once) {
        PMPI_Recv(nullptr, 0, MPI_BYTE, 0, wish_tag, comm, MPI_STATUS_IGNORE);
        auto end = std::min(start + calls_at_once, calls.size());
        send(std::vector<MergedCall>(calls.begin() + static_cast<std::ptrdiff_t>(start),
                                     calls.begin() + static_cast<std::ptrdiff_t>(end)),
             0, merged_tag, comm);
    }
}

// One leader's calls at rank 0.
class Source {
  public:
    Source(int rank, std::size_t count, Names names) : rank_(rank), left_(count), names_(std::move(names)) {}

    const MergedCall* next(const std::vector<MergedCall>& own, MPI_Comm comm) {
        if (rank_ == 0) return position_ < own.size() ? &own[position_] : nullptr;
        if (position_ == some_.size()) {
            if (left_ == 0) return nullptr;
            PMPI_Send(nullptr, 0, MPI_BYTE, rank_, wish_tag, comm);
            some_ = receive<MergedCall>(rank_, merged_tag, comm);
            left_ -= some_.size();
            position_ = 0;
        }
        return &some_[position_];
    }
    void advance() { ++position_; }
    const Names& names() const { return names_; }

  private:
    int rank_;
    std::size_t left_, position_ = 0;
    Names names_;
    std::vector<MergedCall> some_;
};

void write_calls(const Process& self, const std::vector<MergedCall>& own,
                 const std::vector<std::string>& names, const std::vector<unsigned long long>& counts,
                 LogWriter& log) {
    std::vector<Source> sources;
    for (std::size_t rank = 0; rank < names.size(); ++rank)
        sources.emplace_back(static_cast<int>(rank), counts[rank], Names::parse(names[rank]));
    using Head = std::pair<std::uint64_t, std::size_t>; // begin, source
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    auto look = [&](std::size_t i) {
        if (const auto* call = sources[i].next(own, self.world)) heads.emplace(call->begin, i);
    };
    for (std::size_t i = 0; i < sources.size(); ++i) look(i);
    for (std::uint64_t number = 1; !heads.empty(); ++number) {
        auto i = heads.top().second;
        heads.pop();
        const auto& call = *sources[i].next(own, self.world);
        const auto& known = sources[i].names();
        log.line(
            call_line(number, call, *known.communicator(call.communicator), known.decision(call.decision)));
        sources[i].advance();
        look(i);
    }
}

void write_rank_lines(const Process& self, const Names& names, const ByCommunicator& slots) {
    LogWriter log(self.log_directory + "/rank-" + std::to_string(self.world_rank) + ".jsonl");
    for (const auto& name : names.communicators) {
        std::map<std::uint32_t, CallRecord>
            calls; // by sequence: the slots of a call need not lie side by side
        for (const auto* slot : slots[name.number]) slot->tell(calls[slot->sequence]);
        for (const auto& [sequence, record] : calls)
            log.line(rank_line(record, self.world_rank, name, names.decision(record.decision)));
    }
}

std::uint64_t sum(std::uint64_t here, MPI_Comm comm) {
    unsigned long long mine = here, all = 0;
    PMPI_Reduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, comm);
    return all;
}

void say_goodbye(const Process& self, const RunEnd& end) {
    auto where = self.log_directory.empty() ? std::string("log off") : "log in " + self.log_directory;
    if (end.calls_seen == 0)
        return say(
            "no calls seen: the program made no " + functions_in_words() +
            ", or makes them where no preload can see them (MPI linked statically, opened RTLD_DEEPBIND, or "
            "looked up by name); " +
            where);
    auto text = std::to_string(end.calls_seen) + " calls seen, " + std::to_string(end.calls_routed) +
                " routed, " + where;
    if (end.records_dropped > 0)
        text += " (" + std::to_string(end.records_dropped) + " records dropped: no room)";
    say(text);
}

// False, on all ranks: the lines could not be written and the records must stay.
bool write_log(Process& self, RunEnd& end) {
    auto names = Names::parse(self.recorder->names());
    std::uint32_t highest = names.communicators.empty() ? 0 : names.communicators.back().number;
    auto slots = sort_slots(*self.recorder, highest);
    if (self.settings.detail() == Detail::ranks) write_rank_lines(self, names, slots);

    auto calls = merge_communicators(self, names, slots);
    end.records_dropped = sum(self.recorder->dropped(), self.world);

    auto all_names = gather_texts(led_names(names, self.world_rank), self.world);
    unsigned long long count = calls.size();
    std::vector<unsigned long long> counts(all_names.size());
    PMPI_Gather(&count, 1, MPI_UNSIGNED_LONG_LONG, counts.data(), 1, MPI_UNSIGNED_LONG_LONG, 0, self.world);
    int written = 1;
    if (self.world_rank == 0) {
        LogWriter log(self.log_directory + (self.summary ? "/summary.jsonl" : "/calls.jsonl"));
        write_calls(self, calls, all_names, counts, log);
        written = log.finish() ? 1 : 0;
    } else {
        serve(calls, self.world);
    }
    PMPI_Bcast(&written, 1, MPI_INT, 0, self.world);
    return written != 0;
}

// Rank 0 closes run.json and says where the log is. True: the log is complete.
bool close_run(const Process& self, const RunEnd& end, bool written) {
    if (self.recorder && !written)
        warn("the log could not be written, is the disk full? The ranks' records stay: `switchyard report` "
             "reads them");
    if (written) written = write_run_json(self.log_directory, self.run_info, &end);
    say_goodbye(self, end);
    return written;
}

} // namespace

} // namespace log

void end_log(Process& self, const CallCounts& counts, const adaptive::Lessons& lessons) {
    const log::FileSizeSignalBlocked blocked;
    log::RunEnd end;
    end.calls_seen = log::sum(counts.seen, self.world);
    end.calls_routed = log::sum(counts.routed, self.world);
    const bool written = self.recorder && log::write_log(self, end);
    if (self.recorder && adaptive::is_used(self)) end.adaptive = adaptive::end_learning(self, lessons);
    end.wall_s = static_cast<double>(Clock::now()) * 1e-9;
    int complete = self.world_rank == 0 && log::close_run(self, end, written) ? 1 : 0;
    PMPI_Bcast(&complete, 1, MPI_INT, 0, self.world);
    if (complete == 0) return;
    self.recorder->remove_files();
    PMPI_Barrier(self.world);
    std::error_code error;
    std::filesystem::remove(self.log_directory + "/ranks", error); // when it is empty
}

} // namespace switchyard::shim
