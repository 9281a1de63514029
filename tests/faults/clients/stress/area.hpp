// Memory for a buffer, in places where programs have them.
#pragma once

#include "random.hpp"

#include <cstddef>

namespace stress {

class Area {
  public:
    // What lies at data() + bytes() may be no memory: a byte read or written there is a signal.
    Area(std::size_t bytes, Stream& own);
    ~Area();
    Area(const Area&) = delete;
    Area& operator=(const Area&) = delete;

    unsigned char* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    // Until it goes, writing is a signal, too, where the memory has pages of its own.
    void forbid_writing();
    void allow_writing();

  private:
    enum Kind { heap, guarded, shared };

    Kind kind_;
    std::size_t bytes_, mapped_ = 0;
    unsigned char *memory_ = nullptr, *data_ = nullptr;
};

} // namespace stress
