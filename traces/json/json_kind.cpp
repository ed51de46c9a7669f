#include "traces/json/json_kind.h"

#include <algorithm>
#include <array>

#include "traces/io/byte_source.h"
#include "traces/io/letters.h"

namespace vramlab::traces {
namespace {

/// The keys of a dict of sections, and of a segment, but for `name`, which many things have.
constexpr std::array<std::string_view, 12> snapshot_keys = {"segments",
                                                            "device_traces",
                                                            "allocator_settings",
                                                            "external_annotations",
                                                            "host_segments",
                                                            "host_traces",
                                                            "address",
                                                            "total_size",
                                                            "segment_type",
                                                            "blocks",
                                                            "allocated_size",
                                                            "is_expandable"};
/// The keys of a Chrome trace, with what PyTorch's profiler adds to it, and of an event.
constexpr std::array<std::string_view, 18> profiler_keys = {"traceEvents",
                                                            "schemaVersion",
                                                            "deviceProperties",
                                                            "displayTimeUnit",
                                                            "otherData",
                                                            "baseTimeNanoseconds",
                                                            "cuda_runtime_version",
                                                            "cuda_driver_version",
                                                            "traceName",
                                                            "trace_id",
                                                            "distributedInfo",
                                                            "profile_memory",
                                                            "with_modules",
                                                            "record_shapes",
                                                            "with_flops",
                                                            "ph",
                                                            "ts",
                                                            "cat"};

template <typename Keys>
bool is_among(std::string_view key, const Keys& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::optional<JsonKind> kind_told_by(std::string_view key) {
  if (is_among(key, snapshot_keys)) return JsonKind::snapshot;
  if (is_among(key, profiler_keys)) return JsonKind::profiler;
  return std::nullopt;
}

/// Goes through the brackets and texts of JSON, which need not be valid: the reader that is chosen
/// says what is wrong.
class KeyScan {
 public:
  explicit KeyScan(std::string_view text) : text_(text) {}

  std::optional<JsonKind> run() {
    for (at_ = text_.find_first_not_of(" \t\r\n\xEF\xBB\xBF"); at_ < text_.size(); ++at_) {
      if (depth_ == 0 && key_depth_ == 0) key_depth_ = text_[at_] == '[' ? 2 : 1;
      if (const auto kind = look_at(text_[at_])) return kind;
    }
    return std::nullopt;
  }

 private:
  std::optional<JsonKind> look_at(char letter) {
    if (letter == '"') take_text();
    if (letter == ':' && depth_ == key_depth_) return kind_told_by(last_text_);
    if (letter == '{' || letter == '[') ++depth_;
    // A dict whose keys don't tell is that of a snapshot, which may have unknown keys.
    if ((letter == '}' || letter == ']') && depth_-- <= key_depth_) return JsonKind::snapshot;
    return std::nullopt;
  }
  /// Ends at the closing quote.
  void take_text() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    last_text_ = text_.substr(begin, std::min(at_, text_.size()) - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t key_depth_ = 0;
  std::string_view last_text_;
};

/// A list whose first item is a list of numbers: times, or an event of a raw timeline.
bool begins_like_timeline(std::string_view text) {
  constexpr std::string_view brackets = "[[";
  std::size_t seen = 0;
  for (const char letter : without_byte_order_mark(text)) {
    if (letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n') continue;
    if (seen == brackets.size()) return is_digit(letter) || letter == '-';
    if (letter != brackets[seen++]) return false;
  }
  return false;
}

}  // namespace

std::optional<JsonKind> json_kind_of(std::string_view start) {
  if (begins_like_timeline(start)) return JsonKind::memory_timeline;
  return KeyScan(start).run();
}

}  // namespace vramlab::traces
