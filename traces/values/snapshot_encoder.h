// SnapshotEncoder: how the parts of a snapshot are spelled in one format. SnapshotWriter knows what
// a snapshot consists of and calls an encoder for each dict, list, key and value in turn.
#pragma once

#include <cstddef>
#include <cstdint>

#include "traces/values/snapshot_values.h"

namespace vramlab::traces {

class SnapshotEncoder {
 public:
  SnapshotEncoder() = default;
  SnapshotEncoder(const SnapshotEncoder&) = delete;
  SnapshotEncoder& operator=(const SnapshotEncoder&) = delete;
  virtual ~SnapshotEncoder() = default;

  virtual void begin_dict() = 0;
  virtual void end_dict() = 0;
  /// Of the value that comes next. Requires: a dict is the innermost thing that is open.
  virtual void key(TextId key) = 0;
  /// The next value is a key that is no text. Throws InputError in a format without such keys.
  virtual void begin_foreign_key() = 0;
  virtual void begin_list() = 0;
  virtual void end_list() = 0;
  virtual void begin_tuple(std::size_t item_count) = 0;
  virtual void end_tuple(std::size_t item_count) = 0;

  virtual void none() = 0;
  virtual void boolean(bool value) = 0;
  virtual void whole(WholeNumber number) = 0;
  virtual void long_number(LongNumber number) = 0;
  virtual void real(double number) = 0;
  virtual void text(TextId text) = 0;

  /// Makes what was begun just now (a dict or list) or ended just now (a tuple) something that can
  /// be referred to, under the place that is returned.
  virtual std::uint32_t remember() = 0;
  /// Writes a reference. False, with nothing written, in a format that has none.
  virtual bool refer_to(std::uint32_t place) = 0;

  /// After the last value.
  virtual void finish() = 0;
};

}  // namespace vramlab::traces
