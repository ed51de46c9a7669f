#include "traces/native/native_script_writer.h"

#include <type_traits>
#include <utility>

#include "traces/io/input_error.h"
#include "traces/io/letters.h"
#include "traces/model/generic_text.h"
#include "traces/native/native_script.h"
#include "traces/native/script_line.h"

namespace vramlab::traces {
namespace {

using Kind = ProgramEventKind;

/// `4*MiB` where the largest unit divides it.
std::string amount_text(std::uint64_t bytes) {
  constexpr std::pair<std::string_view, unsigned> units[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
  for (const auto& [name, bits] : units)
    if (bytes != 0 && bytes % (std::uint64_t{1} << bits) == 0)
      return std::to_string(bytes >> bits) + "*" + std::string(name);
  return std::to_string(bytes);
}

std::string quoted(std::string_view text) {
  std::string line;
  add_json_text(line, text);
  return line;
}

std::string value_text(const ProgramEvent& event, ProgramField field,
                       const SnapshotTables& tables) {
  if (field == ProgramField::id) return name_of_number(event.id);
  if (field == ProgramField::bytes) return amount_text(event.bytes.count);
  return with_member(event, field, [&]<typename Member>(const Member& member) -> std::string {
    if constexpr (std::is_enum_v<Member>) {
      return quoted(choice_words<Member>[static_cast<std::size_t>(member)]);
    } else if constexpr (std::is_same_v<Member, bool>) {
      return member ? "True" : "False";
    } else if constexpr (std::is_same_v<Member, double>) {
      return real_text(member);
    } else if constexpr (std::is_same_v<Member, std::int32_t>) {
      return std::to_string(member);
    } else if constexpr (std::is_same_v<Member, PoolId>) {
      return "(" + std::to_string(member.graph) + ", " + std::to_string(member.user) + ")";
    } else if constexpr (std::is_same_v<Member, TextId>) {
      return quoted(tables.texts.text(member));
    } else {
      Member number = member;
      return std::to_string(number_in(number));
    }
  });
}

bool is_default(const ProgramEvent& event, ProgramField field) {
  const ProgramEvent empty;
  return has_default(field) &&
         with_member(event, field, [&]<typename Member>(const Member& member) {
           return with_member(empty, field, [&]<typename Other>(const Other& other) {
             if constexpr (std::is_same_v<Member, Other>) return member == other;
             return false;
           });
         });
}

/// The keywords of the fields from this place on, each behind a comma.
std::string keywords(const ProgramEvent& event, std::size_t first, const SnapshotTables& tables) {
  std::string text;
  const auto fields = program_fields(event.kind);
  for (std::size_t place = first; place < fields.size(); ++place)
    if (!is_default(event, fields[place]))
      text += ", " + std::string(program_field_name(fields[place])) + "=" +
              value_text(event, fields[place], tables);
  if (event.device.value != 0) text += ", device=" + std::to_string(event.device.value);
  if (event.thread != 0) text += ", thread=" + std::to_string(event.thread);
  if (event.time_ns) text += ", time_ns=" + std::to_string(*event.time_ns);
  return text;
}

std::string call_text(const ProgramEvent& event, const SnapshotTables& tables) {
  const auto fields = program_fields(event.kind);
  std::string parts;
  const bool is_whole_cache = event.kind == Kind::empty_cache && event.pool == PoolId{};
  if (!fields.empty() && !is_whole_cache) parts = value_text(event, fields.front(), tables);
  parts += keywords(event, 1, tables);
  if (parts.starts_with(", ")) parts.erase(0, 2);
  return std::string(program_event_name(event.kind)) + "(" + parts + ")";
}

std::string header_text(const TraceHeader& header) {
  std::string parts;
  const auto add = [&](std::string_view name, const std::string& value) {
    parts += (parts.empty() ? "" : ", ") + std::string(name) + "=" + value;
  };
  const bool is_plain = header.devices.size() == 1 && header.devices.front().index.value == 0 &&
                        header.devices.front().name.empty();
  if (is_plain) add("memory", amount_text(header.devices.front().memory.count));
  if (!header.reference.empty()) add("reference", quoted(header.reference));
  if (!header.settings.empty()) add("settings", quoted(header.settings));
  if (!header.origin.empty()) add("origin", quoted(header.origin));
  if (header.version != 1) add("version", std::to_string(header.version));
  std::string text = std::string(script_start) + parts + ")\n";
  if (is_plain) return text;
  for (const TraceDevice& device : header.devices) {
    text += "device(" + std::to_string(device.index.value);
    if (device.memory.count != 0) text += ", memory=" + amount_text(device.memory.count);
    if (!device.name.empty()) text += ", name=" + quoted(device.name);
    text += ")\n";
  }
  return text;
}

/// Refuses what a recording holds.
class NoRecording : public SnapshotSink {
 public:
  void section(SnapshotSection) override { refuse(); }
  void bare_list() override { refuse(); }
  void unknown_section(TextId, const GenericPointer&) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    refuse_file("the recording", "a program's own events, for a script", "a recorded history");
  }
};

class ScriptWriter : public TraceWriter, private ProgramSink {
 public:
  ScriptWriter(ByteSink& sink, const SnapshotTables& tables) : bytes_(sink), tables_(tables) {}

  NativeSinks sinks() override { return {recorded_, *this}; }
  void finish() override {
    if (!has_header_) header({});
    bytes_.flush();
  }

 private:
  void header(const TraceHeader& header) override {
    has_header_ = true;
    bytes_.add(header_text(header));
  }
  void program_event(const ProgramEvent& event) override {
    if (!has_header_) header({});
    bytes_.add(script_line_of(event, tables_));
    bytes_.add('\n');
  }

  ByteCollector bytes_;
  const SnapshotTables& tables_;
  NoRecording recorded_;
  bool has_header_ = false;
};

}  // namespace

std::string script_line_of(const ProgramEvent& event, const SnapshotTables& tables) {
  const std::string name = has_field(event.kind, ProgramField::id) ? name_of_number(event.id) : "";
  const bool is_plain = keywords(event, 1, tables).empty();
  if (event.kind == Kind::malloc)
    return name + " = empty(" + amount_text(event.bytes.count) + keywords(event, 2, tables) + ")";
  if (event.kind == Kind::free && is_plain) return "del " + name;
  if (event.kind == Kind::use)
    return name + ".record_stream(" + std::to_string(event.stream.value) +
           keywords(event, 2, tables) + ")";
  return call_text(event, tables);
}

std::unique_ptr<TraceWriter> make_native_script_writer(ByteSink& sink,
                                                       const SnapshotTables& tables) {
  return std::make_unique<ScriptWriter>(sink, tables);
}

}  // namespace vramlab::traces
