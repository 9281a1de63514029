#include "runner.hpp"

#include "algorithms/algorithm.hpp"
#include "algorithms/phases.hpp"
#include "algorithms/transport/agree_on_largest.hpp"
#include "algorithms/transport/memory/node_window.hpp"
#include "algorithms/transport/messages/mpi_types.hpp"
#include "other_memory.hpp"
#include "policy/admissible.hpp"
#include "progress.hpp"
#include "workload.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <memory>
#include <optional>
#include <tuple>

namespace switchyard::bench {

namespace {

using namespace algorithms;

std::uint64_t largest_of(std::uint64_t value, const Group& group) {
    std::uint64_t largest = 0;
    PMPI_Allreduce(&value, &largest, 1, MPI_UINT64_T, MPI_MAX, mpi_of(group.comm));
    return largest;
}

// Costs no time in a simulator.
std::int64_t now_ns() {
    return static_cast<std::int64_t>(PMPI_Wtime() * 1e9);
}

bool needs_window(const Contender& contender) {
    return policy::uses_shared_memory(*contender.choice.algorithm, contender.choice.parameters);
}

// "", or why there is no window.
std::string why_no_window(const Group& group, const NodeWindow* window) {
    if (group.node_map->nodes() > 1) return "its ranks are on several nodes";
    return window == nullptr ? "its ranks cannot have memory that they share" : "";
}

// The MPI functions of all collectives.
struct Library {
#define SWITCHYARD_COLLECTIVE(name, function, ...) decltype(&MPI_##function) name;
#define SWITCHYARD_NEIGHBORHOOD(...)
#include "algorithms/collectives.def"
};

// The functions that a program calls. A preloaded shim takes these calls.
const Library preloaded = {
#define SWITCHYARD_COLLECTIVE(name, function, ...) MPI_##function,
#define SWITCHYARD_NEIGHBORHOOD(...)
#include "algorithms/collectives.def"
};

// The functions that no shim takes.
const Library bare = {
#define SWITCHYARD_COLLECTIVE(name, function, ...) PMPI_##function,
#define SWITCHYARD_NEIGHBORHOOD(...)
#include "algorithms/collectives.def"
};

// The same exchange as arguments of MPI.
struct Counts {
    explicit Counts(const Layout& layout) : types(layout.blocks.size(), MPI_BYTE) {
        for (const Block& block : layout.blocks) {
            counts.push_back(static_cast<int>(block.size));
            displacements.push_back(static_cast<int>(block.offset));
        }
    }
    std::vector<int> counts, displacements;
    std::vector<MPI_Datatype> types;
};

// One side of a call, as arguments of its MPI function.
template <bool has_arrays, bool has_types>
auto side(std::byte* buffer, const Counts& blocks) {
    if constexpr (has_types)
        return std::tuple(buffer, blocks.counts.data(), blocks.displacements.data(), blocks.types.data());
    else if constexpr (has_arrays)
        return std::tuple(buffer, blocks.counts.data(), blocks.displacements.data(), MPI_BYTE);
    else
        return std::tuple(buffer, blocks.counts.front(), MPI_BYTE);
}

// This rank's data for one block size, and the calls on it.
class Course {
  public:
    Course(const Options& options, const std::vector<Contender>& contenders, const Group& group,
           NodeWindow* window, std::size_t max_block)
        : options_(options), contenders_(contenders), group_(group), window_(window), max_block_(max_block),
          sizes_(options.distribution, options.seed, group.size, max_block),
          workload_(options.collective, sizes_, options.seed, group.rank, needs_second_buffer(),
                    options.in_place),
          send_(workload_.send()), recv_(workload_.recv()),
          other_memory_(options.cold ? OtherMemory::enough() : 0), wire_(group),
          largest_block_(static_cast<std::size_t>(largest_of(workload_.largest_sent(), group))) {
        workload_.fill();
        spent_.resize(contenders.size());
        sits_out_.resize(contenders.size());
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            Result result;
            result.contender = i;
            result.max_block = max_block;
            result.largest_block = largest_block_;
            result.scratch_bytes = scratch_of(contenders[i]);
            result.verified = true;
            results_.push_back(std::move(result));
            schedules_.push_back(algorithm_of(*contenders[i].choice.algorithm)
                                     .prepared(group, contenders[i].choice.parameters));
        }
    }

