// A rank's `<rank>.ring`, the one file that every rank makes. It is mapped, so a killed run has all of it:
//
//   ring of slots | header | sums of calls that are only counted | first names
//
// If there is not enough room, `<rank>.calls` holds the earlier slots and `<rank>.names` the later names.
#pragma once

#include "record.hpp"

#include <cstddef>

namespace switchyard::shim::log::ring_file {

inline constexpr std::size_t slots = 8192; // 512 KiB

// Where the parts begin, in bytes.
inline constexpr std::size_t header_at = slots * sizeof(Slot);
inline constexpr std::size_t sums_at = header_at + sizeof(RecordFileHeader);
inline constexpr std::size_t names_at = header_at + (std::size_t{8} << 10); // lines, then zeros
inline constexpr std::size_t end = names_at + (std::size_t{16} << 10);

} // namespace switchyard::shim::log::ring_file
