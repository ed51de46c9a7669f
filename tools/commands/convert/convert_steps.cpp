#include "tools/commands/convert/convert_steps.h"

namespace vramlab::tools {
namespace {

bool leaves_out(const traces::RecordFilter& filter) {
  return filter.from_ns || filter.to_ns || filter.device || filter.stream;
}

}  // namespace

ConvertChain::ConvertChain(const ConvertSteps& steps, traces::SnapshotTables& tables,
                           traces::NativeSinks end)
    : names_(tables),
      after_filter_(add_stripping(steps.strips_frames, add_names(steps.anonymizes, end))) {
  if (!leaves_out(steps.filter)) return;
  filtered_.emplace(steps.filter, after_filter_.recorded);
  filtered_program_.emplace(steps.filter, after_filter_.program);
}

traces::NativeSinks ConvertChain::add_names(bool anonymizes, traces::NativeSinks end) {
  if (!anonymizes) return end;
  return {anonymized_.emplace(names_, end.recorded),
          anonymized_program_.emplace(names_, end.program)};
}

traces::NativeSinks ConvertChain::add_stripping(bool strips_frames, traces::NativeSinks next) {
  if (!strips_frames) return next;
  return {stripped_.emplace(next.recorded), stripped_program_.emplace(next.program)};
}

}  // namespace vramlab::tools
