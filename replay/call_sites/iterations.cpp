#include "replay/call_sites/iterations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <tuple>

namespace vramlab::replay {
namespace {

/// More names than these are no names of iterations.
constexpr std::size_t most_names = 10'000;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

/// Whether a word of the name is one that iterations are called by; `train_step` has two words.
bool has_word_for_iterations(std::string_view name) {
  constexpr std::array<std::string_view, 4> words = {"step", "iteration", "iter", "batch"};
  std::string word;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && is_letter(name[i])) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
      continue;
    }
    if (std::ranges::find(words, word) != words.end()) return true;
    word.clear();
  }
  return false;
}

/// The lower, the better; nothing for a name that iterations hardly have.
std::optional<int> rank_of(std::string_view name, bool has_number, bool counts_up) {
  if (name.starts_with("ProfilerStep#")) return 0;
  if (name.starts_with("Optimizer.step#")) return 1;
  if (has_word_for_iterations(name)) return 2;
  if (has_number && counts_up) return 3;
  return std::nullopt;
}

/// Rounds show in their first hundred thousand different marks, or not at all.
constexpr std::size_t most_marks = 100'000;
constexpr std::uint64_t least_rounds = 4;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t value = (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2)));
  value ^= value >> 31;
  value *= 0xbf58476d1ce4e5b9ULL;
  return value ^ (value >> 29);
}

/// Bit 63 of a mark keeps stacks and sizes apart.
constexpr std::uint64_t of_stack = std::uint64_t{1} << 63;

/// All marks that were seen the same number of times.
struct RoundCount {
  std::uint64_t even = 0;
  std::uint64_t even_stacks = 0;
  std::uint64_t uneven = 0;
  /// The first even one in the history.
  std::uint64_t first = 0;
  RequestMark mark{};

  void add(const RoundCount& other) {
    if (other.even > 0 && (even == 0 || other.first < first)) {
      first = other.first;
      mark = other.mark;
    }
    even += other.even;
    even_stacks += other.even_stacks;
    uneven += other.uneven;
  }
};

/// Whether the marks show rounds: chance makes some marks even, rounds make nearly all of them
/// even. Sizes come together by chance more often than stacks do.
bool is_trusted(const RoundCount& rounds) {
  constexpr std::uint64_t least_sizes = 5;
  return rounds.even * 10 >= (rounds.even + rounds.uneven) * 7 &&
         (rounds.even_stacks > 0 || rounds.even >= least_sizes);
}

}  // namespace

NumberedName numbered_name(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && !is_digit(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data() + begin, text.data() + end, number);
  if (begin == end || read.ec != std::errc{}) return {std::string(text), std::nullopt};
  std::string name(text.substr(0, begin));
  if (!name.ends_with('#')) name += '#';
  return {name.append(text.substr(end)), number};
}

void IterationFinder::Name::add(const NumberedName& name, std::int64_t on_device) {
  ++count;
  if (device && *device != on_device) is_on_one_device = false;
  device = on_device;
  if (name.number && last_number && *name.number <= *last_number) counts_up = false;
  last_number = name.number;
}

void IterationFinder::add(Names& names, std::string_view text, std::int64_t device) {
  const NumberedName name = numbered_name(text);
  if (names.size() < most_names || names.contains(name.name)) names[name.name].add(name, device);
}

void IterationFinder::memory_event(const MemoryEvent& event) {
  switch (event.kind) {
    case MemoryEventKind::allocated:
      return requests_[event.device].add(event.block);
    case MemoryEventKind::range_end:
      return add(ranges_, tables_.texts.text(event.text), event.device);
    case MemoryEventKind::marker:
      return add(markers_, tables_.texts.text(event.text), event.device);
    default:
      return;
  }
}

void IterationFinder::annotation(const RecordedAnnotation& annotation) {
  if (annotation.stage != traces::TextId(traces::KnownText::end)) return;
  if (!annotation.has_time) return;
  const std::string_view text = tables_.texts.text(annotation.name);
  add(annotations_, text, annotation.device);
  const auto name = annotations_.find(numbered_name(text).name);
  if (name != annotations_.end()) name->second.ends_ns.push_back(annotation.time_us * ns_per_us);
}

const IterationFinder::Names::value_type* IterationFinder::best(const Names& names) {
  constexpr std::uint64_t least_count = 2;
  const Names::value_type* best = nullptr;
  std::tuple<int, std::uint64_t> best_rank;
  for (const auto& named : names) {
    const Name& name = named.second;
    const auto rank = rank_of(named.first, name.last_number.has_value(), name.counts_up);
    if (!rank || name.count < least_count) continue;
    const std::tuple<int, std::uint64_t> own{*rank, ~name.count};
    if (best != nullptr && own >= best_rank) continue;
    best = &named;
    best_rank = own;
  }
  return best;
}

IterationRule IterationFinder::rule() const {
  IterationRule rule;
  if (const auto* name = best(ranges_)) {
    rule.source = IterationSource::ranges;
    rule.name = name->first;
    rule.is_for_all_devices = name->second.is_on_one_device;
  } else if (const auto* annotated = best(annotations_)) {
    rule.source = IterationSource::annotations;
    rule.name = annotated->first;
    rule.times_ns = annotated->second.ends_ns;
    std::ranges::sort(rule.times_ns);
  } else if (const auto* marker = best(markers_)) {
    rule.source = IterationSource::markers;
    rule.name = marker->first;
    rule.is_for_all_devices = marker->second.is_on_one_device;
  } else {
    for (const auto& [device, requests] : requests_)
      if (const auto found = requests.find()) rule.requests[device] = *found;
    if (!rule.requests.empty()) rule.source = IterationSource::requests;
  }
  return rule;
}

