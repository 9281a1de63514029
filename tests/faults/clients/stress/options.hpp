// What one run of the program does. An option is a word name=number; options.cpp lists them.
#pragma once

#include <cstdint>

namespace stress {

struct Options {
    std::int64_t seed = 1;
    std::int64_t seconds = 10;
    std::int64_t steps = 0;
    std::int64_t from = 0;
    std::int64_t threads = 1;
    std::int64_t block_bytes = 8 << 20;
    std::int64_t delays = 1;
    std::int64_t messages = 1;
    std::int64_t pending = 1;
    std::int64_t large_counts = 1;
    std::int64_t attributes = 0;
    std::int64_t spawn = 0;
    std::int64_t hang = 60;
    std::int64_t grace = 2;
    std::int64_t flood = 0;
    std::int64_t dies = 0;
    std::int64_t tell = 0;
    std::int64_t child_of_step = 0; // only in a spawned process
};

// Ends the program where a word is not an option.
Options read_options(int count, char** words);

} // namespace stress
