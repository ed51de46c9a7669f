#include "tests/support/programs/stream_program.h"

#include <array>
#include <sstream>

namespace vramlab::tests {
namespace {

using namespace streams;

constexpr std::array<std::string_view, 20> call_names = {
    "create_stream",      "destroy_stream",    "submit",        "query_stream",  "synchronize",
    "synchronize_device", "create_event",      "destroy_event", "record_event",  "wait_for_event",
    "query_event",        "synchronize_event", "elapsed",       "begin_capture", "end_capture",
    "launch_graph",       "destroy_graph",     "exchange_mode", "unsafe_call",   "capture_of"};
constexpr std::array<std::string_view, 8> work_names = {
    "kernel", "copy_to_device", "copy_to_host", "copy_on_device",
    "memset", "host_function",  "write_flag",   "await_flag"};

std::string work_text(const Work& work) {
  std::ostringstream text;
  text << " " << work_names.at(static_cast<std::size_t>(work.kind)) << " " << work.duration.ns
       << "ns";
  if (work.blocks_host) text << " blocking";
  if (work.fault != CudaStatus::success) text << " " << cuda_status_name(work.fault);
  if (work.kind == WorkKind::write_flag || work.kind == WorkKind::await_flag)
    text << " flag " << work.flag.value << "=" << work.value;
  return text.str();
}

}  // namespace

std::string stream_call_text(const StreamCall& call) {
  std::ostringstream text;
  text << "thread " << call.thread.value << ": "
       << call_names.at(static_cast<std::size_t>(call.kind)) << " stream " << call.stream.device
       << ":" << call.stream.stream.value << " event " << call.event.value;
  if (call.kind == StreamCallKind::submit) text << work_text(call.work);
  if (call.kind == StreamCallKind::create_stream)
    text << (call.traits.is_blocking ? " blocking" : " non-blocking") << " priority "
         << call.traits.priority;
  if (call.kind == StreamCallKind::elapsed) text << " to " << call.other_event.value;
  if (call.kind >= StreamCallKind::begin_capture)
    text << " graph " << call.graph.value << " mode " << static_cast<int>(call.mode);
  if (call.not_before) text << " not before " << call.not_before->ns;
  return text.str();
}

std::string stream_program_text(const StreamProgram& program) {
  std::ostringstream text;
  const ConcurrencyLimits& limits = program.model.limits;
  text << "seed " << program.seed << ", latency " << program.model.launch_latency.ns << ", call "
       << program.model.call_time.ns << ", kernels " << limits.kernels << ", copies "
       << limits.copy_engines << ", host functions " << limits.host_functions << ", queues "
       << limits.hardware_queues << "\n";
  for (const StreamCall& call : program.calls) text << "  " << stream_call_text(call) << "\n";
  return text.str();
}

}  // namespace vramlab::tests
