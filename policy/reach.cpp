#include "reach.hpp"
#include "admissible.hpp"
#include "rule_name.hpp"
#include "text/lists.hpp"
#include "vocabulary.hpp"

#include <algorithm>

namespace switchyard::policy {

namespace {

using namespace key;

// Send and receive blocks lie apart, in place, or overlapping: the third case of `in_place`,
// which `true` also covers.
constexpr std::uint64_t apart = 0, overlapping = 2;

// Limits that no policy written by people comes near.
constexpr std::size_t most_boxes = 4096;
constexpr std::size_t most_work = 2'000'000;

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
}

// N nodes of which the largest has M ranks hold between N + M - 1 and N * M ranks.
std::uint64_t fewest_ranks_on(const Range& n, const Range& m) {
    return n.min + m.min - 1;
}
std::uint64_t most_ranks_on(const Range& n, const Range& m) {
    return product(n.max, m.max);
}

// Some call is in the box. As N or M grows by one, the intervals of ranks leave no gap, so their ends decide.
bool possible(const Box& box) {
    return box[nodes].min <= box[nodes].max &&
           box[ranks].max >= fewest_ranks_on(box[nodes], box[ranks_per_node]) &&
           box[ranks].min <= most_ranks_on(box[nodes], box[ranks_per_node]);
}

bool disjoint(const Box& a, const Box& b) {
    for (std::size_t d = 0; d < a.size(); ++d)
        if (a[d].max < b[d].min || b[d].max < a[d].min) return true;
    return false;
}

// The calls of `box` that are not in `hole`, as boxes that do not overlap.
void subtract(Box box, const Box& hole, std::vector<Box>& out) {
    const auto keep = [&out](const Box& piece) {
        if (possible(piece)) out.push_back(piece);
    };
    if (disjoint(box, hole)) return keep(box);
    for (std::size_t d = 0; d < box.size(); ++d) {
        if (box[d].min < hole[d].min) {
            Box below = box;
            below[d].max = hole[d].min - 1;
            keep(below);
            box[d].min = hole[d].min;
        }
        if (box[d].max > hole[d].max) {
            Box above = box;
            above[d].min = hole[d].max + 1;
            keep(above);
            box[d].max = hole[d].max;
        }
    }
}

Box box_of(const When& when) {
    Box box;
    std::ranges::transform(when_keys(), box.begin(), [&](const Key& key) {
        const Range wanted = key.wanted(when);
        return Range{std::max(wanted.min, key.possible.min), std::min(wanted.max, key.possible.max)};
    });
    if (box[in_place].max != apart) box[in_place].max = overlapping;
    return box;
}

// The calls of the box that no later rule gets.
void add_taken(const algorithms::Traits& traits, const Use& use, Box box, std::vector<Box>& taken) {
    const Range wanted = box[buffer];
    for (const Buffer kind : {Buffer::host, Buffer::device}) {
        box[buffer] = exactly(static_cast<std::uint64_t>(kind));
        if (wanted.contains(box[buffer].min) && always_admissible(traits, use, kind)) taken.push_back(box);
    }
}

std::uint64_t smaller_than(std::uint64_t bytes) {
    return bytes == 0 ? 0 : bytes - 1;
}

// Where the rule's parameters hold a list of radices: narrows the box to the calls that the list is for.
// Returns why it is for none of the rule's calls.
std::string narrow_to_list(const algorithms::Traits& traits, const Use& use, Box& box) {
    const std::uint64_t most = most_distances(traits, use);
    if (most == 0) return "";
    const std::size_t bounded = traits.has(algorithms::digits_of_nodes)  ? nodes
                                : traits.has(algorithms::digits_in_node) ? ranks_per_node
                                                                         : ranks;
    box[bounded].max = std::min(box[bounded].max, most);
    if (box[bounded].min <= box[bounded].max) return "";
    return "its radices are for at most " + std::to_string(most) + ' ' +
           std::string(distances_bounded(traits)) + ", and " + std::string(when_keys()[bounded].name) +
           ".min is " + std::to_string(box[bounded].min);
}

std::string why_impossible(const Box& box, std::uint64_t ranks_for_use) {
    const std::uint64_t fewest = fewest_ranks_on(box[nodes], box[ranks_per_node]);
    if (fewest > box[ranks].max)
        return std::to_string(box[nodes].min) + " or more nodes with " +
               std::to_string(box[ranks_per_node].min) + " or more ranks on one hold at least " +
               std::to_string(fewest) + " ranks, and ranks.max is " + std::to_string(box[ranks].max);
    const bool asked_for = ranks_for_use < box[ranks].min;
    return "at most " + std::to_string(box[nodes].max) + " nodes with at most " +
           std::to_string(box[ranks_per_node].max) + " ranks on one hold at most " +
           std::to_string(most_ranks_on(box[nodes], box[ranks_per_node])) + " ranks, and " +
           (asked_for ? "ranks.min is " + std::to_string(box[ranks].min)
                      : "its parameters need at least " + std::to_string(ranks_for_use));
}

} // namespace

