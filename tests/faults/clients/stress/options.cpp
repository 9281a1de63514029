#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace stress {

namespace {

struct Known {
    const char* name;
    std::int64_t Options::*value;
    const char* help;
};

constexpr Known known[] = {
    {"seed", &Options::seed, "of all random numbers: the same steps again with as many ranks"},
    {"seconds", &Options::seconds, "end after them, where steps=0"},
    {"steps", &Options::steps, "end after so many, for a replay"},
    {"from", &Options::from,
     "steps before this one only make and free communicators, to make a replay small"},
    {"threads", &Options::threads, "threads that call at once, each on communicators of its own"},
    {"block_bytes", &Options::block_bytes, "largest block"},
    {"delays", &Options::delays, "ranks sleep and spin now and then"},
    {"messages", &Options::messages, "messages, wildcard receives among them, wait beside the calls"},
    {"pending", &Options::pending, "nonblocking collectives wait beside the calls"},
    {"large_counts", &Options::large_counts, "also the functions with large counts, where there are any"},
    {"attributes", &Options::attributes, "delete functions of attributes call on the communicator that goes"},
    {"spawn", &Options::spawn, "processes are spawned, and take part"},
    {"hang", &Options::hang, "seconds without a finished call after which a rank says so and ends"},
    {"grace", &Options::grace, "seconds between saying so and ending"},
    {"flood", &Options::flood, "so many tiny calls on the world and nothing else"},
    {"dies", &Options::dies, "after the flood the ranks kill themselves"},
    {"tell", &Options::tell, "each rank prints what it begins"},
    {"child_of_step", &Options::child_of_step, nullptr},
};

[[noreturn]] void explain(const char* word) {
    if (word != nullptr) std::printf("not an option: %s\n", word);
    std::printf("c_stress NAME=NUMBER...: random collectives that know what they should receive\n");
    const Options preset;
    for (const auto& option : known)
        if (option.help != nullptr)
            std::printf("  %-13s %s (%lld)\n", option.name, option.help,
                        static_cast<long long>(preset.*option.value));
    std::exit(2);
}

bool take(Options& options, const char* word) {
    for (const auto& option : known) {
        const auto length = std::strlen(option.name);
        if (std::strncmp(word, option.name, length) != 0 || word[length] != '=') continue;
        char* end = nullptr;
        options.*option.value = std::strtoll(word + length + 1, &end, 10);
        return end != word + length + 1 && *end == 0;
    }
    return false;
}

} // namespace

Options read_options(int count, char** words) {
    Options options;
    for (int i = 1; i < count; ++i)
        if (!take(options, words[i])) explain(std::strcmp(words[i], "--help") == 0 ? nullptr : words[i]);
    return options;
}

} // namespace stress
