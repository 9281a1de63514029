// The messages that a wire has under way, and MPI's requests for them, which files that know no MPI see as bytes.
// The lists get longer only where transfers are split, or where more than largest_batch pairs begin before all
// transfers are over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

namespace switchyard::algorithms {

// The end of a transfer.
struct Completion {
    int peer;
    bool sent; // false: received
};

// Room for `more` entries. False: there is no memory.
template <typename T>
bool make_room(std::vector<T>& list, std::size_t more = 1) {
    try {
        if (list.capacity() - list.size() < more) list.reserve(std::max(2 * list.size(), list.size() + more));
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

class UnderWay {
  public:
    static constexpr int alone = -1; // the only message of its transfer

    // A message that is under way, without its request.
    struct Message {
        Completion completion;
        int transfer; // its number, where it has several messages
        // For a receive: all bytes that its transfer receives. Null: they lie in several parts.
        const std::byte* data;
        std::size_t bytes;

        void begin(const Completion& starts, const std::byte* received, std::size_t size,
                   int number = alone) {
            completion = starts;
            transfer = number;
            if (starts.sent) return;
            data = received;
            bytes = size;
        }
    };

    std::size_t count() const { return count_; }
    bool has_room(std::size_t more) const { return count_ + more <= messages_.size(); }
    // `request_bytes`: of one of MPI's requests. Throws std::bad_alloc.
    void make_room_for(std::size_t messages, std::size_t request_bytes) {
        std::unique_ptr<std::byte[]> requests(new std::byte[messages * request_bytes]);
        if (count_ > 0) std::memcpy(requests.get(), requests_.get(), count_ * request_bytes);
        messages_.resize(messages);
        requests_ = std::move(requests);
    }
    // At least twice the room, and `more` messages. False: there is no memory.
    bool widen(std::size_t more, std::size_t request_bytes) {
        try {
            make_room_for(std::max(2 * messages_.size(), count_ + more), request_bytes);
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    const Message& operator[](std::size_t index) const { return messages_[index]; }
    std::byte* requests() { return requests_.get(); }
    // A message begins, the only one of its transfer. Its request is the first that is not under way.
    void add(const Completion& transfer, const std::byte* data, std::size_t bytes) {
        next()->begin(transfer, data, bytes);
        add_noted(1);
    }
    // The same for `count` messages that are already noted in next() and behind it.
    Message* next() { return messages_.data() + count_; }
    void add_noted(std::size_t count) { count_ += count; }

    // A transfer of several messages begins. False: there is no memory.
    bool begin_transfer() {
        if (count_ == 0) messages_left_.clear();
        if (!make_room(messages_left_)) return false;
        messages_left_.push_back(0);
        return true;
    }
    // One of its messages begins.
    void add_of_transfer(const Completion& transfer, const std::byte* data, std::size_t bytes) {
        next()->begin(transfer, data, bytes, static_cast<int>(messages_left_.size()) - 1);
        ++messages_left_.back();
        add_noted(1);
    }

    // Takes a message that is over off the list; the last one takes its place. Nothing: its transfer has more
    // messages.
    std::optional<Message> take(std::size_t index) {
        const Message message = messages_[index];
        messages_[index] = messages_[--count_];
        if (message.transfer != alone && --messages_left_[static_cast<std::size_t>(message.transfer)] > 0)
            return std::nullopt;
        return message;
    }
    void clear() { count_ = 0; }

  private:
    // The first `count_` entries of both are under way.
    std::vector<Message> messages_;
    std::unique_ptr<std::byte[]> requests_; // as many as messages_
    std::size_t count_ = 0;
    std::vector<int> messages_left_; // by transfer of several messages
};

} // namespace switchyard::algorithms
