#include "traces/values/snapshot_writer.h"

#include <utility>

#include "allocator/words/check.h"
#include "traces/files/input_error.h"

namespace vramlab::traces {
namespace {

KnownText key_of(SnapshotSection section) {
  switch (section) {
    case SnapshotSection::segments:
      return KnownText::segments;
    case SnapshotSection::device_traces:
      return KnownText::device_traces;
    case SnapshotSection::allocator_settings:
      return KnownText::allocator_settings;
    case SnapshotSection::external_annotations:
      return KnownText::external_annotations;
  }
  check_failed("every section has a key", __FILE__, __LINE__);
}

}  // namespace

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

void SnapshotWriter::segment(const SegmentValue& segment) {
  const KeySet keys = segment.keys;
  encoder_->begin_dict();
  signed_field(keys, KnownText::device, segment.device);
  number_field(keys, KnownText::address, segment.address.value);
  number_field(keys, KnownText::total_size, segment.total_size.count);
  number_field(keys, KnownText::allocated_size, segment.allocated_size.count);
  number_field(keys, KnownText::active_size, segment.active_size.count);
  number_field(keys, KnownText::requested_size, segment.requested_size.count);
  number_field(keys, KnownText::stream, segment.stream.value);
  text_field(keys, KnownText::segment_type, segment.segment_type);
  pool_field(keys, KnownText::segment_pool_id, {segment.pool, segment.pool_is_list});
  if (keys.has(KnownText::is_expandable)) {
    encoder_->key(KnownText::is_expandable);
    encoder_->boolean(segment.is_expandable);
  }
  // PyTorch puts a stack that is there behind the blocks.
  const bool has_stack = segment.stack != StackId{};
  if (!has_stack) stack_field(keys, segment.stack);
  if (keys.has(KnownText::blocks)) write_blocks(segment.blocks);
  if (has_stack) stack_field(keys, segment.stack);
  write_unknown(segment.unknown);
  encoder_->end_dict();
}

void SnapshotWriter::write_blocks(const std::vector<BlockValue>& blocks) {
  encoder_->key(KnownText::blocks);
  encoder_->begin_list();
  for (const BlockValue& block : blocks) write_block(block);
  encoder_->end_list();
}

void SnapshotWriter::write_block(const BlockValue& block) {
  encoder_->begin_dict();
  number_field(block.keys, KnownText::address, block.address.value);
  number_field(block.keys, KnownText::size, block.size.count);
  number_field(block.keys, KnownText::requested_size, block.requested_size.count);
  text_field(block.keys, KnownText::state, block.state);
  stack_field(block.keys, block.stack);
  if (block.keys.has(KnownText::history)) write_history(block.history);
  write_unknown(block.unknown);
  encoder_->end_dict();
}

void SnapshotWriter::write_history(const std::vector<HistoryEntry>& history) {
  encoder_->key(KnownText::history);
  encoder_->begin_list();
  for (const HistoryEntry& entry : history) {
    encoder_->begin_dict();
    number_field(entry.keys, KnownText::addr, entry.address.value);
    number_field(entry.keys, KnownText::real_size, entry.real_size.count);
    stack_field(entry.keys, entry.stack);
    write_unknown(entry.unknown);
    encoder_->end_dict();
  }
  encoder_->end_list();
}

void SnapshotWriter::device_trace(DeviceIndex) {
  if (has_open_trace_) encoder_->end_list();
  has_open_trace_ = true;
  encoder_->begin_list();
}

void SnapshotWriter::trace_entry(DeviceIndex, const TraceEntry& entry) {
  const KeySet keys = entry.keys;
  encoder_->begin_dict();
  text_field(keys, KnownText::action, entry.action);
  number_field(keys, KnownText::addr, entry.address.value);
  number_field(keys, KnownText::device_free, entry.device_free.count);
  number_field(keys, KnownText::size, entry.size.count);
  number_field(keys, KnownText::stream, entry.stream.value);
  text_field(keys, KnownText::compile_context, entry.compile_context);
  text_field(keys, KnownText::user_metadata, entry.user_metadata);
  number_field(keys, KnownText::time_us, entry.time_us);
  pool_field(keys, KnownText::pool_id, {entry.pool, entry.pool_is_list});
  stack_field(keys, entry.stack);
  if (keys.has(KnownText::forward_frames)) write_texts(entry.forward_frames);
  text_field(keys, KnownText::internal_metadata, entry.internal_metadata);
  text_field(keys, KnownText::category, entry.category);
  write_unknown(entry.unknown);
  encoder_->end_dict();
}

void SnapshotWriter::write_texts(const std::vector<TextId>& texts) {
  encoder_->key(KnownText::forward_frames);
  encoder_->begin_list();
  for (const TextId text : texts) encoder_->text(text);
  encoder_->end_list();
}

void SnapshotWriter::annotation(const AnnotationValue& annotation) {
  encoder_->begin_dict();
  text_field(annotation.keys, KnownText::name, annotation.name);
  text_field(annotation.keys, KnownText::stage, annotation.stage);
  signed_field(annotation.keys, KnownText::device, annotation.device);
  number_field(annotation.keys, KnownText::time_us, annotation.time_us);
  write_unknown(annotation.unknown);
  encoder_->end_dict();
}

void SnapshotWriter::number_field(KeySet keys, KnownText key, std::uint64_t number) {
  if (!keys.has(key)) return;
  encoder_->key(key);
  encoder_->whole({number, false});
}

void SnapshotWriter::signed_field(KeySet keys, KnownText key, std::int64_t number) {
  if (!keys.has(key)) return;
  encoder_->key(key);
  encoder_->whole({static_cast<std::uint64_t>(number), number < 0});
}

void SnapshotWriter::text_field(KeySet keys, KnownText key, TextId text) {
  if (!keys.has(key)) return;
  encoder_->key(key);
  encoder_->text(text);
}

void SnapshotWriter::pool_field(KeySet keys, KnownText key, Pool pool) {
  if (!keys.has(key)) return;
  encoder_->key(key);
  if (pool.is_list)
    encoder_->begin_list();
  else
    encoder_->begin_tuple(2);
  encoder_->whole({pool.id.graph, false});
  encoder_->whole({pool.id.user, false});
  if (pool.is_list)
    encoder_->end_list();
  else
    encoder_->end_tuple(2);
}

void SnapshotWriter::stack_field(KeySet keys, StackId stack) {
  if (!keys.has(KnownText::frames)) return;
  encoder_->key(KnownText::frames);
  write_stack(stack);
}

bool SnapshotWriter::is_written_by_reference(Places& places, std::uint32_t id) {
  if (id >= places.size()) places.resize(std::size_t{id} + 1);
  return places[id] != 0 && encoder_->refer_to(places[id] - 1);
}

void SnapshotWriter::write_stack(StackId stack) {
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
  text_field(frame.keys, KnownText::name, frame.name);
  text_field(frame.keys, KnownText::filename, frame.filename);
  signed_field(frame.keys, KnownText::line, frame.line);
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
  if (write_scalar(*value)) return;
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

bool SnapshotWriter::write_scalar(const GenericValue& value) {
  if (const auto* flag = std::get_if<bool>(&value.content))
    encoder_->boolean(*flag);
  else if (const auto* number = std::get_if<WholeNumber>(&value.content))
    encoder_->whole(*number);
  else if (const auto* long_number = std::get_if<LongNumber>(&value.content))
    encoder_->long_number(*long_number);
  else if (const auto* real = std::get_if<double>(&value.content))
    encoder_->real(*real);
  else if (const auto* text = std::get_if<TextId>(&value.content))
    encoder_->text(*text);
  else if (std::holds_alternative<NoneValue>(value.content))
    encoder_->none();
  else
    return false;
  return true;
}

void SnapshotWriter::write_parts(const GenericPointer& value, Walk walk) {
  // Nobody else holds it: it comes once.
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
