// Boxes of a grid of points, and how pencils divide it. No MPI.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace apps {

struct Range {
    int first = 0, size = 0;
};

inline Range intersection(Range a, Range b) {
    const int first = std::max(a.first, b.first);
    return {first, std::max(0, std::min(a.first + a.size, b.first + b.size) - first)};
}

// Points are in C's order: the last axis is the fastest.
struct Box {
    std::array<Range, 3> axes;

    std::size_t points() const {
        std::size_t points = 1;
        for (const Range& axis : axes) points *= static_cast<std::size_t>(axis.size);
        return points;
    }
    // Points from one to the next along an axis.
    int stride(std::size_t axis) const {
        int stride = 1;
        for (std::size_t i = axis + 1; i < 3; ++i) stride *= axes[i].size;
        return stride;
    }
    Box common(const Box& other) const {
        Box box;
        for (std::size_t i = 0; i < 3; ++i) box.axes[i] = intersection(axes[i], other.axes[i]);
        return box;
    }
};

// Calls `visit(offset in the box, length)` for each row of a part of the box, in order.
template <typename Visit>
void for_each_row(const Box& box, const Box& part, Visit&& visit) {
    if (part.points() == 0) return;
    const auto offset = [&](std::size_t axis, int i) {
        return static_cast<std::ptrdiff_t>(part.axes[axis].first - box.axes[axis].first + i) *
               box.stride(axis);
    };
    for (int i = 0; i < part.axes[0].size; ++i)
        for (int j = 0; j < part.axes[1].size; ++j)
            visit(offset(0, i) + offset(1, j) + offset(2, 0), part.axes[2].size);
}

// A process grid whose members have pencils: in stage 0 whole lines along the last axis, in stage 1 along the
// middle one, and in stage 2 along the first one. Sizes need not be divisible.
struct Pencils {
    std::array<int, 3> size;
    std::array<int, 2> grid;

    Box box(int stage, int row, int column) const {
        const Range by_row = share(size[stage == 2 ? 1 : 0], grid[0], row);
        const Range by_column = share(size[stage == 0 ? 1 : 2], grid[1], column);
        switch (stage) {
        case 0: return {{by_row, by_column, Range{0, size[2]}}};
        case 1: return {{by_row, Range{0, size[1]}, by_column}};
        default: return {{Range{0, size[0]}, by_row, by_column}};
        }
    }

  private:
    static Range share(int points, int members, int member) {
        const auto border = [&](int i) { return static_cast<int>(std::int64_t{points} * i / members); };
        return {border(member), border(member + 1) - border(member)};
    }
};

} // namespace apps
