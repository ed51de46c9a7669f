// WorkloadWriter: writes a synthetic program down, one event at a time. It numbers allocations, and
// it keeps the time: of a host that goes on after each launch, and of streams that work through
// their launches. Every event has the host's time and the call stack of the moment. Its memory does
// not grow with the number of events; tables grow by a text for each range.
//
// WorkloadRun: the writer, random numbers, sizes and length that a workload is written with.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/types/bytes_and_ids.h"
#include "traces/model/program_event.h"
#include "traces/model/snapshot_tables.h"
#include "traces/workloads/workload.h"
#include "traces/workloads/workload_random.h"

namespace vramlab::traces {

// The sizes of tensors and the times of kernels in synthetic workloads: round figures of a data
// centre's GPU, in whole nanoseconds, so that they are the same on every machine.

/// Numbers of 2 bytes, and of 4.
constexpr Bytes half_bytes(std::uint64_t rows, std::uint64_t columns) {
  return {rows * columns * 2};
}
constexpr Bytes float_bytes(std::uint64_t rows, std::uint64_t columns) {
  return {rows * columns * 4};
}

inline constexpr std::uint64_t shortest_kernel_ns = 1'500;

/// A matrix of rows x inner times one of inner x columns.
struct MatmulShape {
  std::uint64_t rows = 0;
  std::uint64_t inner = 0;
  std::uint64_t columns = 0;
};

/// The GPU does 400 multiplications and additions a picosecond. Divisions stand in between, so that
/// no size that a workload can be given overflows.
constexpr std::uint64_t matmul_ns(const MatmulShape& shape) {
  constexpr std::uint64_t first_divisor = 64;
  constexpr std::uint64_t second_divisor = 3'125;
  return shortest_kernel_ns +
         (shape.rows * shape.inner / first_divisor) * shape.columns / second_divisor;
}

/// A kernel goes once through these bytes, at 1.5 TB a second.
constexpr std::uint64_t memory_ns(Bytes touched) {
  return shortest_kernel_ns + touched.count / 1'500;
}

/// Bytes go through a network to other GPUs at 150 GB a second.
constexpr std::uint64_t network_ns(Bytes sent) {
  constexpr std::uint64_t latency_ns = 12'000;
  return latency_ns + sent.count / 150;
}

/// Bytes go from pinned memory to the device at 25 GB a second.
constexpr std::uint64_t copy_ns(Bytes copied) { return shortest_kernel_ns + copied.count / 25; }

/// A line of the made-up program.
struct CallSite {
  std::string_view function;
  std::string_view file;
  std::int64_t line = 0;
};

/// Memory that the program holds.
struct Tensor {
  std::uint64_t id = 0;
  Bytes size;
};

inline constexpr StreamId compute_stream{0};

class WorkloadWriter {
 public:
  /// The tables are those of the sink's owner. Both must live as long.
  WorkloadWriter(ProgramSink& sink, SnapshotTables& tables, std::uint64_t seed);
  WorkloadWriter(const WorkloadWriter&) = delete;
  WorkloadWriter& operator=(const WorkloadWriter&) = delete;

  std::uint64_t event_count() const { return event_count_; }

  Tensor malloc(Bytes size, StreamId stream = compute_stream);
  void free(Tensor tensor);
  void free(std::initializer_list<Tensor> tensors) {
    for (const Tensor tensor : tensors) free(tensor);
  }
  /// Frees the last tensor first; none is left.
  void free_all(std::vector<Tensor>& tensors);
  void use(Tensor tensor, StreamId stream);

  /// Pinned host memory. Its ids are names apart from those of tensors on the device.
  Tensor pin(Bytes size);
  void unpin(Tensor pinned);
  /// The stream copies from it, and the host goes on.
  void copy_pinned(Tensor pinned, StreamId stream);

