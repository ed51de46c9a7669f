#include "replay/replayer/work_gates.h"

#include <utility>

namespace vramlab::replay {

using streams::StreamAt;

namespace {

// Names that no program gives.
/// The stream on which flags are written.
constexpr StreamId writing_stream{~0ULL - 3};

streams::FlagId flag_of(std::size_t stream_number) { return {~std::uint64_t{stream_number}}; }

}  // namespace

void WorkGates::hold_back(StreamAt stream) {
  const StreamAt known = streams_.known_stream(stream);
  Pieces& pieces = pieces_.try_emplace(stream, Pieces{.flag = flag_of(pieces_.size()), .held = {}})
                       .first->second;
  streams_.streams().submit(known, {.kind = streams::WorkKind::await_flag,
                                    .flag = pieces.flag,
                                    .value = ++pieces.submitted,
                                    .tag = streams_.number()});
  pieces.held.push_back({pieces.submitted, order_.last_issued()});
}

void WorkGates::stream_is_done(StreamAt stream) {
  Clocks clocks;
  order_.add_clocks_of_next(stream, clocks);
  let_go_before(clocks);
}

void WorkGates::event_is_done(EventId event) {
  Clocks clocks;
  order_.add_clock_of_event(event, clocks);
  let_go_before(clocks);
}

void WorkGates::device_is_done(std::uint32_t device) {
  Clocks clocks;
  for (const auto& [stream, pieces] : pieces_)
    if (stream.device == device) order_.add_clocks_of_next(stream, clocks);
  let_go_before(clocks);
  // What was put on streams that are gone.
  for (auto& [stream, pieces] : pieces_)
    if (stream.device == device && !pieces.held.empty()) {
      pieces.held.clear();
      let_go(stream, pieces.submitted);
    }
}

/// Clocks change as soon as something is put on a stream: first all is found, then let go.
void WorkGates::let_go_before(const Clocks& clocks) {
  std::vector<std::pair<StreamAt, std::uint64_t>> found;
  for (auto& [stream, pieces] : pieces_) {
    std::uint64_t last = 0;
    for (; !pieces.held.empty() && is_covered(pieces.held.front().epoch, clocks);
         pieces.held.pop_front())
      last = pieces.held.front().value;
    if (last > 0) found.emplace_back(stream, last);
  }
  for (const auto& [stream, last] : found) let_go(stream, last);
}

void WorkGates::let_go(StreamAt stream, std::uint64_t value) {
  const StreamAt writing{stream.device, writing_stream};
  if (!streams_.streams().has_stream(writing))
    streams_.streams().create_stream(writing, {.is_blocking = false});
  streams_.streams().submit(writing, {.kind = streams::WorkKind::write_flag,
                                      .flag = pieces_.at(stream).flag,
                                      .value = value,
                                      .tag = streams_.number()});
}

}  // namespace vramlab::replay
