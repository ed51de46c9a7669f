// Growth: which call sites hold more and more from iteration to iteration, and how much more. A
// GrowthFinder follows the events once, adds up what each site holds, and looks at the sums
// wherever an iteration ends.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/holders/call_sites.h"
#include "replay/holders/iterations.h"
#include "traces/files/byte_source.h"

namespace vramlab::replay {

/// Fewer ends of iterations say nothing of growth.
inline constexpr std::size_t least_iteration_ends = 4;

/// The beginning of the steady part of a series; empty if it does not grow steadily to its end:
/// * the first part of the series (a quarter; of three steps one) may do anything: warm-up;
/// * each later part grows at least half as fast as the second half of them does;
/// * what goes away again on the way is at most a tenth of what comes.
std::optional<std::size_t> steady_from(std::span<const std::int64_t> series);

struct GrowingSite {
  std::string key;
  traces::StackId sample_stack;
  /// Over the steady part.
  std::uint64_t iterations = 0;
  allocator::Bytes grown;
  std::int64_t grown_blocks = 0;
  /// At the last end of an iteration.
  allocator::Bytes held;
  std::int64_t held_blocks = 0;

  double bytes_per_iteration() const {
    return static_cast<double>(grown.count) / static_cast<double>(iterations);
  }
};

struct DeviceGrowth {
  std::int64_t device = 0;
  std::uint64_t iterations = 0;
  /// The one that most is added by first.
  std::vector<GrowingSite> sites;
  /// At the first and the last end of an iteration that was looked at, of all sites.
  allocator::Bytes held_first;
  allocator::Bytes held_last;
};

/// Sums at the ends of iterations, one series a site. In a long run every second one is left out,
/// again and again, so no series is longer than a few hundred.
class IterationSeries {
 public:
  void change(std::size_t site, std::int64_t bytes, std::int64_t blocks);
  void end_iteration();

  std::uint64_t iterations() const { return iterations_; }
  std::uint64_t iterations_per_sample() const { return stride_; }
  std::vector<std::int64_t> bytes_of(std::size_t site) const;
  std::vector<std::int64_t> blocks_of(std::size_t site) const;
  std::size_t site_count() const { return sites_.size(); }

 private:
  struct Sums {
    /// Below 0 they wrap.
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };
  struct Site {
    Sums now;
    /// What was before the site appeared is not there.
    std::vector<Sums> samples;
    std::size_t first_sample = 0;
  };
  void thin_out();
  std::vector<std::int64_t> series_of(std::size_t site, std::uint64_t Sums::*member) const;

  std::vector<Site> sites_;
  std::uint64_t iterations_ = 0;
  std::uint64_t stride_ = 1;
  std::size_t samples_ = 0;
};

class GrowthFinder : public MemoryEventSink {
 public:
  /// `file` is for messages. The rule and the tables must outlive it.
  GrowthFinder(std::string file, KeyMeaning keys, const IterationRule& rule,
               const traces::SnapshotTables& tables)
      : file_(std::move(file)), keys_(keys), names_(tables), ends_(rule, tables) {}

  void memory_event(const MemoryEvent& event) override;

  /// The highest number of an event; nothing without events.
  std::optional<std::uint64_t> last_event() const { return last_event_; }

  /// Once the reader is through; devices by number.
  std::vector<DeviceGrowth> finish();

 private:
  struct Device : LiveBlocks {
    explicit Device(GrowthFinder& owner) : LiveBlocks(owner.keys_, owner.file_), finder(owner) {}

    void block_allocated(const LiveBlock& block) override { change(block, 1); }
    void block_freed(const LiveBlock& block) override {
      if (block.event) change(block, -1);
    }
    void block_lost(const LiveBlock& block) override {
      if (!block.freed) block_freed(block);
    }
    void change(const LiveBlock& block, int blocks);

    GrowthFinder& finder;
    IterationSeries series;
    /// A site by its name; of what has no stack, a name for each size.
    std::map<std::string, std::size_t> site_by_name;
    /// By stack, so that names are looked for once: site + 1.
    std::vector<std::size_t> site_of_stack;
    std::map<std::uint64_t, std::size_t> site_of_size;
    std::vector<traces::StackId> sample_stacks;
  };
  void end_iteration(Device& device);
  std::size_t site_of(Device& device, const LiveBlock& block);
  static std::size_t site_named(Device& device, const std::string& name, traces::StackId stack);
  static DeviceGrowth growth_of(std::int64_t number, const Device& device);

  std::string file_;
  KeyMeaning keys_;
  std::optional<std::uint64_t> last_event_;
  SiteNames names_;
  IterationEnds ends_;
  std::map<std::int64_t, Device> devices_;
};

struct FoundGrowth {
  /// It has no source if iterations can't be told.
  IterationRule rule;
  std::vector<DeviceGrowth> devices;
  traces::SnapshotTables tables;
};

/// `path` may be `-`, standard input, where the rule is told. A rule without a source is looked
/// for. Throws InputError.
FoundGrowth find_growth(const std::string& path, const IterationRule& told,
                        const traces::ProgressListener& listener);

}  // namespace vramlab::replay
