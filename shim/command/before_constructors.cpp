// If the command is statically linked, `switchyard run` starts its program before the constructors of global
// objects run: the constructors of the streams and of CLI11's checks cause a third of its page faults. The
// code here needs only libc: it uses no global object and no stream, and throws nothing, since the unwinder's
// tables are not there yet either. A dynamically linked command has no libc yet at this moment, so main()
// does the work there.
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
