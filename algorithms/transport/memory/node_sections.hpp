// The sections of a node's ranks, by local rank, as one of these ranks sees them. Each rank has lent a
// section of its own (NodeMemory::lend) and told the other ranks its place. Each rank maps the sections of
// all other ranks:
//
//   head | for each reader: Filled, Emptied | notice of even epochs | notice of odd epochs | ring
//
// What this class writes:
//
//   word                  whose section  when                               order
//   counts, both headers  its own        join(), before the vote: cleared   plain
//   `left` in the head    its own        join(), before the vote: 0         release (NodeMemory::set_users)
//   `left` in the head    all            this rank leaves: its last access  acq_rel (NodeMemory::leave)
//
// Another window may have left its counts and epochs there, so a rank clears its section before it says that
// it has joined. Nobody looks before all ranks have said so: the messages of that vote order the plain stores
// before every look. A rank that leaves releases `left`, and the owner acquires it when it lends the section
// again: so the owner writes only after all reads of the ranks that have left. Who writes the other words:
// node_epochs.hpp (notices), node_room.hpp (ring), node_slots.hpp and node_offers.hpp (counts).
#pragma once

#include "local_ranks.hpp"
#include "node_memory.hpp"
#include "node_pages.hpp"
#include "node_section.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace switchyard::algorithms {

class NodeSections {
  public:
    // `rank`: this rank's local rank. `ranks`: the ranks of the node.
    NodeSections(int rank, int ranks, const section::Layout& layout);
    NodeSections(const NodeSections&) = delete;
    NodeSections& operator=(const NodeSections&) = delete;
    ~NodeSections(); // leaves the sections

    // `places`: the ranks' offers, by rank in the group. Null: some section cannot be mapped, or the own
    // section gets no memory. Otherwise this rank has joined: its section is clear, and has the returned
    // pages. No communication. May throw.
    std::optional<NodePages> join(const LocalRanks& ranks, NodeMemory& memory,
                                  std::span<const NodeMemory::Place> places);
    // Takes a section from memory of this process: for the ranks of a simulator, and of a test.
    void see(int local, std::shared_ptr<std::byte[]> section);
    void clear_own();
    // All ranks have joined, so the owners of the sections wait until this rank has left.
    void open() { is_open_ = true; }

    const section::Layout& layout() const { return layout_; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    std::byte* of(int local) const { return sections_[static_cast<std::size_t>(local)]; }
    std::byte* own() const { return own_; }
    section::Notice notice(int local, std::uint64_t epoch) const { return layout_.notice(of(local), epoch); }
    // The counts of the streams from one rank to another.
    section::Filled& filled(int writer, int reader) const {
        return *reinterpret_cast<section::Filled*>(of(writer) + layout_.count_at(reader, false));
    }
    section::Emptied& emptied(int writer, int reader) const {
        return *reinterpret_cast<section::Emptied*>(of(writer) + layout_.count_at(reader, true));
    }

    // The other local ranks, around the ring from this one on.
    class Others {
      public:
        class Iterator {
          public:
            Iterator(int local, int size) : local_(local), size_(size) {}
            int operator*() const { return local_; }
            Iterator& operator++() {
                local_ = after(local_, size_);
                return *this;
            }
            bool operator!=(const Iterator& end) const { return local_ != end.local_; }

          private:
            int local_, size_;
        };
        Others(int rank, int size) : rank_(rank), size_(size) {}
        Iterator begin() const { return {after(rank_, size_), size_}; }
        Iterator end() const { return {rank_, size_}; }

      private:
        static int after(int local, int size) { return local + 1 < size ? local + 1 : 0; }

        int rank_, size_;
    };
    Others others() const { return {rank_, size_}; }
    // Brings the pages before `end` of all other ranks' sections.
    void warm_others(std::size_t end) const;

  private:
    bool map(const LocalRanks& ranks, NodeMemory& memory, std::span<const NodeMemory::Place> places);
    std::optional<NodePages> bring_first_pages(NodeMemory& memory, const NodeMemory::Place& own);
    void set(int local, std::byte* section);

    int rank_, size_;
    section::Layout layout_;
    std::vector<std::byte*> sections_;
    std::byte* own_ = nullptr;
    bool is_open_ = false;
    std::vector<std::shared_ptr<std::byte[]>> seen_; // the sections that see() was given
};

} // namespace switchyard::algorithms
