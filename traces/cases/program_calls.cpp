#include "traces/cases/program_calls.h"

#include <array>
#include <optional>

namespace vramlab::traces {
namespace {

struct KindPair {
  ProgramEventKind event;
  CallKind call;
};
constexpr std::array<KindPair, 26> kinds = {{
    {ProgramEventKind::malloc, CallKind::malloc},
    {ProgramEventKind::free, CallKind::free},
    {ProgramEventKind::use, CallKind::record_stream},
    {ProgramEventKind::work, CallKind::work},
    {ProgramEventKind::copy, CallKind::work},
    {ProgramEventKind::memset, CallKind::work},
    {ProgramEventKind::host_function, CallKind::work},
    {ProgramEventKind::stream_done, CallKind::complete},
    {ProgramEventKind::event_wait, CallKind::wait},
    {ProgramEventKind::stream_wait, CallKind::wait},
    {ProgramEventKind::capture_begin, CallKind::capture_begin},
    {ProgramEventKind::capture_end, CallKind::capture_end},
    {ProgramEventKind::pool_create, CallKind::create_pool},
    {ProgramEventKind::pool_begin, CallKind::begin_pool},
    {ProgramEventKind::pool_end, CallKind::end_pool},
    {ProgramEventKind::pool_release, CallKind::release_pool},
    {ProgramEventKind::pool_destroy, CallKind::destroy_pool},
    {ProgramEventKind::options, CallKind::set_config},
    {ProgramEventKind::memory_fraction, CallKind::set_fraction},
    {ProgramEventKind::empty_cache, CallKind::empty_cache},
    {ProgramEventKind::external, CallKind::external},
    {ProgramEventKind::snapshot, CallKind::snapshot},
    {ProgramEventKind::reset_peak_stats, CallKind::reset_peak_stats},
    {ProgramEventKind::reset_accumulated_stats, CallKind::reset_accumulated_stats},
    {ProgramEventKind::checkpoint, CallKind::checkpoint},
    {ProgramEventKind::restore, CallKind::restore},
}};

std::optional<CallKind> call_kind(ProgramEventKind kind) {
  for (const KindPair& pair : kinds)
    if (pair.event == kind) return pair.call;
  return std::nullopt;
}

}  // namespace

std::uint64_t ProgramCalls::pool_number(allocator::PoolId pool) {
  return pools_.try_emplace(pool, pools_.size()).first->second;
}

void ProgramCalls::program_event(const ProgramEvent& event) {
  if (event.kind == ProgramEventKind::event_record) recorded_on_[event.event] = event.stream;
  const std::optional<CallKind> kind = call_kind(event.kind);
  if (!kind) return;
  Call call;
  call.kind = *kind;
  call.scope = event.scope;
  call.use_on_oom = event.use_on_oom;
  call.no_split = event.no_split;
  call.id = event.id;
  call.bytes = event.bytes;
  call.stream = event.stream;
  call.waited_stream =
      event.kind == ProgramEventKind::event_wait ? recorded_on_.at(event.event) : event.for_stream;
  call.pool = pool_number(event.pool);
  call.fraction = event.fraction;
  if (has_text(event.kind)) call.text = tables_.texts.text(event.text);
  calls_.push_back(std::move(call));
}

}  // namespace vramlab::traces
