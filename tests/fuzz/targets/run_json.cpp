// run.json, beside two good lines.
#include "tests/fuzz/report_of.hpp"
#include "tests/fuzz/sections.hpp"
#include "tests/support/log_folder.hpp"

using namespace switchyard;
using namespace switchyard::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const tests::TemporaryFolder folder;
    write_file(folder / "run.json", {reinterpret_cast<const char*>(data), size});
    const tests::LogLine native, routed{.algorithm = "tuna", .rule = "small", .begin_us = 50};
    write_file(folder / "calls.jsonl", native.text() + '\n' + routed.text() + '\n');
    check_report_of(folder.path().string());
    return 0;
}
