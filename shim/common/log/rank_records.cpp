#include "rank_records.hpp"

#include "log_file.hpp"
#include "recorder.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

namespace switchyard::shim::log {

namespace {

namespace fs = std::filesystem;

// Slots in half the ring. A piece of the file is as long: it was half a ring.
constexpr std::size_t slots_in_piece = Recorder::slots_per_half;

// Every slot's number and place give the number of the piece's first slot. A damaged slot gives a wrong one,
// so the majority decides (the majority vote of Boyer and Moore).
std::uint64_t first_number_of(std::span<const Slot> piece) {
    std::uint64_t first = 0;
    std::size_t votes = 0;
    for (std::size_t place = 0; place < piece.size(); ++place) {
        if (piece[place].kind == SlotKind::none) continue;
        const auto said = piece[place].number - place;
        if (votes == 0) first = said;
        if (said == first)
            ++votes;
        else
            --votes;
    }
    return first;
}

// Collects the slots of all pieces. A slot that does not fit its place counts as damaged: using it would lose
// a record, or double one.
class RankReader {
  public:
    // In the file every slot is finished.
    void add_piece_of_file(std::span<const Slot> piece) {
        const auto first = first_number_of(piece);
        for (std::size_t place = 0; place < piece.size(); ++place) add(piece[place], first, place);
        if (is_begin_of_half(first)) next_ = std::max(next_, first + piece.size());
    }
    // In the ring a slot may be empty, unfinished, or already in the file.
    void add_piece_of_ring(std::span<const Slot> piece) {
        const auto first = first_number_of(piece);
        for (std::size_t place = 0; place < piece.size(); ++place)
            if (piece[place].kind != SlotKind::none && first + place >= next_)
                add(piece[place], first, place);
    }
    RankRecords take() { return std::move(records_); }

  private:
    static bool is_begin_of_half(std::uint64_t number) { return number % slots_in_piece == 0; }

    void add(const Slot& slot, std::uint64_t first, std::size_t place) {
        const bool is_possible = slot.kind != SlotKind::none && is_begin_of_half(first) &&
                                 slot.number == first + place &&
                                 is_possible_sequence(slot.sequence, slot.number);
        if (is_possible)
            records_.slots.push_back(slot);
        else
            ++records_.damaged;
    }

    RankRecords records_;
    std::uint64_t next_ = 0; // the number after the file's last slot
};

// `most`: the largest number of pieces in the file.
template <typename Use>
void for_each_piece(std::istream& file, std::size_t most, const Use& use) {
    std::vector<Slot> piece(slots_in_piece);
    for (std::size_t i = 0; file && i < most; ++i) {
        file.read(reinterpret_cast<char*>(piece.data()),
                  static_cast<std::streamsize>(piece.size() * sizeof(Slot)));
        use(std::span(piece).first(static_cast<std::size_t>(file.gcount()) / sizeof(Slot)));
    }
}

// False: the file has no records of ours.
bool read_header(std::istream& file, const fs::path& path) {
    RecordFileHeader header, expected;
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    constexpr std::size_t without_version = 14; // bytes of the magic before its version
    if (!file || std::memcmp(header.magic, expected.magic, without_version) != 0) return false;
    if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 ||
        header.version != expected.version || header.slot_size != expected.slot_size)
        throw std::runtime_error(path.string() +
                                 " holds records of another version of switchyard; this one reads records of "
                                 "version " +
                                 std::to_string(expected.version));
    return true;
}

} // namespace

namespace {

// The lines of names next to the ring. The last line may be torn; Names::parse() skips it.
std::string names_beside_ring(std::istream& ring) {
    std::string text(ring_file::end - ring_file::names_at, '\0');
    ring.clear();
    ring.seekg(ring_file::names_at);
    ring.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(ring.gcount(), 0)));
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
}

} // namespace

RankRecords read_rank_records(const fs::path& calls) {
    const auto ring_path = fs::path(calls).replace_extension(".ring");
    const auto other_names = text_of_log_file(fs::path(calls).replace_extension(".names"));
    auto file = open_log_file(calls);
    auto ring = open_log_file(ring_path);
    ring.seekg(ring_file::header_at);
    const bool has_ring = read_header(ring, ring_path), has_file = read_header(file, calls);
    RankReader reader;
    if (has_file) for_each_piece(file, SIZE_MAX, [&](auto piece) { reader.add_piece_of_file(piece); });
    auto names = names_beside_ring(ring) + other_names;
    ring.clear();
    ring.seekg(0);
    if (has_ring || has_file)
        for_each_piece(ring, Recorder::halves, [&](auto piece) { reader.add_piece_of_ring(piece); });
    auto records = reader.take();
    records.names = Names::parse(names);
    return records;
}

} // namespace switchyard::shim::log
