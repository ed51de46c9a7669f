#include "tools/cli/kit/numbered_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace vramlab::tools {
namespace {

constexpr const char* lock_name = "lock";
constexpr int most_numbers = 1000;

/// Other users may have made folders with our names among the temporary files, or may write into
/// one of ours whose mode was changed.
bool is_own_folder(const std::filesystem::path& path) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Its former owner may have removed the folder between our opening and our locking of the file.
bool is_still_there(int file, const std::filesystem::path& path) {
  struct stat opened{};
  struct stat found{};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &found) == 0 &&
         opened.st_ino == found.st_ino && opened.st_dev == found.st_dev;
}

void remove_all_but_lock(const std::filesystem::path& path) {
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (entry.path().filename() != lock_name) std::filesystem::remove_all(entry.path());
}

}  // namespace

NumberedFolder::NumberedFolder(const std::string& beginning) {
  for (int number = 1; number <= most_numbers; ++number)
    if (take(std::filesystem::absolute(beginning + "-" + std::to_string(number)))) return;
  // Anybody can make all of these. The system replaces the last letters by its own.
  std::string unlike_others = std::filesystem::absolute(beginning + "-" + std::string(6, 'X'));
  if (mkdtemp(unlike_others.data()) == nullptr || !take(unlike_others))
    throw std::runtime_error("no folder can be made: " + beginning + "-1 to " +
                             std::to_string(most_numbers) + " are in use, and " + unlike_others +
                             " cannot be made either");
}

bool NumberedFolder::take(const std::filesystem::path& path) {
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    throw std::runtime_error("no folder can be made in " + path.parent_path().string() + ": " +
                             std::strerror(errno));
  if (!is_own_folder(path)) return false;
  const std::filesystem::path name = path / lock_name;
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  const bool is_locked = flock(file, LOCK_EX | LOCK_NB) == 0;
  const int error = errno;
  if (!is_locked || !is_still_there(file, name)) {
    close(file);
    if (is_locked || error == EWOULDBLOCK) return false;
    throw std::runtime_error("no file can be locked in " + path.string() + ": " +
                             std::strerror(error));
  }
  lock_ = file;
  path_ = path;
  remove_all_but_lock(path);
  return true;
}

NumberedFolder::~NumberedFolder() {
  // The folder gets another name first, as the next run may take this one before all is removed.
  const std::filesystem::path gone = path_.string() + "-" + std::to_string(getpid()) + "-gone";
  std::error_code ignored;
  std::filesystem::rename(path_, gone, ignored);
  std::filesystem::remove_all(ignored ? path_ : gone, ignored);
  close(lock_);
}

}  // namespace vramlab::tools
