// Messages between ranks. A message is copied when it is sent, and once more when its receiver waits for it.
// For thread sanitizer it orders what every MPI's message orders, and nothing else: all that its sender did
// before comes before what its receiver does after it has waited. The sender hears of nothing, and who looks
// for messages neither.
#pragma once

#include "queue.hpp"
#include "spin_lock.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace switchyard::tests::threads {

struct Message {
    std::uint64_t context; // of its communicator
    int source;            // its number in the world
    int tag;
    std::vector<std::byte> bytes;
    Message* next = nullptr;
};

// Of messages that a receive or a probe may take.
struct Wanted {
    static constexpr int any = -1;
    std::uint64_t context;
    int source, tag;

    bool takes(const Message& message) const {
        return message.context == context && (source == any || message.source == source) &&
               (tag == any || message.tag == tag);
    }
};

// A receive. Its message is there once `has_come`.
struct Receive {
    Wanted wanted{};
    std::atomic<bool> has_come = false;
    std::unique_ptr<Message> message{};
    Receive* next = nullptr;
};

class Mailbox {
  public:
    Mailbox() = default;
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    ~Mailbox();

    // Any rank.
    void put(std::unique_ptr<Message> message);

    // The mailbox's own rank.
    void begin(Receive& receive);
    bool cancel(Receive& receive); // false: its message has come
    // The message of a receive that has come.
    static std::unique_ptr<Message> take(Receive& receive);
    bool has(const Wanted& wanted);

  private:
    SpinLock lock_;
    Queue<Message> messages_; // that nobody has asked for
    Queue<Receive> receives_; // whose messages have not come
};

} // namespace switchyard::tests::threads
