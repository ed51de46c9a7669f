// PhysicalMemory: memory without an address, behind the handles of cuMemCreate and the like. It
// lives as long as a handle or a mapping of it, and most of it takes bytes of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace vramlab::preload {

struct PhysicalPiece {
  std::uint64_t bytes = 0;
  /// The device whose memory it takes; none if it is another process's, or no memory by itself.
  std::optional<std::uint32_t> device;
};

class PhysicalMemory {
 public:
  void create(std::uint64_t handle, const PhysicalPiece& piece);
  /// Notes another handle of the same number. False: the handle is not known.
  bool share(std::uint64_t handle);
  /// Notes a handle of the memory that is mapped at the address.
  void retain(std::uint64_t address, std::uint64_t handle);
  void map(std::uint64_t address, std::size_t bytes, std::uint64_t handle);
  // Returns the memory that is gone by this.
  std::optional<PhysicalPiece> release(std::uint64_t handle);
  std::vector<PhysicalPiece> unmap(std::uint64_t address, std::size_t bytes);

  bool knows(std::uint64_t handle) const;
  std::uint64_t bytes_of(std::uint32_t device) const;

 private:
  struct Held {
    PhysicalPiece piece;
    std::size_t handles = 1;
    std::size_t mappings = 0;
  };
  struct Mapping {
    std::size_t bytes = 0;
    std::uint64_t piece = 0;
  };

  std::optional<PhysicalPiece> drop_if_unused(std::uint64_t number);

  /// The pieces by a number of our own: the driver may give a handle again while its old memory is
  /// still mapped.
  std::map<std::uint64_t, Held> pieces_;
  std::uint64_t last_piece_ = 0;
  std::map<std::uint64_t, std::uint64_t> piece_of_handle_;
  std::map<std::uint64_t, Mapping> mappings_;
  std::map<std::uint32_t, std::uint64_t> totals_;
};

}  // namespace vramlab::preload
