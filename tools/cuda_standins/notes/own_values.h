// The values that the program's side has for bytes of a device (vramlab_dry_run_set_values).
#pragma once

#include <cstdint>

namespace vramlab::dry_run {

/// Without any lock of the driver: who answers may run code of the program. The bytes stay as they
/// are where nobody answers. Whether a GPU would give the same.
bool fill_with_own_values(void* at, std::uint64_t bytes);

}  // namespace vramlab::dry_run