/// True where at least one more limit lies before `at`.
bool IterationEnds::passes(Device& device, const std::vector<std::uint64_t>& limits,
                           std::uint64_t at) {
  const std::size_t before = device.next;
  while (device.next < limits.size() && limits[device.next] < at) ++device.next;
  return device.next > before;
}

IterationEnds::Place IterationEnds::place(const MemoryEvent& event) {
  if (event.kind == MemoryEventKind::labelled) return Place::none;
  Device& device = devices_[event.device];
  const std::uint64_t events_before = device.events++;
  const auto before_if = [](bool ends) { return ends ? Place::before : Place::none; };
  const auto is_named = [&] {
    return numbered_name(tables_.texts.text(event.text)).name == rule_.name;
  };
  switch (rule_.source) {
    case IterationSource::none:
      return Place::none;
    case IterationSource::events:
      return before_if(passes(device, rule_.events, event.number));
    case IterationSource::every:
      return before_if(events_before > 0 && events_before % rule_.every == 0);
    case IterationSource::annotations:
      return before_if(event.time_ns && passes(device, rule_.times_ns, *event.time_ns));
    case IterationSource::ranges:
      return event.kind == MemoryEventKind::range_end && is_named() ? Place::after : Place::none;
    case IterationSource::markers:
      return before_if(event.kind == MemoryEventKind::marker && is_named());
    case IterationSource::requests:
      return before_if(begins_by_request(device, event));
  }
  return Place::none;
}

bool IterationEnds::begins_by_request(Device& device, const MemoryEvent& event) const {
  if (event.kind != MemoryEventKind::allocated) return false;
  const RequestMark mark = device.marks.next(event.block);
  const auto sought = rule_.requests.find(event.device);
  return sought != rule_.requests.end() && sought->second.mark == mark;
}

bool IterationEnds::ends_with_history(std::int64_t number) {
  const Device& device = devices_[number];
  switch (rule_.source) {
    case IterationSource::events:
      return device.next < rule_.events.size();
    case IterationSource::annotations:
      return device.next < rule_.times_ns.size();
    case IterationSource::every:
      return device.events > 0 && device.events % rule_.every == 0;
    default:
      return false;
  }
}

IterationRule find_iterations(Recording& recording) {
  IterationFinder finder(recording.tables());
  pass_memory_events(recording, finder);
  return finder.rule();
}

void RequestPositions::memory_event(const MemoryEvent& event) {
  const IterationEnds::Place place = ends_.place(event);
  RequestPosition& next = next_[event.device];
  if (place == IterationEnds::Place::before) next = {false, 0};
  if (event.kind == MemoryEventKind::allocated) {
    const RequestName name{event.device, event.number};
    if (requests_.contains(name)) found_[name] = next;
    ++next.number;
  }
  if (place == IterationEnds::Place::after) next = {false, 0};
}

std::string position_text(const RequestPosition& position) {
  return "request " + std::to_string(position.number) +
         (position.is_in_first ? " of the beginning" : " of an iteration");
}

RequestMark RequestMarks::next(const LiveBlock& block) {
  if (block.stack != traces::StackId{}) return {of_stack | block.stack.value};
  std::uint64_t mark = block.requested.count;
  for (const std::uint64_t size : last_sizes_) mark = mixed(mark, size);
  last_sizes_[2] = last_sizes_[1];
  last_sizes_[1] = last_sizes_[0];
  last_sizes_[0] = block.requested.count;
  return {mark & ~of_stack};
}

void RepeatedRequests::add(const LiveBlock& block) {
  const RequestMark mark = marks_.next(block);
  const std::uint64_t at = requests_++;
  auto found = seen_.find(mark.value);
  if (found == seen_.end()) {
    if (seen_.size() < most_marks) seen_[mark.value] = {1, at, at, 0, block.stack, block.requested};
    return;
  }
  Occurrences& seen = found->second;
  const auto distance = static_cast<double>(at - seen.last);
  seen.sum_of_squares += distance * distance;
  seen.last = at;
  ++seen.count;
}

/// Whether the mark comes at even distances: over at least three quarters of the history, and with
/// distances that differ by at most half of their mean.
bool RepeatedRequests::is_even(const Occurrences& seen) const {
  const std::uint64_t span = seen.last - seen.first;
  const auto distances = static_cast<double>(seen.count - 1);
  const double rounds_share = distances / static_cast<double>(seen.count);
  if (static_cast<double>(span) < static_cast<double>(requests_) * rounds_share * 3 / 4)
    return false;
  const double mean = static_cast<double>(span) / distances;
  const double variance = seen.sum_of_squares / distances - mean * mean;
  return mean >= 2 && variance <= mean * mean / 4;
}

std::optional<RepeatedRequest> RepeatedRequests::find() const {
  std::map<std::uint64_t, RoundCount> by_count;
  for (const auto& [mark, seen] : seen_) {
    if (seen.count < least_rounds) continue;
    RoundCount rounds{.uneven = 1};
    if (is_even(seen)) rounds = {1, (mark & of_stack) != 0 ? 1U : 0U, 0, seen.first, {mark}};
    by_count[seen.count].add(rounds);
  }
  std::optional<RepeatedRequest> best;
  std::uint64_t most = 0;
  for (auto at = by_count.begin(); at != by_count.end(); ++at) {
    RoundCount rounds = at->second;
    // A mark that straddles two rounds comes once less often.
    if (const auto next = std::next(at); next != by_count.end() && next->first == at->first + 1)
      rounds.add(next->second);
    if (rounds.even <= most || !is_trusted(rounds)) continue;
    most = rounds.even;
    const Occurrences& first = seen_.at(rounds.mark.value);
    best = {rounds.mark, first.count, first.stack, first.requested};
  }
  return best;
}

}  // namespace vramlab::replay
