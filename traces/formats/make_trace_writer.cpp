#include "traces/formats/make_trace_writer.h"

#include <utility>

#include "allocator/words/check.h"
#include "traces/logs/rmm_writer.h"
#include "traces/native/native_binary_writer.h"
#include "traces/native/native_record_writer.h"
#include "traces/values/snapshot_writer.h"

namespace vramlab::traces {
namespace {

class SnapshotTraceWriter : public TraceWriter {
 public:
  explicit SnapshotTraceWriter(std::unique_ptr<SnapshotWriter> writer)
      : writer_(std::move(writer)), program_("the recording", "a PyTorch memory snapshot") {}

  NativeSinks sinks() override { return {*writer_, program_}; }
  void finish() override { writer_->finish(); }

 private:
  std::unique_ptr<SnapshotWriter> writer_;
  RefusedProgram program_;
};

class NativeTextWriter : public TraceWriter, private LineSink {
 public:
  NativeTextWriter(ByteSink& sink, const SnapshotTables& tables)
      : bytes_(sink), records_(*this, tables) {}

  NativeSinks sinks() override { return {records_, records_}; }
  void finish() override {
    records_.finish();
    bytes_.flush();
  }

 private:
  void line(std::string_view line, LineKind) override {
    bytes_.add(line);
    bytes_.add('\n');
  }

  ByteCollector bytes_;
  NativeRecordWriter records_;
};

}  // namespace

std::unique_ptr<TraceWriter> make_trace_writer(TraceFormat format, ByteSink& sink,
                                               const SnapshotTables& tables) {
  switch (format) {
    case TraceFormat::snapshot_pickle:
      return std::make_unique<SnapshotTraceWriter>(make_snapshot_pickle_writer(sink, tables));
    case TraceFormat::snapshot_json:
      return std::make_unique<SnapshotTraceWriter>(make_snapshot_json_writer(sink, tables));
    case TraceFormat::native_text:
      return std::make_unique<NativeTextWriter>(sink, tables);
    case TraceFormat::native_binary:
      return make_native_binary_writer(sink, tables);
    case TraceFormat::rmm_log:
      return make_rmm_writer(sink, tables);
    case TraceFormat::torch_profiler:
      break;
  }
  check_failed("the format is one that is written", __FILE__, __LINE__);
}

}  // namespace vramlab::traces
