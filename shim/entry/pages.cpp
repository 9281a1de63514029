#include "pages.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

namespace switchyard::shim {

namespace {

// Reads a text one character at a time, without memory from an allocator: callers hold the loader's lock.
class Text {
  public:
    explicit Text(const char* path) : file_(open(path, O_RDONLY | O_CLOEXEC)) {}
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    ~Text() {
        if (file_ >= 0) close(file_);
    }
    static constexpr int end = -1;
    int next() {
        if (at_ == held_ && !fetch()) return end;
        return static_cast<unsigned char>(piece_[at_++]);
    }
    // Digits up to another character, which is also taken.
    std::uintptr_t hexadecimal() {
        std::uintptr_t value = 0;
        while (true) {
            const int c = next();
            if (c >= '0' && c <= '9')
                value = value * 16 + static_cast<std::uintptr_t>(c - '0');
            else if (c >= 'a' && c <= 'f')
                value = value * 16 + static_cast<std::uintptr_t>(c - 'a' + 10);
            else
                return value;
        }
    }
    // False: there is no further line.
    bool skip_line() {
        for (int c = next(); c != end; c = next())
            if (c == '\n') return true;
        return false;
    }

  private:
    bool fetch() {
        if (file_ < 0) return false;
        ssize_t bytes = 0;
        do bytes = read(file_, piece_, sizeof piece_);
        while (bytes < 0 && errno == EINTR);
        held_ = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
        at_ = 0;
        return held_ > 0;
    }

    int file_;
    char piece_[1024];
    std::size_t at_ = 0, held_ = 0;
};

} // namespace

std::uintptr_t page_of(std::uintptr_t address) {
    const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    return address & ~(size - 1);
}

Pages::Access Pages::at(std::uintptr_t address) {
    if (begin_ <= address && address < end_) return access_;
    const int before = errno;
    Text maps("/proc/self/maps"); // "begin-end rwxp ..." in the order of addresses
    do {
        begin_ = maps.hexadecimal();
        end_ = maps.hexadecimal();
        const bool is_readable = maps.next() == 'r', is_writable = maps.next() == 'w';
        access_ = is_writable ? Access::writable : is_readable ? Access::read_only : Access::none;
    } while (end_ <= address && maps.skip_line());
    errno = before;
    if (begin_ <= address && address < end_) return access_;
    begin_ = end_ = 0;
    return Access::unknown;
}

} // namespace switchyard::shim
