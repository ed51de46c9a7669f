// StreamPlaces: where a stream is kept, by its name. Nearly all names are small numbers and are
// looked up in a row; the rest in a map.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "streams/time/work.h"

namespace vramlab::streams {

inline constexpr std::uint32_t no_place = 0xffffffff;

class StreamPlaces {
 public:
  /// no_place where there is none.
  std::uint32_t find(StreamAt stream) const {
    if (is_small(stream)) {
      if (stream.device >= rows_.size()) return no_place;
      const std::vector<std::uint32_t>& row = rows_[stream.device];
      return stream.stream.value < row.size() ? row[stream.stream.value] : no_place;
    }
    const auto found = others_.find(stream);
    return found == others_.end() ? no_place : found->second;
  }
  void set(StreamAt stream, std::uint32_t place) { slot_of(stream) = place; }
  void erase(StreamAt stream) { slot_of(stream) = no_place; }

 private:
  static constexpr std::uint32_t devices_in_rows = 64;
  static constexpr std::uint64_t streams_in_rows = 1 << 16;

  static bool is_small(StreamAt stream) {
    return stream.device < devices_in_rows && stream.stream.value < streams_in_rows;
  }
  std::uint32_t& slot_of(StreamAt stream) {
    if (!is_small(stream)) return others_[stream];
    if (rows_.size() <= stream.device) rows_.resize(stream.device + 1);
    std::vector<std::uint32_t>& row = rows_[stream.device];
    if (row.size() <= stream.stream.value) row.resize(stream.stream.value + 1, no_place);
    return row[stream.stream.value];
  }

  std::vector<std::vector<std::uint32_t>> rows_;
  std::map<StreamAt, std::uint32_t> others_;
};

}  // namespace vramlab::streams
