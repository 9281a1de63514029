// Random numbers that are the same with every compiler and library: a failure must be
// there again at the next run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace stress {

constexpr std::uint64_t mixed(std::uint64_t value) { // splitmix64
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

template <typename... More>
constexpr std::uint64_t mixed(std::uint64_t first, std::uint64_t second, More... more) {
    const auto both = mixed(mixed(first) ^ second);
    if constexpr (sizeof...(more) > 0) return mixed(both, more...);
    return both;
}

// Streams for different purposes have different last words in their seeds.
class Stream {
  public:
    explicit Stream(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() { return mixed(state_++); }
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    int between(int least, int most) {
        return least + static_cast<int>(below(static_cast<std::uint64_t>(most - least) + 1));
    }
    bool percent(int chance) { return between(0, 99) < chance; }
    bool one_in(int number) { return between(1, number) == 1; }

    template <typename Container>
    const auto& pick(const Container& values) {
        return values[below(std::size(values))];
    }
    template <typename T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
    }

  private:
    std::uint64_t state_;
};

} // namespace stress
