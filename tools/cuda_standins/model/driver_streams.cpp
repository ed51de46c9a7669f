#include "tools/cuda_standins/model/driver_streams.h"

#include <algorithm>

#include <array>

namespace vramlab::dry_run {
namespace {

using streams::CudaStatus;
using streams::StreamAt;

/// In the order of CudaStatus.
constexpr std::array<CUresult, 17> results = {CUDA_SUCCESS,
                                              CUDA_ERROR_NOT_READY,
                                              CUDA_ERROR_INVALID_VALUE,
                                              CUDA_ERROR_INVALID_HANDLE,
                                              CUDA_ERROR_ILLEGAL_STATE,
                                              CUDA_ERROR_OUT_OF_MEMORY,
                                              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                                              CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                                              CUDA_ERROR_STREAM_CAPTURE_MERGE,
                                              CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                                              CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
                                              CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                                              CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                                              CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
                                              CUDA_ERROR_CAPTURED_EVENT,
                                              CUDA_ERROR_ILLEGAL_ADDRESS,
                                              CUDA_ERROR_LAUNCH_FAILED};

}  // namespace

CUresult result_of(CudaStatus status) { return results.at(static_cast<std::size_t>(status)); }

DriverStreams::DriverStreams(DriverWatcher* watcher) : watcher_(watcher), timed_({}, *this) {}

CUstream DriverStreams::create_stream(const StreamFacts& facts) {
  const std::uint64_t handle = handles_.take();
  timed_.create_stream(
      {facts.context, {handle}},
      {.is_blocking = (facts.flags & CU_STREAM_NON_BLOCKING) == 0, .priority = facts.priority});
  streams_[handle] = facts;
  return handle_of<CUstream>(handle);
}

const StreamFacts* DriverStreams::facts_of(CUstream stream) const {
  const auto found = streams_.find(value_of(stream));
  return found == streams_.end() ? nullptr : &found->second;
}

CUresult DriverStreams::destroy_stream(CUstream stream) {
  const auto found = streams_.find(value_of(stream));
  if (found == streams_.end()) return CUDA_ERROR_INVALID_HANDLE;
  const StreamAt destroyed{found->second.context, {found->first}};
  const auto capture = timed_.capture_of(destroyed);
  const CudaStatus status = timed_.destroy_stream(destroyed);
  if (status != CudaStatus::success) return result_of(status);
  if (capture && !timed_.is_under_way(capture->id)) drop_payloads(take_captured_tags(capture->id));
  handles_.give_back(found->first);
  streams_.erase(found);
  return CUDA_SUCCESS;
}

StreamAt DriverStreams::per_thread_stream(std::uint32_t context, streams::ThreadId thread) {
  const auto [found, is_new] = per_thread_.try_emplace({context, thread.value});
  if (is_new) {
    found->second = handles_.take();
    timed_.create_stream({context, {found->second}}, {.is_blocking = true});
  }
  return {context, {found->second}};
}

CUresult DriverStreams::submit(StreamAt stream, WorkOrder order) {
  streams::Work work = order.work;
  if (!has_payload(order)) {
    work.tag = no_payload;
    return result_of(timed_.submit(stream, work));
  }
  work.tag = next_tag_++;
  const auto capture = timed_.capture_of(stream);
  keep_payload(work.tag, std::move(order), capture.has_value());
  const CudaStatus status = timed_.submit(stream, work);
  if (status != CudaStatus::success)
    payloads_.erase(work.tag);
  else if (capture)
    captured_tags_[capture->id].push_back(work.tag);
  return result_of(status);
}

CUresult DriverStreams::end_capture(StreamAt stream, streams::GraphId graph) {
  const auto capture = timed_.capture_of(stream);
  const CudaStatus status = timed_.end_capture(stream, graph);
  if (!capture || timed_.capture_of(stream)) return result_of(status);
  std::vector<std::uint64_t> tags = take_captured_tags(capture->id);
  if (status == CudaStatus::success)
    graph_tags_[graph] = std::move(tags);
  else
    drop_payloads(tags);
  return result_of(status);
}

streams::Work DriverStreams::keep_for_graph(streams::GraphId graph, WorkOrder order) {
  streams::Work work = order.work;
  work.tag = no_payload;
  if (!has_payload(order)) return work;
  work.tag = next_tag_++;
  keep_payload(work.tag, std::move(order), true);
  graph_tags_[graph].push_back(work.tag);
  return work;
}

bool DriverStreams::has_payload(const WorkOrder& order) {
  return !order.uses.empty() || order.body || order.before_launch;
}

void DriverStreams::keep_payload(std::uint64_t tag, WorkOrder order, bool is_captured) {
  payloads_[tag] = {std::move(order.uses), std::move(order.body), std::move(order.before_launch),
                    is_captured};
}

CUresult DriverStreams::prepare_launch(streams::GraphId graph) {
  const auto found = graph_tags_.find(graph);
  if (found == graph_tags_.end()) return CUDA_SUCCESS;
  for (const std::uint64_t tag : found->second) {
    const auto& before = payloads_.at(tag).before_launch;
    if (!before) continue;
    if (const CUresult refused = before(); refused != CUDA_SUCCESS) return refused;
  }
  return CUDA_SUCCESS;
}

void DriverStreams::destroy_graph(streams::GraphId graph) {
  timed_.forget_graph(graph);
  if (const auto found = graph_tags_.find(graph); found != graph_tags_.end()) {
    drop_payloads(found->second);
    graph_tags_.erase(found);
  }
}

void DriverStreams::move_payloads(streams::GraphId graph, streams::GraphId to) {
  const auto moved = graph_tags_.extract(graph);
  if (!moved) return;
  std::vector<std::uint64_t>& tags = graph_tags_[to];
  tags.insert(tags.end(), moved.mapped().begin(), moved.mapped().end());
}

std::vector<std::uint64_t> DriverStreams::take_captured_tags(allocator::CaptureId capture) {
  auto taken = captured_tags_.extract(capture);
  return taken ? std::move(taken.mapped()) : std::vector<std::uint64_t>();
}

void DriverStreams::drop_payloads(const std::vector<std::uint64_t>& tags) {
  for (const std::uint64_t tag : tags) payloads_.erase(tag);
}

void DriverStreams::issued(const streams::IssuedItem& item) {
  if (item.work == nullptr || item.tag == no_payload || watcher_ == nullptr) return;
  if (const auto found = payloads_.find(item.tag); found != payloads_.end())
    watcher_->use_begins(item.number, found->second.uses);
}

void DriverStreams::ended(const streams::EndedItem& item) {
  if (item.tag == no_payload) return;
  if (item.kind != streams::ItemKind::work && item.kind != streams::ItemKind::graph_node) return;
  if (watcher_ != nullptr) watcher_->use_ends(item.number);
  const auto found = payloads_.find(item.tag);
  if (found == payloads_.end()) return;
  if (found->second.body) found->second.body();
  // A graph may be launched again.
  if (!found->second.is_captured) payloads_.erase(found);
}

CUevent DriverStreams::create_event(const EventFacts& facts) {
  const std::uint64_t handle = handles_.take();
  timed_.create_event({handle}, facts.context, (facts.flags & CU_EVENT_DISABLE_TIMING) == 0);
  events_[handle] = facts;
  return handle_of<CUevent>(handle);
}

const EventFacts* DriverStreams::facts_of(CUevent event) const {
  const auto found = events_.find(value_of(event));
  return found == events_.end() ? nullptr : &found->second;
}

CUresult DriverStreams::destroy_event(CUevent event) {
  const auto found = events_.find(value_of(event));
  if (found == events_.end()) return CUDA_ERROR_INVALID_HANDLE;
  const CudaStatus status = timed_.destroy_event({found->first});
  if (status != CudaStatus::success) return result_of(status);
  handles_.give_back(found->first);
  events_.erase(found);
  return CUDA_SUCCESS;
}

void DriverStreams::drop_context(std::uint32_t context) {
  std::erase_if(streams_, [&](const auto& stream) {
    if (stream.second.context != context) return false;
    timed_.destroy_stream({context, {stream.first}});
    handles_.give_back(stream.first);
    return true;
  });
  std::erase_if(events_, [&](const auto& event) {
    if (event.second.context != context) return false;
    timed_.destroy_event({event.first});
    handles_.give_back(event.first);
    return true;
  });
  std::erase_if(per_thread_, [&](const auto& stream) { return stream.first.first == context; });
}

}  // namespace vramlab::dry_run
