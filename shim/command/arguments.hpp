// The options of `switchyard run`, `report`, `explain`, `tune`, `prove`, `doctor` and `predict`, with their help.
#pragma once

#include "commands.hpp"
#include "doctor.hpp"
#include "predict.hpp"
#include "prove.hpp"
#include "run.hpp"
#include "tune.hpp"

// CLI11 costs the compiler several seconds, so only files that use it include it.
namespace CLI {
class App;
}

namespace switchyard::shim::command {

void add_run(CLI::App& app, RunArguments& arguments);

// `--format`, for a command whose results programs also read.
void add_format(CLI::App& app, Format& format);

void add_report(CLI::App& app, ReportOptions& options);

void add_prove(CLI::App& app, ProveOptions& options);

void add_tune(CLI::App& app, TuneOptions& options);

void add_doctor(CLI::App& app, DoctorOptions& options);

void add_predict(CLI::App& app, PredictOptions& options);

struct ExplainArguments {
    ExplainedCall one;
    ExplainOptions many;
};
void add_explain(CLI::App& app, ExplainArguments& arguments);
// Call this after parsing. Throws std::runtime_error with a sentence for people if
// options do not fit together.
int run_explain(const CLI::App& explain, ExplainArguments& arguments);

} // namespace switchyard::shim::command
