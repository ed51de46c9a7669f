// SnapshotWriter: a sink that writes its values as a PyTorch memory snapshot, at once, so an output
// needs no more memory than its input. The sections come out in the order in which they
// come in, the keys of a value in PyTorch's order with unknown ones behind.
//
// Stacks and frames that are equal become one where the format can refer to them, and so do shared
// values of any shape. Addresses and streams are written unsigned, also where a file had them
// signed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "allocator/types/check.h"
#include "traces/model/snapshot_fields.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// Spells the parts of a snapshot in one format. SnapshotWriter knows the structure of a snapshot
/// and calls an encoder for each dict, list, key and value in turn.
class SnapshotEncoder : public Interface {
 public:
  virtual void begin_dict() = 0;
  virtual void end_dict() = 0;
  /// The key of the value that comes next. Requires: a dict is the innermost thing that is open.
  virtual void key(TextId key) = 0;
  /// The next value is a key that is no text. Throws InputError in a format without such keys.
  virtual void begin_foreign_key() = 0;
  virtual void begin_list() = 0;
  virtual void end_list() = 0;
  virtual void begin_tuple(std::size_t item_count) = 0;
  virtual void end_tuple(std::size_t item_count) = 0;

  // A value without parts.
  virtual void scalar(NoneValue) = 0;
  virtual void scalar(bool flag) = 0;
  virtual void scalar(WholeNumber number) = 0;
  virtual void scalar(LongNumber number) = 0;
  virtual void scalar(double number) = 0;
  virtual void scalar(TextId text) = 0;

  /// Lets later values refer to the dict or list that was begun just now, or to the tuple that
  /// ended just now, by the place that is returned.
  virtual std::uint32_t remember() = 0;
  /// Writes a reference. False, with nothing written, in a format that has none.
  virtual bool refer_to(std::uint32_t place) = 0;

  /// After the last value.
  virtual void finish() = 0;
};

class SnapshotWriter : public SnapshotSink {
 public:
  /// The tables are those of the sink's caller; they must live as long.
  SnapshotWriter(std::unique_ptr<SnapshotEncoder> encoder, const SnapshotTables& tables);

  /// After the last call of the sink: without it, the end is missing.
  void finish();

  void bare_list() override;
  void section(SnapshotSection section) override;
  void segment(const SegmentValue& segment) override;
  void device_trace(DeviceIndex device) override;
  void trace_entry(DeviceIndex device, const TraceEntry& entry) override;
  void settings(const GenericPointer& settings) override;
  void annotation(const AnnotationValue& annotation) override;
  void unknown_section(TextId key, const GenericPointer& value) override;

 private:
  enum class Top : std::uint8_t { not_begun, dict, list };
  enum class Walk : std::uint8_t { first_time, again };
  /// The place under which something was remembered, plus one; 0 if it was not.
  using Places = std::vector<std::uint32_t>;

  void begin_top();
  void end_section();
  template <typename Value>
  void write_dict(const Value& value);
  template <typename Value>
  void write_fields(const Value& value, KeySet keys);
  // Each writes the value under the key of a field.
  template <typename Item>
  void write(const std::vector<Item>& items);
  void write(std::uint64_t number) { encoder_->scalar(WholeNumber{number, false}); }
  void write(std::int64_t number);
  void write(Bytes size) { write(size.count); }
  void write(Address address) { write(address.value); }
  void write(StreamId stream) { write(stream.value); }
  void write(bool flag) { encoder_->scalar(flag); }
  void write(TextId text) { encoder_->scalar(text); }
  void write(StackId stack);
  void write(PoolParts<const PoolId, const bool> pool);
  void write_frame(FrameId id);
  void write_unknown(const std::vector<UnknownField>& fields);
  void write_generic(const GenericPointer& value, Walk walk = Walk::first_time);
  void write_parts(const GenericPointer& value, Walk walk);
  void write_key(const GenericPointer& key);
  bool is_written_by_reference(Places& places, std::uint32_t id);

  std::unique_ptr<SnapshotEncoder> encoder_;
  const SnapshotTables& tables_;
  Top top_ = Top::not_begun;
  std::optional<SnapshotSection> section_;
  bool has_open_trace_ = false;
  Places stack_places_;
  Places frame_places_;
  /// Shared values are kept, so that no other value gets their address. Looked up only; the order
  /// is never seen.
  struct Shared {
    GenericPointer value;
    std::uint32_t place = 0;
  };
  std::unordered_map<const GenericValue*, Shared> shared_;
  std::uint64_t repeated_values_ = 0;
};

}  // namespace vramlab::traces
