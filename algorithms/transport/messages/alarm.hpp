// Ends waits that would last for ever. Some MPIs let a program go on after a process has died (ULFM). Then a
// rank may wait for bytes that nobody will send.
#pragma once

namespace switchyard::algorithms {

class Alarm {
  public:
    virtual ~Alarm() = default;
    // True once this rank knows that a rank of the group is dead, or that the program gave the group up.
    // After that no message of the group arrives, and messages under way end. So nobody gets bytes from a
    // rank that lacks bytes itself. A rank that waits asks again and again.
    virtual bool rings() = 0;
    // The same, but it looks at once: for a rank that met an error and is about to go on. `rings`
    // looks only now and then.
    virtual bool look() = 0;

  protected:
    Alarm() = default;
    Alarm(const Alarm&) = default;
    Alarm& operator=(const Alarm&) = default;
};

} // namespace switchyard::algorithms