    // "", or why this rank cannot measure.
    std::string why_not() {
        if (std::max(workload_.send().bytes, workload_.recv().bytes) > INT_MAX)
            return "with blocks of " + std::to_string(max_block_) +
                   " bytes a buffer is too large: native's displacements are of type int";
        for (const Contender& contender : contenders_)
            if (std::string why = why_no_window(group_, window_);
                !why.empty() && contender.choice.algorithm->has(shared_memory))
                return contender.name + ": " + why;
        std::size_t scratch = 0;
        for (const Result& result : results_) scratch = std::max(scratch, result.scratch_bytes);
        return workspace_.reserve(scratch) ? ""
                                           : "no memory for " + std::to_string(scratch) + " bytes of scratch";
    }

    // Each iteration begins with the next contender, so that none always has the same place in the order.
    void run(Progress& progress) {
        for (int iteration = -options_.warmup; iteration < options_.iterations; ++iteration) {
            const bool checked = iteration == 0 || iteration == options_.iterations - 1;
            for (std::size_t i = 0; i < contenders_.size(); ++i) {
                const auto turn =
                    (i + static_cast<std::size_t>(iteration + options_.warmup)) % contenders_.size();
                if (sits_out_[turn] == 0) take_time(turn, iteration >= 0, checked);
                progress.step(std::to_string(max_block_) + " bytes, " + contenders_[turn].name);
            }
            if (options_.time_limit > 0 && iteration >= 0 && all_sit_out()) return;
        }
    }

    // On rank 0: the largest numbers over all ranks.
    std::vector<Result> gathered() {
        for (Result& result : results_) {
            for (auto* times : {&result.warmup, &result.seconds})
                maximum(times->data(), static_cast<int>(times->size()), MPI_DOUBLE);
            std::array<std::uint64_t, 6> counts = {result.messages,       result.bytes,
                                                   result.rounds,         result.verified ? 0U : 1U,
                                                   result.messages_inter, result.bytes_inter};
            maximum(counts.data(), static_cast<int>(counts.size()), MPI_UINT64_T);
            result.messages = counts[0];
            result.bytes = counts[1];
            result.rounds = counts[2];
            result.verified = counts[3] == 0;
            result.messages_inter = counts[4];
            result.bytes_inter = counts[5];
        }
        for (Result& result : results_) average_phases(result);
        if (options_.native) // the first contender
            for (Result& result : results_) {
                result.warmup_baseline = results_.front().warmup;
                result.baseline = results_.front().seconds;
            }
        return std::move(results_);
    }

  private:
    bool is_in_place(const Contender& contender) const { return options_.in_place && contender.is_ours(); }
    bool needs_second_buffer() const {
        return !std::ranges::all_of(contenders_, [this](const Contender& c) { return is_in_place(c); });
    }
    std::size_t scratch_of(const Contender& contender) const {
        const auto function = contender.choice.algorithm->scratch_bytes;
        const NodeMap& map = *group_.node_map;
        return function == nullptr
                   ? 0
                   : function({group_.size, map.nodes(), map.largest()},
                              traits_of(options_.collective).sends_one_block() ? workload_.mean_received()
                                                                               : largest_block_,
                              contender.choice.parameters);
    }

    // Takes out the contenders that are over the time limit. Rank 0's clock decides for all ranks. True:
    // nothing is left to compare.
    bool all_sit_out() {
        if (group_.rank == 0)
            for (std::size_t i = 0; i < contenders_.size(); ++i)
                sits_out_[i] = spent_[i] > options_.time_limit ? 1 : 0;
        PMPI_Bcast(sits_out_.data(), static_cast<int>(sits_out_.size()), MPI_CHAR, 0, comm());
        if (options_.native && sits_out_.front() != 0) return true;
        const auto first = sits_out_.begin() + (options_.native && sits_out_.size() > 1 ? 1 : 0);
        return std::all_of(first, sits_out_.end(), [](char out) { return out != 0; });
    }

    void take_time(std::size_t turn, bool counts, bool checked) {
        const double start = PMPI_Wtime();
        take_time(results_[turn], contenders_[turn], counts, checked);
        spent_[turn] += PMPI_Wtime() - start;
    }

