// The driver as a dry run sets it up: the properties of a GPU, no bytes behind device memory.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "streams/cuda_interface/functions.h"
#include "streams/device/gpu_models.h"
#include "tests/cuda_standins/driver/written_parts.h"
#include "tests/fake_cuda/engine/fake_cuda.h"
#include "tests/support/kit/own_folder.h"
#include "tools/cuda_standins/driver/driver_functions.h"
#include "tools/cuda_standins/driver/driver_types.h"
#include "tools/cuda_standins/model/kernels.h"
#include "tools/cuda_standins/notes/note_book.h"
#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::fake {
namespace {

const streams::GpuModel& h100() { return *streams::find_gpu("h100-80gb"); }

FakeOptions options_of_h100() {
  FakeOptions options;
  options.properties = h100().properties;
  options.device_name = h100().full_name;
  options.context_bytes = h100().context.count;
  options.told_bytes = h100().total.count;
  options.memory_bytes = h100().available().count;
  options.host_values = HostValues::ones;
  options.driver_version = newest_known_cuda;
  return options;
}

class DryRunDriver : public testing::Test {
 protected:
  DryRunDriver() {
    call("cuInit", 0U);
    CUcontext context = nullptr;
    EXPECT_EQ(call("cuDevicePrimaryCtxRetain", &context, CUdevice{0}), CUDA_SUCCESS);
    EXPECT_EQ(call("cuCtxSetCurrent", context), CUDA_SUCCESS);
  }

  template <class... Arguments>
  static CUresult call(const char* symbol, Arguments... arguments) {
    using Function = CUresult (*)(Arguments...);
    return reinterpret_cast<Function>(find_symbol(symbol, newest_known_cuda))(arguments...);
  }
  static int attribute(unsigned number) {
    int value = -1;
    EXPECT_EQ(call("cuDeviceGetAttribute", &value, static_cast<CUdevice_attribute>(number), 0),
              CUDA_SUCCESS);
    return value;
  }
  static std::size_t free_bytes() {
    std::size_t free = 0;
    EXPECT_EQ(call("cuMemGetInfo_v2", &free, static_cast<std::size_t*>(nullptr)), CUDA_SUCCESS);
    return free;
  }
  static CUfunction kernel() {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(call("cuModuleLoadData", &module, static_cast<const void*>("")), CUDA_SUCCESS);
    EXPECT_EQ(call("cuModuleGetFunction", &function, module, "any"), CUDA_SUCCESS);
    return function;
  }
  static CUstream stream() {
    CUstream made = nullptr;
    EXPECT_EQ(call("cuStreamCreate", &made, 1U), CUDA_SUCCESS);
    return made;
  }
  static CUresult launch(CUstream on) {
    return call("cuLaunchKernel", kernel(), 1U, 1U, 1U, 1U, 1U, 1U, 0U, on,
                static_cast<void**>(nullptr), static_cast<void**>(nullptr));
  }

