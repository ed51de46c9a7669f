#include "tools/preload/shim/report_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/preload/names/file_names.h"

namespace vramlab::shim {
namespace {

constexpr const char* standard_error = "stderr";

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_into(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  const bool is_written = write_all(file, text);
  return ::close(file) == 0 && is_written;
}

/// A pipe or a device, which no file can stand for, or a link to one.
bool is_no_file(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

ReportFile::ReportFile(const std::string& pattern, std::uint64_t since_ns)
    : pattern_(pattern), since_ns_(since_ns) {
  if (!is_wanted() || pattern == standard_error) return;
  pattern_ = names::from_this_folder(pattern);
  begin();
}

void ReportFile::begin() {
  process_ = getpid();
  has_name_ = false;
  if (!is_wanted() || pattern_ == standard_error) return;
  name_ = names::expanded_name(pattern_, names::facts_of_this_process());
  if (is_of_earlier_run()) unlink(name_.c_str());
}

bool ReportFile::is_of_earlier_run() const {
  struct stat status {};
  if (lstat(name_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto written = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                       static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  return written < since_ns_;
}

void ReportFile::write(std::string_view text) {
  if (!is_wanted()) return;
  if (pattern_ == standard_error) {
    write_all(STDERR_FILENO, text);
    return;
  }
  if (process_ != getpid()) begin();
  if (is_no_file(name_) ? write_into(name_, text) : write_beside(text)) return;
  write_all(STDERR_FILENO, "vramlab: cannot write " + name_ + ": " + std::strerror(errno) + "\n");
}

bool ReportFile::write_beside(std::string_view text) {
  const std::string part = name_ + ".part-" + std::to_string(process_);
  if (write_into(part, text) && take_name(part)) return true;
  const int error = errno;
  unlink(part.c_str());
  errno = error;
  return false;
}

/// The first one who is whole gets the name, and nobody's file is replaced by another process.
bool ReportFile::take_name(const std::string& part) {
  const std::string numbered =
      names::names_process(pattern_) ? name_ : name_ + "." + std::to_string(process_);
  int number = 1;
  while (!has_name_ && link(part.c_str(), name_.c_str()) != 0) {
    // Some file systems have no links.
    if (errno != EEXIST) break;
    // A process that became another program has written under the number already.
    name_ = name_ != numbered && number == 1 ? numbered : numbered + "." + std::to_string(++number);
  }
  // If the link is made, both names are of one file, and nothing is renamed.
  has_name_ = rename(part.c_str(), name_.c_str()) == 0;
  return has_name_ && (unlink(part.c_str()) == 0 || errno == ENOENT);
}

}  // namespace vramlab::shim