std::string Reach::add(const Rule& rule, std::size_t number) {
    const Box matched = box_of(rule.when);
    std::vector<Box> boxes;
    Taken taken{number, rule.name, {}};
    std::string impossible;
    for (const algorithms::Traits* traits : find_all(rule.use.algorithm, rule.when.collective)) {
        Box box = matched;
        box[collective] = exactly(static_cast<std::uint64_t>(traits->collective));
        if (!can_meet_overlap(*traits)) box[in_place].max = std::min(box[in_place].max, overlapping - 1);
        if (traits->has(algorithms::shared_memory))
            box[nodes].max = std::min(box[nodes].max, std::uint64_t{1});
        box[max_block_bytes].max =
            std::min(box[max_block_bytes].max, smaller_than(left_from(*traits, rule.use)));
        if (std::string why = narrow_to_list(*traits, rule.use, box); !why.empty()) {
            impossible = std::move(why);
            continue;
        }
        const Range asked = box[ranks];
        bool any = false;
        for (const Range& range : possible_ranks(*traits, rule.use, asked)) {
            box[ranks] = range;
            if (!possible(box) || box[max_block_bytes].min > box[max_block_bytes].max) continue;
            any = true;
            boxes.push_back(box);
            add_taken(*traits, rule.use, box, taken.boxes);
        }
        if (!any && box[nodes].min > box[nodes].max) {
            impossible = "its algorithm needs all ranks on one node, and nodes.min is " +
                         std::to_string(box[nodes].min);
        } else if (!any && box[max_block_bytes].min > box[max_block_bytes].max) {
            impossible = "its blocks would go directly (direct_from), and max_block_bytes.min is " +
                         std::to_string(box[max_block_bytes].min);
        } else if (!any) {
            const std::uint64_t fewest = fewest_ranks(*traits, rule.use);
            box[ranks] = {std::max(asked.min, fewest), asked.max};
            impossible = box[ranks].min <= box[ranks].max && possible(box)
                             ? "its algorithm needs a power of two of ranks, and the rule allows none"
                             : why_impossible(box, fewest);
        }
    }
    const std::string why = boxes.empty() ? impossible : why_hidden(boxes);
    if (why.empty() && !taken.boxes.empty()) taken_.push_back(std::move(taken));
    return why;
}

// Whether `by` covers all of `boxes`; also false if it takes too long to find out.
bool Reach::covered(const std::vector<Box>& boxes, const std::vector<const Taken*>& by,
                    std::vector<const Taken*>* contributors) {
    std::vector<Box> left = boxes;
    std::vector<Box> next;
    for (const Taken* taken : by) {
        bool contributes = false;
        for (const Box& hole : taken->boxes) {
            next.clear();
            for (const Box& box : left) {
                contributes = contributes || !disjoint(box, hole);
                subtract(box, hole, next);
            }
            work_ += left.size();
            left.swap(next);
            if (left.size() > most_boxes || work_ > most_work) return false;
        }
        if (contributes && contributors != nullptr) contributors->push_back(taken);
        if (left.empty()) return true;
    }
    return false;
}

std::string Reach::why_hidden(const std::vector<Box>& boxes) {
    std::vector<const Taken*> earlier;
    for (const Taken& taken : taken_) earlier.push_back(&taken);
    std::vector<const Taken*> hiding;
    if (!covered(boxes, earlier, &hiding)) return "";
    // Name no more rules than are needed: leave out each rule in turn, and see whether the
    // other rules cover the boxes.
    for (std::size_t i = 0; i < hiding.size() && hiding.size() > 1;) {
        std::vector<const Taken*> fewer = hiding;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (covered(boxes, fewer, nullptr))
            hiding = std::move(fewer);
        else
            ++i;
    }
    std::vector<std::string> names;
    for (const Taken* taken : hiding) names.push_back(rule_numbered(taken->number, taken->name));
    return text::enumerated(names) + (names.size() == 1 ? " takes" : " together take") +
           " every call it could take";
}

} // namespace switchyard::policy