  ChosenDriver driver_{options_of_h100()};
};

TEST_F(DryRunDriver, refuses_blocks_and_grids_that_no_gpu_has) {
  using Size = std::array<unsigned, 3>;
  const CUfunction function = kernel();
  const auto launched = [&](Size grid, Size block) {
    return call("cuLaunchKernel", function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                0U, CUstream{nullptr}, static_cast<void**>(nullptr), static_cast<void**>(nullptr));
  };
  EXPECT_EQ(launched({2147483647, 65535, 65535}, {1024, 1, 1}), CUDA_SUCCESS);
  EXPECT_EQ(launched({1, 1, 1}, {4, 4, 64}), CUDA_SUCCESS);
  for (const Size block : {Size{1025, 1, 1}, {1, 1025, 1}, {1, 1, 65}, {32, 33, 1}, {0, 1, 1}})
    EXPECT_EQ(launched({1, 1, 1}, block), CUDA_ERROR_INVALID_VALUE) << block[0];
  for (const Size grid : {Size{0, 1, 1}, {1, 65536, 1}, {1, 1, 65536}})
    EXPECT_EQ(launched(grid, {1, 1, 1}), CUDA_ERROR_INVALID_VALUE) << grid[1];
}

TEST_F(DryRunDriver, has_the_profiler_s_switches) {
  ASSERT_NE(find_symbol("cuProfilerStart", newest_known_cuda), nullptr);
  EXPECT_EQ(call("cuProfilerStart"), CUDA_SUCCESS);
  EXPECT_EQ(call("cuProfilerStop"), CUDA_SUCCESS);
}

TEST_F(DryRunDriver, tells_the_gpu_s_name_and_properties) {
  char name[64] = {};
  EXPECT_EQ(call("cuDeviceGetName", +name, 64, CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(std::string(name), h100().full_name);
  EXPECT_EQ(attribute(75), 9);
  EXPECT_EQ(attribute(16), 132);
  EXPECT_EQ(attribute(39), 2048);
  EXPECT_EQ(attribute(97), 232448);
  int value = 0;
  EXPECT_EQ(call("cuDeviceGetAttribute", &value, static_cast<CUdevice_attribute>(9999), 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DryRunDriver, has_the_context_s_memory_taken_off_what_is_free) {
  EXPECT_EQ(free_bytes(), h100().available().count);
  CUdeviceptr at = 0;
  EXPECT_EQ(call("cuMemAlloc_v2", &at, std::size_t{2 << 20}), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), h100().available().count - (2 << 20));
  EXPECT_EQ(call("cuMemAlloc_v2", &at, std::size_t{h100().available().count}),
            CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(DryRunDriver, gives_the_host_made_up_values_and_notes_it) {
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  dry_run::the_notes().begin_anew();
  std::int64_t values[3] = {7, 7, 7};
  EXPECT_EQ(call("cuMemcpyDtoH_v2", static_cast<void*>(values), at, sizeof values), CUDA_SUCCESS);
  EXPECT_EQ(values[0] + values[1] + values[2], 3);
  EXPECT_NE(dry_run::the_notes().text().find("host_read"), std::string::npos);
}

unsigned long long asked_from = 0;

int sevens(void* at, unsigned long bytes, unsigned long long from) {
  asked_from = from;
  std::memset(at, 7, bytes);
  return 1;
}

TEST_F(DryRunDriver, gives_the_host_values_of_the_program_s_own_where_nobody_knows_them) {
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  const std::int32_t known = 5;
  ASSERT_EQ(call("cuMemcpyHtoD_v2", at, static_cast<const void*>(&known), sizeof known),
            CUDA_SUCCESS);
  vramlab_dry_run_set_values(sevens);
  std::int32_t read = 0;
  EXPECT_EQ(call("cuMemcpyDtoH_v2", static_cast<void*>(&read), at, sizeof read), CUDA_SUCCESS);
  EXPECT_EQ(read, 5);
  EXPECT_EQ(call("cuMemcpyDtoH_v2", static_cast<void*>(&read), at + 64, sizeof read), CUDA_SUCCESS);
  EXPECT_EQ(read, 0x07070707);
  EXPECT_EQ(asked_from, at + 64);
  vramlab_dry_run_set_values(nullptr);
  EXPECT_EQ(call("cuMemcpyDtoH_v2", static_cast<void*>(&read), at + 64, sizeof read), CUDA_SUCCESS);
  EXPECT_EQ(read, 1);
}

TEST_F(DryRunDriver, answers_numbers_that_it_was_told_before_in_their_order) {
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  VramlabDryRunAnswers* const answers = vramlab_dry_run_own_answers();
  *answers = {2, 4, {0, 0, 9, ~0ULL}};
  std::int64_t number = 0;
  std::array<char, 24> many{};
  const auto read = [&](std::size_t bytes) {
    number = 0;
    return call("cuMemcpyDtoH_v2", static_cast<void*>(&number), at, bytes) == CUDA_SUCCESS;
  };
  EXPECT_TRUE(read(1) && number == 1) << "it is too narrow";
  EXPECT_EQ(call("cuMemcpyDtoH_v2", static_cast<void*>(many.data()), at, many.size()),
            CUDA_SUCCESS);
  EXPECT_EQ(answers->left, 2U) << "these are several";
  EXPECT_TRUE(read(8) && number == 9);
  EXPECT_TRUE(read(4) && number == 0xffffffff);
  EXPECT_TRUE(read(4) && number == 1) << "no more are left";
}

TEST_F(DryRunDriver, reads_bytes_that_the_host_just_copied) {
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  const std::int32_t copied = 5;
  std::int32_t read = 0;
  EXPECT_EQ(vramlab_dry_run_read_memory(&read, at, sizeof read), 0);
  ASSERT_EQ(call("cuMemcpyHtoD_v2", at, static_cast<const void*>(&copied), sizeof copied),
            CUDA_SUCCESS);
  EXPECT_EQ(vramlab_dry_run_read_memory(&read, at, sizeof read), 1);
  EXPECT_EQ(read, 5);
}

TEST_F(DryRunDriver, reads_bytes_that_a_memset_or_another_rank_wrote) {
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  ASSERT_EQ(call("cuMemsetD32_v2", at, 9U, std::size_t{2}), CUDA_SUCCESS);
  std::int32_t read[2] = {};
  EXPECT_EQ(vramlab_dry_run_read_memory(read, at, sizeof read), 1);
  EXPECT_EQ(read[1], 9);
  const std::int32_t sent = 5;
  vramlab_dry_run_remember(at, &sent, sizeof sent);
  EXPECT_EQ(vramlab_dry_run_read_memory(read, at, sizeof sent), 1);
  EXPECT_EQ(read[0], 5);
  vramlab_dry_run_remember(at, nullptr, sizeof sent);
  EXPECT_EQ(vramlab_dry_run_read_memory(read, at, sizeof sent), 0);
}

TEST_F(DryRunDriver, a_memset_of_pinned_memory_is_done_when_the_call_returns) {
  void* host = nullptr;
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemHostAlloc", &host, std::size_t{4096}, 2U), CUDA_SUCCESS);
  ASSERT_EQ(call("cuMemHostGetDevicePointer_v2", &at, host, 0U), CUDA_SUCCESS);
  auto* const bytes = static_cast<volatile unsigned char*>(host);
  bytes[4095] = 0;
  EXPECT_EQ(call("cuMemsetD8_v2", at, static_cast<unsigned char>(171), std::size_t{4096}),
            CUDA_SUCCESS);
  EXPECT_EQ(bytes[4095], 171);
}

TEST_F(DryRunDriver, memory_whose_memset_is_captured_is_not_known) {
  const CUstream on = stream();
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(call("cuMemsetD32Async", at, 9U, std::size_t{1}, on), CUDA_SUCCESS);
  std::int32_t read = 0;
  EXPECT_EQ(vramlab_dry_run_read_memory(&read, at, sizeof read), 0);
  CUgraph graph = nullptr;
  EXPECT_EQ(call("cuStreamEndCapture", on, &graph), CUDA_SUCCESS);
}

TEST_F(DryRunDriver, captures_that_were_begun_are_counted) {
  const CUstream on = stream();
  const auto count = [] {
    return *static_cast<const std::uint64_t*>(vramlab_dry_run_captures_begun());
  };
  const std::uint64_t before = count();
  ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(count(), before + 1);
  EXPECT_NE(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  EXPECT_EQ(call("cuStreamEndCapture", on, &graph), CUDA_SUCCESS);
  EXPECT_EQ(count(), before + 1) << "neither one that was refused nor an end counts";
}

TEST_F(DryRunDriver, work_of_a_library_leaves_bytes_that_it_does_not_write) {
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  ASSERT_EQ(call("cuMemsetD32_v2", at, 9U, std::size_t{1}), CUDA_SUCCESS);
  ASSERT_EQ(call("cuMemsetD32_v2", at + 4, 9U, std::size_t{1}), CUDA_SUCCESS);
  vramlab_dry_run_work_at(nullptr, at + 4, 4);
  std::int32_t read = 0;
  EXPECT_EQ(vramlab_dry_run_read_memory(&read, at, sizeof read), 1);
  EXPECT_EQ(vramlab_dry_run_read_memory(&read, at + 4, sizeof read), 0);
}

TEST_F(DryRunDriver, tells_which_watched_memory_was_written) {
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  WrittenPartsReader written;
  vramlab_dry_run_watch_memory(at, 16);
  vramlab_dry_run_watch_memory(at + 16, 16);
  ASSERT_EQ(call("cuMemsetD8_v2", at + 20, static_cast<unsigned char>(0), std::size_t{64}),
            CUDA_SUCCESS);
  EXPECT_EQ(written.take(), std::vector<std::uint64_t>{at + 16});
  vramlab_dry_run_work_at(nullptr, at, 1);
  EXPECT_EQ(written.take(), std::vector<std::uint64_t>{at});
}

std::vector<std::pair<unsigned, int>> first_works;

TEST_F(DryRunDriver, tells_the_first_kernel_and_the_first_work_of_a_library_once) {
  vramlab_dry_run_set_first_work(
      [](unsigned device, int of_library) { first_works.emplace_back(device, of_library); });
  vramlab_dry_run_work(nullptr);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(launch(nullptr), CUDA_SUCCESS);
  vramlab_dry_run_work(nullptr);
  vramlab_dry_run_set_first_work(nullptr);
  EXPECT_EQ(first_works, (std::vector<std::pair<unsigned, int>>{{0, 1}, {0, 0}}));
}

TEST_F(DryRunDriver, takes_a_kernel_that_is_not_pytorch_s_to_write_anywhere) {
  CUmodule module = nullptr;
  ASSERT_EQ(call("cuModuleLoadData", &module, static_cast<const void*>("")), CUDA_SUCCESS);
  CUfunction function = nullptr;
  ASSERT_EQ(call("cuModuleGetFunction", &function, module, "triton_poi_fused_add_0"), CUDA_SUCCESS);
  WrittenPartsReader written;
  vramlab_dry_run_watch_memory(4096, 16);
  EXPECT_EQ(call("cuLaunchKernel", function, 1U, 1U, 1U, 1U, 1U, 1U, 0U, CUstream{nullptr},
                 static_cast<void**>(nullptr), static_cast<void**>(nullptr)),
            CUDA_SUCCESS);
  EXPECT_EQ(written.take(), std::vector<std::uint64_t>{4096});
}

TEST_F(DryRunDriver, copies_rows_with_pitches_between_host_and_host) {
  char from[8] = {'a', 'b', '-', '-', 'c', 'd', '-', '-'};
  char to[4] = {};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from;
  copy.srcPitch = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to;
  copy.dstPitch = 2;
  copy.WidthInBytes = 2;
  copy.Height = 2;
  EXPECT_EQ(call("cuMemcpy2D_v2", static_cast<const CUDA_MEMCPY2D*>(&copy)), CUDA_SUCCESS);
  EXPECT_EQ(std::string(to, 4), "abcd");
}

TEST_F(DryRunDriver, launches_an_executable_graph_whose_graph_is_gone) {
  const CUstream on = stream();
  ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(launch(on), CUDA_SUCCESS);
  EXPECT_EQ(launch(on), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(call("cuStreamEndCapture", on, &graph), CUDA_SUCCESS);
  std::size_t count = 0;
  EXPECT_EQ(call("cuGraphGetNodes", graph, static_cast<CUgraphNode*>(nullptr), &count),
            CUDA_SUCCESS);
  EXPECT_EQ(count, 2U);
  CUgraphExec executable = nullptr;
  ASSERT_EQ(call("cuGraphInstantiateWithFlags", &executable, graph, 0ULL), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", executable, on), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamQuery", on), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(call("cuStreamSynchronize", on), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphExecDestroy", executable), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", executable, on), CUDA_ERROR_INVALID_HANDLE);
}

// As an H200 answered (docs/reference/stream_model.md, 10.6).
TEST_F(DryRunDriver, records_events_of_other_streams_by_nodes_of_a_graph) {
  const CUstream on = stream();
  const CUstream other = stream();
  CUevent event = nullptr;
  ASSERT_EQ(call("cuEventCreate", &event, 0U), CUDA_SUCCESS);
  EXPECT_EQ(call("cuEventRecordWithFlags", event, on, 1U), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(call("cuStreamWaitEvent", on, event, 1U), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(call("cuEventRecordWithFlags", event, on, 2U), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuStreamWaitEvent", on, event, 2U), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamWaitEvent", on, event, 1U), CUDA_SUCCESS);
  EXPECT_EQ(launch(on), CUDA_SUCCESS);
  EXPECT_EQ(call("cuEventRecordWithFlags", event, on, 1U), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(call("cuStreamEndCapture", on, &graph), CUDA_SUCCESS);
  CUgraphNode nodes[4] = {};
  std::size_t count = 4;
  ASSERT_EQ(call("cuGraphGetNodes", graph, +nodes, &count), CUDA_SUCCESS);
  ASSERT_EQ(count, 3U);
  CUgraphNodeType type{};
  EXPECT_EQ(call("cuGraphNodeGetType", nodes[0], &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  EXPECT_EQ(call("cuGraphNodeGetType", nodes[2], &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  CUgraphExec executable = nullptr;
  ASSERT_EQ(call("cuGraphInstantiateWithFlags", &executable, graph, 0ULL), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamWaitEvent", other, event, 0U), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", executable, on), CUDA_SUCCESS);
  EXPECT_EQ(call("cuEventQuery", event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(call("cuStreamWaitEvent", other, event, 0U), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamSynchronize", other), CUDA_SUCCESS);
  EXPECT_EQ(call("cuEventQuery", event), CUDA_SUCCESS);
}

TEST_F(DryRunDriver, names_a_graph_while_it_is_captured_as_afterwards) {
  const CUstream on = stream();
  ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  CUgraph asked = nullptr;
  EXPECT_EQ(call("cuStreamGetCaptureInfo_v2", on, &status, &id, &asked,
                 static_cast<const CUgraphNode**>(nullptr), static_cast<std::size_t*>(nullptr)),
            CUDA_SUCCESS);
  CUgraph ended = nullptr;
  ASSERT_EQ(call("cuStreamEndCapture", on, &ended), CUDA_SUCCESS);
  EXPECT_EQ(asked, ended);
  CUgraphExec executable = nullptr;
  EXPECT_EQ(call("cuGraphInstantiateWithFlags", &executable, asked, 0ULL), CUDA_SUCCESS);
}

TEST_F(DryRunDriver, adds_captures_to_the_graph_that_they_were_begun_with) {
  const CUstream on = stream();
  const auto capture_into = [&](CUgraph graph, const CUgraphNode* after, std::size_t count) {
    return call("cuStreamBeginCaptureToGraph", on, graph, after,
                static_cast<const CUgraphEdgeData*>(nullptr), count, CU_STREAM_CAPTURE_MODE_GLOBAL);
  };
  CUgraph graph = nullptr;
  ASSERT_EQ(call("cuGraphCreate", &graph, 0U), CUDA_SUCCESS);
  ASSERT_EQ(capture_into(graph, nullptr, 0), CUDA_SUCCESS);
  EXPECT_EQ(launch(on), CUDA_SUCCESS);
  EXPECT_EQ(launch(on), CUDA_SUCCESS);
  CUgraph ended = nullptr;
  ASSERT_EQ(call("cuStreamEndCapture", on, &ended), CUDA_SUCCESS);
  EXPECT_EQ(ended, graph);

  CUgraphNode nodes[4] = {};
  std::size_t count = 4;
  ASSERT_EQ(call("cuGraphGetNodes", graph, static_cast<CUgraphNode*>(nodes), &count), CUDA_SUCCESS);
  ASSERT_EQ(count, 2U);
  ASSERT_EQ(capture_into(graph, nodes + 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(launch(on), CUDA_SUCCESS);
  ASSERT_EQ(call("cuStreamEndCapture", on, &ended), CUDA_SUCCESS);
  EXPECT_EQ(ended, graph);
  count = 4;
  ASSERT_EQ(call("cuGraphGetNodes", graph, static_cast<CUgraphNode*>(nodes), &count), CUDA_SUCCESS);
  ASSERT_EQ(count, 3U);
  CUgraphNode before = nullptr;
  count = 1;
  ASSERT_EQ(call("cuGraphNodeGetDependencies", nodes[2], &before, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(before, nodes[1]);

  CUgraphExec executable = nullptr;
  ASSERT_EQ(call("cuGraphInstantiateWithFlags", &executable, graph, 0ULL), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", executable, on), CUDA_SUCCESS);
  EXPECT_EQ(capture_into(nullptr, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  const CUgraphNode unknown = reinterpret_cast<CUgraphNode>(1);
  EXPECT_EQ(capture_into(graph, &unknown, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DryRunDriver, refuses_to_launch_or_destroy_a_graph_in_a_capture) {
  const CUstream on = stream();
  ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(call("cuStreamEndCapture", on, &graph), CUDA_SUCCESS);
  CUgraphExec executable = nullptr;
  ASSERT_EQ(call("cuGraphInstantiateWithFlags", &executable, graph, 0ULL), CUDA_SUCCESS);
  ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", executable, on), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(call("cuStreamEndCapture", on, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphExecDestroy", executable), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(call("cuStreamDestroy_v2", on), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphExecDestroy", executable), CUDA_SUCCESS);
}

TEST_F(DryRunDriver, captures_a_copy_to_the_host_but_none_that_returns_when_it_is_done) {
  const CUstream on = stream();
  CUdeviceptr at = 0;
  std::int32_t read = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(call("cuMemcpyDtoHAsync_v2", static_cast<void*>(&read), at, sizeof read, on),
            CUDA_SUCCESS);
  CUgraph graph = nullptr;
  EXPECT_EQ(call("cuStreamEndCapture", on, &graph), CUDA_SUCCESS);
  const CUstream own = CU_STREAM_PER_THREAD;
  ASSERT_EQ(call("cuStreamBeginCapture_v2", own, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(call("cuMemcpyDtoH_v2_ptds", static_cast<void*>(&read), at, sizeof read),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(call("cuStreamEndCapture", own, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(DryRunDriver, has_pools_that_keep_what_their_threshold_says) {
  CUmemoryPool pool = nullptr;
  ASSERT_EQ(call("cuDeviceGetDefaultMemPool", &pool, CUdevice{0}), CUDA_SUCCESS);
  const std::size_t before = free_bytes();
  CUdeviceptr first = 0;
  CUdeviceptr second = 0;
  ASSERT_EQ(call("cuMemAllocAsync", &first, std::size_t{1000}, CUstream{}), CUDA_SUCCESS);
  ASSERT_EQ(call("cuMemAllocAsync", &second, std::size_t{1000}, CUstream{}), CUDA_SUCCESS);
  EXPECT_EQ(second - first, 1024U);
  EXPECT_EQ(before - free_bytes(), 32U << 20);
  std::uint64_t threshold = ~0ULL;
  EXPECT_EQ(call("cuMemPoolSetAttribute", pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                 static_cast<void*>(&threshold)),
            CUDA_SUCCESS);
  for (const CUdeviceptr at : {first, second})
    EXPECT_EQ(call("cuMemFreeAsync", at, CUstream{}), CUDA_SUCCESS);
  EXPECT_EQ(call("cuCtxSynchronize"), CUDA_SUCCESS);
  EXPECT_EQ(before - free_bytes(), 32U << 20);
  EXPECT_EQ(call("cuMemPoolTrimTo", pool, std::size_t{0}), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(DryRunDriver, imports_physical_memory_without_counting_it_twice) {
  CUmemAllocationProp wish{};
  wish.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wish.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemGenericAllocationHandle made = 0;
  CUmemGenericAllocationHandle imported = 0;
  int file = -1;
  const CUmemAllocationProp* const asked = &wish;
  ASSERT_EQ(call("cuMemCreate", &made, std::size_t{2 << 20}, asked, 0ULL), CUDA_SUCCESS);
  const std::size_t left = free_bytes();
  ASSERT_EQ(call("cuMemExportToShareableHandle", static_cast<void*>(&file), made,
                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0ULL),
            CUDA_SUCCESS);
  void* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(file));
  EXPECT_EQ(call("cuMemImportFromShareableHandle", &imported, handle,
                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
            CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), left);
  EXPECT_EQ(call("cuMemRelease", made), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), left) << "what was imported keeps it";
  EXPECT_EQ(call("cuMemRelease", imported), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes() - left, 2U << 20);
}

TEST_F(DryRunDriver, memory_of_the_host_that_is_mapped_is_refused_and_noted) {
  dry_run::the_notes().begin_anew();
  constexpr unsigned host_numa = 3;
  CUmemAllocationProp wish{};
  wish.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wish.location = {static_cast<CUmemLocationType>(host_numa), 0};
  std::size_t bytes = 0;
  EXPECT_EQ(call("cuMemGetAllocationGranularity", &bytes, &wish, 0U), CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(dry_run::the_notes().text().find("cuMemCreate of the host's memory"),
            std::string::npos);
}

// JAX makes all its nodes so.
TEST_F(DryRunDriver, kernels_copies_and_memsets_are_added_by_the_function_for_any_node) {
  CUgraph graph = nullptr;
  ASSERT_EQ(call("cuGraphCreate", &graph, 0U), CUDA_SUCCESS);
  for (const CUgraphNodeType type :
       {CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET}) {
    CUgraphNode node = nullptr;
    CUgraphNodeParams what{};
    what.type = type;
    EXPECT_EQ(call("cuGraphAddNode_v2", &node, graph, static_cast<const CUgraphNode*>(nullptr),
                   static_cast<const void*>(nullptr), std::size_t{0}, &what),
              CUDA_SUCCESS)
        << type;
    EXPECT_NE(node, nullptr);
  }
  CUgraphExec executable = nullptr;
  EXPECT_EQ(call("cuGraphInstantiateWithFlags", &executable, graph, 0ULL), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", executable, stream()), CUDA_SUCCESS);
}

TEST_F(DryRunDriver, memory_of_a_graph_counts_from_its_first_launch_until_the_graph_is_gone) {
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CUdeviceptr at = 0;
  const std::size_t before = free_bytes();
  ASSERT_EQ(call("cuStreamCreate", &stream, 1U), CUDA_SUCCESS);
  ASSERT_EQ(call("cuStreamBeginCapture_v2", stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  ASSERT_EQ(call("cuMemAllocAsync", &at, std::size_t{4 << 20}, stream), CUDA_SUCCESS);
  ASSERT_EQ(call("cuStreamEndCapture", stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(call("cuGraphInstantiateWithFlags", &executable, graph, 0ULL), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
  ASSERT_EQ(call("cuGraphLaunch", executable, stream), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphLaunch", executable, stream), CUDA_ERROR_INVALID_VALUE)
      << "its memory is in use";
  EXPECT_EQ(before - free_bytes(), 4U << 20);
  EXPECT_EQ(call("cuMemFree_v2", at), CUDA_SUCCESS);
  EXPECT_EQ(call("cuMemFree_v2", at), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuGraphLaunch", executable, stream), CUDA_SUCCESS);
  EXPECT_EQ(before - free_bytes(), 4U << 20);
  EXPECT_EQ(call("cuCtxSynchronize"), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphDestroy", graph), CUDA_SUCCESS);
  EXPECT_EQ(call("cuGraphExecDestroy", executable), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
}

/// A graph that allocates 4 MiB and frees it, several times in turn.
struct GraphOfPairs {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
};

TEST_F(DryRunDriver, memory_that_a_graph_frees_serves_its_next_node_and_other_graphs) {
  const CUstream on = stream();
  const std::size_t before = free_bytes();
  GraphOfPairs graphs[2];
  for (auto& [graph, executable] : graphs) {
    ASSERT_EQ(call("cuStreamBeginCapture_v2", on, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    CUdeviceptr first = 0;
    for (int pair = 0; pair < 3; ++pair) {
      CUdeviceptr at = 0;
      ASSERT_EQ(call("cuMemAllocAsync", &at, std::size_t{4 << 20}, on), CUDA_SUCCESS);
      ASSERT_EQ(call("cuMemFreeAsync", at, on), CUDA_SUCCESS);
      if (pair == 0) first = at;
      EXPECT_EQ(at, first);
    }
    ASSERT_EQ(call("cuStreamEndCapture", on, &graph), CUDA_SUCCESS);
    ASSERT_EQ(call("cuGraphInstantiateWithFlags", &executable, graph, 0ULL), CUDA_SUCCESS);
    EXPECT_EQ(call("cuGraphLaunch", executable, on), CUDA_SUCCESS);
    EXPECT_EQ(call("cuGraphLaunch", executable, on), CUDA_SUCCESS);
  }
  EXPECT_EQ(before - free_bytes(), 4U << 20) << "launches on one stream run one after another";
  EXPECT_EQ(call("cuGraphLaunch", graphs[0].executable, stream()), CUDA_SUCCESS);
  EXPECT_EQ(before - free_bytes(), 8U << 20) << "those of two streams may run at one time";
  std::uint64_t reserved = 0;
  EXPECT_EQ(call("cuDeviceGetGraphMemAttribute", CUdevice{0}, 2U, static_cast<void*>(&reserved)),
            CUDA_SUCCESS);
  EXPECT_EQ(reserved, 8U << 20);
  EXPECT_EQ(call("cuDeviceGraphMemTrim", CUdevice{0}), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(DryRunDriver, memory_is_reused_only_behind_the_node_that_frees_it) {
  CUgraph graph = nullptr;
  ASSERT_EQ(call("cuGraphCreate", &graph, 0U), CUDA_SUCCESS);
  CUDA_MEM_ALLOC_NODE_PARAMS wish{};
  wish.poolProps.location.id = 0;
  wish.bytesize = 4 << 20;
  const CUgraphNode* const none = nullptr;
  CUgraphNode allocated = nullptr;
  CUgraphNode freed = nullptr;
  CUgraphNode other = nullptr;
  ASSERT_EQ(call("cuGraphAddMemAllocNode", &allocated, graph, none, std::size_t{0}, &wish),
            CUDA_SUCCESS);
  const CUdeviceptr first = wish.dptr;
  const CUgraphNode* after = &allocated;
  ASSERT_EQ(call("cuGraphAddMemFreeNode", &freed, graph, after, std::size_t{1}, first),
            CUDA_SUCCESS);
  ASSERT_EQ(call("cuGraphAddMemAllocNode", &other, graph, after, std::size_t{1}, &wish),
            CUDA_SUCCESS);
  EXPECT_NE(wish.dptr, first) << "this node may run before the one that frees";
  after = &freed;
  ASSERT_EQ(call("cuGraphAddMemAllocNode", &other, graph, after, std::size_t{1}, &wish),
            CUDA_SUCCESS);
  EXPECT_EQ(wish.dptr, first);
}

TEST_F(DryRunDriver, graph_is_drawn_with_its_nodes_and_what_they_wait_for) {
  CUgraph graph = nullptr;
  ASSERT_EQ(call("cuGraphCreate", &graph, 0U), CUDA_SUCCESS);
  const CUgraphNode* const none = nullptr;
  CUgraphNode first = nullptr;
  CUgraphNode second = nullptr;
  const void* const unknown = nullptr;
  CUcontext const context = nullptr;
  ASSERT_EQ(call("cuGraphAddEmptyNode", &first, graph, none, std::size_t{0}), CUDA_SUCCESS);
  const CUgraphNode* const after = &first;
  ASSERT_EQ(call("cuGraphAddMemsetNode", &second, graph, after, std::size_t{1}, unknown, context),
            CUDA_SUCCESS);
  const std::string path = support::own_folder() + "graph.dot";
  ASSERT_EQ(call("cuGraphDebugDotPrint", graph, path.c_str(), 0U), CUDA_SUCCESS);
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(),
            "digraph dry_run {\nnode_0 [shape=box label=\"0\\nKERNEL\"];\n"
            "node_1 [shape=box label=\"1\\nMEMSET\"];\nnode_0 -> node_1;\n}\n");
  EXPECT_EQ(call("cuGraphDebugDotPrint", graph, "/no/such/folder/x.dot", 0U),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DryRunDriver, refused_node_has_freed_and_taken_nothing) {
  CUgraph graph = nullptr;
  ASSERT_EQ(call("cuGraphCreate", &graph, 0U), CUDA_SUCCESS);
  CUDA_MEM_ALLOC_NODE_PARAMS wish{};
  wish.bytesize = 4 << 20;
  const CUgraphNode* const none = nullptr;
  CUgraphNode* const nowhere = nullptr;
  CUgraphNode allocated = nullptr;
  CUgraphNode freed = nullptr;
  CUgraphNode other = nullptr;
  const std::size_t one = 1;
  ASSERT_EQ(call("cuGraphAddMemAllocNode", &allocated, graph, none, std::size_t{0}, &wish),
            CUDA_SUCCESS);
  const CUdeviceptr first = wish.dptr;
  const CUgraphNode* after = &allocated;
  EXPECT_EQ(call("cuGraphAddMemFreeNode", nowhere, graph, after, one, first),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(call("cuGraphAddMemFreeNode", &freed, graph, after, one, first), CUDA_SUCCESS);
  after = &freed;
  EXPECT_EQ(call("cuGraphAddMemAllocNode", nowhere, graph, after, one, &wish),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(call("cuGraphAddMemAllocNode", &other, graph, after, one, &wish), CUDA_SUCCESS);
  EXPECT_EQ(wish.dptr, first);
}

TEST_F(DryRunDriver, small_allocations_share_a_unit_of_the_device) {
  const std::size_t before = free_bytes();
  std::vector<CUdeviceptr> all(5000);
  for (CUdeviceptr& at : all) ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{1}), CUDA_SUCCESS);
  EXPECT_EQ(before - free_bytes(), 4U << 20);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
  for (const CUdeviceptr at : all) ASSERT_EQ(call("cuMemFree_v2", at), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
}

TEST_F(DryRunDriver, advice_on_managed_memory_is_what_the_program_gave) {
  constexpr std::size_t bytes = 1 << 20;
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAllocManaged", &at, bytes, 1U), CUDA_SUCCESS);
  const auto asked = [&](unsigned attribute) {
    int answer = 77;
    EXPECT_EQ(call("cuMemRangeGetAttribute", static_cast<void*>(&answer), sizeof answer, attribute,
                   at, bytes),
              CUDA_SUCCESS);
    return answer;
  };
  CUstream const none = nullptr;
  EXPECT_EQ(asked(4), -2) << "never prefetched";
  EXPECT_EQ(call("cuMemPrefetchAsync", at, bytes, CUdevice{0}, none), CUDA_SUCCESS);
  EXPECT_EQ(asked(4), 0);
  EXPECT_EQ(asked(7), 1) << "a device";
  EXPECT_EQ(call("cuMemPrefetchAsync", at, bytes, CUdevice{100'000'000}, none),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(call("cuMemAdvise", at, bytes, 3U, CUdevice{-1}), CUDA_SUCCESS);
  EXPECT_EQ(asked(2), -1) << "the host";
  EXPECT_EQ(call("cuMemAdvise", at, bytes, ~0U, CUdevice{0}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuMemAdvise", at, bytes + 1, 1U, CUdevice{0}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuMemFree_v2", at), CUDA_SUCCESS);
  CUdeviceptr plain = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &plain, bytes), CUDA_SUCCESS);
  EXPECT_EQ(call("cuMemAdvise", plain, bytes, 1U, CUdevice{0}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuMemFree_v2", plain), CUDA_SUCCESS);
}

TEST_F(DryRunDriver, sizes_that_no_memory_has_are_refused) {
  constexpr std::size_t largest = SIZE_MAX;
  CUdeviceptr at = 0;
  void* host = nullptr;
  for (const std::size_t bytes : {largest, largest - 100}) {
    EXPECT_EQ(call("cuMemAllocAsync", &at, bytes, CUstream{}), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(call("cuMemAllocManaged", &at, bytes, 1U), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(call("cuMemAllocHost_v2", &host, bytes), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(call("cuMemHostRegister_v2", static_cast<void*>(&host), bytes, 0U),
              CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_F(DryRunDriver, copies_and_memsets_that_leave_their_memory_are_refused_and_noted) {
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  dry_run::the_notes().begin_anew();
  char bytes[64] = {};
  const auto copy_to = [&](CUdeviceptr to) {
    return call("cuMemcpyHtoD_v2", to, static_cast<const void*>(bytes), sizeof bytes);
  };
  EXPECT_EQ(copy_to(at + 4096 - 64), CUDA_SUCCESS);
  EXPECT_EQ(copy_to(at + 4096 - 63), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(copy_to(0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuMemcpyDtoH_v2", static_cast<void*>(bytes), CUdeviceptr{0}, sizeof bytes),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuMemsetD8_v2", at, static_cast<unsigned char>(1), std::size_t{4097}),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuMemsetD8_v2", CUdeviceptr{0x1000}, static_cast<unsigned char>(1), SIZE_MAX),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call("cuMemFree_v2", at), CUDA_SUCCESS);
  EXPECT_EQ(copy_to(at), CUDA_ERROR_INVALID_VALUE);
  const std::string notes = dry_run::the_notes().text();
  for (const char* const subject :
       {"cuMemcpyHtoD of 64 bytes, 1 past the end of the memory there",
        "cuMemsetD8 of 4097 bytes, 1 past the end", "where nothing is allocated",
        "cuMemcpyDtoH of 64 bytes, at a null pointer"})
    EXPECT_NE(notes.find(subject), std::string::npos) << subject << " in " << notes;
}

TEST_F(DryRunDriver, memory_beside_each_other_is_one_where_it_is_mapped) {
  constexpr std::size_t unit = 2 << 20;
  CUmemAllocationProp wish{};
  wish.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wish.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  const CUmemAllocationProp* const asked = &wish;
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAddressReserve", &at, 3 * unit, std::size_t{0}, CUdeviceptr{0}, 0ULL),
            CUDA_SUCCESS);
  for (std::size_t place = 0; place < 2; ++place) {
    CUmemGenericAllocationHandle handle = 0;
    ASSERT_EQ(call("cuMemCreate", &handle, unit, asked, 0ULL), CUDA_SUCCESS);
    ASSERT_EQ(call("cuMemMap", at + place * unit, unit, std::size_t{0}, handle, 0ULL),
              CUDA_SUCCESS);
  }
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  const CUmemAccessDesc* const with = &access;
  ASSERT_EQ(call("cuMemSetAccess", at, 2 * unit, with, std::size_t{1}), CUDA_SUCCESS);
  const auto zero = static_cast<unsigned char>(0);
  EXPECT_EQ(call("cuMemsetD8_v2", at + 100, zero, 2 * unit - 100), CUDA_SUCCESS);
  EXPECT_EQ(call("cuMemsetD8_v2", at + 100, zero, 2 * unit - 99), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DryRunDriver, registered_memory_has_an_address_for_devices_and_is_known_by_its_begin) {
  static char memory[8192];
  CUdeviceptr at = 0;
  void* const begin = memory;
  void* const inside = memory + 64;
  ASSERT_EQ(call("cuMemHostRegister_v2", begin, sizeof memory, 2U), CUDA_SUCCESS);
  EXPECT_EQ(call("cuMemHostGetDevicePointer_v2", &at, begin, 0U), CUDA_SUCCESS);
  EXPECT_EQ(at, reinterpret_cast<CUdeviceptr>(begin));
  EXPECT_EQ(call("cuMemHostUnregister", inside), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(call("cuMemHostUnregister", begin), CUDA_SUCCESS);
}

std::atomic<int> host_function_result = -1;

void calls_the_driver(void* function) {
  CUdeviceptr at = 0;
  using Allocate = CUresult (*)(CUdeviceptr*, std::size_t);
  host_function_result = reinterpret_cast<Allocate>(function)(&at, 512);
}

TEST_F(DryRunDriver, host_functions_may_not_call_the_driver) {
  host_function_result = -1;
  const CUstream on = stream();
  const auto allocate = reinterpret_cast<void*>(find_symbol("cuMemAlloc_v2", newest_known_cuda));
  ASSERT_EQ(call("cuLaunchHostFunc", on, CUhostFn{calls_the_driver}, allocate), CUDA_SUCCESS);
  EXPECT_EQ(call("cuStreamSynchronize", on), CUDA_SUCCESS);
  EXPECT_EQ(host_function_result, CUDA_ERROR_NOT_PERMITTED);
}

// Benchmarks divide by it to find out how often they have to run something.
TEST_F(DryRunDriver, some_time_is_between_any_two_events) {
  CUevent from = nullptr;
  CUevent to = nullptr;
  for (CUevent* event : {&from, &to}) {
    EXPECT_EQ(call("cuEventCreate", event, 0U), CUDA_SUCCESS);
    EXPECT_EQ(call("cuEventRecord", *event, static_cast<CUstream>(nullptr)), CUDA_SUCCESS);
  }
  EXPECT_EQ(call("cuCtxSynchronize"), CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(call("cuEventElapsedTime", &milliseconds, from, to), CUDA_SUCCESS);
  EXPECT_GT(milliseconds, 0);
}

TEST_F(DryRunDriver, asks_for_the_place_of_the_first_answers_only) {
  static std::size_t asked;
  asked = 0;
  dry_run::the_notes().begin_anew();
  vramlab_dry_run_set_place([](char* text, unsigned long) {
    ++asked;
    text[0] = 'p';
    text[1] = '\0';
    return 1;
  });
  for (std::size_t i = 0; i < 300; ++i) {
    vramlab_dry_run_note("modelled", "a workspace");
    vramlab_dry_run_note("host_read", "a copy");
  }
  vramlab_dry_run_set_place(nullptr);
  EXPECT_EQ(asked, 300 + dry_run::NoteBook::most_asked_places);
  const std::string notes = dry_run::the_notes().text();
  EXPECT_NE(notes.find(R"("subject": "a workspace", "count": 300)"), std::string::npos) << notes;
  EXPECT_NE(notes.find(R"([{"place": "p", "count": 200}])"), std::string::npos) << notes;
  EXPECT_NE(notes.find(R"([{"place": "p", "count": 300}])"), std::string::npos) << notes;
}

TEST_F(DryRunDriver, notes_what_nobody_wrote) {
  dry_run::the_notes().begin_anew();
  EXPECT_EQ(call("cuTexRefCreate", static_cast<void*>(nullptr)), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(dry_run::the_notes().text().find("libcuda.so.1 cuTexRefCreate"), std::string::npos);
}

TEST(Occupancy, follows_the_limits_of_the_programming_guide) {
  const auto limits = dry_run::limits_of(h100().properties);
  const auto facts = dry_run::known_facts({});
  EXPECT_EQ(blocks_at_once(limits, facts, {1024, 0}), 2);
  EXPECT_EQ(blocks_at_once(limits, facts, {32, 0}), 32);
  EXPECT_EQ(blocks_at_once(limits, facts, {128, 100 << 10}), 2);
  EXPECT_EQ(blocks_at_once(limits, facts, {2048, 0}), 0);
}

TEST(NoteTexts, are_json_whatever_they_are_made_of) {
  EXPECT_EQ(dry_run::json_text("a\"b\\c\n\xff\xc3\xa9"), "\"a\\\"b\\\\c\\u000a\xc3\xa9\"");
}

}  // namespace
}  // namespace vramlab::fake
