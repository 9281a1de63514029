#include "workload.hpp"

#include <algorithm>
#include <cstring>

namespace switchyard::bench {

namespace {

using algorithms::Block;

constexpr std::size_t word_bytes = sizeof(std::uint64_t);

std::uint64_t word_at(std::uint64_t salt, std::size_t place) {
    const std::uint64_t x = (salt + place) * 0x9e3779b97f4a7c15U;
    return x ^ (x >> 29);
}

// Calls `visit(at, word, bytes)` for each word of a block. The last word may be shorter.
template <typename Visit>
bool for_each_word(std::byte* block, std::size_t bytes, std::uint64_t salt, Visit&& visit) {
    for (std::size_t at = 0; at < bytes; at += word_bytes)
        if (!visit(block + at, word_at(salt, at), std::min(word_bytes, bytes - at))) return false;
    return true;
}

Layout packed(const std::vector<std::size_t>& sizes) {
    Layout layout;
    for (const std::size_t size : sizes) {
        layout.blocks.push_back({layout.bytes, size});
        layout.bytes += size;
    }
    return layout;
}

} // namespace

Workload::Workload(algorithms::Collective collective, const Sizes& sizes, std::uint64_t seed, int rank,
                   bool separate, bool shared)
    : collective_(collective), seed_(seed), rank_(rank) {
    const auto& traits = traits_of(collective);
    if (traits.sends_one_block()) {
        const auto all = sizes.sent_to_all();
        send_ = packed({all[static_cast<std::size_t>(rank)]});
        recv_ = packed(all);
    } else {
        send_ = packed(sizes.sent_by(rank));
        recv_ = packed(sizes.received_by(rank));
    }
    const bool has_own = traits.sends_count_arrays(); // a block for itself of another size
    for (std::size_t i = 0; i < send_.blocks.size(); ++i)
        if (i != static_cast<std::size_t>(rank) || !has_own)
            largest_sent_ = std::max(largest_sent_, send_.blocks[i].size);
    sent_.resize(shared ? std::max(send_.bytes, recv_.bytes) : send_.bytes);
    if (separate) received_.resize(recv_.bytes);
}

std::size_t Workload::mean_received() const {
    return (recv_.bytes + recv_.blocks.size() - 1) / recv_.blocks.size();
}

// A block for everybody has no destination.
std::uint64_t Workload::salt(int source, int destination) const {
    const int to = traits_of(collective_).sends_one_block() ? 0 : destination;
    return mixed(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(to), seed_ + 1);
}

void Workload::fill() {
    for (std::size_t i = 0; i < send_.blocks.size(); ++i) {
        const Block block = send_.blocks[i];
        for_each_word(sent_.data() + block.offset, block.size, salt(rank_, static_cast<int>(i)),
                      [](std::byte* at, std::uint64_t word, std::size_t bytes) {
                          std::memcpy(at, &word, bytes);
                          return true;
                      });
    }
}

// A core that only read the send buffer would keep copies of its own. A program, which writes its data,
// leaves no such copies.
void Workload::renew() {
    constexpr std::size_t line_bytes = 64;
    for (std::size_t at = 0; at < sent_.size(); at += line_bytes) {
        volatile std::byte& first = sent_[at];
        first = first;
    }
}

void Workload::read(bool in_place) {
    const std::byte* const base = recv_buffer(in_place);
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at + sizeof sum <= recv_.bytes; at += sizeof sum) {
        std::uint64_t word = 0;
        std::memcpy(&word, base + at, sizeof word);
        sum += word;
    }
    [[maybe_unused]] volatile std::uint64_t kept = sum; // else the compiler leaves the loop out
}

void Workload::spoil() {
    std::ranges::fill(received_, std::byte{0xee});
}

bool Workload::is_right(bool in_place) {
    std::byte* const base = recv_buffer(in_place);
    for (std::size_t i = 0; i < recv_.blocks.size(); ++i) {
        const Block block = recv_.blocks[i];
        const bool right = for_each_word(base + block.offset, block.size, salt(static_cast<int>(i), rank_),
                                         [](const std::byte* at, std::uint64_t word, std::size_t bytes) {
                                             return std::memcmp(at, &word, bytes) == 0;
                                         });
        if (!right) return false;
    }
    return true;
}

} // namespace switchyard::bench
