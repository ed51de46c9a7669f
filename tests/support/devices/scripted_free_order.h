// ScriptedFreeOrder: an order of frees that a test dictates, place by place.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "streams/happens_before/free_order.h"

namespace vramlab::tests {

class ScriptedFreeOrder final : public streams::FreeOrder {
 public:
  using FreePoint = streams::FreePoint;
  using StreamAt = streams::StreamAt;

  /// Places have numbers from 1 on, in the order in which they are asked for.
  FreePoint free_point(StreamAt stream) override {
    return {stream, {}, {{static_cast<std::uint32_t>(stream.stream.value)}, ++points}};
  }
  bool is_over(const FreePoint& point) const override { return over.contains(point.epoch.tick); }
  bool is_known_to_host(const FreePoint& point) const override {
    return known.contains(point.epoch.tick);
  }
  bool is_same_stream(const FreePoint& point, StreamAt stream) const override {
    return point.stream == stream;
  }
  streams::NextOnStream next_on(StreamAt stream) override { return {stream, {}}; }
  bool is_behind(const FreePoint& point, const streams::NextOnStream& next) const override {
    return behind.contains({next.stream.stream.value, point.epoch.tick});
  }
  bool make_follow(StreamAt stream, const FreePoint& point) override {
    if (refuses) return false;
    waits.emplace_back(stream.stream.value, point.epoch.tick);
    behind.insert({stream.stream.value, point.epoch.tick});
    return true;
  }

  std::uint64_t points = 0;
  std::set<std::uint64_t> over;
  std::set<std::uint64_t> known;
  /// The places that streams are ordered after.
  std::set<std::pair<std::uint64_t, std::uint64_t>> behind;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> waits;
  bool refuses = false;
};

}  // namespace vramlab::tests
