// Processes of a node hand each other a file through sockets. No process waits for another. No MPI.
#pragma once

#include <cstdint>
#include <vector>

namespace switchyard::algorithms {

// One process listens. Others send it their files whenever they like, and it takes them later.
class Introduction {
  public:
    // `door`: a number by which others find this process. All users of the machine can see it while this
    // process listens.
    explicit Introduction(std::uint32_t door);
    Introduction(const Introduction&) = delete;
    Introduction& operator=(const Introduction&) = delete;
    ~Introduction();

    bool is_open() const { return listener_ >= 0; }

    // Sends `file` to the process of this user that listens at `door`. False: nobody listens
    // there, or the queue is full.
    static bool send(std::uint32_t door, int file);

    // The files that processes of this user have sent so far. The caller closes them. May throw.
    std::vector<int> take();

  private:
    int listener_ = -1;
};

} // namespace switchyard::algorithms
