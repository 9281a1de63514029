// One collective call: its buffers, what has to be in them afterwards, and whether it is.
#pragma once

#include "area.hpp"
#include "block_sizes.hpp"
#include "collective.hpp"
#include "layout.hpp"
#include "member.hpp"

#include <memory>
#include <optional>

namespace stress {

// What the ranks of a communicator draw together.
struct Shape {
    Collective collective;
    const Signature& signature;
    bool in_place;
    Item item;
    BlockSizes sizes;
};

Shape draw_shape(const Member& member, std::int64_t block_bytes, Stream& group);
Shape draw_nonblocking_shape(const Member& member, std::int64_t block_bytes, Stream& group);
Shape draw_shape_of(Collective collective, const Member& member, std::int64_t block_bytes, Stream& group);

class Call {
  public:
    // Places, types and the order of blocks are each rank's own.
    Call(const Member& member, const Shape& shape, LayoutPool& pool, Stream& own);

    // New data in the same buffers. `key`: the same on all ranks.
    void fill(std::uint64_t key);
    void make(Form form);
    MPI_Request start(); // the nonblocking form
    void check() const;  // says what is wrong
    // The MPI's own call with the same arguments, but for where it receives. Says what is wrong with that.
    void compare_with_bare();

    void tell() const; // what it is
    Collective collective() const { return shape_.collective; }

  private:
    // One side's blocks in memory.
    struct Side {
        std::vector<std::shared_ptr<const Layout>> layouts; // one, or one for each block
        std::vector<std::ptrdiff_t> places; // of the blocks' origins, from the buffer's pointer
        Words words;
        std::optional<Area> area;
        std::ptrdiff_t low = 0; // place of the area's first byte, from the buffer's pointer
        std::vector<unsigned char> expected;

        const Layout& layout(std::size_t block) const { return *layouts[layouts.size() > 1 ? block : 0]; }
        int count(std::size_t block) const { return words.counts[words.counts.size() > 1 ? block : 0]; }
    };

    bool in_row(bool sent) const; // one count for all blocks
    int blocks(bool sent) const;
    int units(bool sent, int block) const;
    void lay_out(bool sent, LayoutPool& pool);
    void draw_layouts(Side& side, bool sent, LayoutPool& pool);
    void place_in_row(Side& side) const;
    void place_anywhere(Side& side);
    void place_memory(Side& side);
    std::uint64_t key_of(int side, int source, int destination) const;
    void write_block(const Side& side, int block, int units, std::uint64_t key, unsigned char* area) const;
    void fill_sent();
    void fill_received();
    void compare(const Side& side, const unsigned char* memory, const char* what) const;
    void say_difference(const Side& side, std::size_t first, int got, std::size_t different,
                        const char* what) const;

    Member member_;
    Shape shape_;
    Stream own_;
    Side send_, recv_;
    std::uint64_t key_ = 0;
    std::vector<unsigned char> before_; // what the received side has before the call
};

} // namespace stress
