// The job step whose rank is about to start, as Slurm describes it.
#pragma once

#include <slurm/slurm.h>
extern "C" {
#include <slurm/spank.h>
}

#include <string>

namespace switchyard::shim::slurm {

class Job {
  public:
    explicit Job(spank_t spank) : spank_(spank) {}

    // A variable of the rank's environment; null where it has none. Valid until the next `set`.
    const char* variable(const std::string& name) const;
    void set(const std::string& name, const std::string& value) const;

    // False for the script of sbatch, for a shell of salloc, and for the daemons by which another launcher
    // starts its ranks on other nodes. Such a launcher starts the ranks of its own node itself, and those
    // would have no switchyard.
    bool starts_a_program() const;

  private:
    spank_t spank_;
};

} // namespace switchyard::shim::slurm
