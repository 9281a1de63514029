// Who runs the MPI library's own collectives: what the MPI, the environment and loaded libraries say of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::shim {

// The facts of `native` in run.json.
struct NativeFacts {
    struct Component {
        std::string name;
        int priority = 0;
    };
    struct Setting {
        std::string name, value;
        std::string from;      // `environment`, `file (/etc/openmpi/openmpi-mca-params.conf)`
        std::string no_effect; // why it has none; "": nobody knows of a reason
    };
    std::vector<Component> components;         // the highest priority first; only Open MPI has them
    std::vector<Setting> settings;             // that somebody made about collectives, by name
    std::map<std::string, std::string> forced; // the algorithm that settings ask for, by collective
    std::vector<std::string> libraries;        // that run collectives for an MPI, by file name
};

// A variable of Open MPI.
struct McaVariable {
    std::string name, value;
    std::string source; // `default`, `environment`, `file (...)`
    std::string help;   // only of variables that are set
    bool is_set() const { return source != "default"; }
};

// From `name=value (source)`. Nothing if the variable is not about collectives.
std::optional<McaVariable> collective_variable(std::string_view said);

// Whether a file, named by its path, is a library that runs collectives for an MPI: HCOLL, UCC, SHARP, FCA.
bool is_collective_library(std::string_view path);

// `library_version`: MPI_Get_library_version. `variables`: those of Open MPI about collectives; none with
// another MPI. `environment`: entries `NAME=value`, with a null at the end. `libraries`: file names.
NativeFacts native_facts(const char* library_version, const std::vector<McaVariable>& variables,
                         const char* const* environment, std::vector<std::string> libraries);

} // namespace switchyard::shim
