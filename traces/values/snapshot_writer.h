// SnapshotWriter: a sink that writes what it is given as a PyTorch memory snapshot, at once, so an
// output needs no more memory than its input. The sections come out in the order in which they
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

#include "traces/files/byte_sink.h"
#include "traces/values/snapshot_encoder.h"
#include "traces/values/snapshot_sink.h"
#include "traces/values/snapshot_tables.h"

namespace vramlab::traces {

class SnapshotWriter : public SnapshotSink {
 public:
  /// The tables are those of whoever calls the sink; they must live as long.
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
  struct Pool {
    allocator::PoolId id;
    bool is_list = false;
  };
  enum class Walk : std::uint8_t { first_time, again };
  /// Where something was remembered, plus one; 0 where it was not.
  using Places = std::vector<std::uint32_t>;

  void begin_top();
  void end_section();
  void write_block(const BlockValue& block);
  void write_blocks(const std::vector<BlockValue>& blocks);
  void write_history(const std::vector<HistoryEntry>& history);
  void write_texts(const std::vector<TextId>& texts);
  void write_stack(StackId stack);
  void write_frame(FrameId id);
  void write_unknown(const std::vector<UnknownField>& fields);
  void write_generic(const GenericPointer& value, Walk walk = Walk::first_time);
  void write_parts(const GenericPointer& value, Walk walk);
  void write_key(const GenericPointer& key);
  bool write_scalar(const GenericValue& value);
  bool is_written_by_reference(Places& places, std::uint32_t id);

  // Each writes the key and its value if the value has that key.
  void number_field(KeySet keys, KnownText key, std::uint64_t number);
  void signed_field(KeySet keys, KnownText key, std::int64_t number);
  void text_field(KeySet keys, KnownText key, TextId text);
  void pool_field(KeySet keys, KnownText key, Pool pool);
  void stack_field(KeySet keys, StackId stack);

  std::unique_ptr<SnapshotEncoder> encoder_;
  const SnapshotTables& tables_;
  Top top_ = Top::not_begun;
  std::optional<SnapshotSection> section_;
  bool has_open_trace_ = false;
  Places stack_places_;
  Places frame_places_;
  /// What is shared is kept, so that no other value gets its address. Looked up only; the order is
  /// never seen.
  struct Shared {
    GenericPointer value;
    std::uint32_t place = 0;
  };
  std::unordered_map<const GenericValue*, Shared> shared_;
  std::uint64_t repeated_values_ = 0;
};

/// As a pickle of protocol 4, which pickle.load and the viewers open.
std::unique_ptr<SnapshotWriter> make_snapshot_pickle_writer(ByteSink& sink,
                                                            const SnapshotTables& tables);

/// As JSON. It has no references, so every stack is written out; tuples become lists.
std::unique_ptr<SnapshotWriter> make_snapshot_json_writer(ByteSink& sink,
                                                          const SnapshotTables& tables);

}  // namespace vramlab::traces
