// Where an object of ours lies. Its neighbours are found from there, so an installation can be moved.
#pragma once

#include <string>

namespace switchyard::shim {

// The path of the object (shared library or program) that holds the address.
std::string object_path_of(const void* address);

} // namespace switchyard::shim
