// A map of ranks and blocks as a picture: which of several algorithms wins where.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace switchyard::shim::report {

struct WinnerMap {
    struct Field {
        std::optional<std::size_t> winner; // place in `algorithms`; nothing: no algorithm fits
        std::string lead;                  // how many times faster than the next algorithm: "1.6"
        std::string setting;               // the winner's parameters that vary: "8"; or ""
        std::string tip;                   // under the pointer
    };
    std::string title, note;                // the note is a line below the title
    std::vector<int> ranks;                 // growing
    std::vector<std::size_t> blocks;        // growing, bytes
    std::vector<std::string> algorithms;    // of the legend
    std::vector<std::vector<Field>> fields; // [place in ranks][place in blocks]
};

// A whole SVG document. Both axes are logarithmic; blocks grow to the right, ranks upwards.
std::string map_plot(const WinnerMap& map);

} // namespace switchyard::shim::report
