// RecordLine: spells records of a native trace (docs/reference/trace_format.md) into one buffer,
// for one write. The writers of traces/ are not used here: they would bring their whole library
// into every process that the preload is loaded into.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vramlab::preload {

class RecordLine {
 public:
  /// The first key of a record, with its value.
  template <class Value>
  RecordLine& begin(std::string_view key, const Value& value) {
    letters_ += '{';
    return add(key, value);
  }
  RecordLine& add(std::string_view key, std::uint64_t value);
  RecordLine& add(std::string_view key, std::string_view text);
  /// Left out where it is 0.
  RecordLine& add_unless_0(std::string_view key, std::uint64_t value);
  /// As it stands.
  RecordLine& raw(std::string_view json);
  void end() { letters_ += "}\n"; }

  /// All records since `clear`.
  std::string_view letters() const { return letters_; }
  void clear() { letters_.clear(); }

 private:
  void key(std::string_view name);

  std::string letters_;
};

}  // namespace vramlab::preload
