// What a killed run of two ranks left: their names, their records and their rings, the sums
// of what is only counted.
#include "tests/fuzz/report_of.hpp"
#include "tests/fuzz/sections.hpp"
#include "tests/support/temporary_folder.hpp"

#include "shim/common/log/ring_file.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

using namespace switchyard::fuzz;

namespace {

constexpr std::array<std::string_view, 8> files = {"ranks/0.names", "ranks/0.calls", "ranks/0.ring",
                                                   "ranks/1.names", "ranks/1.calls", "ranks/1.ring",
                                                   "ranks/0.seen",  "ranks/1.seen"};

// Puts the sums where they are beside the ring.
void join(const std::filesystem::path& sums, const std::filesystem::path& ring) {
    std::ifstream from(sums, std::ios::binary);
    std::fstream to(ring, std::ios::in | std::ios::out | std::ios::binary);
    to.seekp(switchyard::shim::log::ring_file::sums_at);
    to << from.rdbuf();
    std::filesystem::remove(sums);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const switchyard::tests::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "ranks");
    write_files({reinterpret_cast<const char*>(data), size}, folder.path(), files);
    for (const std::string rank : {"ranks/0", "ranks/1"})
        join(folder / (rank + ".seen"), folder / (rank + ".ring"));
    check_text_of(folder.path().string());
    return 0;
}
