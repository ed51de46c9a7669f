#include "tests/support/programs/random_families.h"

#include <vector>

namespace vramlab::tests {
namespace {

constexpr StepWeights with_streams(StepWeights steps) {
  steps.record_stream = 5;
  steps.work = 5;
  steps.complete = 3;
  return steps;
}

constexpr StepWeights with_pools(StepWeights steps) {
  steps = with_streams(steps);
  steps.begin_pool = 3;
  steps.end_pool = 3;
  steps.release_pool = 2;
  steps.empty_cache = 1;
  return steps;
}

constexpr StepWeights with_pool_objects(StepWeights steps) {
  steps = with_pools(steps);
  steps.create_pool = 2;
  steps.destroy_pool = 1;
  steps.empty_pool_cache = 1;
  steps.external = 2;
  return steps;
}

constexpr StepWeights everything() {
  StepWeights steps = with_pools({});
  steps.external = 1;
  steps.reset_statistics = 1;
  steps.set_config = 1;
  steps.set_fraction = 1;
  steps.checkpoint = 1;
  steps.restore = 1;
  return steps;
}

constexpr StepWeights everything_newer() {
  StepWeights steps = with_pool_objects(everything());
  steps.begin_capture = 1;
  steps.end_capture = 1;
  steps.wait = 2;
  return steps;
}

const std::vector<RandomFamily> families = {
    {.name = "churn"},
    {.name = "small", .sizes = Sizes::tiny},
    {.name = "borders", .sizes = Sizes::borders, .options = {.rounding = 2}},
    {.name = "train", .steps = {.malloc = 8, .free = 8, .pass = 3}, .options = {.split_limit = 5}},
    {.name = "train-streams",
     .steps = with_streams({.malloc = 8, .free = 8, .pass = 2}),
     .options = {.expandable = 2, .collection = 4}},
    {.name = "streams",
     .steps = with_streams({.empty_cache = 1, .reset_statistics = 1}),
     .options = {.collection = 4}},
    {.name = "pressure",
     .steps = with_pools({.external = 3}),
     .options = {.expandable = 2, .fraction = 3},
     .device_sizes = {200, 400, 900}},
    {.name = "oom",
     .sizes = Sizes::large,
     .steps = with_streams({.external = 1, .empty_cache = 1, .set_fraction = 1}),
     .options = {.expandable = 2, .fraction = 3},
     .device_sizes = {300, 512, 1024}},
    {.name = "gc",
     .sizes = Sizes::large,
     .steps = with_streams({.set_config = 1, .set_fraction = 2}),
     .options = {.expandable = 5, .collection = 1, .fraction = 1},
     .device_sizes = {1024, 2048, 8192}},
    {.name = "gc-pools",
     .steps = with_pools({.set_config = 1, .set_fraction = 2}),
     .options = {.collection = 1, .fraction = 1},
     .device_sizes = {1024, 2048, 8192}},
    {.name = "oversize",
     .sizes = Sizes::large,
     .steps = with_streams({.external = 3, .empty_cache = 1}),
     .options = {.split_limit = 1},
     .device_sizes = {600, 1024, 2048}},
    {.name = "oversize-options",
     .sizes = Sizes::large,
     .steps = with_streams({.external = 3, .set_config = 4}),
     .options = {.expandable = 2, .split_limit = 1},
     .device_sizes = {300, 600, 1024}},
    {.name = "options",
     .steps = {.empty_cache = 1, .set_config = 5},
     .options = {.collection = 3, .rounding = 2, .segment_size = 6, .invalid = 8, .fraction = 3}},
    {.name = "expandable-on-off",
     .steps = with_streams({.external = 1, .empty_cache = 1, .set_config = 3}),
     .options = {.expandable = 2, .fraction = 4},
     .device_sizes = {600, 1024, 4096}},
    {.name = "pools", .steps = with_pools({.reset_statistics = 1})},
    {.name = "checkpoints",
     .steps = {.begin_pool = 5, .end_pool = 5, .release_pool = 1, .checkpoint = 4, .restore = 4},
     .options = {.expandable = 2}},
    {.name = "checkpoints-streams",
     .steps = with_pools({.empty_cache = 1, .set_config = 1, .checkpoint = 4, .restore = 4}),
     .options = {.expandable = 2}},
    {.name = "everything",
     .steps = everything(),
     .options = {.collection = 3},
     .device_sizes = {400, 1024, 4096}},
    {.name = "misuse",
     .steps =
         [] {
           StepWeights steps = everything();
           steps.misuse = 6;
           return steps;
         }()},
    {.name = "lending",
     .since = Since::pools_as_objects,
     .steps = with_pool_objects({.begin_pool = 4, .end_pool = 6}),
     .options = {.expandable = 4, .reuse = 4},
     .device_sizes = {200, 300, 600}},
    {.name = "scopes",
     .since = Since::pools_as_objects,
     .steps = with_pool_objects({.empty_cache = 3, .begin_pool = 5, .end_pool = 5}),
     .device_sizes = {300, 1024, 4096}},
    {.name = "reuse",
     .since = Since::pools_as_objects,
     .steps =
         [] {
           StepWeights steps = with_streams({.malloc = 30, .free = 24});
           steps.release_pool = 1;
           steps.begin_capture = 6;
           steps.end_capture = 1;
           steps.wait = 12;
           steps.work = 20;
           steps.record_stream = 16;
           return steps;
         }(),
     .options = {.reuse = 1}},
    {.name = "segment-size",
     .since = Since::pools_as_objects,
     .steps = with_streams({.external = 2, .empty_cache = 2, .set_config = 1}),
     .options = {.expandable = 2, .segment_size = 1},
     .device_sizes = {300, 600, 2048}},
    {.name = "rejection",
     .since = Since::pools_as_objects,
     .steps = with_pool_objects({.set_config = 1, .set_fraction = 1}),
     .options = {.expandable = 2, .collection = 3, .rejection = 1, .fraction = 3},
     .device_sizes = {200, 300, 600}},
    {.name = "fraction",
     .since = Since::pools_as_objects,
     .steps =
         with_streams({.external = 2, .reset_statistics = 1, .set_config = 2, .set_fraction = 4}),
     .options = {.collection = 2, .segment_size = 3, .rejection = 3, .fraction = 2},
     .device_sizes = {300, 1024, 2048}},
    {.name = "everything-newer",
     .since = Since::pools_as_objects,
     .steps = everything_newer(),
     .options = {.expandable = 2, .collection = 3, .segment_size = 4, .rejection = 4, .reuse = 2},
     .device_sizes = {300, 1024, 4096}},
};

/// A string of options, put together piece by piece.
class OptionWriter {
 public:
  OptionWriter(RandomNumbers& numbers, const OptionMix& mix,
               const allocator::ReferenceVersion& version)
      : numbers_(numbers),
        mix_(mix),
        newer_(has_pools_as_objects(version)),
        has_reserves_(version.grammar == allocator::OptionGrammar::three_passes_with_reserves) {}

