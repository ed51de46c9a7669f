#include "streams/happens_before/program_order.h"

#include <algorithm>
#include <optional>

namespace vramlab::streams {

ProgramOrder::Stream& ProgramOrder::stream_at(StreamAt stream) {
  const auto [found, is_new] = streams_.try_emplace(stream);
  if (is_new) found->second.strand = take_line(stream);
  return found->second;
}

Strand& ProgramOrder::thread_at(ThreadId thread) {
  const auto [found, is_new] = threads_.try_emplace(thread);
  if (is_new) found->second = lines_.take();
  return found->second;
}

Strand ProgramOrder::take_line(StreamAt name) {
  Strand strand = lines_.take();
  names_.resize(lines_.line_count());
  names_[strand.line.value] = name;
  return strand;
}

bool ProgramOrder::is_known_to_threads(Epoch epoch) const {
  return std::ranges::any_of(
      threads_, [epoch](const auto& thread) { return thread.second.clock.covers(epoch); });
}

void ProgramOrder::follow(Strand& strand, const Strand& before) {
  const Epoch known = before.now();
  if (strand.clock.covers(known) && lines_.is_current(known)) return;
  strand.clock.join(before.clock);
  strand.advance();
  if (flags_.has_open()) flags_.note(strand);
}

void ProgramOrder::add_clocks_of_next(StreamAt stream,
                                      std::vector<const VectorClock*>& clocks) const {
  const auto add = [&](StreamAt followed) {
    if (const auto found = streams_.find(followed); found != streams_.end())
      clocks.push_back(&found->second.strand.clock);
  };
  add(stream);
  const auto found = streams_.find(stream);
  if (stream.stream == legacy) {
    for (const auto& [name, other] : streams_)
      if (name.device == stream.device && other.kind == StreamKind::blocking) add(name);
    add({stream.device, destroyed_blocking_streams});
  } else if (found != streams_.end() && found->second.kind == StreamKind::blocking) {
    add({stream.device, legacy});
  }
}

const Strand& ProgramOrder::place_of(const IssuedItem& item) {
  Strand& strand = put(item);
  if (item.work == nullptr) return strand;
  if (item.work->kind == WorkKind::write_flag) write_flag(*item.work, strand);
  if (item.work->kind == WorkKind::await_flag) await_flag(*item.work, strand);
  return strand;
}

Strand& ProgramOrder::put(const IssuedItem& item) {
  if (item.kind == ItemKind::graph_node) return node_issued();
  if (item.kind == ItemKind::graph_end) end_launch();
  Strand& strand = stream_at(item.stream).strand;
  follow(strand, thread_at(item.thread));
  strand.advance();
  if (item.kind == ItemKind::graph_begin) launch_.number = item.number;
  return strand;
}

void ProgramOrder::stream_follows(StreamAt stream, StreamAt before) {
  follow(stream_at(stream).strand, stream_at(before).strand);
}

void ProgramOrder::event_recorded(EventId event, StreamAt stream) {
  events_[event.value] = stream_at(stream).strand;
}

void ProgramOrder::stream_follows_event(StreamAt stream, EventId event) {
  if (const auto found = events_.find(event.value); found != events_.end())
    follow(stream_at(stream).strand, found->second);
}

void ProgramOrder::thread_follows_stream(ThreadId thread, StreamAt stream) {
  follow(thread_at(thread), stream_at(stream).strand);
}

void ProgramOrder::thread_follows_event(ThreadId thread, EventId event) {
  if (const auto found = events_.find(event.value); found != events_.end())
    follow(thread_at(thread), found->second);
}

void ProgramOrder::stream_destroyed(StreamAt stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  const auto end = [this](const Strand& strand) {
    flags_.line_ended(strand.now());
    lines_.retire(strand.now());
  };
  end(found->second.strand);
  for (const Strand& branch : found->second.branches) end(branch);
  streams_.erase(found);
}

// Flags.

void ProgramOrder::await_flag(const Work& work, Strand& strand) {
  if (work.value == 0) return;
  if (const std::optional<VectorClock> before = flags_.writes_before(work.flag, work.value)) {
    strand.clock.join(*before);
  } else {
    const Strand token = take_token();
    strand.clock.set(token.now());
    flags_.open(work.flag, work.value, token.now());
  }
  strand.advance();
  if (flags_.has_open()) flags_.note(strand);
}

Strand ProgramOrder::take_token() {
  if (free_tokens_.empty()) return take_line({});
  Strand token = std::move(free_tokens_.back());
  free_tokens_.pop_back();
  token.advance();
  return token;
}

void ProgramOrder::write_flag(const Work& work, const Strand& strand) {
  for (ClosedWait& wait : flags_.written(work.flag, work.value, strand.clock)) {
    close(wait);
    free_tokens_.push_back({wait.token.line, {}});
    free_tokens_.back().clock.set(wait.token);
    closed_waits_.push_back(std::move(wait));
  }
}

/// All that is behind the wait is behind the writer.
void ProgramOrder::close(const ClosedWait& wait) {
  const auto learn = [&](VectorClock& clock) {
    if (clock.covers(wait.token)) clock.join(wait.writer);
  };
  for (auto& [name, stream] : streams_) {
    learn(stream.strand.clock);
    for (Strand& branch : stream.branches) learn(branch.clock);
  }
  for (auto& [thread, strand] : threads_) learn(strand.clock);
  for (auto& [event, strand] : events_) learn(strand.clock);
  for (auto& [graph, strand] : graph_ends_) learn(strand.clock);
  for (auto& [place, strand] : launch_.left_behind) learn(strand.clock);
  flags_.visit_clocks(learn);
}

// Graphs. Where a node follows the last one of a branch it goes on along it, else it begins one.

void ProgramOrder::graph_launched(const CapturedGraph& graph, GraphId name, StreamAt stream) {
  Stream& on = stream_at(stream);
  if (const auto found = graph_ends_.find(name); found != graph_ends_.end())
    follow(on.strand, found->second);
  launch_.stream = &on;
  launch_.stream_name = stream;
  launch_.name = name;
  launch_.nodes = &graph.nodes;
  launch_.next = 0;
  launch_.places.assign(graph.nodes.size() + 1, {});
  for (const CapturedNode& node : graph.nodes) {
    if (node.after.empty()) ++launch_.places[0].dependents_to_come;
    for (const std::uint32_t before : node.after) ++launch_.places[before + 1].dependents_to_come;
  }
  launch_.branches.assign(1, {&on.strand, 0});
  // No graph is wider, and what points at a branch must not move.
  on.branches.reserve(graph.nodes.size());
}

Strand& ProgramOrder::node_issued() {
  const auto place = static_cast<std::uint32_t>(++launch_.next);
  const NodePlaces& after = (*launch_.nodes)[place - 1].after;
  launch_.followed.assign(after.begin(), after.end());
  for (std::uint32_t& before : launch_.followed) ++before;
  if (after.empty()) launch_.followed.push_back(0);
  const std::uint32_t taken = take_branch();
  Strand& strand = *launch_.branches[taken].strand;
  for (const std::uint32_t before : launch_.followed)
    if (const Strand& other = strand_at(before); &other != &strand) follow(strand, other);
  strand.advance();
  for (const std::uint32_t before : launch_.followed)
    if (--launch_.places[before].dependents_to_come == 0) launch_.left_behind.erase(before);
  launch_.branches[taken].last = place;
  launch_.places[place].branch = taken;
  return strand;
}

std::uint32_t ProgramOrder::take_branch() {
  for (const std::uint32_t before : launch_.followed) {
    const LaunchedNode& node = launch_.places[before];
    const Branch& branch = launch_.branches[node.branch];
    if (branch.last != before) continue;
    if (node.dependents_to_come > 1) launch_.left_behind[before] = *branch.strand;
    return node.branch;
  }
  // The first branch is the stream's own strand.
  std::vector<Strand>& known = launch_.stream->branches;
  const std::size_t used = launch_.branches.size() - 1;
  if (used == known.size()) known.push_back(take_line(launch_.stream_name));
  launch_.branches.push_back({&known[used], 0});
  return static_cast<std::uint32_t>(used + 1);
}

const Strand& ProgramOrder::strand_at(std::uint32_t place) const {
  const Branch& branch = launch_.branches[launch_.places[place].branch];
  return branch.last == place ? *branch.strand : launch_.left_behind.at(place);
}

void ProgramOrder::end_launch() {
  Strand& strand = launch_.stream->strand;
  for (const Branch& branch : launch_.branches)
    if (branch.strand != &strand) follow(strand, *branch.strand);
  graph_ends_[launch_.name] = strand;
}

}  // namespace vramlab::streams
