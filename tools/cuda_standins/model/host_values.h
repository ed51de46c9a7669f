// HostValueSource: the values that a copy from a device without bytes brings to the host. Whole
// words of 8, 4, 2 or 1 bytes, as large as the copy is made of, are zeros, ones or small numbers
// that are drawn, the same ones in each run. Among zeros, a yes or no and a count follow from the
// kernel before.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tools/cuda_standins/model/driver_options.h"
#include "tools/cuda_standins/model/kernels.h"

namespace vramlab::dry_run {

class HostValueSource {
 public:
  explicit HostValueSource(HostValues values) : values_(values) {}

  /// The answer of the last work that was put on a stream, if it works on zeros.
  void set_answer(const KernelAnswer& answer) { last_ = answer; }
  const KernelAnswer& answer() const { return last_; }
  RememberedTruths& truths() { return truths_; }
  /// Whether the bytes are those of a GPU.
  bool fill(void* at, std::uint64_t bytes);

 private:
  std::uint64_t next();

  HostValues values_;
  std::uint64_t state_ = 0;
  KernelAnswer last_;
  RememberedTruths truths_;
};

// RememberedBytes: bytes that the host copied to the device and that no kernel can have changed
// since. Programs send a few numbers through the device, as DDP does with the count of a model's
// parameters, and read them back. So small copies are remembered, copies on the device carry them
// on, and the next kernel, which may write anywhere, makes all of them unknown again.

class RememberedBytes {
 public:
  /// Larger copies only make the old bytes unknown.
  static constexpr std::uint64_t most_bytes_of_a_copy = std::uint64_t{64} * 1024;
  static constexpr std::uint64_t most_bytes = std::uint64_t{4} * 1024 * 1024;

  void remember(std::uint64_t at, const void* bytes, std::uint64_t count);
  /// Bytes known at `from` become known at `to`; else those at `to` become unknown.
  void carry(std::uint64_t to, std::uint64_t from, std::uint64_t count);
  void forget(std::uint64_t at, std::uint64_t count);
  void forget_all();
  /// Whether every byte is known; only then they are written.
  bool read(void* to, std::uint64_t from, std::uint64_t count) const;

 private:
  /// By address; they do not overlap.
  std::map<std::uint64_t, std::vector<char>> pieces_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace vramlab::dry_run
