#include "traces/model/kinds_notes.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "traces/io/input_error.h"
#include "traces/model/notes_reader.h"

namespace vramlab::traces {
namespace {

constexpr std::uint64_t known_kinds_format = 1;

constexpr std::string_view lost_scans =
    "a part was left out at the beginning: storages that were listed in it are not labelled";

std::string place_of_kinds() { return "['" + std::string(kinds_key) + "']"; }

/// The number of a name in a table of names; empty for a name that is not there.
template <std::size_t size>
std::optional<std::size_t> place_in(const std::array<std::string_view, size>& names,
                                    std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

/// Rows of whole numbers with blanks between, each of the same length.
class NumberRows {
 public:
  NumberRows(std::string_view text, std::string file, std::string place)
      : rest_(text), file_(std::move(file)), place_(std::move(place)) {}

  /// False at the end.
  template <std::size_t length>
  bool next(std::array<std::uint64_t, length>& row) {
    skip_blanks();
    if (rest_.empty()) return false;
    for (std::uint64_t& number : row) number = next_number();
    ++row_;
    return true;
  }
  /// Requires: a row was read.
  [[noreturn]] void refuse(const std::string& expected, std::uint64_t found) const {
    throw InputError(
        {file_, place_ + ", row " + std::to_string(row_ - 1), expected, std::to_string(found)});
  }
  /// The number, if it is one of a table of so many.
  std::size_t below(std::uint64_t number, std::size_t count, const char* table) const {
    if (number >= count)
      refuse("a number below " + std::to_string(count) + ", as there are so many " + table, number);
    return static_cast<std::size_t>(number);
  }
  /// The place of a row among entries. Places ascend.
  std::uint64_t place(std::uint64_t before) {
    if (before < last_place_) refuse("a place from " + std::to_string(last_place_) + " on", before);
    return last_place_ = before;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  std::uint64_t next_number() {
    skip_blanks();
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc{})
      throw InputError(
          {file_, place_ + ", row " + std::to_string(row_), "a number from 0 on",
           rest_.empty() ? "the end of the row" : "'" + std::string(rest_.substr(0, 20)) + "'"});
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  std::string_view rest_;
  std::string file_;
  std::string place_;
  std::uint64_t row_ = 0;
  std::uint64_t last_place_ = 0;
};

/// The tables that numbers of a file refer to.
struct Tables {
  std::vector<Phase> phases;
  std::vector<MemoryKind> kinds;
  std::size_t name_count = 0;
};

NumberRows rows_of(const NotesReader& device, std::string_view key) {
  return {device.text(key), device.file(), device.place_of(key)};
}

std::vector<PhaseMark> read_marks(const NotesReader& device, const Tables& tables) {
  std::vector<PhaseMark> marks;
  NumberRows rows = rows_of(device, "marks");
  for (std::array<std::uint64_t, 3> row{}; rows.next(row);) {
    const std::size_t phase = rows.below(row[1], tables.phases.size(), "phases");
    const auto name = static_cast<KindNameIndex>(rows.below(row[2], tables.name_count, "names"));
    marks.push_back({rows.place(row[0]), tables.phases[phase], name});
  }
  return marks;
}

std::vector<ScannedStorage> read_scan(NumberRows rows, const Tables& tables) {
  std::vector<ScannedStorage> scan;
  for (std::array<std::uint64_t, 5> row{}; rows.next(row);) {
    const std::size_t kind = rows.below(row[2], tables.kinds.size(), "kinds");
    const auto name = rows.below(row[3], tables.name_count, "names");
    const auto part = rows.below(row[4], tables.name_count, "names");
    scan.push_back({{row[0]},
                    {row[1]},
                    tables.kinds[kind],
                    static_cast<KindNameIndex>(name),
                    static_cast<KindNameIndex>(part)});
  }
  return scan;
}

DeviceKindsNotes read_device(const NotesReader& reader, const Tables& tables) {
  DeviceKindsNotes device;
  device.device = reader.device().value;
  device.marks = read_marks(reader, tables);
  for (const std::string& text : reader.texts("scans"))
    device.scans.push_back(
        read_scan({text, reader.file(),
                   reader.place_of("scans") + "[" + std::to_string(device.scans.size()) + "]"},
                  tables));
  NumberRows rows = rows_of(reader, "scanned");
  for (std::array<std::uint64_t, 2> row{}; rows.next(row);)
    device.scanned.push_back(
        {rows.place(row[0]), rows.below(row[1], device.scans.size(), "scans")});
  return device;
}

/// The values that a file's own table of names stands for.
template <class Value, std::size_t size>
std::vector<Value> values_named(const NotesReader& reader, std::string_view key,
                                const std::array<std::string_view, size>& known) {
  std::vector<Value> values;
  for (const std::string& name : reader.texts(key)) {
    const auto place = place_in(known, name);
    if (!place) reader.refuse<void*>(key, "names that are known");
    values.push_back(static_cast<Value>(*place));
  }
  return values;
}

/// Rows with new places, as a text.
class MovedRows {
 public:
  template <std::size_t length>
  void add(const std::array<std::uint64_t, length>& row) {
    for (const std::uint64_t number : row)
      text_ += (text_.empty() ? "" : " ") + std::to_string(number);
  }
  /// Takes the place of all before.
  template <std::size_t length>
  void begin_with(const std::array<std::uint64_t, length>& row) {
    text_.clear();
    add(row);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

using Moved = std::function<std::uint64_t(std::uint64_t)>;

/// The last mark before the first entry that is left holds there.
std::string moved_marks(NumberRows rows, const Moved& place) {
  MovedRows moved;
  for (std::array<std::uint64_t, 3> row{}; rows.next(row);) {
    row[0] = place(row[0]);
    if (row[0] == 0)
      moved.begin_with(row);
    else
      moved.add(row);
  }
  return moved.text();
}

/// Without the scans before the first entry that is left: nobody knows which block has an address
/// then.
std::string moved_scans(NumberRows rows, const Moved& place, bool& loses_some) {
  MovedRows moved;
  for (std::array<std::uint64_t, 2> row{}; rows.next(row);) {
    const bool is_lost = row[0] > 0 && place(row[0]) == 0;
    loses_some = loses_some || is_lost;
    row[0] = place(row[0]);
    if (!is_lost) moved.add(row);
  }
  return moved.text();
}

GenericPointer moved_device(const GenericPointer& value, TextTable& texts,
                            const NotesReader& reader, const KeptBefore& kept_before,
                            bool& loses_some) {
  const Moved place = [&, device = reader.device()](std::uint64_t before) {
    return kept_before(device, before);
  };
  const std::string marks = moved_marks(rows_of(reader, "marks"), place);
  const std::string scanned = moved_scans(rows_of(reader, "scanned"), place, loses_some);
  const GenericPointer moved = with_item(*value, "marks", make_generic(texts.intern(marks)), texts);
  return with_item(*moved, "scanned", make_generic(texts.intern(scanned)), texts);
}

}  // namespace

GenericPointer moved_kinds_notes(const GenericPointer& notes, TextTable& texts,
                                 const KeptBefore& kept_before, const std::string& file) {
  read_kinds_notes(*notes, texts, file);
  const NotesReader reader(*notes, texts, file, place_of_kinds());
  GenericList devices;
  bool loses_some = false;
  for (std::size_t i = 0; i < reader.list("devices").size(); ++i)
    devices.items.push_back(moved_device(reader.list("devices")[i], texts,
                                         reader.item("devices", i), kept_before, loses_some));
  const GenericPointer moved =
      with_item(*notes, "devices", make_generic(std::move(devices)), texts);
  if (!loses_some) return moved;
  GenericList troubles{reader.list("troubles")};
  troubles.items.push_back(make_generic(texts.intern(lost_scans)));
  return with_item(*moved, "troubles", make_generic(std::move(troubles)), texts);
}

KindsNotes read_kinds_notes(const GenericValue& value, const TextTable& texts,
                            const std::string& file) {
  const NotesReader reader(value, texts, file, place_of_kinds());
  if (reader.number("format") != known_kinds_format)
    reader.refuse<void*>("format", "1, as later ones are not known");
  KindsNotes notes;
  notes.names = reader.texts("names");
  if (notes.names.empty() || !notes.names.front().empty())
    reader.refuse<void*>("names", "names that begin with ''");
  const Tables tables{values_named<Phase>(reader, "phases", phase_names),
                      values_named<MemoryKind>(reader, "kinds", memory_kind_names),
                      notes.names.size()};
  for (std::size_t i = 0; i < reader.list("devices").size(); ++i)
    notes.devices.push_back(read_device(reader.item("devices", i), tables));
  notes.troubles = reader.texts("troubles");
  return notes;
}

}  // namespace vramlab::traces
