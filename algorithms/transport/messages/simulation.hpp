// What the simulator (SimGrid) is told about a rank's own work. The simulator itself knows only messages, and
// its ranks of a node share no memory. On a real machine all of this is empty.
//
// This file adds up copies, our instructions for each copy and message, and MPI's instructions for each part
// of a datatype. They pass as time before the rank's next message, wait or epoch. Simulated ranks take turns,
// and switch only where they call MPI or the simulator. So the sum always belongs to the running rank.
#pragma once

#include <cstddef>
#include <cstdint>

namespace switchyard::algorithms::simulation {

#ifdef SWITCHYARD_SIMULATED
inline constexpr bool is_on = true;
#else
inline constexpr bool is_on = false;
#endif

// Our own instructions are counted in a simulation without these charges, since the charges would count as
// well (tests/bench/own_instructions).
#if defined(SWITCHYARD_SIMULATED) && !defined(SWITCHYARD_UNCHARGED)

inline constexpr bool is_charged = true;

// Work whose time has not passed yet.
struct Work {
    std::uint64_t copies = 0, bytes = 0; // copied
    std::uint64_t messages = 0;          // begun: sends and receives
    std::uint64_t parts = 0;             // of derived datatypes, which MPI gathers or scatters
    std::uint64_t epochs = 0;            // entered
    std::uint64_t neighbours = 0;        // whose memory was looked at
};
inline Work work;

inline void note_copy(std::size_t bytes) {
    ++work.copies;
    work.bytes += bytes;
}
inline void note_messages(int count) {
    work.messages += static_cast<std::uint64_t>(count);
}
inline void note_parts(std::size_t count) {
    work.parts += count;
}
inline void note_epoch(int neighbours) {
    ++work.epochs;
    work.neighbours += static_cast<std::uint64_t>(neighbours);
}

// The own time of one rank.
class OwnTime {
  public:
    // Lets the time of the noted work pass.
    void pass();
    // The time of the noted work, which the simulator's clock does not know yet; nanoseconds.
    std::int64_t ahead_ns() const;

  private:
    double carried_ = 0; // seconds: too few for the simulator, which would round them away
};

#else

inline constexpr bool is_charged = false;

inline void note_copy(std::size_t) {}
inline void note_messages(int) {}
inline void note_parts(std::size_t) {}
inline void note_epoch(int) {}
struct OwnTime {
    void pass() {}
    std::int64_t ahead_ns() const { return 0; }
};

#endif

#ifdef SWITCHYARD_SIMULATED

// The ranks of a node meet, without messages.
class Meeting {
  public:
    explicit Meeting(int ranks);
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;
    ~Meeting();
    void wait();

  private:
    void* barrier_;
};
// A rank that looks at memory again and again lets the other ranks go on.
void rest();

#else

struct Meeting {
    void wait() {}
};
inline void rest() {}

#endif

} // namespace switchyard::algorithms::simulation
