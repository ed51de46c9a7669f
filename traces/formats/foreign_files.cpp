#include "traces/formats/foreign_files.h"

#include <algorithm>
#include <array>
#include <optional>

#include "traces/io/letters.h"
#include "traces/io/viewer_page.h"

namespace vramlab::traces {
namespace {

constexpr std::string_view old_torch_save_start = "\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.";

struct ForeignRow {
  /// The place of the mark in the file.
  std::size_t at;
  std::string_view mark;
  std::string_view name;
};

/// Files that a mark at a fixed place tells.
constexpr std::array foreign_rows = {
    ForeignRow{0, old_torch_save_start,
               "a file of torch.save without a zip archive; load it, and save it with pickle.dump"},
    ForeignRow{0, "\x1f\x8b", "gzip data that is packed too many times"},
    ForeignRow{0, "\x93NUMPY", "an array of NumPy"},
    ForeignRow{8, "{\"", "weights of a model (safetensors)"},
    ForeignRow{0, "GGUF", "weights of a model (GGUF)"},
    ForeignRow{0, "\x89HDF", "HDF5 data"},
    ForeignRow{0, "PAR1", "a Parquet file"},
    ForeignRow{0, "\x89PNG", "a PNG picture"},
    ForeignRow{0, "\xff\xd8\xff", "a JPEG picture"},
    ForeignRow{0,
               "\x7f"
               "ELF",
               "a program"},
    ForeignRow{0, "%PDF", "a PDF document"},
    ForeignRow{0, "SQLite format 3", "an SQLite database, as Nsight Systems exports it"},
    ForeignRow{0, "BZh", "bzip2 data; unpack it first"},
    ForeignRow{0,
               "\xfd"
               "7zXZ",
               "xz data; unpack it first"},
    ForeignRow{0, "7z\xbc\xaf", "a 7z archive; unpack it first"},
    ForeignRow{0, "Rar!", "a RAR archive; unpack it first"},
    ForeignRow{257, "ustar", "a tar archive; unpack it first"},
    ForeignRow{0, "|====", "a table of torch.cuda.memory_summary(), which has no events"},
};

struct PageRow {
  std::string_view mark;
  std::string_view name;
};

/// Pages and pictures that a mark anywhere at their beginning tells, the surest first.
constexpr std::array page_rows = {
    PageRow{"content=\"vramlab report\"",
            "a report that vramlab wrote; open the recording that it shows"},
    PageRow{"data:image/png;base64",
            "a page with a picture, as export_memory_timeline draws it; export it as .json"},
    PageRow{"<svg", "a picture (SVG), as _memory_viz draws it; open the snapshot that it shows"},
    PageRow{"<html", "an HTML page without a snapshot in it"},
    PageRow{"<HTML", "an HTML page without a snapshot in it"},
};

std::string_view describe_page(std::string_view bytes) {
  for (const PageRow& row : page_rows)
    if (bytes.find(row.mark) != std::string_view::npos) return row.name;
  return "HTML or XML text";
}

/// Letters, perhaps with half a character at the end.
bool is_text(std::string_view bytes) {
  const bool has_controls = std::ranges::any_of(bytes, [](unsigned char letter) {
    return letter < ' ' && letter != '\n' && letter != '\r' && letter != '\t';
  });
  if (has_controls) return false;
  for (std::size_t cut = 0; cut < 4 && cut < bytes.size(); ++cut)
    if (is_utf8(bytes.substr(0, bytes.size() - cut))) return true;
  return false;
}

std::string describe_text(std::string_view bytes) {
  if (bytes.find("CUDA out of memory") != std::string_view::npos)
    return "a log with PyTorch's message about an out-of-memory, which has no events";
  constexpr std::size_t most_letters = 32;
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "a text of blanks";
  std::string_view line = bytes.substr(begin);
  line = line.substr(0, std::min(line.find_first_of("\r\n"), most_letters));
  return "a text that begins with '" + as_utf8(line) + "'";
}

std::string describe_bytes(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown = "bytes that begin with";
  constexpr std::size_t shown_bytes = 8;
  for (const char letter : bytes.substr(0, shown_bytes)) {
    const auto byte = static_cast<unsigned char>(letter);
    shown += {' ', digits[byte >> 4U], digits[byte & 15U]};
  }
  return shown;
}

}  // namespace

bool begins_like_old_torch_save(std::string_view bytes) {
  return bytes.starts_with(old_torch_save_start);
}

std::string describe_foreign(std::unique_ptr<ByteSource>& source) {
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  const std::string start = look_ahead(source, most_bytes);
  const std::string_view bytes = start;
  if (bytes.empty()) return "an empty file";
  for (const ForeignRow& row : foreign_rows)
    if (bytes.size() > row.at && bytes.substr(row.at).starts_with(row.mark))
      return std::string(row.name);
  if (begins_like_page(bytes)) return std::string(describe_page(bytes));
  return is_text(bytes) ? describe_text(bytes) : describe_bytes(bytes);
}

}  // namespace vramlab::traces
