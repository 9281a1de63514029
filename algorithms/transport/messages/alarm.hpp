// Ends waits that would last for ever. Some MPIs let a program go on after a process has died (ULFM). There a
// rank may wait for bytes that nobody will send.
#pragma once

namespace switchyard::algorithms {

class Alarm {
  public:
    virtual ~Alarm() = default;
    // True from the moment that this rank knows: a rank of the group is dead, or the program gave the group
    // up. No message of the group arrives after that, and those under way end. So nobody gets bytes from a
    // rank that lacks some itself. Whoever waits asks again and again.
    virtual bool rings() = 0;
    // The same at once, for a rank that met an error and is about to go on. `rings` looks now and then only.
    virtual bool look() = 0;

  protected:
    Alarm() = default;
    Alarm(const Alarm&) = default;
    Alarm& operator=(const Alarm&) = default;
};

} // namespace switchyard::algorithms