  /// A kernel; its time varies a little, as those of kernels do.
  void work(std::uint64_t duration_ns, StreamId stream = compute_stream);
  /// A kernel that gives a new tensor.
  Tensor compute(Bytes size, std::uint64_t duration_ns, StreamId stream = compute_stream);
  /// The same by a kernel that only writes it.
  Tensor compute(Bytes size) { return compute(size, memory_ns(size)); }
  Tensor compute(const CallSite& site, Bytes size) { return elementwise(site, size, 1); }
  /// The same by a kernel that goes `passes` times through as many bytes.
  Tensor elementwise(const CallSite& site, Bytes size, std::uint64_t passes,
                     StreamId stream = compute_stream) {
    return compute(site, size, memory_ns(size * passes), stream);
  }
  /// The same below `site`.
  Tensor compute(const CallSite& site, Bytes size, std::uint64_t duration_ns,
                 StreamId stream = compute_stream);
  /// The work that `waiting` gets from now on comes after all work that `waited` got so far.
  void wait_for(StreamId waiting, StreamId waited);
  /// The host waits for all work of the streams.
  void synchronize();

  /// Work until capture_end() is not done, but becomes part of a graph.
  void capture_begin(StreamId stream);
  /// Returns the duration of the graph.
  std::uint64_t capture_end(StreamId stream);
  /// Requests of capturing streams go to the pool until pool_end().
  void pool_begin(PoolId pool);
  void pool_end(PoolId pool) { write_of_pool(ProgramEventKind::pool_end, pool); }
  void pool_release(PoolId pool) { write_of_pool(ProgramEventKind::pool_release, pool); }
  void empty_cache() { write_of_pool(ProgramEventKind::empty_cache, default_pool); }

  void marker(std::string_view text) { write_text(ProgramEventKind::marker, text); }
  /// The events of `body` come between the range's begin and end.
  template <typename Body>
  void in_range(std::string_view text, const Body& body) {
    write_text(ProgramEventKind::range_begin, text);
    body();
    write_text(ProgramEventKind::range_end, text);
  }

 private:
  friend class CallScope;

  ProgramEvent event_of(ProgramEventKind kind) const;
  void write(ProgramEvent event);
  void write_text(ProgramEventKind kind, std::string_view text);
  void write_of_memory(ProgramEventKind kind, const Tensor& memory,
                       StreamId stream = compute_stream);
  void write_of_pool(ProgramEventKind kind, PoolId pool);
  std::uint64_t& ready_ns(StreamId stream);
  void enter(const CallSite& site);
  void leave(StackId stack_before);

  ProgramSink& sink_;
  SnapshotTables& tables_;
  WorkloadRandom jitter_;
  std::uint64_t event_count_ = 0;
  std::uint64_t last_id_ = 0;
  std::uint64_t last_pinned_id_ = 0;
  std::uint64_t wait_count_ = 0;
  std::uint64_t host_ns_ = 0;
  /// By stream: the time when all its work is done.
  std::vector<std::uint64_t> ready_ns_;
  bool captures_ = false;
  std::uint64_t captured_ns_ = 0;
  /// Innermost frame last.
  std::vector<FrameId> frames_;
  std::vector<FrameId> stack_frames_;
  StackId stack_;
};

/// While it lives, events happen below this line of the program.
class CallScope {
 public:
  CallScope(WorkloadWriter& writer, const CallSite& site)
      : writer_(writer), stack_before_(writer.stack_) {
    writer.enter(site);
  }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { writer_.leave(stack_before_); }

 private:
  WorkloadWriter& writer_;
  StackId stack_before_;
};

/// Each option of the workload with its size.
using WorkloadSizes = std::map<std::string_view, std::uint64_t>;

struct WorkloadRun {
  WorkloadWriter& writer;
  WorkloadRandom random;
  WorkloadSizes sizes;
  std::uint64_t event_limit = 0;

  /// Requires: the workload has this option.
  std::uint64_t size_of(std::string_view option) const { return sizes.at(option); }

  /// Calls `iteration(number)` from 1 on, each in a range such as `step 12`, until the limit of
  /// events is reached: once at least.
  template <typename Iteration>
  void repeat(std::string_view what, const Iteration& iteration) {
    for (std::uint64_t number = 1; number == 1 || writer.event_count() < event_limit; ++number)
      writer.in_range(std::string(what) + " " + std::to_string(number), [&] { iteration(number); });
  }
};

// The workloads, each in a file of its own; the leak stands with the training.
Workload training_workload();
Workload serving_workload();
Workload experts_workload();
Workload diffusion_workload();
Workload graphs_workload();
Workload leak_workload();
Workload fragments_workload();
Workload dataloader_workload();

}  // namespace vramlab::traces
