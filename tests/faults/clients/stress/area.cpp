#include "area.hpp"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace stress {

namespace {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

[[noreturn]] void no_memory(std::size_t bytes) {
    std::printf("no memory for %zu bytes\n", bytes);
    std::exit(4);
}

} // namespace

Area::Area(std::size_t bytes, Stream& own) : bytes_(bytes) {
    const int chance = own.between(0, 9);
    kind_ = chance < 7 ? heap : chance < 9 ? guarded : shared;
    if (kind_ == heap) {
        const auto shift = static_cast<std::size_t>(own.percent(70) ? 0 : own.between(1, 63));
        memory_ = static_cast<unsigned char*>(std::malloc(bytes + shift + 1));
        if (memory_ == nullptr) no_memory(bytes);
        data_ = memory_ + shift;
        return;
    }
    const auto page = page_bytes();
    const auto pages = (bytes + page - 1) / page;
    mapped_ = (pages + 1) * page;
    const int flags = (kind_ == shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS;
    void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED) no_memory(bytes);
    memory_ = static_cast<unsigned char*>(memory);
    mprotect(memory_ + pages * page, page, PROT_NONE);
    data_ = memory_ + pages * page - bytes;
}

Area::~Area() {
    if (kind_ == heap)
        std::free(memory_);
    else
        munmap(memory_, mapped_);
}

void Area::forbid_writing() {
    if (kind_ != heap && mapped_ > page_bytes()) mprotect(memory_, mapped_ - page_bytes(), PROT_READ);
}

void Area::allow_writing() {
    if (kind_ != heap && mapped_ > page_bytes())
        mprotect(memory_, mapped_ - page_bytes(), PROT_READ | PROT_WRITE);
}

} // namespace stress
