// The ranks' records become calls.jsonl, in a stream: no rank holds more than 64 MB of them.
#pragma once

#include "far_calls.hpp"
#include "led_calls.hpp"
#include "merge_desk.hpp"
#include "shim/back_end/process/process.hpp"
#include "shim/common/agreement_cost.hpp"
#include "shim/common/log/log_writer.hpp"
#include "shim/common/log/slot_reader.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace switchyard::shim {

class FinalMerge {
  public:
    explicit FinalMerge(Process& self) : self_(self) {}

    // False, on all ranks: lines are missing. `lost`: slots of all ranks that are in no line.
    // Collective; never throws.
    bool run(std::uint64_t& lost);
    AgreementCost take_agreement_cost() noexcept {
        return std::move(agreement_cost_);
    } // of all lines, on rank 0

  private:
    // Takes all memory that the stream needs. False, on all ranks: some rank has none.
    bool prepare();
    std::uint64_t lost_here() const;
    // Rank 0's view of a leader: its names, and its calls unless it is rank 0 itself.
    struct Leader {
        log::Names names;
        std::unique_ptr<FarCalls> calls;
    };

    void add_leaders(const std::vector<std::string>& names);
    void write_all(const std::vector<std::string>& names);
    const log::MergedCall* next_of(Leader& leader) noexcept;
    void advance(Leader& leader) noexcept;
    void write_lines();
    void tell_of_progress(std::uint64_t lines);
    void serve() noexcept;

    Process& self_;
    std::unique_ptr<log::SlotReader> reader_;
    std::unique_ptr<MergeDesk> desk_;
    std::unique_ptr<LedCalls> led_;
    std::string led_names_;
    std::vector<log::MergedCall> answer_; // to rank 0's requests
    std::uint64_t lost_ = 0;
    // On rank 0:
    std::vector<Leader> leaders_;
    std::unique_ptr<log::LogWriter> lines_;
    AgreementCost agreement_cost_;
    std::uint64_t expected_ = 0, began_ = 0; // lines, at most; a time of the run
    bool told_ = false;
};

} // namespace switchyard::shim
