#include "traces/native/native_script.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "traces/io/input_error.h"
#include "traces/native/script_line.h"

namespace vramlab::traces {
namespace {

using Kind = ProgramEventKind;

/// `with NAME(...)`: an event at its begin, and another at its end.
struct BlockForm {
  std::string_view name;
  Kind begin;
  Kind end;
};

constexpr std::array<BlockForm, 3> block_forms = {{
    {"pool", Kind::pool_begin, Kind::pool_end},
    {"capture", Kind::capture_begin, Kind::capture_end},
    {"range", Kind::range_begin, Kind::range_end},
}};

/// The values of an event that a line does not name.
struct Current {
  StreamId stream;
  DeviceIndex device;
};

/// A `with` and the lines below it.
struct Block {
  std::size_t outer_indentation = 0;
  /// Null until its first line.
  std::optional<std::size_t> indentation;
  Current outer;
  std::optional<ProgramEvent> end;
};

constexpr const char* statement_expected =
    "an event, 'NAME = empty(...)', 'NAME.record_stream(...)', 'del' or 'with'";
constexpr std::uint32_t newest_version = 2;
// The keywords that every event may have, behind those of its kind.
enum CommonPlace : std::uint8_t { device_place = 8, thread_place, time_place };

class ScriptReader {
 public:
  ScriptReader(const std::string& file, SnapshotTables& tables, ProgramSink& sink)
      : file_(file), tables_(tables), sink_(sink) {
    frame_.name = tables_.texts.intern("");
    frame_.filename = tables_.texts.intern(file);
    for (const KnownText key : {KnownText::name, KnownText::filename, KnownText::line})
      frame_.keys.add(key);
  }

  void read_line(std::string_view text);
  /// The end of the file ends all blocks.
  void finish();

 private:
  void statement(ScriptLine& line);
  void enter_blocks(ScriptLine& line, std::size_t indentation);
  void end_block();
  bool take_header(ScriptLine& line, std::string_view word);
  void read_program(ScriptLine& line);
  void read_device(ScriptLine& line);
  void give_header();
  void read_empty(ScriptLine& line, std::uint64_t id);
  void read_del(ScriptLine& line);
  void read_record_stream(ScriptLine& line, std::uint64_t id);
  void read_with(ScriptLine& line);
  struct Keyword {
    std::string_view name;
    std::uint32_t& seen;
  };
  /// The parts between the parentheses, which are taken too. `first_field`: the fields before it
  /// are known.
  void read_arguments(ScriptLine& line, ProgramEvent& event, std::size_t first_field);
  void read_keyword(ScriptLine& line, ProgramEvent& event, Keyword keyword);
  void read_field(ScriptLine& line, ProgramEvent& event, ProgramField field);
  ProgramEvent event_of(Kind kind) const;

