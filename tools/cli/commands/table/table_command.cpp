// `vramlab table`: every allocation or every event of a recording as a table, as CSV or as columns
// that the Python module passes on to Arrow (docs/guide/tables.md).
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/check.h"
#include "replay/call_sites/memory_tables.h"
#include "replay/kinds/block_kinds.h"
#include "tools/cli/kit/arguments.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/input_files.h"
#include "tools/cli/kit/messages.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/printers/json_text.h"
#include "tools/cli/printers/shown_text.h"
#include "tools/cli/printers/table.h"
#include "tools/cli/printers/text_lines.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using replay::ColumnType;
using replay::MemoryColumn;
using replay::MemoryTable;

struct TableArguments {
  std::string file;
  std::string rows = "allocations";
  std::string kinds;
  std::string format;
  OutputArguments output;
  CommonFlags flags;
};

/// Counts its bytes, so that a part can begin at a multiple of 64.
class ColumnsWriter {
 public:
  explicit ColumnsWriter(traces::ByteSink& sink) : sink_(sink) {}

  template <class Number>
  ordered_json part(const std::vector<Number>& numbers) {
    return part({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)});
  }
  /// The place of the bytes in the file.
  ordered_json part(std::string_view bytes) {
    constexpr std::uint64_t alignment = 64;
    put(std::string((alignment - written_ % alignment) % alignment, '\0'));
    ordered_json place = {{"offset", written_}, {"bytes", bytes.size()}};
    put(bytes);
    return place;
  }

 private:
  void put(std::string_view bytes) {
    sink_.write(bytes);
    written_ += bytes.size();
  }

  traces::ByteSink& sink_;
  std::uint64_t written_ = 0;
};

/// A bit for each cell, the lowest first.
std::string validity_of(const MemoryColumn& column) {
  std::string bits((column.size() + 7) / 8, '\0');
  for (std::size_t row = 0; row < column.size(); ++row)
    if (column.is_there(row))
      bits[row / 8] =
          static_cast<char>(static_cast<unsigned char>(bits[row / 8]) | (1U << (row % 8)));
  return bits;
}

/// Places of texts need 32 bits, and all texts one after another have their ends in 64.
ordered_json write_texts(const MemoryColumn& column, ColumnsWriter& writer) {
  const std::vector<std::int32_t> places(column.cells().begin(), column.cells().end());
  std::vector<std::int64_t> ends = {0};
  std::string all;
  for (const std::string& text : column.texts()) {
    all += shown_name(text);
    ends.push_back(static_cast<std::int64_t>(all.size()));
  }
  ordered_json parts = {{"cells", writer.part(places)}};
  parts["text_ends"] = writer.part(ends);
  parts["texts"] = writer.part(all);
  parts["text_count"] = column.texts().size();
  return parts;
}

std::string column_type_name(ColumnType type) {
  switch (type) {
    case ColumnType::number:
      return "integer";
    case ColumnType::address:
      return "address";
    case ColumnType::text:
      return "text";
  }
  return {};
}

ordered_json unit_of(std::string_view name) {
  if (name == "bytes" || name.ends_with("_bytes")) return "bytes";
  return name.ends_with("_ns") ? ordered_json("nanoseconds") : ordered_json(nullptr);
}

ordered_json column_json(const MemoryColumn& column) {
  return {{"name", column.name()},
          {"type", column_type_name(column.type())},
          {"unit", unit_of(column.name())},
          {"empty_cells", column.empty_cells()},
          {"parts", nullptr}};
}

/// Parts come in the order in which they are written.
ordered_json write_column(const MemoryColumn& column, ColumnsWriter& writer) {
  ordered_json parts = {{"validity", nullptr}};
  if (column.empty_cells() > 0) parts["validity"] = writer.part(validity_of(column));
  if (column.type() == ColumnType::text)
    parts.update(write_texts(column, writer));
  else
    parts["cells"] = writer.part(column.cells());
  ordered_json json = column_json(column);
  json["parts"] = std::move(parts);
  return json;
}

