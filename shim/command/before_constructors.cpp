// `switchyard run` of a statically linked command starts its program before the constructors of global
// objects run: those of the streams and of CLI11's checks cause a third of its page faults. What it does here
// needs libc only: it uses no global object and no stream, and throws nothing, as the tables of the unwinder
// are not there yet either. A dynamically linked command has no libc yet at this moment, so there main() does
// it.
#ifdef SWITCHYARD_STATIC_PROGRAM
#include "run.hpp"

#include <unistd.h>

namespace {

using namespace switchyard::shim::command;

void run_at_once(int count, char** words, char**) {
    if (const auto usual = usual_run({words, static_cast<std::size_t>(count)})) _exit(run(*usual));
}

// libc calls the functions of this section first.
using Function = void (*)(int, char**, char**);
[[gnu::section(".preinit_array"), gnu::used]] const Function first = run_at_once;

} // namespace
#endif
