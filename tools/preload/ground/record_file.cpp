#include "tools/preload/ground/record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "tools/preload/ground/preload_mode.h"
#include "tools/preload/names/file_names.h"

namespace vramlab::preload {

RecordLine& RecordLine::add(std::string_view name, std::uint64_t value) {
  key(name);
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  letters_.append(digits.data(), end);
  return *this;
}

/// Bytes beyond ASCII may be no UTF-8, which the format does not take, and become question marks.
RecordLine& RecordLine::add(std::string_view name, std::string_view text) {
  key(name);
  letters_ += '"';
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') letters_ += '\\';
    letters_ += byte < 0x20 || byte >= 0x7f ? '?' : letter;
  }
  letters_ += '"';
  return *this;
}

RecordLine& RecordLine::add_unless_0(std::string_view name, std::uint64_t value) {
  return value == 0 ? *this : add(name, value);
}

RecordLine& RecordLine::raw(std::string_view json) {
  letters_ += json;
  return *this;
}

void RecordLine::key(std::string_view name) {
  letters_ += letters_.back() == '{' ? "\"" : ",\"";
  letters_ += name;
  letters_ += "\":";
}

std::uint64_t StreamNumbers::number_of(StreamHandle stream, std::uint32_t thread) {
  const CUstream which = stream.explicit_handle();
  if (which == CU_STREAM_LEGACY) return 0;
  std::uint64_t& number = which == CU_STREAM_PER_THREAD ? of_threads_[thread] : numbers_[which];
  if (number == 0) number = ++last_;
  return number;
}

namespace {

/// Asks for the number only. Since Linux 6.13 a file whose times were asked for, as fstat does,
/// gets new ones at its next write, which then takes twice as long.
std::optional<FileNumber> number_of_file(int descriptor) {
  struct statx status{};
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_INO, &status) != 0) return std::nullopt;
  return FileNumber{status.stx_dev_major, status.stx_dev_minor, status.stx_ino};
}

}  // namespace

RecordFile::RecordFile(const std::string& pattern) : pattern_(names::from_this_folder(pattern)) {}

bool RecordFile::open_named(const std::string& name, int flags) {
  descriptor_ = ::open(name.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
  const std::optional<FileNumber> opened =
      descriptor_ < 0 ? std::nullopt : number_of_file(descriptor_);
  if (!opened) return false;
  file_ = *opened;
  return true;
}

bool RecordFile::open() {
  const names::ProcessFacts facts = names::facts_of_this_process();
  const std::string name =
      names::expanded_name(pattern_, facts) + "." + std::to_string(facts.process);
  path_ = name;
  for (int number = 2; !open_named(path_, O_CREAT | O_EXCL); ++number) {
    if (errno != EEXIST) {
      fail("cannot be made");
      return false;
    }
    path_ = name + "." + std::to_string(number);
  }
  return true;
}

/// Programs close descriptors that they do not know, and another file gets the number.
bool RecordFile::is_still_ours() const { return number_of_file(descriptor_) == file_; }

void RecordFile::append(std::string_view lines) {
  if (failed_) return;
  if (!is_still_ours() && !open_named(path_, 0)) return fail("was closed and cannot be opened");
  const ssize_t written = write(descriptor_, lines.data(), lines.size());
  if (written == static_cast<ssize_t>(lines.size())) return;
  // Readers refuse half a line. With O_APPEND the place after a write is the end of the file.
  if (written > 0) {
    const off_t end = lseek(descriptor_, 0, SEEK_CUR) - written;
    if (ftruncate(descriptor_, end) != 0) return fail("ends within a line");
    errno = ENOSPC;
  }
  fail("ends here");
}

void RecordFile::leave_to_parent() {
  if (descriptor_ >= 0 && is_still_ours()) close(descriptor_);
  descriptor_ = -1;
  failed_ = false;
}

void RecordFile::fail(const char* what) {
  say({"the recording ", path_, " ", what, ": ", std::strerror(errno)});
  failed_ = true;
}

}  // namespace vramlab::preload
