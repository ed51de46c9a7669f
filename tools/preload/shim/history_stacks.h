// Call stacks of a history: the place of the program when an entry was made. The entries have no
// room for it, so notes beside them say from which entry on a stack holds.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "allocator/types/snapshot.h"
#include "tools/preload/ground/call_stacks.h"

namespace vramlab::shim {

/// 0 if the place is not known.
using StackNumber = std::uint32_t;

struct HistoryEntry : allocator::AllocatorEvent {
  StackNumber stack = 0;
};

/// The functions that take stacks; without them none are taken.
struct StackSource {
  /// Takes the addresses from the caller of our function outwards.
  void (*take)(preload::ReturnAddresses& addresses) = nullptr;
  /// Requires: no lock is held.
  preload::CodePlaces (*find)(const preload::ReturnAddresses& addresses) = nullptr;
};

/// All stacks of a process, for all threads.
class TakenStacks {
 public:
  explicit TakenStacks(const StackSource& source) : source_(source) {}

  /// The place that the program called from. Requires: no lock is held.
  StackNumber take() { return source_.take == nullptr ? 0 : take_one(); }
  /// The frames as PyTorch's snapshots have them, from the innermost one; `[]` for the number 0.
  std::string frames_json(StackNumber stack) const;

 private:
  [[gnu::noinline]] StackNumber take_one();

  const StackSource source_;
  mutable std::mutex mutex_;
  preload::CallStacks stacks_;
};

/// The stack that holds from each noted entry on. Requires the lock of the history.
class StackNotes {
 public:
  /// The history has so many entries, at most.
  void set_capacity(std::size_t entries) { capacity_ = entries; }
  /// `recorded`: entries that were ever recorded.
  void go_on_with(StackNumber stack, std::uint64_t recorded);
  StackNumber now() const { return notes_.empty() ? 0 : notes_.back().stack; }
  /// The newest entries with the stacks that belong to them.
  std::vector<HistoryEntry> beside(const std::vector<allocator::AllocatorEvent>& newest,
                                   std::uint64_t recorded) const;

 private:
  struct Note {
    std::uint64_t first_entry;
    StackNumber stack;
  };
  std::deque<Note> notes_;
  std::size_t capacity_ = 0;
};

/// Takes the notes up again where they were: other calls may make entries while it lives.
template <class CountRecorded>
class StackKept {
 public:
  StackKept(StackNotes& notes, CountRecorded count)
      : notes_(notes), count_(count), stack_(notes.now()) {}
  StackKept(const StackKept&) = delete;
  StackKept& operator=(const StackKept&) = delete;
  ~StackKept() { notes_.go_on_with(stack_, count_()); }

 private:
  StackNotes& notes_;
  const CountRecorded count_;
  const StackNumber stack_;
};

/// A text as JSON has it, with its quotation marks.
void add_json_text(std::string& json, std::string_view text);

}  // namespace vramlab::shim
