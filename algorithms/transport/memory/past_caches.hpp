// Copies past the caches, where the processor can do it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SWITCHYARD_STREAMS_LINES // sanitizers do not see such stores
#include <emmintrin.h>
#endif

namespace switchyard::algorithms {

#if defined(__SSE2__)
constexpr bool can_pass_caches = true;
#else
constexpr bool can_pass_caches = false;
#endif

#ifdef SWITCHYARD_STREAMS_LINES

inline void copy_line_past_caches(std::byte* to, const std::byte* from) {
    const auto* const source = reinterpret_cast<const __m128i*>(from);
    auto* const target = reinterpret_cast<__m128i*>(to);
    const __m128i first = _mm_loadu_si128(source), second = _mm_loadu_si128(source + 1),
                  third = _mm_loadu_si128(source + 2), fourth = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, first);
    _mm_stream_si128(target + 1, second);
    _mm_stream_si128(target + 2, third);
    _mm_stream_si128(target + 3, fourth);
}
inline void finish_stores() {
    _mm_sfence();
}

#else

inline void copy_line_past_caches(std::byte* to, const std::byte* from) {
    std::memcpy(to, from, 64);
}
inline void finish_stores() {}

#endif

// The bytes are there before any later store of this core. The blocks do not overlap.
inline void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes == 0) return; // `from` may be null
    constexpr std::size_t line_bytes = 64;
    const std::size_t until_line =
                          (line_bytes - reinterpret_cast<std::uintptr_t>(to) % line_bytes) % line_bytes,
                      before = std::min(until_line, bytes), behind = (bytes - before) % line_bytes;
    std::memcpy(to, from, before);
    for (std::size_t done = before; done < bytes - behind; done += line_bytes)
        copy_line_past_caches(to + done, from + done);
    std::memcpy(to + bytes - behind, from + bytes - behind, behind);
    finish_stores();
}

} // namespace switchyard::algorithms
