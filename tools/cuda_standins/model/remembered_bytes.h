// RememberedBytes: bytes that the host copied or set on the device and that no kernel can have
// changed since. Programs send a few numbers through the device, as DDP does with the count of a
// model's parameters, and read them back. So small copies are remembered, and memsets of any size;
// copies on the device carry them on, and the next kernel, which may write anywhere, makes all of
// them unknown again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace vramlab::dry_run {

class RememberedBytes {
 public:
  /// Larger copies only make the old bytes unknown.
  static constexpr std::uint64_t most_bytes_of_a_copy = std::uint64_t{1} << 20;
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

  void remember(std::uint64_t at, const void* bytes, std::uint64_t count);
  /// The value stands there again and again. Requires: its size divides the count.
  void remember_repeated(std::uint64_t at, std::vector<char> value, std::uint64_t count);
  /// Bytes known at `from` become known at `to`, and the others there unknown.
  void carry(std::uint64_t to, std::uint64_t from, std::uint64_t count);
  void forget(std::uint64_t at, std::uint64_t count);
  void forget_all();
  /// Whether every byte is known; only then they are written.
  bool read(void* to, std::uint64_t from, std::uint64_t count) const;

 private:
  /// The content is the piece, or is repeated through it from its beginning.
  struct Piece {
    std::uint64_t bytes = 0;
    std::vector<char> content;

    Piece part(std::uint64_t offset, std::uint64_t count) const;
    void copy_to(char* to, std::uint64_t offset, std::uint64_t count) const;
  };
  using Pieces = std::map<std::uint64_t, Piece>;

  /// The first piece that ends behind the address.
  Pieces::const_iterator first_behind(std::uint64_t at) const;
  bool knows(std::uint64_t at, std::uint64_t count) const;
  /// A known part of a range: where it begins in the range, and in its piece.
  struct Part {
    std::uint64_t place = 0;
    const Piece& piece;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  /// Calls use(part) for each part of a range that is known.
  template <class Use>
  void for_each_part(std::uint64_t at, std::uint64_t count, const Use& use) const;
  void add(std::uint64_t at, Piece piece);

  /// By address; they do not overlap.
  Pieces pieces_;
  /// Bytes of all contents.
  std::uint64_t held_bytes_ = 0;
};

}  // namespace vramlab::dry_run
