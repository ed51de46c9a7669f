#include "tools/cuda_standins/runtime/runtime_driver.h"

namespace vramlab::dry_run {

const RuntimeDriver& runtime_driver() {
  // Never destroyed: programs call until they are gone.
  static const RuntimeDriver* const driver = new RuntimeDriver;
  return *driver;
}

}  // namespace vramlab::dry_run
