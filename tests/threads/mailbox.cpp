#include "mailbox.hpp"

#include "seen_by_sanitizers.hpp"

#include <mutex>

namespace switchyard::tests::threads {

namespace {

void hand_over(Message* message, Receive& receive) {
    receive.message.reset(message);
    receive.has_come.store(true, std::memory_order_release);
}

} // namespace

Mailbox::~Mailbox() {
    while (Message* const left = messages_.take([](const Message&) { return true; })) delete left;
}

void Mailbox::put(std::unique_ptr<Message> message) {
    comes_before(message.get());
    const std::lock_guard lock(lock_);
    Receive* const receive = receives_.take([&](const Receive& one) { return one.wanted.takes(*message); });
    if (receive == nullptr)
        messages_.push_back(*message.release());
    else
        hand_over(message.release(), *receive);
}

void Mailbox::begin(Receive& receive) {
    const std::lock_guard lock(lock_);
    Message* const message = messages_.take([&](const Message& one) { return receive.wanted.takes(one); });
    if (message == nullptr)
        receives_.push_back(receive);
    else
        hand_over(message, receive);
}

bool Mailbox::cancel(Receive& receive) {
    const std::lock_guard lock(lock_);
    return receives_.take([&](const Receive& one) { return &one == &receive; }) != nullptr;
}

std::unique_ptr<Message> Mailbox::take(Receive& receive) {
    came_after(receive.message.get());
    return std::move(receive.message);
}

bool Mailbox::has(const Wanted& wanted) {
    const std::lock_guard lock(lock_);
    return messages_.find([&](const Message& one) { return wanted.takes(one); }) != nullptr;
}

} // namespace switchyard::tests::threads
