// Command lines that people give as one text.
#pragma once

#include <string>
#include <vector>

namespace switchyard::shim::tune {

// The words between blanks. Double quotes hold several together: `mpirun -n 8 --host "a, b"`.
std::vector<std::string> split_words(const std::string& command_line);

} // namespace switchyard::shim::tune
