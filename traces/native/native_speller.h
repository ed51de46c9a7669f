// NativeSpeller: how texts, stacks and values of any shape are spelled in a native trace. What is
// long or comes again is written once, in a line of its own before the one that needs it, and
// referred to by number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/model/snapshot_values.h"

namespace vramlab::traces {

/// A definition gives a number to what others refer to; it may stand anywhere before them.
enum class LineKind : std::uint8_t { definition, record };

/// Takes whole lines of a native trace.
class LineSink {
 public:
  LineSink() = default;
  LineSink(const LineSink&) = delete;
  LineSink& operator=(const LineSink&) = delete;
  virtual ~LineSink() = default;

  /// Without the line's end.
  virtual void line(std::string_view line, LineKind kind) = 0;
};

class NativeSpeller {
 public:
  /// Both must outlive it. The tables are those that the ids are of.
  NativeSpeller(LineSink& lines, const SnapshotTables& tables) : lines_(lines), tables_(tables) {}

  // Each appends to a line that is not yet written, after the lines that it needs are.
  void add_text(std::string& line, TextId text);
  void add_key(std::string& line, TextId key);
  void add_value(std::string& line, const GenericPointer& value);
  /// For a value that comes once, whoever else holds it: never a reference.
  void add_root(std::string& line, const GenericPointer& value) { add_parts(line, *value); }

  // The number in the file; writes the line that says what it is where there is none yet.
  std::uint32_t text_number(TextId text);
  std::uint32_t stack_number(StackId stack);

 private:
  enum : std::uint32_t { not_seen = 0, in_place = UINT32_MAX };

  std::uint32_t frame_number(FrameId id);
  std::uint32_t value_number(const GenericPointer& value);
  void add_parts(std::string& line, const GenericValue& value);
  void add_dict(std::string& line, const GenericDict& dict);
  void add_items(std::string& line, const std::vector<GenericPointer>& items);
  bool stands_in_place(TextId text);
  static void add_reference(std::string& line, std::string_view kind, std::uint32_t number);

  LineSink& lines_;
  const SnapshotTables& tables_;
  // By id: the number in the file.
  std::vector<std::uint32_t> texts_;
  std::vector<std::uint32_t> frames_;
  std::vector<std::uint32_t> stacks_;
  /// What was written is kept, so that no other value gets its address. Looked up only; the order
  /// is never seen.
  struct Written {
    GenericPointer value;
    std::uint32_t number = 0;
  };
  std::unordered_map<const GenericValue*, Written> values_;
  std::uint32_t text_count_ = 0;
  std::uint32_t frame_count_ = 0;
  std::uint32_t stack_count_ = 0;
};

/// Appends the recorded fields of a value as an object: the keys that the file had, in PyTorch's
/// order with unknown ones behind. Stacks are numbers; a segment's blocks are their count, as they
/// stand in lines of their own.
template <typename Value>
void add_fields(std::string& line, NativeSpeller& speller, const Value& value);

/// Appends what stands under the name of a field in an event of a program.
void add_program_field(std::string& line, NativeSpeller& speller, const ProgramEvent& event,
                       ProgramField field);

}  // namespace vramlab::traces
