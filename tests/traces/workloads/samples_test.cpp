// The bundled samples are those that `vramlab generate` writes today: each says in its first event
// which command made it. Three small samples for `vramlab streams` are written by hand, and one is
// a recording of PyTorch. tools/dev/make_samples.sh writes them anew when a workload is changed on
// purpose.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/kit/generated.h"
#include "tests/support/processes/places.h"
#include "traces/formats/open_trace.h"
#include "traces/formats/trace_formats.h"

namespace vramlab::traces {
namespace {

namespace fs = std::filesystem;

const std::string sample_folder = support::source_dir() + "/traces/samples";

/// The programs, without the recording.
std::vector<std::string> sample_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(sample_folder))
    if (entry.path().filename().string().find(".vtrace") != std::string::npos)
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string content(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

class FirstMarker : public ProgramSink {
 public:
  explicit FirstMarker(const SnapshotTables& tables) : tables_(tables) {}
  void header(const TraceHeader& header) override { is_by_hand = header.origin == "by hand"; }
  void program_event(const ProgramEvent& event) override {
    if (text.empty() && event.kind == ProgramEventKind::marker)
      text = tables_.texts.text(event.text);
  }
  std::string text;
  bool is_by_hand = false;

 private:
  const SnapshotTables& tables_;
};

/// Such as `vramlab generate leak --seed 1 --events 5000 --layers 2`; a switch has no number.
WorkloadRequest request_of(const std::string& command_line) {
  std::istringstream words(command_line);
  WorkloadRequest request;
  std::string option;
  words >> option >> option >> request.name >> option;
  while (words && option.starts_with("--")) {
    std::string next;
    words >> next;
    const bool is_switch = next.empty() || next.starts_with("--");
    request.sizes[option.substr(2)] = is_switch ? 1 : std::stoull(next);
    if (!is_switch && !(words >> next)) next.clear();
    option = next;
  }
  request.seed = request.sizes.extract("seed").mapped();
  request.event_count = request.sizes.extract("events").mapped();
  return request;
}

TEST(Samples, are_what_is_generated_today) {
  ASSERT_GE(sample_files().size(), 10U);
  for (const std::string& file : sample_files()) {
    OpenTrace trace = open_trace(file);
    SnapshotTables tables;
    SnapshotSink unused;
    FirstMarker marker(tables);
    read_trace(trace, tables, {unused, marker});
    if (marker.is_by_hand) continue;
    EXPECT_TRUE(content(file) == support::generated_file(request_of(marker.text), trace.format))
        << file << " is not what '" << marker.text << "' writes";
  }
}

TEST(Samples, stay_small) {
  std::uintmax_t bytes = 0;
  for (const std::string& file : sample_files()) bytes += fs::file_size(file);
  EXPECT_LE(bytes, 3U << 20);
  EXPECT_LE(fs::file_size(sample_folder + "/gpt_training.pickle.gz"), 500'000U);
}

TEST(Samples, have_every_workload_and_both_forms) {
  for (const char* name : support::workload_names) {
    const auto is_of = [name](const std::string& file) {
      return fs::path(file).filename().string().starts_with(name);
    };
    const std::vector<std::string> files = sample_files();
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), is_of)) << name;
  }
  std::size_t texts = 0;
  for (const std::string& file : sample_files()) texts += file.ends_with(".jsonl") ? 1 : 0;
  EXPECT_GT(texts, 0U);
  EXPECT_LT(texts, sample_files().size());
}

}  // namespace
}  // namespace vramlab::traces