std::string csv_cell(const MemoryColumn& column, std::size_t row) {
  if (!column.is_there(row)) return {};
  const std::uint64_t cell = column.cells()[row];
  if (column.type() == ColumnType::text) return csv_text(column.texts()[as_index(cell)]);
  return column.type() == ColumnType::address ? std::to_string(cell)
                                              : std::to_string(static_cast<std::int64_t>(cell));
}

void write_csv(const MemoryTable& table, traces::ByteSink& output) {
  std::string line;
  for (const MemoryColumn& column : table.columns)
    line += (line.empty() ? "" : ",") + std::string(column.name());
  output.write(line + "\n");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    line.clear();
    for (const MemoryColumn& column : table.columns)
      line += (&column == &table.columns.front() ? "" : ",") + csv_cell(column, row);
    output.write(line + "\n");
  }
}

std::string table_format_of(const TableArguments& arguments) {
  if (!arguments.format.empty()) return arguments.format;
  return arguments.output.path.ends_with(".columns") ? "columns" : "csv";
}

MemoryTable memory_table_of(const TableArguments& arguments) {
  ProgressBar bar(arguments.file, arguments.flags);
  const auto recording = open_recording(arguments.file, bar.listener());
  if (arguments.rows == "events") return replay::events_of(*recording);
  const auto kinds = find_kinds(*recording, kinds_source(arguments.kinds));
  return replay::allocations_of(*recording, kinds.get());
}

/// The columns with their parts, if they were written as such.
std::vector<ordered_json> write_table(const MemoryTable& table, const std::string& format,
                                      traces::ByteSink& output) {
  std::vector<ordered_json> columns;
  ColumnsWriter writer(output);
  for (const MemoryColumn& column : table.columns)
    columns.push_back(format == "columns" ? write_column(column, writer) : column_json(column));
  if (format == "csv") write_csv(table, output);
  return columns;
}

ExitStatus make_table(const TableArguments& arguments) {
  if (arguments.flags.json && !arguments.output.is_file())
    throw traces::InputError(
        {"--json", "", "--output FILE, as standard output gets the JSON", "none"});
  const std::string format = table_format_of(arguments);
  OpenOutput output(arguments.output, {arguments.file});
  const MemoryTable table = memory_table_of(arguments);
  const std::vector<ordered_json> columns = write_table(table, format, output);
  output.finish();
  if (arguments.flags.json)
    print(json_text({{"schema_version", 1},
                     {"file", arguments.file},
                     {"rows_are", arguments.rows},
                     {"notes", table.notes},
                     {"output", arguments.output.path},
                     {"format", format},
                     {"row_count", table.rows()},
                     {"columns", columns}}));
  else
    for (const std::string& note : table.notes) tell("note: " + shown_name(note) + "\n");
  return ExitStatus::done;
}

void add_options(CLI::App& command, TableArguments& arguments) {
  add_file(command, arguments.file,
           "A PyTorch memory snapshot, a native trace or another recording (- is standard input)");
  command.add_option("--rows", arguments.rows, "allocations or events")
      ->check(CLI::IsMember({"allocations", "events"}))
      ->capture_default_str();
  add_kinds_option(command, arguments.kinds);
  command
      .add_option("--format", arguments.format,
                  "csv or columns (numbers as Arrow lays them out, for programs); without it, the "
                  "output's ending says (.columns), and otherwise it is csv")
      ->check(CLI::IsMember({"csv", "columns"}));
  add_output(command, arguments.output, "The file to write (default: standard output)");
  add_force(command, arguments.output);
  add_common_flags(command, arguments.flags);
  command.get_option("--json")->description("Print one JSON document about the columns");
}

}  // namespace

Command table_command() {
  return {"table", "Write every allocation, or every event, as a table for programs of your own",
          "Example: vramlab table snapshot.pickle -o allocations.csv",
          with<TableArguments>(add_options, make_table)};
}

}  // namespace vramlab::tools
