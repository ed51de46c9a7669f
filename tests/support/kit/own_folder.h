// A folder for the files of one test program's run. Tests run at once, several builds of them too,
// so a name that two of them would choose must not lead to one file.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "allocator/types/check.h"

namespace vramlab::support {

class OwnFolder {
 public:
  OwnFolder() : maker_(getpid()) {
    // The system replaces the last letters by its own.
    std::string pattern = testing::TempDir() + "vramlab-test-" + std::string(6, 'X');
    check(mkdtemp(pattern.data()) != nullptr, "a folder for a test's files can be made");
    path_ = pattern + "/";
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  /// A child made by fork leaves its parent's files where they are.
  ~OwnFolder() {
    std::error_code ignored;
    if (getpid() == maker_) std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  pid_t maker_;
  std::string path_;
};

/// This run's folder, with a slash at the end; it goes when the program ends.
inline const std::string& own_folder() {
  static const OwnFolder folder;
  return folder.path();
}

}  // namespace vramlab::support
