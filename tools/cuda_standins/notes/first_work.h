// Tells the program's side of the first kernel and the first work of a library on each device
// (vramlab_dry_run_set_first_work).
#pragma once

#include <cstdint>

namespace vramlab::dry_run {

enum class FirstWork : std::uint8_t { kernel, library };

/// Does nothing but the first time for a device and such work. Requires: no lock of the driver is
/// held, as the answer may run code of the program.
void tell_first_work(std::uint32_t device, FirstWork work);

}  // namespace vramlab::dry_run
