// The distances 1 .. ranks - 1 in batches. All ranks cut the same batches, so a send and its
// receive lie in the same batch.
#pragma once

#include <algorithm>
#include <cstdint>

namespace switchyard::algorithms::patterns {

// The most pairs of a send and a receive that should be under way at once: enough to fill any network, few
// enough not to exhaust a NIC's match entries.
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
