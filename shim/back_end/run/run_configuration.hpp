// The run configuration: settings, policy and the log's folder. Rank 0 reads it; all other
// ranks get it from rank 0.
#pragma once

#include "algorithms/transport/messages/small_messages.hpp"
#include "shim/back_end/process/process.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace switchyard::shim {

// Reads the policy and checks it together with what is forced; every problem is a warning. `complaints`:
// problems of the settings, which also become warnings. May throw.
void read_configuration(Process& self, const std::vector<std::string>& complaints);

// What run.json says about the run. Needs the run configuration.
log::RunInfo describe(const Process& self);

// The run configuration on its way from rank 0 to all other ranks. Only spread() and meet_hosts()
// communicate, and both do so on every rank, whatever it lacks: a rank without memory receives the
// messages and drops them.
class RunConfiguration {
  public:
    // Rank 0: reads settings and policy, and makes the log's folder. May throw.
    void write(Process& self);
    // Collective. Never throws.
    void spread(MPI_Comm world) noexcept;
    // Applies the configuration to this process. Also throws if none arrived.
    void take(Process& self) const;
    // If a log is written, the hosts of all ranks go to rank 0 and into run.json. Collective. Never throws.
    void meet_hosts(Process* self, MPI_Comm world) noexcept;

  private:
    enum Text : std::size_t { settings, policy, log_directory, texts };
    struct Head {
        std::uint64_t run = 0; // 0: rank 0 could not write its configuration
        std::array<std::uint64_t, texts> sizes{};
        std::uint64_t bytes() const;
    };
    // The first message; for a short policy it is the only one.
    struct First {
        Head head;
        std::array<char, algorithms::largest_own_message - sizeof(Head)> text{};
    };
    std::string text(Text which) const; // may throw
    bool is_logged() const { return first_.head.run != 0 && first_.head.sizes[log_directory] > 0; }

    First first_;
    std::string text_; // all texts, one after the other
    bool is_whole_ = false;
    bool gives_ = false;
    std::vector<char> hosts_; // rank 0: room for the names of all ranks
};

} // namespace switchyard::shim
