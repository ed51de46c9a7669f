#include "streams/happens_before/program_order.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace vramlab::streams {
namespace {

constexpr std::uint64_t still_going = std::numeric_limits<std::uint64_t>::max();

}  // namespace

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

/// Everything behind the wait is behind the writer from now on.
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

// Graphs. A node that follows the last node of a branch goes on along it; others begin a branch.

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
  // No graph is wider, and branches must not move while pointers to them are kept.
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

Strand& ProgramOrder::latest_node() {
  return *launch_.branches[launch_.places[launch_.next].branch].strand;
}

void ProgramOrder::node_follows_event(EventId event) {
  if (const auto found = events_.find(event.value); found != events_.end())
    follow(latest_node(), found->second);
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

std::optional<VectorClock> FlagOrder::writes_before(FlagId flag, std::uint64_t value) const {
  std::optional<VectorClock> common;
  const auto found = writes_.find(flag);
  if (found == writes_.end()) return common;
  for (const Write& write : found->second) {
    if (write.value < value) continue;
    if (common)
      common->meet(write.clock);
    else
      common = write.clock;
  }
  return common;
}

std::vector<ClosedWait> FlagOrder::written(FlagId flag, std::uint64_t value,
                                           const VectorClock& writer) {
  std::deque<Write>& writes = writes_[flag];
  writes.push_back({value, writer});
  if (writes.size() > most_writes) writes.pop_front();
  const auto first_closed =
      std::stable_partition(open_.begin(), open_.end(), [&](const OpenWait& wait) {
        return wait.flag != flag || wait.value > value || writer.covers(wait.token);
      });
  const std::vector<OpenWait> ended(first_closed, open_.end());
  open_.erase(first_closed, open_.end());
  std::vector<ClosedWait> closed;
  for (const OpenWait& wait : ended) {
    closed.push_back({wait.token, writer, open_in(writer)});
    // Everything behind the wait is behind the writer, and so behind waits that the writer is
    // behind.
    for (OpenWait& other : open_) {
      if (!writer.covers(other.token)) continue;
      for (const auto& [line, span] : wait.behind) {
        const auto [behind, is_new] = other.behind.try_emplace(line, span);
        behind->second.first = std::min(behind->second.first, span.first);
      }
    }
  }
  return closed;
}

void FlagOrder::note(const Strand& strand) {
  const Epoch now = strand.now();
  for (OpenWait& wait : open_) {
    if (!strand.clock.covers(wait.token)) continue;
    const auto [behind, is_new] = wait.behind.try_emplace(now.line.value, Span{});
    // Otherwise it is known, or another stream had the line before.
    if (is_new || behind->second.last != still_going) behind->second = {now.tick, still_going};
  }
}

void FlagOrder::line_ended(Epoch last) {
  for (OpenWait& wait : open_)
    if (const auto found = wait.behind.find(last.line.value); found != wait.behind.end())
      found->second.last = std::min(found->second.last, last.tick);
}

std::vector<Epoch> FlagOrder::open_before(Epoch epoch) const {
  std::vector<Epoch> tokens;
  for (const OpenWait& wait : open_)
    if (const auto found = wait.behind.find(epoch.line.value); found != wait.behind.end() &&
                                                               found->second.first <= epoch.tick &&
                                                               epoch.tick <= found->second.last)
      tokens.push_back(wait.token);
  return tokens;
}

std::vector<Epoch> FlagOrder::open_in(const VectorClock& clock) const {
  std::vector<Epoch> tokens;
  for (const OpenWait& wait : open_)
    if (clock.covers(wait.token)) tokens.push_back(wait.token);
  return tokens;
}

}  // namespace vramlab::streams
