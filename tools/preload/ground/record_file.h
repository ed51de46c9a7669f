// The file of a recording, its records, and the numbers of its streams. RecordLine spells records
// of a native trace (docs/reference/trace_format.md) into one buffer, for one write. The writers of
// traces/ are not used here: they would bring their whole library into every process that the
// preload is loaded into.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tools/preload/ground/memory_calls.h"

namespace vramlab::preload {

class RecordLine {
 public:
  /// The first key of a record, with its value.
  template <class Value>
  RecordLine& begin(std::string_view key, const Value& value) {
    letters_ += '{';
    return add(key, value);
  }
  RecordLine& add(std::string_view key, std::uint64_t value);
  RecordLine& add(std::string_view key, std::string_view text);
  /// Adds the value unless it is 0.
  RecordLine& add_unless_0(std::string_view key, std::uint64_t value);
  /// Adds the text as it is.
  RecordLine& raw(std::string_view json);
  void end() { letters_ += "}\n"; }

  /// All records since `clear`.
  std::string_view letters() const { return letters_; }
  void clear() { letters_.clear(); }

 private:
  void key(std::string_view name);

  std::string letters_;
};

// StreamNumbers: streams by number, in the order in which they are first seen. 0 is the legacy
// default stream; each thread's own default stream is one of its own.

class StreamNumbers {
 public:
  std::uint64_t number_of(StreamHandle stream, std::uint32_t thread);
  /// Its handle may come again for another stream.
  void forget(CUstream stream) { numbers_.erase(stream); }

 private:
  std::uint64_t last_ = 0;
  std::unordered_map<CUstream, std::uint64_t> numbers_;
  std::map<std::uint32_t, std::uint64_t> of_threads_;
};

/// The number of a file among all files.
struct FileNumber {
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileNumber&, const FileNumber&) = default;
};

// RecordFile: lines of one process, whole or not at all. Each append is one write to the end of the
// file, so the written lines survive any end of the process: nothing is held back until exit, and a
// mapped file would kill the program where the disk is full.

class RecordFile {
 public:
  /// The pattern is the file's name without the process's number (tools/preload/names). Nothing is
  /// opened.
  explicit RecordFile(const std::string& pattern);

  bool is_open() const { return descriptor_ >= 0; }
  /// Called once for each process, whose number is put into the name. An older file of that name
  /// (of a program that became this one) stays, and this one is called `.2`. False, with a message,
  /// if the file cannot be made.
  bool open();
  /// Appends whole lines. A failure is reported, and the file ends there. Requires: it is open.
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
  FileNumber file_;
};

}  // namespace vramlab::preload
