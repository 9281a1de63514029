// Datatypes whose bytes this program can find by itself.
#pragma once

#include "random.hpp"

#include <cstddef>
#include <memory>
#include <mpi.h>
#include <vector>

namespace stress {

// What one unit of data consists of, in order. Both sides of a block have the same signature,
// in layouts of their own.
struct Signature {
    int number;
    std::vector<MPI_Datatype> basics;
    std::vector<int> sizes;
    int unit_bytes;
    bool is_uniform; // of one basic type
};

// The signatures of all runs, in a fixed order. Valid after MPI_Init.
const std::vector<Signature>& signatures();

struct Piece {
    std::ptrdiff_t place; // from the item's origin
    int bytes;
};

// An MPI datatype, and where the bytes of one item lie, in the order of the signature.
class Layout {
  public:
    Layout(MPI_Datatype type, bool is_own, std::vector<Piece> pieces);
    ~Layout();
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    MPI_Datatype type() const { return type_; }
    std::ptrdiff_t extent() const { return extent_; }
    // Items for so many units.
    int items(const Signature& signature, int units) const;
    // First byte of so many items and the byte after their last one, from the origin of the first.
    std::ptrdiff_t low(int items) const { return items > 0 ? low_ : 0; }
    std::ptrdiff_t high(int items) const { return items > 0 ? high_ + (items - 1) * extent_ : 0; }

    void scatter(const unsigned char* bytes, int items, unsigned char* origin) const;

  private:
    MPI_Datatype type_;
    bool is_own_;
    std::vector<Piece> pieces_; // neighbours joined
    std::size_t elements_;
    std::ptrdiff_t extent_ = 0, low_ = 0, high_ = 0;
};

// How much of the signature an item of a layout has.
enum class Item { any, element, unit, granule };

// Where its bytes lie: one after the other, in any order without holes, or anywhere.
enum class Spread { row, dense, wide };

// What a call needs of a layout.
struct LayoutRequest {
    const Signature& signature;
    int granule; // each block is a multiple of so many units
    Item item;
    int columns; // of a matrix that holds the units of a block, or of all blocks where they follow each other
    Spread widest;
};

// One thread's layouts. Some are kept for later calls; others go with their call, and the MPI may give their
// handles to new types.
class LayoutPool {
  public:
    std::shared_ptr<const Layout> draw(const LayoutRequest& request, Stream& own);

  private:
    struct Kept {
        int signature, units;
        Spread spread;
        std::shared_ptr<const Layout> layout;
    };

    const Kept* find(const LayoutRequest& request) const;
    void keep(Kept made, Stream& own);

    std::vector<Kept> kept_;
};

} // namespace stress
