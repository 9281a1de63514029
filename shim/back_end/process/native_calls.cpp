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
    int (*find)(const char* project, const char* framework, const char* component,
                const char* variable) = nullptr; // a number; negative: there is none
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

// The components that are loaded as objects of their own. A walk over the loaded objects holds a lock, so it
// takes no memory.
struct LoadedComponents {
    static constexpr std::string_view prefix = "mca_", of_collectives = "mca_coll_", ending = ".so";
    std::array<std::array<char, 32>, 64> names{}; // of collectives
    std::size_t count = 0;
    bool has_any = false;
};

int add_component_object(dl_phdr_info* object, std::size_t, void* data) {
    auto& found = *static_cast<LoadedComponents*>(data);
    std::string_view name = object->dlpi_name != nullptr ? object->dlpi_name : "";
    name.remove_prefix(name.rfind('/') + 1);
    if (!name.starts_with(LoadedComponents::prefix) || !name.ends_with(LoadedComponents::ending)) return 0;
    found.has_any = true;
    if (!name.starts_with(LoadedComponents::of_collectives) || found.count == found.names.size()) return 0;
    name.remove_prefix(LoadedComponents::of_collectives.size());
    name.remove_suffix(LoadedComponents::ending.size());
    auto& place = found.names[found.count];
    if (name.size() >= place.size()) return 0;
    name.copy(place.data(), name.size());
    ++found.count;
    return 0;
}

// What people set of Open MPI's own algorithms.
constexpr const char* of_tuned[] = {"use_dynamic_rules",        "dynamic_rules_filename",
                                    "allgather_algorithm",      "allgatherv_algorithm",
                                    "allreduce_algorithm",      "alltoall_algorithm",
                                    "alltoallv_algorithm",      "barrier_algorithm",
                                    "bcast_algorithm",          "exscan_algorithm",
                                    "gather_algorithm",         "reduce_algorithm",
                                    "reduce_scatter_algorithm", "reduce_scatter_block_algorithm",
                                    "scan_algorithm",           "scatter_algorithm"};

void add_variable(const McaFunctions& mca, int number, std::vector<McaVariable>& variables) {
    const SaidLines said(mca, number, McaFunctions::simple);
    if (said.first() == nullptr) return;
    auto variable = collective_variable(said.first());
    if (!variable || std::ranges::find(variables, variable->name, &McaVariable::name) != variables.end())
        return;
    if (variable->is_set()) variable->help = SaidLines(mca, number, McaFunctions::readable).together();
    variables.push_back(*std::move(variable));
}

// The variables of the environment about that component, without its name.
std::vector<std::string> set_in_environment(const std::string& component) {
    const std::string start = "OMPI_MCA_coll_" + component + '_';
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (text.starts_with(start))
            names.emplace_back(text.substr(start.size(), text.find('=') - start.size()));
    }
    return names;
}

void add_component_variables(const McaFunctions& mca, const std::string& component,
                             std::vector<McaVariable>& variables) {
    const auto add = [&](const char* name) {
        const int number = mca.find("ompi", "coll", component.c_str(), name);
        if (number >= 0) add_variable(mca, number, variables);
    };
    add("priority");
    if (component == "tuned")
        for (const char* name : of_tuned) add(name);
    for (const auto& name : set_in_environment(component)) add(name.c_str());
}

// Where components are objects of their own, Open MPI unloads some of them and keeps their variables, which then
// crash who looks (4.1.4 with `OMPI_MCA_pml=^cm`). So only variables of loaded components are looked at. Where
// all components are part of the library, none is ever unloaded.
std::vector<McaVariable> mca_variables() {
    std::vector<McaVariable> variables;
    McaFunctions mca;
    if (!device::find_function(RTLD_DEFAULT, "mca_base_var_get_count", mca.count) ||
        !device::find_function(RTLD_DEFAULT, "mca_base_var_find", mca.find) ||
        !device::find_function(RTLD_DEFAULT, "mca_base_var_dump", mca.dump))
        return variables;
    LoadedComponents loaded;
    dl_iterate_phdr(add_component_object, &loaded);
    if (!loaded.has_any)
        for (int number = 0, count = mca.count(); number < count; ++number)
            add_variable(mca, number, variables);
    const int selection = loaded.has_any ? mca.find("ompi", "coll", nullptr, nullptr) : -1;
    if (selection >= 0) add_variable(mca, selection, variables);
    for (std::size_t i = 0; i < loaded.count; ++i)
        add_component_variables(mca, loaded.names[i].data(), variables);
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
