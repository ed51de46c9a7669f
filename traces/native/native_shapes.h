// Shapes: what recorded entries have besides numbers: which keys there are, the action, texts,
// unknown keys. Few are different, so a binary trace writes each once and an entry names its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "traces/native/native_speller.h"
#include "traces/values/snapshot_fields.h"

namespace vramlab::traces {

/// The keys whose values stand in the entry's event. Of an entry with an address, the device's free
/// memory stands in its shape.
constexpr KeySet keys_in_event(KeySet keys) {
  constexpr KnownText in_event[] = {KnownText::addr,    KnownText::size,    KnownText::stream,
                                    KnownText::time_us, KnownText::pool_id, KnownText::frames};
  KeySet found;
  for (const KnownText key : in_event)
    if (keys.has(key)) found.add(key);
  if (keys.has(KnownText::device_free) && !keys.has(KnownText::addr))
    found.add(KnownText::device_free);
  return found;
}

/// Gives shapes their numbers, and writes the line of each new one.
class NativeShapes {
 public:
  /// Both must outlive it.
  NativeShapes(LineSink& lines, NativeSpeller& speller) : lines_(lines), speller_(speller) {}

  std::uint32_t number_of(const TraceEntry& entry);

 private:
  using PlainShape =
      std::tuple<std::uint64_t, TextId, TextId, TextId, TextId, TextId, std::uint64_t>;

  std::uint32_t spelled_number(const TraceEntry& entry);

  LineSink& lines_;
  NativeSpeller& speller_;
  std::map<PlainShape, std::uint32_t> plain_;
  std::map<std::string, std::uint32_t> spelled_;
};

}  // namespace vramlab::traces
