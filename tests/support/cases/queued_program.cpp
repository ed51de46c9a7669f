#include "tests/support/cases/queued_program.h"

#include <algorithm>

namespace vramlab::tests {
namespace {

using streams::StreamAt;

bool is_legacy(StreamAt stream) { return stream.stream.value == 0; }

}  // namespace

QueuedProgram::QueuedProgram(const HazardProgram& program) : program_(program) {
  for (const StreamAt stream : program.blocking_streams) is_blocking_[stream] = true;
  for (const StreamAt stream : program.other_streams) is_blocking_[stream] = false;
  call_waits_.resize(program.steps.size());
  onlookers_.resize(program.steps.size());
  work_of_.resize(program.steps.size());
  for (std::size_t at = 0; at < program.steps.size(); ++at) lay_out(at);
}

QueuedProgram::Queue& QueuedProgram::queue(StreamAt stream) {
  if (!open_.contains(stream)) {
    open_[stream] = queues_.size();
    queues_.push_back({stream, !is_legacy(stream) && is_blocking_[stream], {}});
  }
  return queues_[open_[stream]];
}

/// The items that the next item on the stream comes behind.
std::vector<std::size_t> QueuedProgram::before_next(StreamAt stream) {
  std::vector<std::size_t> before;
  const Queue on = queue(stream);
  if (!on.items.empty()) before.push_back(on.items.back());
  for (const Queue& other : queues_) {
    if (other.name.device != stream.device || other.items.empty()) continue;
    if (is_legacy(stream) ? other.is_blocking : on.is_blocking && is_legacy(other.name))
      before.push_back(other.items.back());
  }
  return before;
}

std::size_t QueuedProgram::add(const QueuedItem& item) {
  items_.push_back(item);
  return items_.size() - 1;
}

std::size_t QueuedProgram::put(std::size_t step, StreamAt stream, QueuedItem::Nature nature) {
  const std::size_t item = add({.nature = nature, .step = step, .after = before_next(stream)});
  items_[item].source = &program_.steps[step];
  queue(stream).items.push_back(item);
  return item;
}

void QueuedProgram::look_on(std::size_t step, const std::vector<std::size_t>& after) {
  onlookers_[step].push_back(
      add({.nature = QueuedItem::Nature::onlooker, .step = step, .after = after}));
}

void QueuedProgram::lay_out(std::size_t at) {
  const HazardStep& step = program_.steps[at];
  switch (step.kind) {
    case StepKind::work:
    case StepKind::blocking_copy:
    case StepKind::write_flag:
    case StepKind::await_flag:
      return lay_out_work(at);
    case StepKind::record:
      records_[step.subject] = put(at, step.stream, QueuedItem::Nature::mark);
      return;
    case StepKind::wait:
      return lay_out_wait(at);
    case StepKind::launch:
      return lay_out_launch(at);
    case StepKind::create_stream:
      is_blocking_[step.stream] = step.is_blocking;
      return;
    case StepKind::destroy_stream:
      open_.erase(step.stream);
      return;
    case StepKind::hand_out:
      return lay_out_hand_out(at);
    case StepKind::use:
      return lay_out_use(at);
    case StepKind::free:
      return lay_out_free(at);
    default:
      lay_out_waiting_call(at);
  }
}

/// A wait for an event that was never recorded does nothing.
void QueuedProgram::lay_out_wait(std::size_t at) {
  const HazardStep& step = program_.steps[at];
  const auto found = records_.find(step.subject);
  if (found == records_.end()) return;
  const std::size_t item = put(at, step.stream, QueuedItem::Nature::mark);
  items_[item].after.push_back(found->second);
}

void QueuedProgram::lay_out_hand_out(std::size_t at) {
  const HazardStep& step = program_.steps[at];
  homes_[step.subject] = step.stream;
  look_on(at, {});
  look_on(at, before_next(step.stream));
}

void QueuedProgram::lay_out_use(std::size_t at) {
  const HazardStep& step = program_.steps[at];
  // The allocator takes no note of the block's own stream.
  if (step.stream != homes_[step.subject]) uses_[step.subject].push_back(step.stream);
}

void QueuedProgram::lay_out_work(std::size_t at) {
  const HazardStep& step = program_.steps[at];
  const std::size_t item = put(at, step.stream, QueuedItem::Nature::work);
  work_of_[at].push_back(item);
  if (step.kind == StepKind::blocking_copy) call_waits_[at].push_back(item);
  if (step.kind == StepKind::write_flag) items_[item].written_flag = step.subject;
  if (step.kind == StepKind::await_flag) items_[item].awaited_flag = step.subject;
}

void QueuedProgram::lay_out_free(std::size_t at) {
  std::vector<std::size_t> after;
  for (const StreamAt stream : uses_[program_.steps[at].subject]) {
    const std::vector<std::size_t> before = before_next(stream);
    after.insert(after.end(), before.begin(), before.end());
  }
  look_on(at, after);
}

/// A query that was not successful tells nothing.
void QueuedProgram::lay_out_waiting_call(std::size_t at) {
  const HazardStep& step = program_.steps[at];
  const bool is_query = step.kind == StepKind::query_stream || step.kind == StepKind::query_event;
  if (is_query && !step.is_successful) return;
  if (step.kind == StepKind::sync_stream || step.kind == StepKind::query_stream) {
    const std::vector<std::size_t> ends = before_next(step.stream);
    // Waiting for a blocking stream is not waiting for the legacy one.
    const Queue& asked = queue(step.stream);
    for (const std::size_t item : ends)
      if (is_legacy(step.stream) || std::ranges::count(asked.items, item) > 0)
        call_waits_[at].push_back(item);
  } else if (step.kind == StepKind::sync_device) {
    for (const Queue& other : queues_)
      if (other.name.device == step.stream.device && !other.items.empty())
        call_waits_[at].push_back(other.items.back());
  } else if (const auto found = records_.find(step.subject); found != records_.end()) {
    call_waits_[at].push_back(found->second);
  }
}

void QueuedProgram::lay_out_launch(std::size_t at) {
  const HazardStep& step = program_.steps[at];
  const std::size_t begin = put(at, step.stream, QueuedItem::Nature::mark);
  if (const auto found = launch_ends_.find(step.subject); found != launch_ends_.end())
    items_[begin].after.push_back(found->second);
  std::vector<std::size_t> all{begin};
  std::map<StreamAt, std::size_t> last;
  std::map<std::uint64_t, std::size_t> records;
  for (const HazardStep& node : program_.graphs[step.subject]) {
    const bool is_work = node.kind == StepKind::work;
    const std::size_t item =
        add({.nature = is_work ? QueuedItem::Nature::work : QueuedItem::Nature::mark,
             .step = at,
             .after = {last.contains(node.stream) ? last[node.stream] : begin},
             .source = &node});
    last[node.stream] = item;
    if (node.kind == StepKind::record) records[node.subject] = item;
    if (node.kind == StepKind::wait) items_[item].after.push_back(records.at(node.subject));
    if (is_work) work_of_[at].push_back(item);
    all.push_back(item);
  }
  const std::size_t end = put(at, step.stream, QueuedItem::Nature::mark);
  items_[end].after.insert(items_[end].after.end(), all.begin(), all.end());
  launch_ends_[step.subject] = end;
}

}  // namespace vramlab::tests
