#include "direct.hpp"
#include "separate_messages.hpp"

namespace switchyard::algorithms::neighborhood {

Status direct(const Exchange& exchange, Context& context) {
    SeparateMessages blocks(exchange, context.wire, Everything());
    blocks.start();
    Status status = copy_own_blocks(exchange);
    status.keep(blocks.finish());
    return status;
}

} // namespace switchyard::algorithms::neighborhood
