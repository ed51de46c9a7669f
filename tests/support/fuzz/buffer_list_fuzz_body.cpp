#include "tests/support/fuzz/buffer_list_fuzz_body.h"

#include "replay/packing/buffer.h"
#include "replay/packing/pack_input.h"
#include "replay/packing/packing_orders.h"
#include "tests/support/kit/memory_source.h"
#include "traces/io/input_error.h"

namespace vramlab::support {

std::optional<std::string> broken_rule_of_buffer_list(const std::string& bytes) {
  std::vector<traces::BufferRow> rows;
  try {
    const auto source = support::make_memory_source(bytes);
    rows = traces::read_buffer_list(*source, "input");
  } catch (const traces::InputError&) {
    return std::nullopt;
  }
  const std::vector<replay::Buffer> buffers = replay::buffers_of(rows);
  for (const replay::Buffer& buffer : buffers)
    if (buffer.begin >= buffer.end || buffer.alignment.count == 0)
      return "a buffer without a lifetime or an alignment was read";
  const replay::Packing packing = place_in_time(buffers);
  if (auto fault = packing_fault(buffers, packing)) return fault;
  if (packing.height < replay::load_bound_of(rows)) return "a packing is below the bound";
  return std::nullopt;
}

}  // namespace vramlab::support