    void take_time(Result& result, const Contender& contender, bool counts, bool checked) {
        const bool in_place = is_in_place(contender);
        if (options_.in_place)
            workload_.fill(); // the previous contender may have overwritten it
        else if (!simulation::is_on)
            workload_.renew();
        if (checked) workload_.spoil();
        if (options_.cold) other_memory_.write();
        workspace_.reserve(result.scratch_bytes);
        wire_.reset();
        PMPI_Barrier(comm());
        const double begin = PMPI_Wtime();
        const int code = call(contender, in_place);
        if (options_.reads) workload_.read(in_place);
        const double end = PMPI_Wtime();
        (counts ? result.seconds : result.warmup).push_back(end - begin);
        result.messages = std::max(result.messages, wire_.traffic().messages);
        result.bytes = std::max(result.bytes, wire_.traffic().bytes);
        result.rounds = std::max<std::uint64_t>(result.rounds, wire_.traffic().rounds);
        result.messages_inter = std::max(result.messages_inter, wire_.traffic().messages_inter);
        result.bytes_inter = std::max(result.bytes_inter, wire_.traffic().bytes_inter);
        if (counts) add_phases(result);
        const bool exchanges = contender.kind != Contender::Kind::agreement;
        if (code != MPI_SUCCESS || (checked && exchanges && !workload_.is_right(in_place)))
            complain(result, contender, code);
    }

    void complain(Result& result, const Contender& contender, int code) {
        if (result.verified)
            std::fprintf(stderr, "switchyard-bench: rank %d: %s, blocks of %zu bytes: %s\n", group_.rank,
                         contender.name.c_str(), max_block_,
                         code == MPI_SUCCESS ? "WRONG DATA received" : "the exchange FAILED");
        result.verified = false;
    }

    // The shim's agreement before such a call. Its time is part of the algorithm's.
    std::size_t agreed_block() {
        std::array<std::uint64_t, 3> facts{};
        for (int peer = 0; peer < group_.size; ++peer)
            if (peer != group_.rank)
                facts[0] = std::max<std::uint64_t>(
                    facts[0], workload_.send().blocks[static_cast<std::size_t>(peer)].size);
        if (!agree_on_largest(facts, group_, wire_, window_).status.ok()) return largest_block_;
        wire_.reset(); // only the algorithm's own messages are counted
        return static_cast<std::size_t>(facts[0]);
    }

    int call(const Contender& contender, bool in_place) {
        if (contender.kind == Contender::Kind::agreement) {
            agreed_block();
            return MPI_SUCCESS;
        }
        if (contender.kind == Contender::Kind::preloaded) return call_library(preloaded, options_.collective);
        if (contender.kind == Contender::Kind::other_function) return call_library(bare, contender.function);
        if (contender.kind == Contender::Kind::gather_and_bcast) return gather_and_bcast();
        if (contender.is_native()) return call_library(bare, options_.collective);
        return call_ours(
            contender, schedules_[static_cast<std::size_t>(&contender - contenders_.data())].get(), in_place);
    }

    int call_ours(const Contender& contender, const Schedule* schedule, bool in_place) {
        const bool agrees = !traits_of(options_.collective).block_is_known() &&
                            needs_agreed_block(*contender.choice.algorithm, contender.choice.parameters);
        const Exchange exchange{group_,
                                workload_.send_buffer(),
                                workload_.send().blocks,
                                workload_.recv_buffer(in_place),
                                workload_.recv().blocks,
                                agrees ? agreed_block() : largest_block_};
        Context context{contender.choice.parameters, workspace_, wire_, window_, schedule};
        phases_.reset();
        if (options_.phases || simulation::is_charged) wire_.meter().tell_phases(&phases_.emplace(now_ns));
        const Status status = algorithm_of(*contender.choice.algorithm).run(exchange, context);
        wire_.meter().end_phases();
        wire_.meter().tell_phases(nullptr);
        wire_.meter().pass_time();
        return mpi_code_of(status);
    }

    // Of the last call.
    void add_phases(Result& result) {
        if (!phases_ || !phases_->has_phases()) return;
        result.phases.resize(phase_count);
        for (std::size_t i = 0; i < phase_count; ++i)
            result.phases[i] += static_cast<double>(phases_->of(static_cast<Phase>(i))) * 1e-9;
    }
    // On rank 0: over all ranks. A rank alone on its node may have no phases where others have some.
    void average_phases(Result& result) const {
        if (largest_of(result.phases.size(), group_) == 0) return;
        result.phases.resize(phase_count);
        PMPI_Reduce(group_.rank == 0 ? MPI_IN_PLACE : result.phases.data(), result.phases.data(),
                    static_cast<int>(phase_count), MPI_DOUBLE, MPI_SUM, 0, comm());
        const auto samples = static_cast<double>(result.seconds.size()) * group_.size;
        for (double& phase : result.phases) phase /= samples;
    }

