#include "tests/preload/preloaded_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "allocator/types/check.h"
#include "tests/support/kit/own_folder.h"
#include "tests/support/processes/places.h"
#include "traces/formats/open_trace.h"
#include "traces/formats/trace_formats.h"
#include "traces/model/program_event.h"

namespace vramlab::tests {
namespace {

class KeptEvents final : public traces::ProgramSink {
 public:
  explicit KeptEvents(std::vector<traces::ProgramEvent>& events) : events_(events) {}
  void program_event(const traces::ProgramEvent& event) override { events_.push_back(event); }

 private:
  std::vector<traces::ProgramEvent>& events_;
};

}  // namespace

std::string built(const std::string& name) {
  return support::binary_dir() + "/tests/preload/" + name;
}

std::string preload_library() { return support::binary_dir() + "/libvramlab_preload.so"; }

std::vector<traces::ProgramEvent> ReadRecording::of_kind(traces::ProgramEventKind kind) const {
  std::vector<traces::ProgramEvent> found;
  for (const traces::ProgramEvent& event : events)
    if (event.kind == kind) found.push_back(event);
  return found;
}

std::vector<std::string> ReadRecording::markers() const {
  std::vector<std::string> texts;
  for (const traces::ProgramEvent& event : of_kind(traces::ProgramEventKind::marker))
    texts.emplace_back(tables.texts.text(event.text));
  return texts;
}

ReadRecording read_recording(const std::string& path) {
  ReadRecording read;
  KeptEvents program(read.events);
  traces::SnapshotSink recorded;
  traces::OpenTrace trace = traces::open_trace(path);
  traces::read_trace(trace, read.tables, {recorded, program});
  return read;
}

PreloadedRun::PreloadedRun() {
  // The system puts letters of its own in place of the last ones.
  std::string pattern = support::own_folder() + "vramlab-preload-" + std::string(6, 'X');
  check(mkdtemp(pattern.data()) != nullptr, "a folder for the test can be made");
  folder_ = pattern;
  set("LD_LIBRARY_PATH", support::binary_dir() + "/fake_cuda");
  set("LD_PRELOAD", preload_library());
  set("VRAMLAB_RECORD", file("recording"));
  set("FAKE_CUDA_LOG", file("driver.log"));
  set("VRAMLAB_SHIM", "deferred");
}

PreloadedRun::~PreloadedRun() { std::filesystem::remove_all(folder_); }

PreloadedRun& PreloadedRun::set(const std::string& name, const std::string& value) {
  std::erase_if(variables_, [&](const auto& variable) { return variable.first == name; });
  variables_.emplace_back(name, value);
  return *this;
}

ProgramResult PreloadedRun::run(const std::vector<std::string>& words) const {
  std::vector<std::string> command = words;
  command.front() = built(words.front());
  return run_command(command);
}

ProgramResult PreloadedRun::run_command(const std::vector<std::string>& command) const {
  std::vector<std::string> all = {"/usr/bin/timeout", "--foreground", "600",
                                  "/usr/bin/env",     "-C",           folder_.string()};
  for (const auto& [name, value] : variables_) all.push_back(name + "=" + value);
  all.insert(all.end(), command.begin(), command.end());
  return run_program(all);
}

std::vector<std::string> PreloadedRun::recordings() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    if (entry.path().filename().string().starts_with("recording"))
      names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  return names;
}

ReadRecording PreloadedRun::recording() const {
  const auto names = recordings();
  check(names.size() == 1, "the program left one recording");
  return read_recording(names.front());
}

std::size_t PreloadedRun::driver_calls(const std::string& function) const {
  std::ifstream log(file("driver.log"));
  std::size_t count = 0;
  for (std::string line; std::getline(log, line);)
    if (line.find(" " + function + " ") != std::string::npos) ++count;
  return count;
}

}  // namespace vramlab::tests
