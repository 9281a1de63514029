// The size of the block from each rank to each other. It follows from (seed, source, destination), so every
// rank knows without asking what it receives. No MPI.
#pragma once

#include "policy/text/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::bench {

struct Distribution {
    enum class Kind : std::uint8_t {
        uniform,
        normal,
        power_law,
        fft1,
        fft2,
        sparse,
        equal,
        partition,
        window
    };
    Kind kind = Kind::uniform;
    int partners = 0; // sparse, partition: destinations of each rank; 0: all other ranks
    int percent = 0;  // window: its upper end, of the largest size

    // The two FFT shapes ignore the largest size that is asked for.
    bool has_fixed_sizes() const { return kind == Kind::fft1 || kind == Kind::fft2; }
};

// `uniform`, `normal`, `power_law`, `fft1`, `fft2`, `sparse:K`, `equal`, `partition`, `partition:K` or
// `window:R`; or what is wrong.
text::Result<Distribution> parse_distribution(std::string_view text);
// In the order of Distribution::Kind. A number follows `sparse` and `window`, and may follow `partition`:
// `sparse:8`.
inline constexpr std::array distribution_names = {
    std::string_view{"uniform"}, std::string_view{"normal"},    std::string_view{"power_law"},
    std::string_view{"fft1"},    std::string_view{"fft2"},      std::string_view{"sparse"},
    std::string_view{"equal"},   std::string_view{"partition"}, std::string_view{"window"}};

std::string name_of(const Distribution& distribution);

// A hash that is the same on every rank and machine.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);

class Sizes {
  public:
    // `largest` is S of the papers. `normal` also draws larger sizes. In `partition` it is
    // what a rank sends in all.
    Sizes(Distribution distribution, std::uint64_t seed, int ranks, std::size_t largest);

    std::size_t operator()(int source, int destination) const;
    std::vector<std::size_t> sent_by(int source) const;
    std::vector<std::size_t> received_by(int destination) const;
    // The blocks of all ranks where each sends one block to everybody.
    std::vector<std::size_t> sent_to_all() const;

  private:
    std::vector<int> partners_of(int source) const;
    std::vector<std::size_t> partitioned(int source) const;
    double fraction(int source, int destination, std::uint64_t salt) const; // in (0, 1)
    std::size_t drawn(int source, int destination) const;

    Distribution distribution_;
    std::uint64_t seed_;
    int ranks_;
    std::size_t largest_;
};

} // namespace switchyard::bench
