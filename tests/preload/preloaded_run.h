// Runs one of the test programs with the preload library in it, over the fake driver, in a folder
// of its own.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/processes/run_program.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"

namespace vramlab::tests {

/// The path of a program that is built for these tests.
std::string built(const std::string& name);
std::string preload_library();

/// A recording, as a reader of native traces gives it.
struct ReadRecording {
  traces::SnapshotTables tables;
  std::vector<traces::ProgramEvent> events;

  std::vector<traces::ProgramEvent> of_kind(traces::ProgramEventKind kind) const;
  std::vector<std::string> markers() const;
};
ReadRecording read_recording(const std::string& path);

class PreloadedRun {
 public:
  PreloadedRun();
  PreloadedRun(const PreloadedRun&) = delete;
  PreloadedRun& operator=(const PreloadedRun&) = delete;
  ~PreloadedRun();

  /// Sets a variable of the environment; LD_PRELOAD and LD_LIBRARY_PATH are set already.
  /// The last value counts.
  PreloadedRun& set(const std::string& name, const std::string& value);
  PreloadedRun& record() { return set("VRAMLAB_SHIM", "record"); }
  PreloadedRun& without_driver() { return set("LD_LIBRARY_PATH", ""); }

  /// A program of tests/preload/programs and its arguments. It has a minute.
  ProgramResult run(const std::vector<std::string>& words) const;
  /// Any program.
  ProgramResult run_command(const std::vector<std::string>& command) const;

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  /// In the order of their names as texts: process 10000 comes before process 9999.
  std::vector<std::string> recordings() const;
  /// Requires: the program left one.
  ReadRecording recording() const;
  /// The lines in which the fake driver was called by this name.
  std::size_t driver_calls(const std::string& function) const;

 private:
  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::string>> variables_;
};

}  // namespace vramlab::tests
