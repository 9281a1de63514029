// What an algorithm computes once for a communicator and its parameters, so that a call only copies bytes and
// sends: partners, slots, orders, and all else that follows from ranks and their placement alone.
#pragma once

namespace switchyard::algorithms {

class Schedule {
  public:
    virtual ~Schedule() = default;

  protected:
    Schedule() = default;
    Schedule(const Schedule&) = default;
    Schedule& operator=(const Schedule&) = default;
};

} // namespace switchyard::algorithms
