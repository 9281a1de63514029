// What a killed run of two ranks left: their names, their records and their rings, the sums of what is only seen.
#include "tests/fuzz/report_of.hpp"
#include "tests/fuzz/sections.hpp"
#include "tests/support/temporary_folder.hpp"

#include <array>

using namespace switchyard::fuzz;

namespace {

constexpr std::array<std::string_view, 8> files = {"ranks/0.names", "ranks/0.calls", "ranks/0.ring",
                                                   "ranks/1.names", "ranks/1.calls", "ranks/1.ring",
                                                   "ranks/0.seen",  "ranks/1.seen"};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const switchyard::tests::TemporaryFolder folder;
    std::filesystem::create_directory(folder / "ranks");
    write_files({reinterpret_cast<const char*>(data), size}, folder.path(), files);
    check_text_of(folder.path().string());
    return 0;
}
