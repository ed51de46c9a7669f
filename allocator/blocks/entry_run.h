// EntryRun: many free blocks in one bin, by descending key. Chunks of up to 16 keys with a
// directory of each chunk's lowest key, so that an insertion moves few entries however many there
// are. Searches are written without branches: which way they go cannot be foreseen.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "allocator/blocks/block.h"

namespace vramlab::allocator {

/// How many of the first `count` keys, which descend, are above `key`.
inline std::uint32_t count_above(const std::uint64_t* keys, std::uint32_t count,
                                 std::uint64_t key) {
  const std::uint64_t* from = keys;
  while (count > 1) {
    const std::uint32_t half = count / 2;
    from += half & (0U - static_cast<std::uint32_t>(from[half - 1] > key));
    count -= half;
  }
  const bool last_is_above = count == 1 && *from > key;
  return static_cast<std::uint32_t>(from - keys) + (last_is_above ? 1 : 0);
}

class EntryRun {
 public:
  /// A place in the run: chunk * chunk_size + position.
  using Slot = std::uint32_t;

  bool is_empty() const { return chunks_.empty(); }
  BlockIndex block_at(Slot slot) const {
    return chunks_[slot / chunk_size]->blocks[slot % chunk_size];
  }
  std::uint64_t key_at(Slot slot) const {
    return chunks_[slot / chunk_size]->keys[slot % chunk_size];
  }
  /// Requires, both: the run is not empty.
  Slot lowest() const { return last_of(chunks_.size() - 1); }
  static Slot highest() { return 0; }

  /// The place of the lowest key that is not below `key`; end() where there is none.
  Slot at_or_above(std::uint64_t key) const;
  /// One step up; end() from the highest.
  Slot above(Slot slot) const;
  /// The place of the highest key that is below `key`, which is not 0; end() where there is none.
  Slot below(std::uint64_t key) const;
  static constexpr Slot end() { return 0xffffffff; }

  /// Requires: the key is not in the run.
  void insert(std::uint64_t key, BlockIndex block);
  /// Requires: the key is in the run.
  Slot place_of(std::uint64_t key) const {
    const std::size_t chunk = chunk_of(key);
    return slot_of(chunk, chunks_[chunk]->count_above(key));
  }
  void remove_at(Slot slot);

 private:
  static constexpr std::uint32_t chunk_size = 16;
  struct Chunk {
    /// Behind the last one all are 0, so that a search always takes the same steps.
    std::array<std::uint64_t, chunk_size> keys{};
    std::array<BlockIndex, chunk_size> blocks{};
    std::uint32_t count = 0;

    std::uint32_t count_above(std::uint64_t key) const {
      std::uint32_t above = 0;
      for (const std::uint64_t each : keys) above += static_cast<std::uint32_t>(each > key);
      return above;
    }
  };

  static Slot slot_of(std::size_t chunk, std::uint32_t position) {
    return static_cast<Slot>(chunk) * chunk_size + position;
  }
  Slot last_of(std::size_t chunk) const { return slot_of(chunk, chunks_[chunk]->count - 1); }
  /// The chunk that a key belongs to.
  std::size_t chunk_of(std::uint64_t key) const {
    const auto last = static_cast<std::uint32_t>(lowest_keys_.size()) - 1;
    return count_above(lowest_keys_.data(), last, key);
  }
  void add_chunk(std::size_t at);
  void split(std::size_t at);
  void drop_chunk(std::size_t at);

  std::vector<std::uint64_t> lowest_keys_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  /// Emptied chunks wait here to be used again.
  std::vector<std::unique_ptr<Chunk>> spare_;
};

inline void EntryRun::insert(std::uint64_t key, BlockIndex block) {
  if (chunks_.empty()) [[unlikely]]
    add_chunk(0);
  std::size_t at = chunk_of(key);
  if (chunks_[at]->count == chunk_size) [[unlikely]] {
    split(at);
    at = chunk_of(key);
  }
  Chunk& chunk = *chunks_[at];
  const std::uint32_t position = chunk.count_above(key);
  for (std::uint32_t i = chunk.count; i > position; --i) {
    chunk.keys[i] = chunk.keys[i - 1];
    chunk.blocks[i] = chunk.blocks[i - 1];
  }
  chunk.keys[position] = key;
  chunk.blocks[position] = block;
  lowest_keys_[at] = chunk.keys[chunk.count++];
}

inline void EntryRun::remove_at(Slot slot) {
  Chunk& chunk = *chunks_[slot / chunk_size];
  --chunk.count;
  for (std::uint32_t i = slot % chunk_size; i < chunk.count; ++i) {
    chunk.keys[i] = chunk.keys[i + 1];
    chunk.blocks[i] = chunk.blocks[i + 1];
  }
  chunk.keys[chunk.count] = 0;
  if (chunk.count == 0) [[unlikely]]
    drop_chunk(slot / chunk_size);
  else
    lowest_keys_[slot / chunk_size] = chunk.keys[chunk.count - 1];
}

}  // namespace vramlab::allocator
