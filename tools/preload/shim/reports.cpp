#include "tools/preload/shim/reports.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string_view>

#include "tools/preload/names/file_names.h"

namespace vramlab::shim {
namespace {

constexpr const char* standard_error = "stderr";

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_and_close(int file, std::string_view text) {
  if (file < 0) return false;
  const bool is_written = write_all(file, text);
  return ::close(file) == 0 && is_written;
}

/// A file that this makes, and nothing that lies there already, which may be a link to elsewhere.
bool write_new(const std::string& path, std::string_view text) {
  return write_and_close(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666), text);
}

/// A pipe or a device, which no file can stand for, or a link to one; and a descriptor of the
/// process, such as /dev/stdout, whatever it is of.
bool is_no_file(const std::string& path) {
  struct stat status{};
  const bool is_of_system =
      path.starts_with("/proc/") || (path.starts_with("/dev/") && !path.starts_with("/dev/shm/"));
  return ::stat(path.c_str(), &status) == 0 && (is_of_system || !S_ISREG(status.st_mode));
}

/// The text goes behind what is there, if it is a file by now; none is made.
bool write_into(const std::string& path, std::string_view text) {
  return write_and_close(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC), text);
}

/// Letters that nobody can know beforehand.
std::string random_letters() {
  std::array<unsigned char, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK) < 0) return "0";
  std::string letters;
  for (const unsigned char byte : bytes) {
    letters += "0123456789abcdef"[byte >> 4U];
    letters += "0123456789abcdef"[byte & 15U];
  }
  return letters;
}

}  // namespace

ReportFile::ReportFile(const std::string& pattern, std::uint64_t since_ns)
    : pattern_(pattern), since_ns_(since_ns) {
  if (!is_wanted() || pattern == standard_error) return;
  pattern_ = names::from_this_folder(pattern);
  begin();
}

void ReportFile::begin() {
  process_ = getpid();
  has_name_ = false;
  if (!is_wanted() || pattern_ == standard_error) return;
  name_ = names::expanded_name(pattern_, names::facts_of_this_process());
  if (is_of_earlier_run()) unlink(name_.c_str());
}

