#include "replay/host/host_history.h"

#include <optional>
#include <unordered_map>

#include "traces/values/generic_text.h"

namespace vramlab::replay {
namespace {

using traces::GenericValue;
using traces::KnownText;
using traces::ProgramEvent;
using traces::ProgramEventKind;
using traces::TextId;

struct HostEntry {
  TextId action;
  std::uint64_t address = 0;
  Bytes size;
  std::uint64_t time_us = 0;
};

std::uint64_t number_at(const GenericValue& object, std::string_view name,
                        const traces::TextTable& texts) {
  const GenericValue* value = find_item(object, name, texts);
  const auto* number =
      value == nullptr ? nullptr : std::get_if<traces::WholeNumber>(&value->content);
  return number == nullptr ? 0 : number->bits;
}

HostEntry entry_of(const GenericValue& object, const traces::TextTable& texts) {
  HostEntry entry;
  if (const GenericValue* action = find_item(object, "action", texts))
    if (const auto* text = std::get_if<TextId>(&action->content)) entry.action = *text;
  entry.address = number_at(object, "addr", texts);
  entry.size = {number_at(object, "size", texts)};
  entry.time_us = number_at(object, "time_us", texts);
  return entry;
}

class HostHistoryWriter {
 public:
  void add(const HostEntry& entry, const HostEntry* next) {
    now_us_ = entry.time_us;
    const auto live = ids_.find(entry.address);
    if (entry.action == KnownText::alloc)
      request(entry);
    else if (entry.action == KnownText::segment_free)
      released(entry);
    else if (entry.action == KnownText::free_requested && live == ids_.end())
      ++history_.left_out;
    else if (entry.action == KnownText::free_requested)
      free(live->second, next != nullptr && next->action == KnownText::free_completed &&
                             next->address == entry.address);
    else if (entry.action == KnownText::free_completed)
      completed(entry);
    last_ = entry;
  }
  HostHistory take() { return std::move(history_); }

 private:
  ProgramEvent& event(ProgramEventKind kind) {
    ProgramEvent& added = history_.events.emplace_back();
    added.kind = kind;
    added.time_ns = now_us_ * 1000;
    return added;
  }

  void request(const HostEntry& entry) {
    ids_[entry.address] = ++last_id_;
    ProgramEvent& added = event(ProgramEventKind::host_malloc);
    added.id = last_id_;
    added.bytes = entry.size;
  }

  /// One that waits does so for a stream of its own, whose work ends when the wait does.
  void free(std::uint64_t id, bool completes_at_once) {
    if (!completes_at_once) {
      event(ProgramEventKind::work).stream = {id};
      ProgramEvent& use = event(ProgramEventKind::host_use);
      use.id = id;
      use.stream = {id};
    }
    event(ProgramEventKind::host_free).id = id;
  }

  void completed(const HostEntry& entry) {
    const auto live = ids_.find(entry.address);
    if (live == ids_.end()) return;
    event(ProgramEventKind::stream_done).stream = {live->second};
    ids_.erase(live);
  }

  /// Right behind the end of its free it was above the limit of what is cached, which a replay
  /// decides by itself; otherwise the cache was emptied.
  void released(const HostEntry& entry) {
    const bool follows_its_free =
        last_ && last_->action == KnownText::free_completed && last_->address == entry.address;
    const bool goes_on = last_ && last_->action == KnownText::segment_free && empties_;
    if (!follows_its_free && !goes_on) event(ProgramEventKind::host_empty_cache);
    empties_ = !follows_its_free;
  }

  HostHistory history_;
  std::unordered_map<std::uint64_t, std::uint64_t> ids_;
  std::uint64_t last_id_ = 0;
  std::uint64_t now_us_ = 0;
  std::optional<HostEntry> last_;
  bool empties_ = false;
};

}  // namespace

HostHistory host_history_of(const GenericValue& entries, const traces::TextTable& texts) {
  const auto* items = items_of(entries);
  if (items == nullptr) return {};
  HostHistoryWriter writer;
  std::optional<HostEntry> entry;
  for (std::size_t i = 0; i <= items->size(); ++i) {
    std::optional<HostEntry> next;
    if (i < items->size()) next = entry_of(*(*items)[i], texts);
    if (entry) writer.add(*entry, next ? &*next : nullptr);
    entry = next;
  }
  return writer.take();
}

}  // namespace vramlab::replay
