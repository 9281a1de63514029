// Messages of the program's own on its communicators, which wait beside collective calls.
#pragma once

#include "member.hpp"
#include "random.hpp"

#include <cstdint>
#include <vector>

namespace stress {

// Receives are posted, and maybe messages sent, when it begins; the rest comes when it ends.
class Messages {
  public:
    // `key`: the same on all ranks.
    Messages(const Member& member, std::uint64_t key);
    void finish(); // says what is wrong

    // Nobody else may send on the communicator meanwhile.
    bool has_wildcards() const { return style_ != directed; }

  private:
    struct Message {
        int source, destination, tag, bytes;
        std::uint64_t key;
    };
    struct Received {
        std::vector<unsigned char> buffer;
        const Message* expected;
    };
    enum Style { directed, any_tag, any_source };

    void draw(Stream group);
    void send();
    void post();
    void check(const std::vector<MPI_Status>& statuses);
    void check(const Received& received, const Message& message, const MPI_Status& status) const;
    bool sends(const Message& message) const;
    bool receives(const Message& message) const;

    Member member_;
    Style style_ = directed;
    bool sends_first_ = false, posts_first_ = true;
    int sending_side_ = 0;
    std::vector<Message> messages_;
    std::vector<std::vector<unsigned char>> sent_;
    std::vector<Received> received_;
    std::vector<MPI_Request> sends_, receives_;
};

} // namespace stress
