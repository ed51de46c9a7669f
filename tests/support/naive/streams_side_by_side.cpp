#include "tests/support/naive/streams_side_by_side.h"

#include <algorithm>
#include <sstream>

#include "tests/support/naive/naive_streams.h"
#include "tests/support/naive/stream_words.h"

namespace vramlab::tests {
namespace {

using namespace streams;

/// The words of TimedStreams to its watcher.
class ItemLog : public StreamWords {
 public:
  void issued(const IssuedItem& item) override {
    StreamWords::issued(item);
    issued_items.push_back(item);
  }
  void ended(const EndedItem& item) override { ended_items.push_back(item); }

  std::vector<IssuedItem> issued_items;
  std::vector<EndedItem> ended_items;
};

std::string stream_text(StreamAt stream) {
  return std::to_string(stream.device) + ":" + std::to_string(stream.stream.value);
}

std::string answer_text(const StreamAnswer& answer) {
  std::ostringstream text;
  if (!answer.is_made) return "never made, " + std::to_string(answer.at.ns);
  text << cuda_status_name(answer.status) << " at " << answer.at.ns;
  for (const std::int64_t figure : answer.figures) text << " " << figure;
  return text.str();
}

std::string line_of(std::uint64_t number, ItemKind kind, StreamAt stream, std::uint64_t tag) {
  std::ostringstream text;
  text << "item " << number << " kind " << static_cast<int>(kind) << " tag " << tag << " on "
       << stream_text(stream);
  return text.str();
}

using Lines = std::vector<std::string>;

/// Issues in their order, then ends by number.
Lines item_lines(const ItemLog& log) {
  Lines lines;
  for (const IssuedItem& item : log.issued_items)
    lines.push_back(line_of(item.number, item.kind, item.stream, item.tag) + " by thread " +
                    std::to_string(item.thread.value) + " at " + std::to_string(item.issued.ns));
  std::vector<EndedItem> ended = log.ended_items;
  std::ranges::sort(ended, {}, &EndedItem::number);
  for (const EndedItem& item : ended)
    lines.push_back(line_of(item.number, item.kind, item.stream, item.tag) + " from " +
                    std::to_string(item.begin.ns) + " to " + std::to_string(item.end.ns));
  return lines;
}

Lines item_lines(const NaiveStreams& naive) {
  Lines issued;
  Lines ended;
  for (std::size_t i = 0; i < naive.items().size(); ++i) {
    const NaiveItem& item = naive.items()[i];
    const std::string line = line_of(i + 1, item.kind, item.stream, item.tag);
    issued.push_back(line + " by thread " + std::to_string(item.thread.value) + " at " +
                     std::to_string(item.issued.ns));
    if (item.end)
      ended.push_back(line + " from " + std::to_string(item.begin->ns) + " to " +
                      std::to_string(item.end->ns));
  }
  issued.insert(issued.end(), ended.begin(), ended.end());
  return issued;
}

/// Asked once nothing more can happen.
template <class Streams>
Lines end_lines(Streams& on) {
  Lines lines;
  for (const StuckThread& thread : on.finish())
    lines.push_back("thread " + std::to_string(thread.thread.value) + " waits since " +
                    std::to_string(thread.since.ns));
  for (const StuckWork& work : on.stuck_work())
    lines.push_back("stream " + stream_text(work.stream) + " is stuck at " +
                    std::to_string(work.tag) +
                    (work.awaited ? ", flag " + std::to_string(work.awaited->value) : ""));
  lines.emplace_back(cuda_status_name(on.lost_context()));
  return lines;
}

std::optional<std::string> first_of(const Lines& timed, const Lines& naive) {
  for (std::size_t i = 0; i < std::max(timed.size(), naive.size()); ++i) {
    const std::string left = i < timed.size() ? timed[i] : "nothing";
    const std::string right = i < naive.size() ? naive[i] : "nothing";
    if (left != right) return "timed: " + left + "; naive: " + right;
  }
  return std::nullopt;
}

void count_items(const NaiveStreams& naive, StreamTally& tally) {
  tally.items += naive.items().size();
  tally.graph_nodes += static_cast<std::uint64_t>(std::ranges::count_if(
      naive.items(), [](const NaiveItem& item) { return item.kind == ItemKind::graph_node; }));
  if (naive.lost_context() != CudaStatus::success)
    ++tally.lost_contexts;
  else if (!naive.stuck_work().empty())
    ++tally.stuck_programs;
}

}  // namespace

std::optional<std::string> first_stream_difference(const StreamProgram& program,
                                                   StreamTally& tally) {
  ItemLog log;
  TimedStreams timed(program.model, log);
  NaiveStreams naive(program.model);
  ++tally.programs;
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    const StreamAnswer left = answer_of(timed, program.calls[i]);
    const StreamAnswer right = answer_of(naive, program.calls[i]);
    ++tally.calls;
    if (!left.is_made) ++tally.never_made;
    if (left.is_made && left.status != CudaStatus::success) ++tally.refused;
    if (left != right)
      return "seed " + std::to_string(program.seed) + ", call " + std::to_string(i) + ", " +
             stream_call_text(program.calls[i]) + ": timed: " + answer_text(left) +
             "; naive: " + answer_text(right);
  }
  Lines timed_end = end_lines(timed);
  Lines naive_end = end_lines(naive);
  count_items(naive, tally);
  auto difference = first_of(item_lines(log), item_lines(naive));
  if (!difference) difference = first_of(timed_end, naive_end);
  if (!difference) difference = log.first_fault(naive.items());
  if (difference) return "seed " + std::to_string(program.seed) + ": " + *difference;
  return std::nullopt;
}

std::optional<std::string> first_stream_difference(const StreamProgram& program) {
  StreamTally tally;
  return first_stream_difference(program, tally);
}

std::string explain_stream_difference(StreamProgram program) {
  bool is_shorter = true;
  while (is_shorter) {
    is_shorter = false;
    for (std::size_t i = program.calls.size(); i-- > 0;) {
      StreamProgram shorter = program;
      shorter.calls.erase(shorter.calls.begin() + static_cast<std::ptrdiff_t>(i));
      if (!first_stream_difference(shorter)) continue;
      program = std::move(shorter);
      is_shorter = true;
    }
  }
  return first_stream_difference(program).value_or("no difference") + "\n" +
         stream_program_text(program);
}

}  // namespace vramlab::tests
