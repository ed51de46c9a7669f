#include "traces/io/zip_archive.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

// The records of an archive: the signatures and sizes of their fixed parts.
constexpr std::string_view file_signature = "PK\x03\x04";
constexpr std::string_view entry_signature = "PK\x01\x02";
constexpr std::string_view end_signature = "PK\x05\x06";
constexpr std::string_view wide_end_signature = "PK\x06\x06";
constexpr std::string_view locator_signature = "PK\x06\x07";
constexpr std::size_t file_bytes = 30;
constexpr std::size_t entry_bytes = 46;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t wide_end_bytes = 56;
constexpr std::size_t locator_bytes = 20;

constexpr std::size_t most_comment_bytes = 0xFFFF;
constexpr std::size_t most_directory_bytes = std::size_t{4} << 20;
/// The end of an archive that is looked at: directory, locator, comment.
constexpr std::size_t tail_bytes =
    most_directory_bytes + wide_end_bytes + locator_bytes + end_bytes + most_comment_bytes;

constexpr std::uint64_t stored_method = 0;
constexpr std::uint64_t deflate_method = 8;
constexpr std::uint64_t encrypted_flag = 1;
/// A field of 32 bits that stands in the extra fields, as one of 64.
constexpr std::uint64_t is_wide = 0xFFFFFFFF;

[[noreturn]] void refuse_as_broken(const std::string& file) {
  refuse_file(file, "a whole zip archive", "damaged or cut-off data");
}

/// The little-endian number of `count` bytes. Requires: they are in `bytes`.
std::uint64_t number_in(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i > 0; --i)
    number = number << 8U | static_cast<unsigned char>(bytes[at + i - 1]);
  return number;
}

struct ZipEntry {
  std::string name;
  std::uint64_t flags = 0;
  std::uint64_t method = 0;
  std::uint64_t packed_bytes = 0;
  /// The place of the record before its bytes.
  std::uint64_t offset = 0;
};

/// The last bytes of an input.
struct Tail {
  std::uint64_t begin = 0;
  std::string bytes;
};

Tail read_tail(ByteSource& source) {
  Tail tail;
  std::string piece(std::size_t{1} << 16, '\0');
  const auto drop = [&tail](std::size_t kept) {
    if (tail.bytes.size() <= kept) return;
    tail.begin += tail.bytes.size() - kept;
    tail.bytes.erase(0, tail.bytes.size() - kept);
  };
  while (const std::size_t got = source.read(piece.data(), piece.size())) {
    tail.bytes.append(piece.data(), got);
    // Seldom, so that few bytes are moved.
    if (tail.bytes.size() > 4 * tail_bytes) drop(tail_bytes);
  }
  drop(tail_bytes);
  return tail;
}

/// The place of the record at the end, whose comment ends with the archive.
std::optional<std::size_t> find_end(std::string_view tail) {
  if (tail.size() < end_bytes) return std::nullopt;
  const std::size_t last = tail.size() - end_bytes;
  for (std::size_t comment = 0; comment <= std::min(last, most_comment_bytes); ++comment) {
    const std::string_view record = tail.substr(last - comment);
    if (record.starts_with(end_signature) && number_in(record, end_bytes - 2, 2) == comment)
      return last - comment;
  }
  return std::nullopt;
}

/// The place of the directory in the archive.
struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

