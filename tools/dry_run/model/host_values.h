// HostValueSource: what the host gets where a copy from a device without bytes reaches it. Whole
// words of 8, 4, 2 or 1 bytes, as large as the copy is made of, are zeros, ones or small numbers
// that are drawn, the same ones in each run. A single byte is a yes or no: among zeros it is what
// the kernel before it says.
#pragma once

#include <cstdint>

#include "tools/dry_run/model/driver_options.h"

namespace vramlab::dry_run {

class HostValueSource {
 public:
  explicit HostValueSource(HostValues values) : values_(values) {}

  /// What the work that was put on a stream last says of zeros.
  void set_answer(bool is_yes) { is_yes_ = is_yes; }
  bool answer() const { return is_yes_; }
  void fill(void* at, std::uint64_t bytes);

 private:
  std::uint64_t next();

  HostValues values_;
  std::uint64_t state_ = 0;
  bool is_yes_ = false;
};

}  // namespace vramlab::dry_run
