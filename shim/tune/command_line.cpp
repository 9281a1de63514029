#include "command_line.hpp"

#include <iomanip>
#include <sstream>
#include <utility>

namespace switchyard::shim::tune {

std::vector<std::string> split_words(const std::string& command_line) {
    std::istringstream in(command_line);
    std::vector<std::string> words;
    for (std::string word; in >> std::quoted(word);) words.push_back(std::move(word));
    return words;
}

} // namespace switchyard::shim::tune
