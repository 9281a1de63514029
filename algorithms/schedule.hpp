// What an algorithm computes once for a communicator and its parameters, so that a call only copies bytes and
// sends: partners, slots, orders, and everything else that follows only from the ranks and their placement.
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
