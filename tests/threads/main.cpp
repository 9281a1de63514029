// The beginning of a program whose ranks are threads: its own main() has become program_main().
//
//   PROGRAM RANKS ARGUMENTS...
#include "ranks.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int program_main(int count, char** words);

// Reads and writes of files order nothing between ranks. More history: the stack of a race's older side.
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_options() {
    return "io_sync=0:history_size=6";
}

int main(int count, char** words) {
    const int ranks = count > 1 ? std::atoi(words[1]) : 0;
    if (ranks < 1) {
        std::fprintf(stderr, "usage: %s RANKS [ARGUMENTS]\n", words[0]);
        return 2;
    }
    return switchyard::tests::threads::run_ranks(ranks, [&] {
        std::vector<std::string> copies(words, words + count); // a rank may change its own
        std::vector<char*> own;
        for (int i = 0; i < count; ++i)
            if (i != 1) own.push_back(copies[static_cast<std::size_t>(i)].data());
        own.push_back(nullptr);
        return program_main(count - 1, own.data());
    });
}
