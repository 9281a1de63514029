// Lines of calls.jsonl, which are lines of a rank, too.
#include "tests/fuzz/report_of.hpp"
#include "tests/fuzz/sections.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace switchyard::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view lines(reinterpret_cast<const char*>(data), size);
    const switchyard::tests::TemporaryFolder folder;
    write_file(folder / "run.json",
               R"({"switchyard":"1.0.0","complete":true,"program":"app","ranks":4,"wall_s":1})");
    write_file(folder / "calls.jsonl", lines);
    write_file(folder / "rank-0.jsonl", lines);
    check_report_of(folder.path().string());
    return 0;
}
