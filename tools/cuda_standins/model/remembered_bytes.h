// RememberedBytes: what the host copied to the device and nothing can have changed since. Programs
// send a few numbers through the device, as DDP does with the count of a model's parameters, and
// read them back. So small copies are remembered, copies on the device carry them on, and the next
// kernel, which may write anywhere, makes all of them unknown again.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace vramlab::dry_run {

class RememberedBytes {
 public:
  /// Larger copies only make unknown what was there.
  static constexpr std::uint64_t most_bytes_of_a_copy = 64 * 1024;
  static constexpr std::uint64_t most_bytes = 4 * 1024 * 1024;

  void remember(std::uint64_t at, const void* bytes, std::uint64_t count);
  /// What is known at `from` is then known at `to`, or nothing is.
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
