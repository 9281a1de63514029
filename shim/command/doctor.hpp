// `switchyard doctor`: where the MPI library's own collectives are badly tuned, and rules that avoid it.
#pragma once

#include "commands.hpp"

#include "shim/tune/remedies.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace switchyard::shim::command {

struct DoctorOptions {
    std::string launcher;  // command line; "": mpirun with one rank for each core
    std::string mpi;       // "": as the launcher's --version says
    std::string benchmark; // "": the one of that MPI beside this command
    std::string budget;    // "": two minutes
    std::string output;    // policy file to write; "": none
    std::vector<std::string> collectives;
    std::vector<std::size_t> blocks;
    Format format = Format::text;
};

// Returns the exit code: 0 without findings; 1 with findings; 2 for an error; 130 if it was stopped.
int doctor(const DoctorOptions& options);

// The findings, with what was found out about each, in each form.
void print_diagnosis(const tune::Survey& survey, const std::vector<tune::Finding>& findings,
                     const tune::Remedies& remedies, Format format, std::ostream& out);

} // namespace switchyard::shim::command
