#include <weft/model.hpp>

namespace weft {

double seconds(const Machine& machine, const Cost& cost) {
  return machine.message_seconds * static_cast<double>(cost.calls + cost.messages) +
         static_cast<double>(cost.bytes) / machine.bytes_per_second +
         static_cast<double>(cost.copied) / machine.copied_per_second +
         machine.node_message_seconds * static_cast<double>(cost.node_messages) +
         static_cast<double>(cost.node_bytes) / machine.node_bytes_per_second;
}

}  // namespace weft