Directory find_directory(const Tail& tail, const std::string& file) {
  const std::string_view bytes = tail.bytes;
  const auto end = find_end(bytes);
  if (!end) refuse_as_broken(file);
  Directory directory{number_in(bytes, *end + 16, 4), number_in(bytes, *end + 12, 4)};
  const bool has_locator =
      *end >= locator_bytes && bytes.substr(*end - locator_bytes).starts_with(locator_signature);
  if (has_locator) {
    const std::uint64_t place = number_in(bytes, *end - locator_bytes + 8, 8);
    const bool is_there = place >= tail.begin && place - tail.begin < *end &&
                          *end - (place - tail.begin) >= wide_end_bytes;
    if (!is_there) refuse_as_broken(file);
    const std::string_view record = bytes.substr(static_cast<std::size_t>(place - tail.begin));
    if (!record.starts_with(wide_end_signature)) refuse_as_broken(file);
    directory = {number_in(record, 48, 8), number_in(record, 40, 8)};
  }
  const std::uint64_t end_place = tail.begin + *end;
  if (directory.offset > end_place || directory.bytes > end_place - directory.offset)
    refuse_as_broken(file);
  if (directory.bytes > most_directory_bytes)
    refuse_file(file, "a zip archive with a directory of at most 4 MiB", "a larger one");
  if (directory.offset < tail.begin) refuse_as_broken(file);
  return directory;
}

/// The extra field that holds the numbers which have no room in 32 bits, in their order.
void widen(ZipEntry& entry, bool has_wide_size, std::string_view extra, const std::string& file) {
  constexpr std::uint64_t wide_numbers_id = 1;
  constexpr std::size_t header_bytes = 4;
  constexpr std::size_t word = 8;
  while (extra.size() >= header_bytes) {
    const auto size = static_cast<std::size_t>(number_in(extra, 2, 2));
    const bool is_wanted = number_in(extra, 0, 2) == wide_numbers_id;
    extra.remove_prefix(header_bytes);
    if (size > extra.size()) refuse_as_broken(file);
    std::string_view numbers = extra.substr(0, size);
    extra.remove_prefix(size);
    if (!is_wanted) continue;
    if (has_wide_size) numbers.remove_prefix(std::min(word, numbers.size()));
    for (std::uint64_t* const field : {&entry.packed_bytes, &entry.offset}) {
      if (*field != is_wide) continue;
      if (numbers.size() < word) refuse_as_broken(file);
      *field = number_in(numbers, 0, word);
      numbers.remove_prefix(word);
    }
    return;
  }
}

