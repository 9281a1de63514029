// Memory that the processes of a node map into each other. No process waits for another to make it
// or to free it. So this may happen in a callback, and a program that frees its communicators late
// or never holds nobody up.
//
// A process owns sections of equal size in a file without a name, which its neighbours open through /proc. It
// lends a section for one use, a window. Each user leaves the section after use. When all users have left,
// nobody reads it any more, and it can be lent again. No MPI.
#pragma once

#include "introduction.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <sys/types.h>
#include <vector>

namespace switchyard::algorithms {

class NodeMemory {
  public:
    // The largest number of sections that a process owns.
    static constexpr std::size_t most_sections = 32;

    // Where other processes find a section. Messages tell them.
    struct Place {
        std::uint64_t key = 0; // of the process's file; 0: no section
        std::uint64_t offset = 0;
        std::int32_t process = 0, file = -1;
        explicit operator bool() const { return key != 0; }
    };

    // `section_bytes`: the bytes of data in a section, the same in all processes. Takes no memory yet.
    explicit NodeMemory(std::size_t section_bytes) : section_bytes_(section_bytes) {}
    NodeMemory(const NodeMemory&) = delete;
    NodeMemory& operator=(const NodeMemory&) = delete;
    ~NodeMemory();

    std::size_t section_bytes() const { return section_bytes_; }

    // The key of this process's file, once the file is open. It lies in memory that no other process has.
    const std::uint64_t* key() const { return &key_; }

    // Opens the file, unless it is open already. Our descriptors have high numbers. In a process with threads
    // the kernel may take more than 10 ms to make the first of them: too long for a call of the program.
    void prepare();

    // A section of this process that nobody uses. Its first data have memory; extend() gets more. No section:
    // there is no memory for it. May throw.
    Place lend();
    // Gets memory for the data of this process's section up to `end`. False: there is none. Do not touch data
    // without memory: the system may kill the process for it.
    bool extend(const Place& place, std::size_t end);
    // Sets how many users will leave the section. Call it before other processes learn
    // that they use the section.
    void set_users(const Place& place, std::uint32_t users);
    // For a section that nobody will use.
    void take_back(const Place& place);

    // The data of a section of this process or of another. Null: it cannot be mapped, since the processes are
    // on different machines, or in different containers and never met. Stays mapped. May throw.
    std::byte* data_at(const Place& place);

    // Brings the pages of a section's bytes at once, before the bytes are used. That takes a fraction of a
    // page fault for each page. Linux before 5.14 brings each page when it is touched.
    static void warm(std::byte* from, std::size_t bytes);

    // Processes that may not look into each other's /proc, as in containers with a user namespace each, can
    // still meet: first all of them listen, then each introduces itself to all others, then each meets its
    // guests. Between these steps the processes make sure that all have succeeded. A process that has met
    // another can map all of its sections.
    bool listen();
    bool introduce_to(const Place& neighbour) const;
    void meet_guests(); // ends listening; may throw
    // Tells the owner of these data that a user will not look at them again.
    static void leave(std::byte* data);

  private:
    // At the beginning of a section, before its data.
    struct Head {
        std::atomic<std::uint32_t> left; // users who have left
    };
    static constexpr std::size_t head_bytes = 64; // keeps data in other cache lines
    // The bytes of a new section that have memory, with its head.
    static constexpr std::size_t first_bytes = std::size_t{16} << 10;
    struct Section {
        Place place;
        std::byte* data;
        std::size_t there;   // of the data: bytes that have memory
        std::uint32_t users; // who must leave it before it is free
        bool is_lent;
    };
    // The file of another process.
    struct Guest {
        std::uint64_t key;
        int file;
    };
    struct Mapping {
        std::uint64_t key, offset;
        std::byte* begin;
    };

    bool open_file();
    bool owns_file() const;
    std::size_t stride() const;
    bool make_room_in(const Place& place, std::size_t from, std::size_t bytes) const;
    std::byte* map(int file, std::uint64_t offset);
    std::byte* map_of_other(const Place& place);
    std::byte* map_if_right(int file, const Place& place);
    Section* section_at(const Place& place);
    static Head& head_of(std::byte* data) { return *reinterpret_cast<Head*>(data - head_bytes); }

    const std::size_t section_bytes_;
    mutable std::mutex mutex_;
    int file_ = -1;
    dev_t device_ = 0;
    ino_t inode_ = 0;
    std::uint64_t key_ = 0;
    std::vector<Section> sections_;
    std::vector<Mapping> mappings_;
    std::unique_ptr<Introduction> introduction_; // while this process listens
    std::vector<Guest> guests_;
};

} // namespace switchyard::algorithms
