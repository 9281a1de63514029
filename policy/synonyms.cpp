#include "synonyms.hpp"
#include "spelling.hpp"

#include "../algorithms/collective.hpp"
#include "text/lists.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace switchyard::policy {

namespace {

constexpr std::size_t longest_word = 64; // longer than any here

// A word, and our word for it. A word that may mean several of ours has a line for each.
constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
    // keys of `when`
    {"block_size", "max_block_bytes"},
    {"block_bytes", "max_block_bytes"},
    {"block", "max_block_bytes"},
    {"block_count", "max_block_bytes"},
    {"message_size", "max_block_bytes"},
    {"message_bytes", "max_block_bytes"},
    {"msg_size", "max_block_bytes"},
    {"max_message_size", "max_block_bytes"},
    {"max_size", "max_block_bytes"},
    {"size", "max_block_bytes"},
    {"bytes", "max_block_bytes"},
    {"count", "max_block_bytes"},
    {"counts", "max_block_bytes"},
    {"np", "ranks"},
    {"n", "ranks"},
    {"nprocs", "ranks"},
    {"num_procs", "ranks"},
    {"procs", "ranks"},
    {"processes", "ranks"},
    {"ntasks", "ranks"},
    {"tasks", "ranks"},
    {"world_size", "ranks"},
    {"comm_size", "ranks"},
    {"communicator_size", "ranks"},
    {"ppn", "ranks_per_node"},
    {"rpn", "ranks_per_node"},
    {"ranks_per_host", "ranks_per_node"},
    {"procs_per_node", "ranks_per_node"},
    {"processes_per_node", "ranks_per_node"},
    {"tasks_per_node", "ranks_per_node"},
    {"ntasks_per_node", "ranks_per_node"},
    {"local_ranks", "ranks_per_node"},
    {"local_size", "ranks_per_node"},
    {"hosts", "nodes"},
    {"machines", "nodes"},
    {"nnodes", "nodes"},
    {"num_nodes", "nodes"},
    {"function", "collective"},
    {"operation", "collective"},
    {"call", "collective"},
    {"memory", "buffer"},
    {"device", "buffer"},
    {"gpu", "buffer"},
    {"location", "buffer"},
    // words for `buffer`
    {"gpu", "device"},
    {"cuda", "device"},
    {"hip", "device"},
    {"cpu", "host"},
    // keys of a range
    {"minimum", "min"},
    {"from", "min"},
    {"least", "min"},
    {"at_least", "min"},
    {"lower", "min"},
    {"maximum", "max"},
    {"to", "max"},
    {"most", "max"},
    {"at_most", "max"},
    {"up_to", "max"},
    {"upper", "max"},
    // keys of a rule and of a policy
    {"if", "when"},
    {"match", "when"},
    {"where", "when"},
    {"condition", "when"},
    {"then", "use"},
    {"do", "use"},
    {"action", "use"},
    {"title", "name"},
    {"label", "name"},
    {"id", "name"},
    {"comment", "because"},
    {"description", "because"},
    {"note", "because"},
    {"reason", "because"},
    {"why", "because"},
    {"default", "otherwise"},
    {"else", "otherwise"},
    {"fallback", "otherwise"},
    {"schema", "$schema"},
    // keys of `use`, and algorithms
    {"algo", "algorithm"},
    {"alg", "algorithm"},
    {"name", "algorithm"},
    {"max_memory", "memory_limit_bytes"},
    {"memory_limit", "memory_limit_bytes"},
    {"memory", "memory_limit_bytes"},
    {"chunk", "chunk_bytes"},
    {"chunk_size", "chunk_bytes"},
    {"base", "radix"},
    {"k", "radix"},
    {"default", "native"},
    {"library", "native"},
    {"mpi", "native"},
};

// Instead of an algorithm: whichever is the fastest.
constexpr std::string_view words_for_fastest[] = {"adaptive", "auto", "automatic", "best", "fastest"};

// All collectives of MPI but those of collectives.def, in their blocking form.
constexpr std::string_view other_collectives[] = {
    "allreduce",
    "barrier",
    "bcast",
    "exscan",
    "gather",
    "gatherv",
    "neighbor_alltoallw",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "scatter",
    "scatterv",
};

std::string folded(std::string_view word) {
    std::string text;
    for (const char c : word.substr(0, longest_word + 1)) text += fold(c);
    return text;
}

bool is_collective(std::string_view word) {
    return std::ranges::find(other_collectives, word) != std::end(other_collectives) ||
           algorithms::collective_of(word).has_value();
}

bool takes_away(std::string_view& word, std::string_view ending) {
    if (!word.ends_with(ending)) return false;
    word.remove_suffix(ending.size());
    return true;
}

// `MPI_Gatherv` if the word is a collective of MPI that is not routed, blocking or not.
std::string function_not_routed(std::string_view word) {
    std::string name = folded(word);
    if (name.starts_with("mpi_")) name.erase(0, 4);
    std::string_view plain = name;
    takes_away(plain, "_c");
    const bool is_persistent = takes_away(plain, "_init");
    const bool is_nonblocking = !is_persistent && plain.starts_with('i') && is_collective(plain.substr(1));
    if (is_nonblocking) plain.remove_prefix(1);
    const bool is_routed = algorithms::collective_of(plain) && !is_persistent && !is_nonblocking;
    if (is_routed || !is_collective(plain)) return "";
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    return "MPI_" + name;
}

std::string functions_routed() {
    std::vector<std::string> functions;
    for (const auto& traits : algorithms::all_collectives) functions.emplace_back(traits.function);
    return text::enumerated(functions);
}

} // namespace

std::string_view synonym_in(std::string_view word, const std::vector<std::string_view>& known) {
    const std::string typed = folded(word);
    for (const auto& [synonym, ours] : synonyms)
        if (typed == synonym && std::ranges::find(known, ours) != known.end()) return ours;
    return "";
}

std::string how_to_find_fastest(std::string_view word) {
    return std::ranges::find(words_for_fastest, folded(word)) == std::end(words_for_fastest)
               ? ""
               : "; `switchyard tune --program` measures which one is the fastest, and writes a policy";
}

std::string why_not_routed(std::string_view word) {
    const std::string function = function_not_routed(word);
    return function.empty() ? ""
                            : "switchyard routes " + functions_routed() + "; " + function + " is not routed";
}

} // namespace switchyard::policy
