// What `vramlab convert` does to a recording on its way: leaves parts out, takes stacks away, puts
// names in place of names, in this order; and how one becomes a Perfetto trace, which is written
// when the whole input is read: what was live at the beginning is only known at the end.
#pragma once

#include <memory>
#include <vector>

#include "traces/files/byte_sink.h"
#include "traces/filters/anonymized.h"
#include "traces/filters/record_filter.h"
#include "traces/formats/open_trace.h"

namespace vramlab::tools {

struct ConvertSteps {
  traces::RecordFilter filter;
  bool strips_frames = false;
  bool anonymizes = false;
};

class ConvertChain {
 public:
  /// The tables are those of the reader; they and the sinks at the end must live as long.
  ConvertChain(const ConvertSteps& steps, traces::SnapshotTables& tables, traces::NativeSinks end);

  /// What the reader gives to.
  traces::NativeSinks sinks() { return filters_.empty() ? end_ : filters_.back()->sinks(); }

 private:
  traces::NativeSinks end_;
  /// Last first.
  std::vector<std::unique_ptr<traces::PassingSinks>> filters_;
};

/// Throws InputError where a step would take away what the curves need: parts of a history.
void check_perfetto_steps(const ConvertSteps& steps);

/// Warns where the curves may not be what happened. Throws InputError.
void convert_to_perfetto(traces::OpenTrace& trace, const ConvertSteps& steps,
                         traces::ByteSink& output);

}  // namespace vramlab::tools
