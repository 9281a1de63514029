// Whether a rule can fire at all: the calls it matches, as boxes, less those that the rules before it take
// for sure.
#pragma once

#include "table.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace switchyard::policy {

// A set of calls: one range for each thing that a policy looks at.
using Box = std::array<Range, 7>;

class Reach {
  public:
    // "", or why the rule can never fire. Exact, except that it gives up, and says "", when the boxes get too
    // many. `number` is the rule's number for people. Rules are added in their order.
    std::string add(const Rule& rule, std::size_t number);

  private:
    struct Taken {
        std::size_t number;
        std::string name;
        std::vector<Box> boxes;
    };

    bool covered(const std::vector<Box>& boxes, const std::vector<const Taken*>& by,
                 std::vector<const Taken*>* contributors);
    std::string why_hidden(const std::vector<Box>& boxes);

    std::vector<Taken> taken_;
    std::size_t work_ = 0; // boxes looked at so far, over all rules
};

} // namespace switchyard::policy
