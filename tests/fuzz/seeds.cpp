// Writes inputs to begin with: a folder for each target. Logs come from our own writers, so
// that they follow the format.
#include "sections.hpp"
#include "tests/support/log_folder.hpp"

#include "shim/common/log/counted_sums.hpp"
#include "shim/common/log/line.hpp"
#include "shim/common/log/record.hpp"
#include "shim/common/log/recorder.hpp"
#include "shim/common/log/run_directory.hpp"

#include <array>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;
using namespace switchyard;
using namespace switchyard::shim::log;

class Seeds {
  public:
    Seeds(const fs::path& all, const std::string& target) : folder_(all / target) {
        fs::create_directories(folder_);
    }
    void add(std::string_view text) {
        fuzz::write_file(folder_ / ("seed-" + std::to_string(++count_)), text);
    }

  private:
    fs::path folder_;
    int count_ = 0;
};

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The blocks between ```json and ```.
void add_blocks(const std::string& document, Seeds& seeds) {
    const std::string begin = "```json\n", end = "\n```";
    for (auto from = document.find(begin); from != std::string::npos; from = document.find(begin, from)) {
        from += begin.size();
        seeds.add(document.substr(from, document.find(end, from) - from));
    }
}

void add_policies(const fs::path& source, Seeds seeds) {
    for (const std::string folder : {"tests/unit/policies", "config", "tests/preload"})
        for (const auto& entry : fs::recursive_directory_iterator(source / folder))
            if (entry.path().extension() == ".json" && entry.file_size() < 20'000)
                seeds.add(text_of(entry.path()));
    for (const std::string document : {"README.md", "policy/README.md", "algorithms/README.md"})
        add_blocks(text_of(source / document), seeds);
}

void add_forces(Seeds seeds) {
    for (const auto* text :
         {"alltoallv:tuna:radix=4:metadata=fused;allgather:ring", "alltoall:native", "allgatherv:shared",
          "alltoallv:scattered:block_count=32:memory_limit_bytes=4096",
          "alltoallv:tuna:radix=x;;alltoallv:ring",
          "alltoallv:in_place:auxiliary_bytes=65536:transfer=staged", "alltoallw:tuna", "gatherv:tuna"})
        seeds.add(text);
}

CommunicatorName name_of(std::uint32_t number, int rank) {
    CommunicatorName name;
    name.number = name.leader_number = number;
    name.id = number == 1 ? "world" : "0:2";
    name.rank = rank;
    name.ranks = name.nodes = 2;
    name.ranks_per_node = 1;
    name.regions = 2;
    if (rank == 0) name.members = {0, 1};
    return name;
}

const std::array decisions = {
    DecisionName{1, R"("algorithm":"native","parameters":{},"rule":null,"reason":"otherwise")"},
    DecisionName{
        2,
        R"("algorithm":"tuna","parameters":{"radix":2,"metadata":"fused"},"rule":"small","reason":"rule")"}};

std::string names_text(int rank) {
    std::string text;
    for (const std::uint32_t number : {1U, 2U}) text += name_of(number, rank).to_line() + '\n';
    for (const auto& decision : decisions) text += decision.to_line() + '\n';
    return text;
}

// Every sort of record is among them.
CallRecord record_of(std::uint32_t place, int rank) {
    CallRecord record;
    record.communicator = 1 + place % 2;
    record.sequence = 1 + place / 2;
    record.decision = 1 + place % 2;
    record.collective = static_cast<std::uint8_t>(place % 3);
    record.begin = 100'000 * place;
    record.elapsed = 5000 + 100 * static_cast<unsigned>(rank);
    record.max_block = 64U << place;
    record.sent = 128U << place;
    record.has_detail = place % 2 == 1;
    record.has_nodes = place % 4 == 3;
    record.on_device = record.is_staged = place == 5;
    record.in_place = place == 4;
    record.exchange = record.elapsed;
    record.messages = record.rounds = 3;
    record.wire_bytes = 4096;
    return record;
}

std::string slots_text(std::uint32_t calls, int rank) {
    std::string text;
    std::uint64_t number = 0;
    for (std::uint32_t place = 0; place < calls; ++place)
        for_each_slot(record_of(place, rank), [&](Slot slot) {
            slot.number = number++;
            text.append(reinterpret_cast<const char*>(&slot), sizeof slot);
        });
    return text;
}

// The first slots are in the file, all are in the ring.
std::string rank_files(std::uint32_t calls, std::size_t slots_in_file, int rank) {
    RecordFileHeader header;
    header.rank = rank;
    header.ranks = 2;
    const auto slots = slots_text(calls, rank);
    auto text = names_text(rank) + std::string(fuzz::between_files);
    text.append(reinterpret_cast<const char*>(&header), sizeof header);
    text += slots.substr(0, slots_in_file * sizeof(Slot));
    return text + std::string(fuzz::between_files) + slots;
}

// Of one rank, as it lies in the file while the rank runs.
std::string counted_sums() {
    const tests::TemporaryFolder folder;
    Recorder recorder(Folder::made(folder.path().string()), 0, 2, false);
    CountedSums sums(recorder, false);
    sums.add(shim::Counted::allreduce, 1500, 64);
    sums.add(shim::Counted::ialltoallw, 700, 4096);
    return text_of(folder / "ranks/0.ring")
        .substr(ring_file::sums_at, (1 + shim::counted_functions) * sizeof(CountedSum));
}

void add_records(Seeds seeds) {
    const std::string between(fuzz::between_files);
    seeds.add(rank_files(2, 0, 0) + between + rank_files(2, 0, 1) + between + counted_sums() + between +
              counted_sums());
    for (const std::uint32_t calls : {0U, 1U, 8U})
        for (const std::size_t in_file : {0U, 3U})
            seeds.add(rank_files(calls, in_file, 0) + std::string(fuzz::between_files) +
                      rank_files(calls, in_file + 1, 1));
}

void add_slots(Seeds seeds) {
    for (const std::uint32_t calls : {1U, 8U}) seeds.add(slots_text(calls, 0));
    const auto seen = Slot::counted({.begin = 1, .elapsed = 2, .sent = 3, .ranks = 2});
    seeds.add({reinterpret_cast<const char*>(&seen), sizeof seen});
}

void add_calls(Seeds seeds) {
    std::string all;
    for (std::uint32_t place = 0; place < 8; ++place) {
        MergedCall call;
        for_each_slot(record_of(place, 0), [&](const Slot& slot) { call.add(slot, 0); });
        all += call_line(place + 1, call, name_of(call.communicator, 0), decisions[call.decision - 1].text) +
               '\n';
        all += rank_line(record_of(place, 0), 0, name_of(call.communicator, 0), decisions[0].text) + '\n';
    }
    CountedRecord seen;
    seen.ranks = 2;
    all += counted_line(seen, 0) + '\n';
    seeds.add(all);
    const tests::LogLine summed{.rule = "small", .calls = 7},
        of_many{.collective = "allgather", .ranks = 512, .nodes = 16};
    seeds.add(summed.text() + '\n' + of_many.text() + '\n');
}

void add_run_json(Seeds seeds) {
    RunInfo info;
    info.program = "app";
    info.started = "2026-11-21T09:30:00+0100";
    info.ranks = 2;
    info.hosts = {"here", "there"};
    info.command_line = {"./app", "<b>"};
    info.mpi_library = "some MPI";
    info.settings = {{"SWITCHYARD_DETAIL", "ranks"}};
    info.policy_file = "my.policy.json";
    info.policy = R"({"version":1,"rules":[],"otherwise":{"algorithm":"native"}})";
    info.native = shim::NativeFacts{{{"tuned", 30}, {"basic", 10}},
                                    {{"coll_tuned_priority", "91", "environment", "a reason"}},
                                    {{"alltoall", "bruck"}},
                                    {"libucc.so.1"}};
    RunEnd end;
    end.calls_seen = 2;
    end.wall_s = 1.5;
    end.counted = {{"allreduce", 12, 4000, 1500, 96}};
    const tests::TemporaryFolder folder;
    for (const auto* given : {static_cast<const RunEnd*>(nullptr), static_cast<const RunEnd*>(&end)}) {
        write_run_json(folder.path().string(), info, given);
        seeds.add(text_of(folder / "run.json"));
    }
}

void add_machines(const fs::path& source, Seeds seeds) {
    for (const auto& entry : fs::directory_iterator(source / "config" / "machines"))
        seeds.add(text_of(entry.path()));
    seeds.add(R"({"switchyard_machine": 1, "network": {"latency_us": 2, "pair_bytes_per_us": 1000}})");
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: %s SOURCES FOLDER\n", argv[0]), 2;
    try {
        const fs::path source = argv[1], all = argv[2];
        add_policies(source, {all, "policy"});
        add_forces({all, "force"});
        add_records({all, "records"});
        add_slots({all, "slots"});
        add_calls({all, "calls"});
        add_run_json({all, "run_json"});
        add_machines(source, {all, "machine"});
    } catch (const std::exception& error) {
        return std::fprintf(stderr, "%s\n", error.what()), 1;
    }
    return 0;
}