std::vector<ZipEntry> read_directory(std::string_view bytes, const std::string& file) {
  std::vector<ZipEntry> entries;
  while (!bytes.empty()) {
    if (bytes.size() < entry_bytes || !bytes.starts_with(entry_signature)) refuse_as_broken(file);
    ZipEntry entry;
    entry.flags = number_in(bytes, 8, 2);
    entry.method = number_in(bytes, 10, 2);
    entry.packed_bytes = number_in(bytes, 20, 4);
    entry.offset = number_in(bytes, 42, 4);
    const bool has_wide_size = number_in(bytes, 24, 4) == is_wide;
    const auto name_bytes = static_cast<std::size_t>(number_in(bytes, 28, 2));
    const auto extra_bytes = static_cast<std::size_t>(number_in(bytes, 30, 2));
    const auto comment_bytes = static_cast<std::size_t>(number_in(bytes, 32, 2));
    bytes.remove_prefix(entry_bytes);
    if (name_bytes + extra_bytes + comment_bytes > bytes.size()) refuse_as_broken(file);
    entry.name = bytes.substr(0, name_bytes);
    widen(entry, has_wide_size, bytes.substr(name_bytes, extra_bytes), file);
    bytes.remove_prefix(name_bytes + extra_bytes + comment_bytes);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string found_files(const std::vector<ZipEntry>& files) {
  if (files.empty()) return "an archive without files";
  constexpr std::size_t most_letters = 60;
  return "an archive of " + std::to_string(files.size()) + " files, the first '" +
         files.front().name.substr(0, most_letters) + "'";
}

/// The file that holds the recording. torch.save puts all tensors beside data.pkl in a folder.
ZipEntry chosen_file(std::vector<ZipEntry> files, const std::string& file) {
  // Folders, and the notes that macOS adds.
  std::erase_if(files, [](const ZipEntry& entry) {
    return entry.name.ends_with('/') || entry.name.starts_with("__MACOSX/");
  });
  constexpr std::string_view saved_name = "/data.pkl";
  const auto saved = std::ranges::find_if(
      files, [&](const ZipEntry& entry) { return entry.name.ends_with(saved_name); });
  if (saved != files.end()) {
    const std::string tensors =
        saved->name.substr(0, saved->name.size() - saved_name.size()) + "/data/";
    const auto count = std::ranges::count_if(
        files, [&](const ZipEntry& entry) { return entry.name.starts_with(tensors); });
    if (count > 0)
      refuse_file(file, "a snapshot, as torch.save writes it",
                  "an archive of torch.save with " + std::to_string(count) +
                      " tensors, such as the weights of a model");
    return *saved;
  }
  if (files.size() != 1)
    refuse_file(file, "a zip archive of one recording, or of a snapshot as torch.save writes it",
                found_files(files));
  return files.front();
}

/// The bytes of a file in an archive as they are stored.
class ZipMemberSource : public ByteSource {
 public:
  ZipMemberSource(std::unique_ptr<ByteSource> archive, ZipEntry entry, std::string file)
      : archive_(std::move(archive)), entry_(std::move(entry)), file_(std::move(file)) {
    skip(entry_.offset);
    std::string record(file_bytes, '\0');
    for (char& byte : record)
      if (archive_->read(&byte, 1) == 0) refuse_as_broken(file_);
    if (!record.starts_with(file_signature)) refuse_as_broken(file_);
    skip(number_in(record, 26, 2) + number_in(record, 28, 2));
    left_ = entry_.packed_bytes;
  }

  std::size_t read(char* target, std::size_t count) override {
    if (left_ == 0) return 0;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, left_));
    const std::size_t got = archive_->read(target, wanted);
    if (got == 0) refuse_as_broken(file_);
    left_ -= got;
    return got;
  }

  std::unique_ptr<ByteSource> reopen() const override {
    return std::make_unique<ZipMemberSource>(archive_->reopen(), entry_, file_);
  }

 private:
  void skip(std::uint64_t count) {
    std::string passed(static_cast<std::size_t>(std::min<std::uint64_t>(count, 1U << 16U)), '\0');
    while (count > 0) {
      const auto wanted = std::min<std::uint64_t>(count, passed.size());
      const std::size_t got = archive_->read(passed.data(), static_cast<std::size_t>(wanted));
      if (got == 0) refuse_as_broken(file_);
      count -= got;
    }
  }

  /// It can be read again.
  std::unique_ptr<ByteSource> archive_;
  ZipEntry entry_;
  std::string file_;
  std::uint64_t left_ = 0;
};

}  // namespace

bool begins_like_zip(std::string_view bytes) {
  return bytes.starts_with(file_signature) || bytes.starts_with(end_signature);
}

std::unique_ptr<ByteSource> open_zip_member(std::unique_ptr<ByteSource> archive,
                                            const std::string& file) {
  auto again = archive->reopen();
  if (!again) {
    archive = held_in_memory(std::move(archive), file);
    again = archive->reopen();
  }
  const Tail tail = read_tail(*archive);
  const Directory directory = find_directory(tail, file);
  const auto begin = static_cast<std::size_t>(directory.offset - tail.begin);
  const std::string_view bytes =
      std::string_view(tail.bytes).substr(begin, static_cast<std::size_t>(directory.bytes));
  ZipEntry entry = chosen_file(read_directory(bytes, file), file);
  if ((entry.flags & encrypted_flag) != 0)
    refuse_file(file, "a zip archive without a password", "an encrypted one");
  const bool is_deflated = entry.method == deflate_method;
  if (!is_deflated && entry.method != stored_method)
    refuse_file(file, "a zip archive whose file is stored or deflated",
                "the method " + std::to_string(entry.method));
  auto member = std::make_unique<ZipMemberSource>(std::move(again), std::move(entry), file);
  if (is_deflated) return make_deflate_source(std::move(member), file);
  return member;
}

}  // namespace vramlab::traces
