// The network between nodes, as far as this machine's devices tell.
#pragma once

#include <string>

namespace switchyard::shim {

// Whether this machine has a device for remote memory access: InfiniBand, RoCE, Omni-Path and EFA (all of them
// are verbs devices), Slingshot, BXI or Tofu. `root`: the folder with sys and dev, "" for the machine's own.
// Never throws.
bool has_rdma_device(const std::string& root = "") noexcept;

} // namespace switchyard::shim
