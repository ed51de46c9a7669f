// PhysicalMemory: how much of each device is held by memory without an address (cuMemCreate). It is
// held as long as its handle or a mapping of it lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace vramlab::preload {

class PhysicalMemory {
 public:
  void create(std::uint64_t handle, std::size_t bytes, std::uint32_t device);
  /// The device whose total changed, if one did.
  std::optional<std::uint32_t> release(std::uint64_t handle);
  void map(std::uint64_t address, std::uint64_t handle);
  /// One device, since a range of one reservation is unmapped at once.
  std::optional<std::uint32_t> unmap(std::uint64_t address, std::size_t bytes);

  bool knows(std::uint64_t handle) const;
  std::uint64_t bytes_of(std::uint32_t device) const;

 private:
  struct Piece {
    std::size_t bytes = 0;
    std::uint32_t device = 0;
    std::size_t mappings = 0;
    bool has_handle = true;
  };
  using Pieces = std::map<std::uint64_t, Piece>;

  std::optional<std::uint32_t> drop_if_unused(Pieces::iterator piece);

  /// By a number of our own: the driver may give a handle again while what it stood for is mapped.
  Pieces pieces_;
  std::uint64_t last_piece_ = 0;
  std::map<std::uint64_t, std::uint64_t> piece_of_handle_;
  std::map<std::uint64_t, std::uint64_t> piece_at_;
  std::map<std::uint32_t, std::uint64_t> totals_;
};

}  // namespace vramlab::preload
