// The completion for bash, generated from the command's own options.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace switchyard::shim::command {

// Records the words that an option takes. CLI11 gets them in the option's help and check, but
// does not give them back.
CLI::Option* offer(CLI::Option* option, std::vector<std::string> words);

// Completes subcommands, their options, the values of options, and files; also behind mpirun and mpiexec.
void write_completion(const CLI::App& app, std::ostream& out);

} // namespace switchyard::shim::command