bool ReportFile::is_of_earlier_run() const {
  struct stat status{};
  if (lstat(name_.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto written = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                       static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  return written < since_ns_;
}

bool ReportFile::is_another_there() const {
  struct stat status{};
  return !has_name_ && lstat(name_.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

void ReportFile::write(std::string_view text) {
  if (!is_wanted()) return;
  if (pattern_ == standard_error) {
    write_all(STDERR_FILENO, text);
    return;
  }
  if (process_ != getpid()) begin();
  if (is_no_file(name_) ? write_into(name_, text) : write_beside(text)) return;
  write_all(STDERR_FILENO, "vramlab: cannot write " + name_ + ": " + std::strerror(errno) + "\n");
}

bool ReportFile::write_beside(std::string_view text) {
  const std::string part = name_ + ".part-" + std::to_string(process_) + "-" + random_letters();
  if (write_new(part, text) && take_name(part)) return true;
  const int error = errno;
  unlink(part.c_str());
  errno = error;
  return false;
}

/// The first process whose file is whole gets the name, and no process replaces another one's file.
bool ReportFile::take_name(const std::string& part) {
  const std::string numbered =
      names::names_process(pattern_) ? name_ : name_ + "." + std::to_string(process_);
  int number = 1;
  while (!has_name_ && link(part.c_str(), name_.c_str()) != 0) {
    // Some file systems have no links.
    if (errno != EEXIST) break;
    // A process that became another program has written under the number already.
    name_ = name_ != numbered && number == 1 ? numbered : numbered + "." + std::to_string(++number);
  }
  // If the link is made, both names are of one file, and nothing is renamed.
  has_name_ = rename(part.c_str(), name_.c_str()) == 0;
  return has_name_ && (unlink(part.c_str()) == 0 || errno == ENOENT);
}

namespace {

using allocator::PooledStatistic;

void add_line(std::string& text, std::string_view name, std::int64_t value) {
  text.append("  ").append(name).append(" ").append(std::to_string(value)).append("\n");
}

void add_pooled(std::string& text, const std::string& name, const PooledStatistic& statistic) {
  add_line(text, name + ".current", statistic.all.current);
  add_line(text, name + ".peak", statistic.all.peak);
  add_line(text, name + ".allocated", statistic.all.allocated);
  add_line(text, name + ".freed", statistic.all.freed);
}

void add_field(std::string& text, std::string_view name, std::uint64_t value) {
  text.append("\"").append(name).append("\": ").append(std::to_string(value)).append(", ");
}

/// The stacks that asked for each block in use and each segment, as far as the history knows.
class Askers {
 public:
  Askers(const ArenaHistory& history, const TakenStacks& stacks) : stacks_(stacks) {
    for (const HistoryEntry& entry : history) {
      if (entry.action == Action::alloc) blocks_[entry.address] = entry.stack;
      if (entry.action == Action::segment_alloc || entry.action == Action::segment_map)
        segments_[entry.address] = entry.stack;
    }
  }
  std::string frames_of(const SnapshotBlock& block) const {
    return block.state == BlockState::inactive ? "[]" : frames(blocks_, block.address);
  }
  std::string frames_of(const SnapshotSegment& segment) const {
    return frames(segments_, segment.address);
  }

 private:
  using Stacks = std::map<Address, StackNumber>;
  std::string frames(const Stacks& among, Address at) const {
    const auto found = among.find(at);
    return stacks_.frames_json(found == among.end() ? 0 : found->second);
  }

  const TakenStacks& stacks_;
  Stacks blocks_;
  Stacks segments_;
};

void add_block(std::string& text, const SnapshotBlock& block, const Askers& askers) {
  text += '{';
  add_field(text, "address", block.address.value);
  add_field(text, "size", block.size.count);
  add_field(text, "requested_size", block.requested.count);
  text.append("\"state\": \"").append(block_state_name(block.state)).append("\", \"frames\": ");
  text.append(askers.frames_of(block)).append("}");
}

void add_segment(std::string& text, int device, const SnapshotSegment& segment,
                 const Askers& askers) {
  text += '{';
  add_field(text, "device", static_cast<std::uint64_t>(device));
  add_field(text, "address", segment.address.value);
  add_field(text, "total_size", segment.total_size.count);
  add_field(text, "allocated_size", segment.allocated_size.count);
  add_field(text, "active_size", segment.active_size.count);
  add_field(text, "requested_size", segment.requested_size.count);
  add_field(text, "stream", 0);
  text.append("\"segment_type\": \"").append(pool_kind_name(segment.kind));
  text.append("\", \"segment_pool_id\": [0, 0], \"is_expandable\": ");
  text.append(segment.is_expandable ? "true" : "false").append(", \"frames\": ");
  text.append(askers.frames_of(segment)).append(", \"blocks\": [");
  for (std::size_t i = 0; i < segment.blocks.size(); ++i) {
    if (i > 0) text += ", ";
    add_block(text, segment.blocks[i], askers);
  }
  text += "]}";
}

std::vector<const ArenaHistory*> histories_of(const std::vector<ArenaReport>& arenas, int device) {
  std::vector<const ArenaHistory*> histories;
  for (const ArenaReport& arena : arenas)
    if (arena.device == device) histories.push_back(&arena.history);
  return histories;
}

/// The program's streams are not known here: all entries are on stream 0.
void add_event(std::string& text, const HistoryEntry& event, const TakenStacks& stacks) {
  text.append("{\"action\": \"").append(action_name(event.action)).append("\", ");
  add_field(text, event.action == Action::oom ? "device_free" : "addr", event.address.value);
  add_field(text, "size", event.size.count);
  add_field(text, "stream", 0);
  add_field(text, "time_us", event.time_us);
  text.append("\"frames\": ").append(stacks.frames_json(event.stack)).append("}");
}

std::vector<const HistoryEntry*> by_time(const std::vector<const ArenaHistory*>& arenas) {
  std::vector<const HistoryEntry*> events;
  for (const ArenaHistory* arena : arenas)
    for (const HistoryEntry& event : *arena) events.push_back(&event);
  if (arenas.size() > 1)
    std::stable_sort(events.begin(), events.end(),
                     [](const auto* a, const auto* b) { return a->time_us < b->time_us; });
  return events;
}

}  // namespace

std::string history_json(const std::vector<const ArenaHistory*>& arenas,
                         const TakenStacks& stacks) {
  std::string text = "[";
  for (const HistoryEntry* event : by_time(arenas)) {
    text += text.size() == 1 ? "\n" : ",\n";
    add_event(text, *event, stacks);
  }
  return text += "]";
}

std::string statistics_text(const std::vector<ArenaReport>& arenas) {
  std::string text;
  for (const ArenaReport& arena : arenas) {
    const StatisticValues& values = arena.statistics;
    text.append("vramlab: device ").append(std::to_string(arena.device)).append("\n");
    add_pooled(text, "allocation", values.allocation);
    add_pooled(text, "segment", values.segment);
    add_pooled(text, "active", values.active);
    add_pooled(text, "allocated_bytes", values.allocated_bytes);
    add_pooled(text, "reserved_bytes", values.reserved_bytes);
    add_pooled(text, "active_bytes", values.active_bytes);
    add_pooled(text, "requested_bytes", values.requested_bytes);
    add_line(text, "num_alloc_retries", values.num_alloc_retries);
    add_line(text, "num_ooms", values.num_ooms);
    add_line(text, "num_device_alloc", values.num_device_alloc);
    add_line(text, "num_device_free", values.num_device_free);
  }
  return text;
}

std::string snapshot_json(const std::vector<ArenaReport>& arenas, const std::string& settings,
                          const TakenStacks& stacks) {
  std::string text = "{\n\"segments\": [";
  bool is_first = true;
  int devices = 0;
  for (const ArenaReport& arena : arenas) {
    devices = std::max(devices, arena.device + 1);
    const Askers askers(arena.history, stacks);
    for (const SnapshotSegment& segment : arena.snapshot.segments) {
      text += is_first ? "\n" : ",\n";
      is_first = false;
      add_segment(text, arena.device, segment, askers);
    }
  }
  text += "],\n\"device_traces\": [";
  for (int device = 0; device < devices; ++device) {
    if (device > 0) text += ", ";
    text += history_json(histories_of(arenas, device), stacks);
  }
  text += "],\n\"allocator_settings\": {\"PYTORCH_CUDA_ALLOC_CONF\": ";
  add_json_text(text, settings);
  text += "}}\n";
  return text;
}

void add_report(std::vector<ArenaReport>& reports, Arena& arena) {
  arena.look_at([&](BlockCache& cache) {
    // The entries come first: the snapshot's own entry belongs to the next one.
    ArenaHistory history = cache.history();
    reports.push_back({arena.device(), cache.statistics(), cache.snapshot(), std::move(history)});
  });
}

}  // namespace vramlab::shim
