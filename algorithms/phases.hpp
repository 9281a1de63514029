// Where an algorithm's time goes, for whoever asks. An algorithm says which phase begins (Wire::enter). The
// phase lasts until the next one begins, so the phases of a call add up to its time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace switchyard::algorithms {

enum class Phase : std::uint8_t {
#define SWITCHYARD_ALGORITHM_PHASE(name, meaning) name,
#include "phases.def"
};

struct PhaseTraits {
    std::string_view name, meaning;
};
inline constexpr std::array phase_traits = {
#define SWITCHYARD_ALGORITHM_PHASE(name, meaning) PhaseTraits{#name, meaning},
#include "phases.def"
};
inline constexpr std::size_t phase_count = phase_traits.size();

// The times of one exchange, in nanoseconds.
class PhaseTimes {
  public:
    using Now = std::int64_t (*)();

    // `now`: a clock, in nanoseconds. The phase `prepare` begins.
    explicit PhaseTimes(Now now) : now_(now), since_(now()) {}

    // `ahead`: work that this rank has done, though the clock does not know it yet (in a simulator).
    void enter(Phase next, std::int64_t ahead) {
        leave(ahead);
        current_ = next;
        has_phases_ = true;
    }
    // The exchange is over. An algorithm that entered no phase has none.
    void end(std::int64_t ahead) {
        if (has_phases_) leave(ahead);
    }

    std::uint64_t of(Phase phase) const {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(times_[static_cast<std::size_t>(phase)], 0));
    }
    bool has_phases() const { return has_phases_; }

  private:
    void leave(std::int64_t ahead) {
        const std::int64_t now = now_() + ahead;
        times_[static_cast<std::size_t>(current_)] += now - since_;
        since_ = now;
    }

    Now now_;
    std::array<std::int64_t, phase_count> times_{};
    std::int64_t since_;
    Phase current_ = Phase::prepare;
    bool has_phases_ = false;
};

} // namespace switchyard::algorithms
