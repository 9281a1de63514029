#include "native_calls.hpp"

#include "shim/back_end/device/symbols.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <link.h>
#include <unistd.h>

namespace switchyard::shim {

namespace {

// What Open MPI's own `ompi_info` and MPI_T ask, in its libopen-pal since version 1.7. No mpi.h has it.
struct McaFunctions {
    int (*count)() = nullptr;
    // Gives lines, with a null at the end; the caller frees all of them.
    int (*dump)(int number, char*** lines, int form) = nullptr;
    enum Form { readable = 0, simple = 2 };
};

// The lines about a variable; none if it is no longer there.
class SaidLines {
  public:
    SaidLines(const McaFunctions& mca, int number, McaFunctions::Form form) {
        if (mca.dump(number, &lines_, form) != 0) lines_ = nullptr;
    }
    ~SaidLines() {
        for (char** line = lines_; line != nullptr && *line != nullptr; ++line) std::free(*line);
        std::free(static_cast<void*>(lines_));
    }
    SaidLines(const SaidLines&) = delete;
    SaidLines& operator=(const SaidLines&) = delete;

    const char* first() const { return lines_ != nullptr ? *lines_ : nullptr; }
    std::string together() const {
        std::string text;
        for (char** line = lines_; line != nullptr && *line != nullptr; ++line)
            text += std::string(*line) + '\n';
        return text;
    }

  private:
    char** lines_ = nullptr;
};

std::vector<McaVariable> mca_variables() {
    std::vector<McaVariable> variables;
    McaFunctions mca;
    if (!device::find_function(RTLD_DEFAULT, "mca_base_var_get_count", mca.count) ||
        !device::find_function(RTLD_DEFAULT, "mca_base_var_dump", mca.dump))
        return variables;
    const int count = mca.count();
    for (int number = 0; number < count; ++number) {
        const SaidLines said(mca, number, McaFunctions::simple);
        if (said.first() == nullptr) continue;
        auto variable = collective_variable(said.first());
        if (!variable) continue;
        if (variable->is_set()) variable->help = SaidLines(mca, number, McaFunctions::readable).together();
        variables.push_back(*std::move(variable));
    }
    return variables;
}

// A walk over the loaded objects holds a lock, so it takes no memory.
struct FoundLibraries {
    std::array<std::array<char, 64>, 8> names{};
    std::size_t count = 0;
};

int add_if_collective(dl_phdr_info* object, std::size_t, void* data) {
    auto& found = *static_cast<FoundLibraries*>(data);
    const std::string_view path = object->dlpi_name != nullptr ? object->dlpi_name : "";
    if (!is_collective_library(path) || found.count == found.names.size()) return 0;
    const auto name = path.substr(path.rfind('/') + 1);
    auto& place = found.names[found.count++];
    name.copy(place.data(), place.size() - 1);
    return 0;
}

std::vector<std::string> collective_libraries_here() {
    FoundLibraries found;
    dl_iterate_phdr(add_if_collective, &found);
    std::vector<std::string> libraries;
    for (std::size_t i = 0; i < found.count; ++i) libraries.emplace_back(found.names[i].data());
    std::ranges::sort(libraries);
    return libraries;
}

} // namespace

NativeFacts facts_of_native_calls(const LoadedMpi& loaded) {
    return native_facts(loaded.library_version, mca_variables(), environ, collective_libraries_here());
}

} // namespace switchyard::shim