    MPI_Comm comm() const { return mpi_of(group_.comm); }

    template <Collective collective, typename Function>
    int call_library(Function function) {
        constexpr const CollectiveTraits& traits = traits_of(collective);
        constexpr bool has_types = traits.has_type_arrays();
        const auto from = side<traits.sends_count_arrays(), has_types>(workload_.send_buffer(), send_);
        const auto to = side<traits.has_count_arrays(), has_types>(workload_.recv_buffer(false), recv_);
        return std::apply(function, std::tuple_cat(from, to, std::tuple(comm())));
    }
    int call_library(const Library& mpi, Collective function) {
        switch (function) {
#define SWITCHYARD_COLLECTIVE(name, ...)                                                                     \
    case Collective::name:                                                                                   \
        return call_library<Collective::name>(mpi.name);
#define SWITCHYARD_NEIGHBORHOOD(...)
#include "algorithms/collectives.def"
        default: break; // among neighbours: the benchmark has no topology
        }
        return MPI_ERR_OTHER;
    }

    // An allgather of equal blocks by two other functions.
    int gather_and_bcast() {
        std::byte* const received = workload_.recv_buffer(false);
        const int code = PMPI_Gather(workload_.send_buffer(), send_.counts.front(), MPI_BYTE, received,
                                     recv_.counts.front(), MPI_BYTE, 0, comm());
        if (code != MPI_SUCCESS) return code;
        return PMPI_Bcast(received, static_cast<int>(workload_.recv().bytes), MPI_BYTE, 0, comm());
    }

    void maximum(void* values, int count, MPI_Datatype type) const {
        PMPI_Reduce(group_.rank == 0 ? MPI_IN_PLACE : values, values, count, type, MPI_MAX, 0, comm());
    }

    const Options& options_;
    const std::vector<Contender>& contenders_;
    const Group& group_;
    NodeWindow* const window_;
    const std::size_t max_block_;
    const Sizes sizes_;
    Workload workload_;
    const Counts send_, recv_;
    OtherMemory other_memory_;
    Workspace workspace_;
    Wire wire_;
    const std::size_t largest_block_;
    std::vector<std::unique_ptr<Schedule>> schedules_; // by contender; null where its algorithm keeps none
    std::optional<PhaseTimes> phases_;                 // of the last call, where somebody asks
    std::vector<Result> results_;
    std::vector<double> spent_;  // seconds, by contender
    std::vector<char> sits_out_; // by contender: over the time limit
};

} // namespace

std::vector<Result> measure(const Options& options, const std::vector<Contender>& contenders,
                            const Group& group) {
    algorithms::NodeMemory memory(options.shared_bytes);
    std::unique_ptr<NodeWindow> window;
    if (std::ranges::any_of(contenders, needs_window)) {
        window = NodeWindow::make(group, memory);
        if (window) window->bring_all_pages(); // what they cost shows in `preloaded`
        if (!window && group.rank == 0)
            std::fprintf(
                stderr, "switchyard-bench: ranks cannot share memory here, so intra=shared sends messages\n");
    }
    const auto steps = options.max_blocks.size() * contenders.size() *
                       static_cast<std::size_t>(options.warmup + options.iterations);
    Progress progress(group.rank == 0, static_cast<int>(std::min<std::size_t>(steps, INT_MAX)));
    std::vector<Result> results;
    for (const std::size_t max_block : options.max_blocks) {
        Course course(options, contenders, group, window.get(), max_block);
        const std::string why = course.why_not();
        if (!why.empty()) std::fprintf(stderr, "switchyard-bench: rank %d: %s\n", group.rank, why.c_str());
        if (largest_of(why.empty() ? 0 : 1, group) != 0) {
            results.clear();
            break;
        }
        course.run(progress);
        for (Result& result : course.gathered()) results.push_back(std::move(result));
    }
    return results;
}

} // namespace switchyard::bench
