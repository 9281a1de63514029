#include "children.hpp"

#include "communicators.hpp"
#include "watch.hpp"

#include <string>

namespace stress {

namespace {

constexpr int children = 2, bursts = 4;

std::string program() {
    char path[4096];
    const auto length = readlink("/proc/self/exe", path, sizeof path);
    return {path, static_cast<std::size_t>(length > 0 ? length : 0)};
}

// One on the merged communicator, whose ranks both know, and the same between the
// groups. The parents are side 0.
void exchange(Lane& lane, const Options& options, MPI_Comm others, bool is_child, std::uint64_t key) {
    MPI_Comm merged;
    must(MPI_Intercomm_merge(others, is_child ? 1 : 0, &merged), "MPI_Intercomm_merge");
    Member between{others}, all{merged};
    MPI_Comm_rank(others, &between.rank);
    MPI_Comm_size(others, &between.ranks);
    MPI_Comm_remote_size(others, &between.others);
    between.side = is_child ? 1 : 0;
    between.is_inter = true;
    MPI_Comm_rank(merged, &all.rank);
    MPI_Comm_size(merged, &all.ranks);
    all.others = all.ranks;
    between.is_logged = all.is_logged = options.threads == 1;
    for (int i = 0; i < bursts; ++i)
        lane.burst(i % 2 == 0 ? between : all, mixed(key, static_cast<std::uint64_t>(i)));
    must(MPI_Comm_free(&merged), "MPI_Comm_free");
    must(MPI_Comm_disconnect(&others), "MPI_Comm_disconnect");
}

} // namespace

void exchange_with_children(Lane& lane, MPI_Comm root, const Options& options, std::uint64_t step) {
    auto path = program(), seed = "seed=" + std::to_string(options.seed),
         of_step = "child_of_step=" + std::to_string(step),
         block = "block_bytes=" + std::to_string(options.block_bytes);
    char* words[] = {seed.data(), of_step.data(), block.data(), nullptr};
    MPI_Comm others;
    must(MPI_Comm_spawn(path.c_str(), words, children, MPI_INFO_NULL, 0, root, &others, MPI_ERRCODES_IGNORE),
         "MPI_Comm_spawn");
    exchange(lane, options, others, false, mixed(static_cast<std::uint64_t>(options.seed), step));
}

void exchange_with_parents(const Options& options) {
    MPI_Comm parents;
    MPI_Comm_get_parent(&parents);
    Lane lane(options, 0, MPI_COMM_WORLD, MPI_COMM_WORLD);
    exchange(
        lane, options, parents, true,
        mixed(static_cast<std::uint64_t>(options.seed), static_cast<std::uint64_t>(options.child_of_step)));
}

} // namespace stress
