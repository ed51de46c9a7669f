#include "traces/logs/memory_timeline.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "traces/json/json_tokens.h"
#include "traces/model/generic_text.h"

namespace vramlab::traces {
namespace {

/// The moments of a timeline are held until their sums come.
constexpr std::size_t most_moments = std::size_t{1} << 24;
constexpr std::uint64_t ns_per_us = 1000;

class TimelineReader {
 public:
  TimelineReader(ByteSource& source, const std::string& file)
      : tokens_({source, file}, tables_.texts) {}

  MemoryTimeline read() {
    tokens_.pass_byte_order_mark();
    expect_list("a memory timeline: a list");
    expect_list("the times of a memory timeline, or its first event");
    read_numbers();
    if (!tokens_.take_separator(']')) {
      take_event(numbers_);
    } else {
      expect_list("a list of sums, or an event");
      if (tokens_.peek_value() == '[' || numbers_.empty())
        read_sums();
      else
        read_events();
    }
    tokens_.expect_end();
    timeline_.peak_us = std::max(timeline_.peak_us, timeline_.first_us);
    timeline_.text_bytes = tokens_.window().bytes_taken();
    return timeline_;
  }

 private:
  void expect_list(const std::string& expected) {
    if (tokens_.peek_value() != '[') tokens_.fail_at_value(expected);
    tokens_.take();
  }

  /// Behind the opening bracket.
  void read_numbers() {
    numbers_.clear();
    tokens_.take_items(']', [&] {
      if (numbers_.size() == most_moments)
        tokens_.fail("at most " + std::to_string(most_moments) + " moments", "more");
      numbers_.push_back(take_number());
    });
  }

  std::int64_t take_number() {
    const char letter = tokens_.peek_value();
    if (letter == '[' || letter == '{') tokens_.fail_at_value("a whole number");
    FieldValue value;
    tokens_.take_scalar(value);
    const auto* number = std::get_if<WholeNumber>(&value);
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (number == nullptr || (!number->is_negative && number->bits > largest))
      tokens_.fail("a whole number of 64 bits", found_text(value, tables_.texts));
    return static_cast<std::int64_t>(number->bits);
  }

  /// The times were read, and the bracket that opens the list of sums. A row's first number has no
  /// kind.
  void read_sums() {
    const std::vector<std::int64_t> times = std::exchange(numbers_, {});
    std::size_t row = 0;
    tokens_.take_items(']', [&] {
      expect_list("the sums of a moment: a list");
      read_numbers();
      if (numbers_.size() != category_count + 1)
        tokens_.fail(std::to_string(category_count + 1) + " sums of a moment",
                     std::to_string(numbers_.size()));
      if (row == times.size())
        tokens_.fail("sums for " + std::to_string(times.size()) + " times", "more");
      std::copy(numbers_.begin() + 1, numbers_.end(), now_.begin());
      note_moment(time_of(times[row++]));
    });
    if (row != times.size())
      tokens_.fail("sums for " + std::to_string(times.size()) + " times", std::to_string(row));
    tokens_.expect(']');
  }

  /// The first event was read, and the bracket that opens the next one.
  void read_events() {
    timeline_.is_raw = true;
    take_event(numbers_);
    read_numbers();
    take_event(numbers_);
    while (tokens_.take_separator(']')) {
      expect_list("an event: a list");
      read_numbers();
      take_event(numbers_);
    }
  }

  /// Time in nanoseconds, action, change in bytes, kind. The time is -1 of memory that was there at
  /// the beginning.
  void take_event(const std::vector<std::int64_t>& numbers) {
    constexpr std::size_t field_count = 4;
    timeline_.is_raw = true;
    if (numbers.size() != field_count)
      tokens_.fail("the four numbers of an event", std::to_string(numbers.size()));
    const std::int64_t kind = numbers[3];
    if (kind < 0 || kind >= static_cast<std::int64_t>(category_count))
      tokens_.fail("a kind of memory from 0 to 7", std::to_string(kind));
    std::int64_t& bytes = now_[static_cast<std::size_t>(kind)];
    if (__builtin_add_overflow(bytes, numbers[2], &bytes))
      tokens_.fail("sums of 64 bits", "a larger one");
    const std::int64_t time_ns = numbers[0];
    note_moment(time_ns < 0 ? timeline_.last_us : time_of(time_ns) / ns_per_us);
  }

  std::uint64_t time_of(std::int64_t number) {
    if (number < 0) tokens_.fail("a time from 0 on", std::to_string(number));
    return static_cast<std::uint64_t>(number);
  }

  void note_moment(std::uint64_t time_us) {
    for (const std::int64_t bytes : now_)
      if (bytes > largest_bytes || bytes < -largest_bytes)
        tokens_.fail("at most 2^56 bytes of a kind of memory", "more");
    if (timeline_.first_us == 0) timeline_.first_us = time_us;
    timeline_.last_us = std::max(timeline_.last_us, time_us);
    if (timeline_.moment_count++ == 0 || sum_of(now_) > sum_of(timeline_.at_peak)) {
      timeline_.at_peak = now_;
      timeline_.peak_us = time_us;
    }
    for (std::size_t i = 0; i < now_.size(); ++i)
      timeline_.most[i] = std::max(timeline_.most[i], now_[i]);
    timeline_.at_end = now_;
  }

  /// So that no sum of all kinds is too large.
  static constexpr std::int64_t largest_bytes = std::int64_t{1} << 56;

  SnapshotTables tables_;
  JsonTokens tokens_;
  std::vector<std::int64_t> numbers_;
  KindBytes now_{};
  MemoryTimeline timeline_;
};

}  // namespace

std::string_view category_name(ProfilerCategory kind) {
  constexpr std::array<std::string_view, category_count> names = {
      "parameters",  "optimizer state", "inputs",          "temporary",
      "activations", "gradients",       "autograd detail", "unknown"};
  return names[static_cast<std::size_t>(kind)];
}

std::int64_t sum_of(const KindBytes& bytes) {
  std::int64_t sum = 0;
  for (const std::int64_t part : bytes) sum += part;
  return sum;
}

MemoryTimeline read_memory_timeline(ByteSource& source, const std::string& file) {
  return TimelineReader(source, file).read();
}

}  // namespace vramlab::traces
