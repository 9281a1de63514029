// The completion for bash, made of the command's own options.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace switchyard::shim::command {

// Notes the words that an option takes. Its help and its check say the same to CLI11, from which nobody can
// read them.
CLI::Option* offer(CLI::Option* option, std::vector<std::string> words);

// Subcommands, their options, the values of these, and files; also behind mpirun and mpiexec.
void write_completion(const CLI::App& app, std::ostream& out);

} // namespace switchyard::shim::command
