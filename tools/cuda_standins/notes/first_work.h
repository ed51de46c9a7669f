// Tells the program's side of the first kernel and the first work of a library on each device
// (vramlab_dry_run_set_first_work).
#pragma once

#include <cstdint>

#include "streams/memory/driver_places.h"

namespace vramlab::dry_run {

/// Does nothing but the first time for a device and such work. Requires: there is some, and no lock
/// of the driver is held, as the answer may run code of the program.
void tell_first_work(std::uint32_t device, streams::WorkSoFar work);

}  // namespace vramlab::dry_run
