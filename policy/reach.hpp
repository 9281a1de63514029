// Whether a rule can fire at all. The calls that it matches are boxes; the calls that earlier rules take for
// sure are subtracted.
#pragma once

#include "keys.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace switchyard::policy {

// A set of calls: a range for each key of `when`.
using Box = std::array<Range, key::count>;

class Reach {
  public:
    // "", or why the rule can never fire; also "" if there are too many boxes to find out. `number` is the
    // rule's number for people. Rules are added in their order.
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
    std::size_t work_ = 0; // boxes looked at so far, for all rules
};

} // namespace switchyard::policy
