#include "traces/native/native_shapes.h"

#include "traces/native/native_field_writer.h"

namespace vramlab::traces {
namespace {

KeySet keys_in_shape(KeySet keys) {
  KeySet rest = keys;
  const KeySet in_event = keys_in_event(keys);
  for (std::uint32_t key = 0; key < known_key_count; ++key)
    if (in_event.has(static_cast<KnownText>(key))) rest.remove(static_cast<KnownText>(key));
  return rest;
}

void add_key_names(std::string& line, KeySet keys) {
  line += '[';
  for (std::uint32_t key = 0; key < known_key_count; ++key) {
    if (!keys.has(static_cast<KnownText>(key))) continue;
    if (line.back() != '[') line += ',';
    add_json_text(line, known_text(static_cast<KnownText>(key)));
  }
  line += ']';
}

}  // namespace

std::uint32_t NativeShapes::number_of(const TraceEntry& entry) {
  if (!entry.unknown.empty() || !entry.forward_frames.empty()) return spelled_number(entry);
  const bool has_address = entry.keys.has(KnownText::addr);
  const PlainShape plain(entry.keys.bits(), entry.action, entry.compile_context,
                         entry.user_metadata, entry.internal_metadata, entry.category,
                         has_address ? entry.device_free.count : 0);
  const auto [place, is_new] = plain_.try_emplace(plain, 0);
  if (is_new) place->second = spelled_number(entry);
  return place->second;
}

std::uint32_t NativeShapes::spelled_number(const TraceEntry& entry) {
  TraceEntry shape = entry;
  shape.keys = keys_in_shape(entry.keys);
  std::string spelled = ",\"keys\":";
  add_key_names(spelled, keys_in_event(entry.keys));
  spelled += ",\"is\":";
  add_fields(spelled, speller_, shape);
  const auto next_number = static_cast<std::uint32_t>(spelled_.size() + 1);
  const auto [place, is_new] = spelled_.try_emplace(std::move(spelled), next_number);
  if (is_new)
    lines_.line("{\"shape\":" + std::to_string(next_number) + place->first + "}",
                LineKind::definition);
  return place->second;
}

}  // namespace vramlab::traces
