// Functions of a loaded library, by name.
#pragma once

#include <cstring>
#include <dlfcn.h>

namespace switchyard::shim::device {

// Fills a pointer to a function; false where the library has none of that name.
template <typename Function>
bool find_function(void* library, const char* name, Function& function) {
    void* symbol = dlsym(library, name);
    static_assert(sizeof symbol == sizeof function);
    std::memcpy(&function, &symbol, sizeof function); // C++ has no cast for it
    return symbol != nullptr;
}

} // namespace switchyard::shim::device
