// SharedDevices: the memory that all processes of a dry run hold of the machine's GPUs, in a file
// of the run's folder. Each process has a row of it, and a lock on the row for as long as it lives:
// the system releases the lock however the process ends, and then its memory counts no more.
//
// Requests are made in turn, under another lock, so none is granted what a second one gets. What
// happens is added to a log in that order, for the report (tools/cli/commands/dry_run): a line each
// with nanoseconds, process, number of the device, what was done, how many bytes it was about, how
// many the process holds from there on with its context, and its command line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace vramlab::dry_run {

/// Words stand in the log.
enum class SharedUse : std::uint8_t { took, gave, refused, ended };

class SharedDevices {
 public:
  /// Throws std::runtime_error if the file cannot be used.
  explicit SharedDevices(const std::string& folder);
  SharedDevices(const SharedDevices&) = delete;
  SharedDevices& operator=(const SharedDevices&) = delete;
  ~SharedDevices();

  struct Change {
    SharedUse use = SharedUse::took;
    std::uint64_t bytes = 0;
    std::uint64_t held = 0;
  };
  /// Calls `change` with what the other processes hold of the device, while none of them asks for
  /// more. Its answer is what this process does.
  void in_turn(std::uint32_t device, const std::function<Change(std::uint64_t others)>& change);
  /// Held by the other processes now.
  std::uint64_t held_by_others(std::uint32_t device);
  /// This process ends, and holds nothing from here on.
  void leave();

 private:
  struct Row;

  Row& own_row();
  /// Rows of processes that ended otherwise are empty afterwards.
  std::uint64_t others_in_turn(std::uint32_t device);
  bool is_alive(std::size_t row) const;
  void empty(Row& row);
  void log(const Row& row, std::uint32_t device, const Change& change) const;

  int table_ = -1;
  int log_ = -1;
  Row* rows_ = nullptr;
  /// The process that the own row is of: a fork makes another.
  std::int64_t process_ = 0;
  std::size_t own_ = 0;
  bool has_left_ = false;
};

}  // namespace vramlab::dry_run
