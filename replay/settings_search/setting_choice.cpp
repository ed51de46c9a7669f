#include "replay/settings_search/setting_choice.h"

#include <bit>

#include "allocator/options/size_rules.h"

namespace vramlab::replay {
namespace {

Settings settings_with(const std::string& option, const std::string& value,
                       const ReferenceVersion& version) {
  return allocator::parse_settings({}, option + ":" + value, version).settings;
}

}  // namespace

RequestShapes::RequestShapes(const Replayers& recordings) {
  for (const Replayer* const recording : recordings) add(*recording);
  if (!sizes_.empty())
    largest_ = std::max({largest_, Bytes{std::bit_ceil(sizes_.rbegin()->count)},
                         device_size_for_miss(*sizes_.rbegin(), {})});
}

bool RequestShapes::are_rounded_by(const Settings& settings) const {
  return std::ranges::any_of(
      sizes_, [&](Bytes size) { return round_request(size, settings) != round_request(size, {}); });
}

bool RequestShapes::has_medium() const {
  return std::ranges::any_of(sizes_, [](Bytes size) {
    return size > allocator::small_limit && size < allocator::medium_limit;
  });
}

bool RequestShapes::is_inert(const SettingChoice& choice, const ReferenceVersion& version) const {
  const std::string divisions = choice.value(option_names::rounding);
  if (!divisions.empty() &&
      !are_rounded_by(settings_with(option_names::rounding, divisions, version)))
    return true;
  const std::string limit = choice.value(option_names::splitting);
  return !limit.empty() &&
         !reach(settings_with(option_names::splitting, limit, version).max_split_size);
}

void RequestShapes::add(const Replayer& recording) {
  for (const ProgramPart* part : recording.parts()) {
    for (const EventShape& shape : part->program.shapes())
      if (shape.bytes.count > 0 && shape.bytes < allocator::request_limit)
        sizes_.insert(shape.bytes);
    for (const StartingSegment& segment : part->start)
      largest_ = std::max(largest_, segment.segment.size());
  }
}

}  // namespace vramlab::replay
