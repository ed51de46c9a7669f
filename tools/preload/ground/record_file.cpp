#include "tools/preload/ground/record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/preload/ground/message.h"
#include "tools/preload/names/file_names.h"

namespace vramlab::preload {

RecordFile::RecordFile(const std::string& pattern) : pattern_(names::from_this_folder(pattern)) {}

bool RecordFile::open_named(const std::string& name, int flags) {
  descriptor_ = ::open(name.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
  struct stat status {};
  if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) return false;
  device_ = status.st_dev;
  inode_ = status.st_ino;
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

/// Programs close descriptors that they do not know, and the number is given to another file.
bool RecordFile::is_still_ours() const {
  struct stat status {};
  return fstat(descriptor_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

void RecordFile::append(std::string_view lines) {
  if (failed_) return;
  if (!is_still_ours() && !open_named(path_, 0)) return fail("was closed and cannot be opened");
  const ssize_t written = write(descriptor_, lines.data(), lines.size());
  if (written == static_cast<ssize_t>(lines.size())) return;
  // No reader takes half a line. With O_APPEND the place after a write is the end of the file.
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
