// Replay of a recording: the peaks of a file, as recorded and under another option string.
#include <cstdio>

#include "replay/recording/recording.h"
#include "replay/replayer/replayer.h"
#include "traces/formats/open_trace.h"
#include "traces/io/input_error.h"

using namespace vramlab;

static void show(const replay::Replayer& replayer, const replay::ReplayConditions& conditions) {
  const replay::ReplayReport report = replayer.figures(conditions);
  for (const replay::DeviceReport& device : report.devices)
    std::printf("GPU %u: peak allocated %s, peak reserved %s with %s\n", device.device.value,
                format_bytes(device.peak_allocated.bytes).c_str(),
                format_bytes(device.peak_reserved.bytes).c_str(),
                report.options.empty() ? "no options" : report.options.c_str());
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: replay_recording FILE\n");
    return 2;
  }
  try {
    replay::Recording recording(traces::open_trace(arguments[1]));
    const replay::Replayer replayer(recording);
    show(replayer, {});
    show(replayer, {.options = "expandable_segments:True"});
  } catch (const traces::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
