// The place a kernel of PyTorch writes to and what, as far as its name and its arguments tell. Most
// tell nothing, and may write anywhere. The one that works on each value of tensors alike writes to
// the first of its addresses, and the one that fills writes what stands in its functor.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace vramlab::dry_run {

struct KernelWriter {
  bool has_known_place = false;
  /// The size of the value that it fills with; 0 where it does something else.
  std::uint8_t filled_bytes = 0;
};

KernelWriter writer_of(std::string_view kernel_name);

struct KernelWrite {
  std::uint64_t at = 0;
  /// At most.
  std::uint64_t bytes = 0;
  /// All of them, where they are known and few.
  std::vector<char> values{};
};

/// `arguments`: those of the launch; may be null. Empty where it may write anywhere.
std::optional<KernelWrite> write_of(const KernelWriter& writer, void* const* arguments);

}  // namespace vramlab::dry_run