  const std::string& file_;
  SnapshotTables& tables_;
  ProgramSink& sink_;
  std::uint64_t line_number_ = 0;
  bool has_program_ = false;
  bool has_header_ = false;
  TraceHeader header_;
  Current current_;
  std::vector<Block> blocks_;
  FrameValue frame_;
  StackId stack_;
};

void ScriptReader::read_line(std::string_view text) {
  ScriptLine line({file_, ++line_number_}, text);
  const std::size_t indentation = line.take_indentation();
  if (line.is_done()) return;
  frame_.line = static_cast<std::int64_t>(line_number_);
  if (has_program_) enter_blocks(line, indentation);
  const FrameId frames[] = {tables_.frames.intern(frame_)};
  stack_ = tables_.stacks.intern(frames);
  statement(line);
  line.finish();
}

/// Blocks end above a line that is indented less.
void ScriptReader::enter_blocks(ScriptLine& line, std::size_t indentation) {
  if (!blocks_.empty() && !blocks_.back().indentation) {
    if (indentation <= blocks_.back().outer_indentation)
      line.fail("a line of the 'with' above, indented by more than " +
                std::to_string(blocks_.back().outer_indentation) + " spaces");
    blocks_.back().indentation = indentation;
  }
  while (!blocks_.empty() && indentation < *blocks_.back().indentation) end_block();
  const std::size_t expected = blocks_.empty() ? 0 : *blocks_.back().indentation;
  if (indentation != expected)
    line.fail("a line that is indented by " + std::to_string(expected) + " spaces");
}

void ScriptReader::end_block() {
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  if (block.end) sink_.program_event(*block.end);
  current_ = block.outer;
}

void ScriptReader::finish() {
  if (!blocks_.empty() && !blocks_.back().indentation)
    throw InputError({file_, "line " + std::to_string(line_number_ + 1) + ", column 1",
                      "a line of the 'with' above", "the end of the file"});
  while (!blocks_.empty()) end_block();
  give_header();
}

void ScriptReader::statement(ScriptLine& line) {
  const std::string_view word =
      line.take_word(has_program_ ? statement_expected : "'" + std::string(script_start) + "'");
  if (take_header(line, word)) return;
  give_header();
  if (word == "del") return read_del(line);
  if (word == "with") return read_with(line);
  if (line.take_if("(")) {
    const auto kind = program_event_kind(word);
    if (!kind) line.fail_at(word, "the name of an event");
    if (trace_version_of(*kind) > header_.version)
      line.fail_at(word, "'version=2' in '" + std::string(script_start) +
                             "' before an event about pinned memory");
    ProgramEvent event = event_of(*kind);
    read_arguments(line, event, 0);
    return sink_.program_event(event);
  }
  const auto id = number_of_name(word);
  if (!id) line.fail_at(word, statement_expected);
  if (line.take_if("=")) return read_empty(line, *id);
  if (line.take_if(".")) return read_record_stream(line, *id);
  line.fail("'=', '.' or '('");
}

bool ScriptReader::take_header(ScriptLine& line, std::string_view word) {
  if (!has_program_) {
    if (word != "program") line.fail_at(word, "'" + std::string(script_start) + "'");
    has_program_ = true;
    read_program(line);
    return true;
  }
  if (has_header_ || word != "device") return false;
  read_device(line);
  return true;
}

void ScriptReader::read_program(ScriptLine& line) {
  line.take("(");
  for (bool is_first = true; !line.take_if(")"); is_first = false) {
    if (!is_first) line.take(",");
    const std::string_view name = line.take_keyword_if();
    if (name == "memory" && header_.devices.empty())
      header_.devices.push_back({{}, {line.whole_number()}, ""});
    else if (name == "reference" && header_.reference.empty())
      header_.reference = line.text();
    else if (name == "settings" && header_.settings.empty())
      header_.settings = line.text();
    else if (name == "origin" && header_.origin.empty())
      header_.origin = line.text();
    else if (name == "version")
      header_.version = static_cast<std::uint32_t>(line.whole_number({1, newest_version}));
    else
      name.empty() ? line.fail("a keyword and '='")
                   : line.fail_at(name,
                                  "'memory', 'reference', 'settings', 'origin' or "
                                  "'version', each once");
  }
}

void ScriptReader::read_device(ScriptLine& line) {
  TraceDevice device;
  line.take("(");
  device.index.value = static_cast<std::uint32_t>(line.whole_number({0, UINT16_MAX}));
  while (line.take_if(",")) {
    const std::string_view name = line.take_keyword_if();
    if (name == "memory")
      device.memory.count = line.whole_number();
    else if (name == "name")
      device.name = line.text();
    else
      name.empty() ? line.fail("a keyword and '='") : line.fail_at(name, "'memory' or 'name'");
  }
  line.take(")");
  header_.devices.push_back(device);
}

void ScriptReader::give_header() {
  if (std::exchange(has_header_, true)) return;
  if (header_.origin.empty()) header_.origin = "script";
  sink_.header(header_);
}

void ScriptReader::read_empty(ScriptLine& line, std::uint64_t id) {
  if (const std::string_view word = line.take_word("'empty('"); word != "empty")
    line.fail_at(word, "'empty('");
  line.take("(");
  ProgramEvent event = event_of(Kind::malloc);
  event.id = id;
  event.bytes.count = line.whole_number();
  read_arguments(line, event, 2);
  sink_.program_event(event);
}

void ScriptReader::read_del(ScriptLine& line) {
  do {
    ProgramEvent event = event_of(Kind::free);
    event.id = line.name();
    sink_.program_event(event);
  } while (line.take_if(","));
}

void ScriptReader::read_record_stream(ScriptLine& line, std::uint64_t id) {
  if (const std::string_view word = line.take_word("'record_stream('"); word != "record_stream")
    line.fail_at(word, "'record_stream('");
  line.take("(");
  ProgramEvent event = event_of(Kind::use);
  event.id = id;
  event.stream.value = line.whole_number();
  read_arguments(line, event, 2);
  sink_.program_event(event);
}

void ScriptReader::read_with(ScriptLine& line) {
  const std::string expected = "'stream(', 'device(', 'pool(', 'capture(' or 'range('";
  const std::string_view word = line.take_word(expected);
  Block block;
  block.outer_indentation = blocks_.empty() ? 0 : *blocks_.back().indentation;
  block.outer = current_;
  line.take("(");
  if (word == "stream" || word == "device") {
    if (word == "stream")
      current_.stream.value = line.whole_number();
    else
      current_.device.value = static_cast<std::uint32_t>(line.whole_number({0, UINT16_MAX}));
    line.take(")");
  } else {
    const auto form = std::ranges::find(block_forms, word, &BlockForm::name);
    if (form == block_forms.end()) line.fail_at(word, expected);
    ProgramEvent event = event_of(form->begin);
    read_arguments(line, event, 0);
    sink_.program_event(event);
    block.end = event_of(form->end);
    block.end->device = event.device;
    block.end->thread = event.thread;
    block.end->pool = event.pool;
    block.end->text = event.text;
    if (has_field(form->end, ProgramField::stream)) block.end->stream = event.stream;
    if (form->begin == Kind::capture_begin) current_.stream = event.stream;
  }
  line.take(":");
  blocks_.push_back(std::move(block));
}

void ScriptReader::read_arguments(ScriptLine& line, ProgramEvent& event, std::size_t first_field) {
  const auto fields = program_fields(event.kind);
  std::uint32_t seen = (1U << first_field) - 1;
  for (bool is_first = first_field == 0; !line.take_if(")"); is_first = false) {
    if (!is_first) line.take(",");
    if (const std::string_view keyword = line.take_keyword_if(); !keyword.empty()) {
      read_keyword(line, event, {keyword, seen});
      continue;
    }
    const bool is_subject = seen == 0 && !fields.empty();
    if (!is_subject) line.fail("a keyword and '='");
    seen = 1;
    read_field(line, event, fields.front());
  }
  for (std::size_t place = 0; place < fields.size(); ++place)
    if ((seen >> place & 1U) == 0 && !has_default(fields[place]))
      line.fail("the " + std::string(program_field_name(fields[place])) + " of '" +
                std::string(program_event_name(event.kind)) + "'");
}

void ScriptReader::read_keyword(ScriptLine& line, ProgramEvent& event, Keyword keyword) {
  const auto take_once = [&](std::size_t place) {
    if ((keyword.seen >> place & 1U) != 0) line.fail_at(keyword.name, "each keyword once");
    keyword.seen |= 1U << place;
  };
  if (keyword.name == "device") {
    take_once(device_place);
    event.device.value = static_cast<std::uint32_t>(line.whole_number({0, UINT16_MAX}));
  } else if (keyword.name == "thread") {
    take_once(thread_place);
    event.thread = static_cast<std::uint32_t>(line.whole_number({0, UINT16_MAX}));
  } else if (keyword.name == "time_ns") {
    take_once(time_place);
    event.time_ns = line.whole_number();
  } else {
    const auto fields = program_fields(event.kind);
    const auto field = program_field(keyword.name);
    const auto found = field ? std::ranges::find(fields, *field) : fields.end();
    if (found == fields.end())
      line.fail_at(keyword.name,
                   "a keyword of '" + std::string(program_event_name(event.kind)) + "'");
    take_once(static_cast<std::size_t>(found - fields.begin()));
    read_field(line, event, *field);
  }
}

void ScriptReader::read_field(ScriptLine& line, ProgramEvent& event, ProgramField field) {
  if (field == ProgramField::id) {
    event.id = line.name();
    return;
  }
  with_member(event, field, [&]<typename Member>(Member& member) {
    if constexpr (std::is_enum_v<Member>) {
      const auto& words = choice_words<Member>;
      const std::string word = line.text();
      const auto found = std::ranges::find(words, word);
      if (found == words.end())
        line.fail_at_text("the name of a " + std::string(program_field_name(field)));
      member = static_cast<Member>(found - words.begin());
    } else if constexpr (std::is_same_v<Member, bool>) {
      member = line.truth();
    } else if constexpr (std::is_same_v<Member, double>) {
      member = line.real();
    } else if constexpr (std::is_same_v<Member, std::int32_t>) {
      member = static_cast<std::int32_t>(line.signed_number(farthest_priority));
    } else if constexpr (std::is_same_v<Member, PoolId>) {
      line.take("(");
      member.graph = line.whole_number();
      line.take(",");
      member.user = line.whole_number();
      line.take(")");
    } else if constexpr (std::is_same_v<Member, TextId>) {
      member = tables_.texts.intern(line.text());
    } else {
      number_in(member) = line.whole_number();
    }
  });
}

/// The line stands for the event, so it has its stack.
ProgramEvent ScriptReader::event_of(Kind kind) const {
  ProgramEvent event;
  event.kind = kind;
  event.device = current_.device;
  event.stack = stack_;
  // The stream of a pool's scope is a part of the scope.
  if (has_field(kind, ProgramField::stream) && kind != Kind::pool_begin)
    event.stream = current_.stream;
  return event;
}

}  // namespace

bool begins_like_native_script(std::string_view bytes) {
  bytes = without_byte_order_mark(bytes);
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \r\n"), bytes.size()));
  return bytes.starts_with(script_start);
}

std::uint64_t read_native_script(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, ProgramSink& sink) {
  LineSource lines(source, file);
  ScriptReader reader(file, tables, sink);
  while (const auto line = lines.next()) reader.read_line(*line);
  reader.finish();
  return lines.bytes_taken();
}

}  // namespace vramlab::traces
