// LiveBlocks: the memory in use on one device while events go by, each block from when it is handed
// out until its free is completed. Everything that follows blocks derives from it and hears of
// them: timelines, report pages, waiting frees, lifetimes, call sites.
//
// A key is an address in a recording, where memory may have been there before the first event, and
// an id in a program, where a free of a block that is not live shows that the file is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "replay/recording/recorded_history.h"

namespace vramlab::replay {

inline constexpr std::uint64_t ns_per_us = 1000;

/// The number of a segment's life, from the call that got it to the call that gave it back.
/// Addresses are used again; a life is not.
using LifeIndex = std::uint32_t;
inline constexpr LifeIndex no_life = 0xffffffff;

/// The owner gave the memory back, and it waits for other streams.
struct FreeRequest {
  /// Empty if that was before the first event.
  std::optional<std::uint64_t> event;
  std::optional<std::uint64_t> time_ns;
  traces::StackId stack;
  friend bool operator==(const FreeRequest&, const FreeRequest&) = default;
};

struct LiveBlock {
  std::uint64_t key = 0;
  Bytes requested;
  /// Rounded up, or the whole block where it is known.
  Bytes bytes;
  StreamId stream;
  PoolId pool;
  traces::StackId stack;
  /// The program's last name for it; empty if there is none.
  traces::TextId label;
  /// Event and time of the allocation; empty if it was before the first event.
  std::optional<std::uint64_t> event;
  std::optional<std::uint64_t> time_ns;
  std::optional<FreeRequest> freed;
  /// The life of its segment, where blocks have places.
  LifeIndex life = no_life;
  /// How many blocks were heard of before it.
  std::size_t serial = 0;

  /// How many events were done when it was there.
  std::uint64_t since() const { return event ? *event + 1 : 0; }
  friend bool operator==(const LiveBlock&, const LiveBlock&) = default;
};

/// Oldest first.
void sort_by_age(std::vector<LiveBlock>& blocks);

enum class MemoryEventKind : std::uint8_t {
  allocated,
  /// Its owner gave it back.
  freed,
  /// It is free. Only where no `freed` came does this say when it was given back.
  free_completed,
  failed,
  /// The program gave it a label.
  labelled,
  /// A checkpoint of a pool was restored: only an allocator knows the blocks held there.
  restored,
  range_begin,
  range_end,
  marker,
  other,
};

MemoryEventKind kind_of(Action action);

struct MemoryEvent {
  MemoryEventKind kind = MemoryEventKind::other;
  std::int64_t device = 0;
  std::uint64_t number = 0;
  std::optional<std::uint64_t> time_ns;
  /// An allocation says all of it; a free only what the file says there.
  LiveBlock block;
  /// The name of a range or marker.
  traces::TextId text;
};

/// An event of a recorded history; its time is left out where some events have none.
MemoryEvent memory_event(const DeviceHistory& history, std::size_t event);

enum class KeyMeaning : std::uint8_t { address, id };

class LiveBlocks {
 public:
  LiveBlocks() = default;
  /// `file` is for messages.
  LiveBlocks(KeyMeaning keys, std::string file) : keys_(keys), file_(std::move(file)) {}
  LiveBlocks(const LiveBlocks&) = delete;
  LiveBlocks& operator=(const LiveBlocks&) = delete;
  virtual ~LiveBlocks() = default;

  /// Memory from before the first event.
  void add_earlier(LiveBlock block);
  /// Throws InputError if a program frees a block that is not live, or names a live one anew.
  void apply(const MemoryEvent& event);

  /// Null where nothing is in use under the key.
  const LiveBlock* find(std::uint64_t key) const;
  /// Oldest first.
  std::vector<LiveBlock> in_order() const;
  /// The file says when memory was given back, as far as it was applied.
  bool says_when_freed() const { return says_when_freed_; }

 protected:
  virtual void block_allocated(const LiveBlock&) {}
  /// It was there before the first event: given at the beginning, or found when it is freed.
  virtual void block_was_there(const LiveBlock&) {}
  /// Its owner gave it back. `freed` is empty where only its completion says so.
  virtual void block_freed(const LiveBlock&) {}
  virtual void block_completed(const LiveBlock&) {}
  /// Handed out, or given back, once more, and no event ended it.
  virtual void block_lost(const LiveBlock&) {}
  /// The first event that gives memory back: earlier blocks that were completed until then were
  /// not in use, but waiting, when the history began.
  virtual void first_free_told() {}

 private:
  using Blocks = std::unordered_map<std::uint64_t, LiveBlock>;

  bool checks_ids() const { return keys_ == KeyMeaning::id && !allows_unknown_ids_; }
  LiveBlock& put(LiveBlock block);
  LiveBlock& put_earlier(LiveBlock block);
  void allocate(const MemoryEvent& event);
  void free(const MemoryEvent& event);
  void complete(const MemoryEvent& event);
  void label(const MemoryEvent& event);
  void end(const LiveBlock& block);
  void lose(std::uint64_t key);

  KeyMeaning keys_ = KeyMeaning::address;
  std::string file_;
  /// A checkpoint was restored: ids that no malloc named may be freed.
  bool allows_unknown_ids_ = false;
  bool says_when_freed_ = false;
  std::size_t count_ = 0;
  /// Looked up only; lists taken out of it are sorted.
  Blocks blocks_;
  /// The node of the block that ended last, for the next one.
  Blocks::node_type spare_;
};

}  // namespace vramlab::replay