  std::string write() {
    if (drawn(mix_.expandable)) add("expandable_segments:" + boolean(3));
    if (newer_) add_newer();
    if (drawn(mix_.split_limit)) add_split_limit();
    if (drawn(mix_.collection)) add("garbage_collection_threshold:" + pick_text(shares));
    if (drawn(mix_.rounding)) add("roundup_power2_divisions:" + rounding());
    if (drawn(mix_.invalid)) add(pick_text(refused));
    if (has_reserves_) add_reserve();
    return text_;
  }

 private:
  static constexpr std::string_view shares[] = {"0.1", "0.3", "0.5", "0.6", "0.8", "0.95"};
  static constexpr std::string_view reserves[] = {"0.1", "0.5", "2", "0.1G", "0.5G", "none"};
  static constexpr std::string_view refused[] = {
      "max_split_size_mb:1",        "garbage_collection_threshold:1",
      "no_such_option:1",           "expandable_segments:yes",
      "roundup_power2_divisions:3", "roundup_power2_divisions:[4:2,6:4]"};

  /// Drawn aside, so that programs of all versions stay the same.
  void add_reserve() {
    RandomNumbers aside = numbers_;
    if (mix_.expandable > 0 && aside.one_in(mix_.expandable))
      add("expandable_segments_reserve:" + std::string(aside.pick(reserves)));
  }

  bool drawn(std::uint32_t one_in) { return one_in > 0 && numbers_.one_in(one_in); }
  std::string boolean(std::uint64_t false_one_in) {
    return numbers_.one_in(false_one_in) ? "False" : "True";
  }
  template <typename Choices>
  std::string pick_text(const Choices& choices) {
    return std::string(numbers_.pick(choices));
  }
  std::string pick_number(std::initializer_list<int> choices) {
    return std::to_string(numbers_.pick(std::vector<int>(choices)));
  }
  void add(const std::string& option) {
    if (!text_.empty()) text_ += ',';
    text_ += option;
  }

  void add_newer() {
    if (drawn(mix_.segment_size))
      add("large_segment_size_mb:" + pick_number({11, 12, 13, 16, 20, 24, 32, 64, 100}));
    if (drawn(mix_.rejection)) {
      add("throw_on_cudamalloc_oom:" + boolean(5));
      if (numbers_.one_in(2))
        add("per_process_memory_fraction:" +
            pick_text(std::vector<std::string_view>{"0", "0.3", "0.5", "0.75", "0.9", "1.0"}));
    }
    if (drawn(mix_.reuse)) add("graph_capture_record_stream_reuse:" + boolean(6));
  }

  void add_split_limit() {
    if (!numbers_.one_in(4))
      add("max_split_size_mb:" + pick_number({21, 22, 24, 32, 48, 64, 100, 128, 200, 512}));
    if (numbers_.one_in(3))
      add("max_non_split_rounding_mb:" + pick_number({21, 25, 30, 48, 100, 200}));
  }

  std::string rounding() {
    if (numbers_.one_in(2)) return pick_number({1, 2, 4, 8, 16, 32});
    std::string list = "[";
    for (std::uint64_t size = 1; size <= 65536; size *= 2)
      if (numbers_.one_in(5))
        list += std::to_string(size) + ":" + pick_number({0, 1, 2, 4, 8, 16}) + ",";
    return list + ">:" + pick_number({0, 1, 2, 4, 8}) + "]";
  }

  RandomNumbers& numbers_;
  const OptionMix& mix_;
  bool newer_;
  bool has_reserves_;
  std::string text_;
};

}  // namespace

std::span<const RandomFamily> all_random_families() { return families; }

bool has_pools_as_objects(const allocator::ReferenceVersion& version) {
  return version.grammar != allocator::OptionGrammar::single_pass;
}

std::string random_options(RandomNumbers& numbers, const RandomFamily& family,
                           const allocator::ReferenceVersion& version) {
  return OptionWriter(numbers, family.options, version).write();
}

double random_fraction(RandomNumbers& numbers) {
  static constexpr double fractions[] = {0.2, 0.4, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.0};
  return numbers.pick(fractions);
}

}  // namespace vramlab::tests
