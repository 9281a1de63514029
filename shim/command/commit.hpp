// The commit that the sources are of. config/cmake/Commit.cmake writes it at each build.
#pragma once

namespace switchyard::shim::command {

extern const char* const commit; // twelve digits, and -dirty where the tree has changes; or unknown

} // namespace switchyard::shim::command
