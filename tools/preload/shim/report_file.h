// ReportFile: what one process writes under a name that others may have as well. Each writes a file
// of its own, beside its place, and gives it its name when it is whole.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace vramlab::shim {

class ReportFile {
 public:
  /// The name as a user gives it (tools/preload/names), or `stderr`; empty: nothing is written. A
  /// file that was last written before this time, in nanoseconds, is of an earlier run, and
  /// removed.
  ReportFile(const std::string& pattern, std::uint64_t since_ns);

  bool is_wanted() const { return !pattern_.empty(); }
  /// Finds out this process's name, where a thread of the program's may read the environment.
  void begin();
  /// Replaces what this process wrote before; where another one wrote a file of this name, the name
  /// ends in the number of this process. What cannot be written is told on standard error.
  void write(std::string_view text);

 private:
  bool write_beside(std::string_view text);
  bool take_name(const std::string& part);
  bool is_of_earlier_run() const;

  std::string pattern_;
  std::uint64_t since_ns_;
  std::string name_;
  pid_t process_ = 0;
  /// The file of this name is this process's.
  bool has_name_ = false;
};

}  // namespace vramlab::shim
