// RecordFile: lines of one process, whole or not at all. Each append is one write to the end of the
// file, so what was written is there however the process ends: nothing is held back to be written
// at exit, and a mapped file would kill the program where the disk is full.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace vramlab::preload {

class RecordFile {
 public:
  /// Its name without the process's number (tools/preload/names). Nothing is opened.
  explicit RecordFile(const std::string& pattern);

  bool is_open() const { return descriptor_ >= 0; }
  /// Once for each process. Names the process; an older file of that name (of a program that became
  /// this one) stays, and this one is called `.2`. False, and said, where it cannot be made.
  bool open();
  /// Whole lines. Requires: it is open. Where they cannot be written, this is said and the file
  /// ends.
  void append(std::string_view lines);
  /// After a fork: the file is the parent's.
  void leave_to_parent();
  /// Writing failed; the user was told, and no more is written.
  bool has_failed() const { return failed_; }

 private:
  bool open_named(const std::string& name, int flags);
  bool is_still_ours() const;
  void fail(const char* what);

  std::string pattern_;
  std::string path_;
  int descriptor_ = -1;
  bool failed_ = false;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace vramlab::preload
