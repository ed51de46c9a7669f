#include "traces/model/snapshot_writer.h"

#include <type_traits>
#include <utility>

#include "traces/io/input_error.h"

namespace vramlab::traces {
SnapshotWriter::SnapshotWriter(std::unique_ptr<SnapshotEncoder> encoder,
                               const SnapshotTables& tables)
    : encoder_(std::move(encoder)), tables_(tables) {}

void SnapshotWriter::finish() {
  begin_top();
  end_section();
  if (top_ == Top::dict) encoder_->end_dict();
  encoder_->finish();
}

void SnapshotWriter::bare_list() { top_ = Top::list; }

void SnapshotWriter::begin_top() {
  if (top_ != Top::not_begun) return;
  top_ = Top::dict;
  encoder_->begin_dict();
}

void SnapshotWriter::section(SnapshotSection section) {
  begin_top();
  end_section();
  section_ = section;
  if (top_ == Top::dict) encoder_->key(key_of(section));
  // The settings are a dict, which comes as a whole.
  if (section != SnapshotSection::allocator_settings) encoder_->begin_list();
}

void SnapshotWriter::end_section() {
  if (has_open_trace_) encoder_->end_list();
  has_open_trace_ = false;
  if (section_ && *section_ != SnapshotSection::allocator_settings) encoder_->end_list();
  section_.reset();
}

void SnapshotWriter::unknown_section(TextId key, const GenericPointer& value) {
  begin_top();
  end_section();
  encoder_->key(key);
  write_generic(value);
}

void SnapshotWriter::settings(const GenericPointer& settings) { write_generic(settings); }

template <typename Value>
void SnapshotWriter::write_fields(const Value& value, KeySet keys) {
  each_field(value, keys, [&](KnownText key, const auto& member) {
    encoder_->key(key);
    write(member);
  });
}

template <typename Value>
void SnapshotWriter::write_dict(const Value& value) {
  encoder_->begin_dict();
  write_fields(value, value.keys);
  write_unknown(value.unknown);
  encoder_->end_dict();
}

void SnapshotWriter::segment(const SegmentValue& segment) {
  // PyTorch puts a stack that is there behind the blocks.
  const bool has_stack = segment.keys.has(KnownText::frames) && segment.stack != StackId{};
  KeySet keys = segment.keys;
  if (has_stack) keys.remove(KnownText::frames);
  encoder_->begin_dict();
  write_fields(segment, keys);
  if (has_stack) {
    encoder_->key(KnownText::frames);
    write(segment.stack);
  }
  write_unknown(segment.unknown);
  encoder_->end_dict();
}

void SnapshotWriter::device_trace(DeviceIndex) {
  if (has_open_trace_) encoder_->end_list();
  has_open_trace_ = true;
  encoder_->begin_list();
}

void SnapshotWriter::trace_entry(DeviceIndex, const TraceEntry& entry) { write_dict(entry); }

void SnapshotWriter::annotation(const AnnotationValue& annotation) { write_dict(annotation); }

template <typename Item>
void SnapshotWriter::write(const std::vector<Item>& items) {
  encoder_->begin_list();
  for (const Item& item : items) {
    if constexpr (std::is_same_v<Item, TextId>)
      write(item);
    else
      write_dict(item);
  }
  encoder_->end_list();
}

void SnapshotWriter::write(std::int64_t number) {
  encoder_->scalar(WholeNumber{static_cast<std::uint64_t>(number), number < 0});
}

void SnapshotWriter::write(PoolParts<const PoolId, const bool> pool) {
  if (pool.is_list)
    encoder_->begin_list();
  else
    encoder_->begin_tuple(2);
  write(pool.id.graph);
  write(pool.id.user);
  if (pool.is_list)
    encoder_->end_list();
  else
    encoder_->end_tuple(2);
}

bool SnapshotWriter::is_written_by_reference(Places& places, std::uint32_t id) {
  if (id >= places.size()) places.resize(std::size_t{id} + 1);
  return places[id] != 0 && encoder_->refer_to(places[id] - 1);
}

void SnapshotWriter::write(StackId stack) {
  const auto frames = tables_.stacks.frames(stack);
  if (!frames.empty() && is_written_by_reference(stack_places_, stack.value)) return;
  encoder_->begin_list();
  // An empty list is shorter than a reference to one.
  if (!frames.empty()) stack_places_[stack.value] = encoder_->remember() + 1;
  for (const FrameId frame : frames) write_frame(frame);
  encoder_->end_list();
}

void SnapshotWriter::write_frame(FrameId id) {
  if (is_written_by_reference(frame_places_, id.value)) return;
  const FrameValue& frame = tables_.frames.frame(id);
  encoder_->begin_dict();
  frame_places_[id.value] = encoder_->remember() + 1;
  write_fields(frame, frame.keys);
  write_unknown(frame.unknown);
  encoder_->end_dict();
}

void SnapshotWriter::write_unknown(const std::vector<UnknownField>& fields) {
  for (const UnknownField& field : fields) {
    encoder_->key(field.key);
    write_generic(field.value);
  }
}

/// Its depth is bounded by deepest_generic_value, so this may call itself.
void SnapshotWriter::write_generic(const GenericPointer& value, Walk walk) {
  // A few shared values can stand for more than any disk holds.
  constexpr std::uint64_t most_repeated_values = std::uint64_t{1} << 26;
  if (walk == Walk::again && ++repeated_values_ > most_repeated_values)
    throw InputError({"the recording", "", "values that can be written without references",
                      "more than " + std::to_string(most_repeated_values) + " repetitions"});
  const auto write_if_scalar = [this](const auto& content) {
    constexpr bool is_scalar = requires { encoder_->scalar(content); };
    if constexpr (is_scalar) encoder_->scalar(content);
    return is_scalar;
  };
  if (std::visit(write_if_scalar, value->content)) return;
  const auto known = shared_.find(value.get());
  if (known != shared_.end()) {
    if (encoder_->refer_to(known->second.place)) return;
    walk = Walk::again;
  }
  write_parts(value, walk);
}

void SnapshotWriter::write_key(const GenericPointer& key) {
  if (const auto* text = std::get_if<TextId>(&key->content)) return encoder_->key(*text);
  encoder_->begin_foreign_key();
  write_generic(key);
}

void SnapshotWriter::write_parts(const GenericPointer& value, Walk walk) {
  // A value that nobody else holds comes once.
  const bool may_come_again = value.use_count() > 1 && walk == Walk::first_time;
  const auto remember = [&] {
    if (may_come_again) shared_[value.get()] = {value, encoder_->remember()};
  };
  if (const auto* dict = std::get_if<GenericDict>(&value->content)) {
    encoder_->begin_dict();
    remember();
    for (const auto& [key, item] : dict->items) {
      write_key(key);
      write_generic(item, walk);
    }
    encoder_->end_dict();
  } else if (const auto* list = std::get_if<GenericList>(&value->content)) {
    encoder_->begin_list();
    remember();
    for (const GenericPointer& item : list->items) write_generic(item, walk);
    encoder_->end_list();
  } else if (const auto* tuple = std::get_if<GenericTuple>(&value->content)) {
    encoder_->begin_tuple(tuple->items.size());
    for (const GenericPointer& item : tuple->items) write_generic(item, walk);
    encoder_->end_tuple(tuple->items.size());
    remember();
  }
}

}  // namespace vramlab::traces
