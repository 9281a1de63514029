// The distances 1 .. ranks - 1, in batches: with all ranks cutting them alike, a send and the receive it is
// meant for always lie in the same batch.
#pragma once

#include <algorithm>
#include <cstdint>

namespace switchyard::algorithms::patterns {

// Most transfers that should be under way at once, sends and receives counted in pairs: enough to fill any
// network, few enough not to exhaust a network card's match entries.
inline constexpr int largest_batch = 512;

// for (Batch b(ranks, size); b.valid(); b.advance()): distances b.first() <= d < b.last().
class Batch {
  public:
    Batch(int ranks, std::int64_t size)
        : ranks_(ranks), size_(static_cast<int>(std::clamp<std::int64_t>(size, 1, std::max(1, ranks)))) {}

    bool valid() const { return first_ < ranks_; }
    void advance() { first_ += size_; }
    int first() const { return first_; }
    int last() const { return std::min(first_ + size_, ranks_); }

  private:
    int ranks_, size_;
    int first_ = 1;
};

} // namespace switchyard::algorithms::patterns
