#include "replay/call_sites/growth.h"

#include <algorithm>
#include <map>

#include "replay/call_sites/memory_events.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

constexpr std::size_t most_samples = 512;
/// The number of sizes of blocks without a stack that are told apart.
constexpr std::size_t most_sizes = 100'000;

struct Part {
  std::size_t first = 0;
  std::size_t last = 0;
};

std::vector<Part> parts_of(std::size_t steps) {
  const std::size_t count = steps >= 4 ? 4 : 3;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts.push_back({steps * i / count, steps * (i + 1) / count});
  return parts;
}

/// Sums of a file that is nonsense may be anything.
double difference(std::int64_t from, std::int64_t to) {
  return static_cast<double>(to) - static_cast<double>(from);
}

double rate(std::span<const std::int64_t> series, Part part) {
  return difference(series[part.first], series[part.last]) /
         static_cast<double>(part.last - part.first);
}

/// Memory that goes away is at most a tenth of the memory that comes.
bool hardly_falls(std::span<const std::int64_t> series, Part part) {
  double up = 0;
  double down = 0;
  for (std::size_t i = part.first; i < part.last; ++i) {
    const double step = difference(series[i], series[i + 1]);
    (step > 0 ? up : down) += step;
  }
  return -down <= up / 10;
}

}  // namespace

std::optional<std::size_t> steady_from(std::span<const std::int64_t> series) {
  if (series.size() < least_iteration_ends) return std::nullopt;
  const std::vector<Part> parts = parts_of(series.size() - 1);
  const Part counted{parts[1].first, parts.back().last};
  const double last_rate = rate(series, {parts[parts.size() - 2].first, parts.back().last});
  if (last_rate <= 0 || !hardly_falls(series, counted)) return std::nullopt;
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (rate(series, parts[i]) < last_rate / 2) return std::nullopt;
  return counted.first;
}

namespace {

/// Sums at the ends of iterations, one series a site. In a long run every second one is left out,
/// again and again, so no series is longer than a few hundred.
class IterationSeries {
 public:
  void change(std::size_t site, std::int64_t bytes, std::int64_t blocks) {
    while (site >= sites_.size()) sites_.emplace_back().first_sample = samples_;
    sites_[site].now.bytes += static_cast<std::uint64_t>(bytes);
    sites_[site].now.blocks += static_cast<std::uint64_t>(blocks);
  }

  void end_iteration() {
    if (iterations_++ % stride_ != 0) return;
    for (Site& site : sites_) site.samples.push_back(site.now);
    if (++samples_ == most_samples) thin_out();
  }

  std::uint64_t iterations() const { return iterations_; }
  std::uint64_t iterations_per_sample() const { return stride_; }

  std::vector<std::int64_t> bytes_of(std::size_t site) const {
    return series_of(site, &Sums::bytes);
  }

  std::vector<std::int64_t> blocks_of(std::size_t site) const {
    return series_of(site, &Sums::blocks);
  }

  std::size_t site_count() const { return sites_.size(); }

 private:
  struct Sums {
    /// Below 0 they wrap.
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };
  struct Site {
    Sums now;
    /// Sums from before the site appeared are left out.
    std::vector<Sums> samples;
    std::size_t first_sample = 0;
  };

  void thin_out() {
    stride_ *= 2;
    samples_ = (samples_ + 1) / 2;
    for (Site& site : sites_) {
      std::vector<Sums> kept;
      // Ends with an even number stay, counted over the whole series.
      for (std::size_t i = site.first_sample % 2; i < site.samples.size(); i += 2)
        kept.push_back(site.samples[i]);
      site.first_sample = (site.first_sample + 1) / 2;
      site.samples = std::move(kept);
    }
  }

  std::vector<std::int64_t> series_of(std::size_t site, std::uint64_t Sums::* member) const {
    std::vector<std::int64_t> series(sites_[site].first_sample, 0);
    for (const Sums& sums : sites_[site].samples)
      series.push_back(static_cast<std::int64_t>(sums.*member));
    return series;
  }

  std::vector<Site> sites_;
  std::uint64_t iterations_ = 0;
  std::uint64_t stride_ = 1;
  std::size_t samples_ = 0;
};

/// Follows the events once, adds up what each site holds, and looks at the sums wherever an
/// iteration ends.
class GrowthFinder : public MemoryEventSink {
 public:
  /// `file` is for messages. The rule and the tables must outlive it.
  GrowthFinder(std::string file, KeyMeaning keys, const IterationRule& rule,
               const traces::SnapshotTables& tables)
      : file_(std::move(file)), keys_(keys), names_(tables), ends_(rule, tables) {}

  void memory_event(const MemoryEvent& event) override {
    last_event_ = std::max(last_event_.value_or(0), event.number);
    Device& device = devices_.try_emplace(event.device, *this).first->second;
    const IterationEnds::Place place = ends_.place(event);
    if (place == IterationEnds::Place::before) end_iteration(device);
    device.apply(event);
    if (place == IterationEnds::Place::after) end_iteration(device);
  }

  /// The highest number of an event; empty without events.
  std::optional<std::uint64_t> last_event() const { return last_event_; }

  /// Once the reader is through; devices by number.
  std::vector<DeviceGrowth> finish() {
    std::vector<DeviceGrowth> found;
    for (auto& [number, device] : devices_) {
      if (ends_.ends_with_history(number)) device.series.end_iteration();
      found.push_back(growth_of(number, device));
    }
    return found;
  }

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
    /// Sites by their names; blocks without a stack have a name for each size.
    std::map<std::string, std::size_t> site_by_name;
    /// The site plus one of each stack, so that names are looked for once.
    std::vector<std::size_t> site_of_stack;
    std::map<std::uint64_t, std::size_t> site_of_size;
    std::vector<traces::StackId> sample_stacks;
  };

  void end_iteration(Device& device) {
    if (!ends_.is_for_all_devices()) return device.series.end_iteration();
    for (auto& [number, each] : devices_) each.series.end_iteration();
  }

  std::size_t site_of(Device& device, const LiveBlock& block) {
    if (block.stack == traces::StackId{}) {
      const auto known = device.site_of_size.find(block.requested.count);
      if (known != device.site_of_size.end()) return known->second;
      if (device.site_of_size.size() >= most_sizes)
        return site_named(device, "(no stack) requests of other sizes", block.stack);
      const std::size_t site = site_named(
          device, "(no stack) requests of " + std::to_string(block.requested.count) + " bytes",
          block.stack);
      return device.site_of_size[block.requested.count] = site;
    }
    if (device.site_of_stack.size() <= block.stack.value)
      device.site_of_stack.resize(block.stack.value + 1);
    std::size_t& site_plus_1 = device.site_of_stack[block.stack.value];
    if (site_plus_1 == 0) site_plus_1 = site_named(device, names_.of(block.stack), block.stack) + 1;
    return site_plus_1 - 1;
  }

  static std::size_t site_named(Device& device, const std::string& name, traces::StackId stack) {
    const auto [at, is_new] = device.site_by_name.try_emplace(name, device.sample_stacks.size());
    if (is_new) device.sample_stacks.push_back(stack);
    return at->second;
  }

  static DeviceGrowth growth_of(std::int64_t number, const Device& device) {
    DeviceGrowth growth;
    growth.device = number;
    growth.iterations = device.series.iterations();
    std::vector<std::string> names(device.sample_stacks.size());
    for (const auto& [name, site] : device.site_by_name) names[site] = name;
    for (std::size_t site = 0; site < device.series.site_count(); ++site) {
      const std::vector<std::int64_t> bytes = device.series.bytes_of(site);
      if (bytes.empty()) continue;
      growth.held_first.count += static_cast<std::uint64_t>(bytes.front());
      growth.held_last.count += static_cast<std::uint64_t>(bytes.back());
      const auto from = steady_from(bytes);
      if (!from) continue;
      const std::vector<std::int64_t> blocks = device.series.blocks_of(site);
      growth.sites.push_back(
          {names[site],
           device.sample_stacks[site],
           (bytes.size() - 1 - *from) * device.series.iterations_per_sample(),
           {static_cast<std::uint64_t>(bytes.back()) - static_cast<std::uint64_t>(bytes[*from])},
           blocks.back() - blocks[*from],
           {static_cast<std::uint64_t>(bytes.back())},
           blocks.back()});
    }
    std::ranges::sort(growth.sites, [](const GrowingSite& a, const GrowingSite& b) {
      const double left = a.bytes_per_iteration();
      const double right = b.bytes_per_iteration();
      return left != right ? left > right : a.key < b.key;
    });
    return growth;
  }

  std::string file_;
  KeyMeaning keys_;
  std::optional<std::uint64_t> last_event_;
  SiteNames names_;
  IterationEnds ends_;
  std::map<std::int64_t, Device> devices_;
};

void GrowthFinder::Device::change(const LiveBlock& block, int blocks) {
  series.change(finder.site_of(*this, block),
                blocks * static_cast<std::int64_t>(block.requested.count), blocks);
}

/// Iterations can only end where there are events.
void check_events(const IterationRule& rule, const GrowthFinder& finder, const std::string& file) {
  if (rule.events.empty() || (finder.last_event() && rule.events.back() <= *finder.last_event()))
    return;
  throw traces::InputError({file, "", "an event " + std::to_string(rule.events.back()),
                            finder.last_event()
                                ? std::to_string(*finder.last_event() + 1) + " events, from 0 on"
                                : "no history"});
}

}  // namespace

FoundGrowth find_growth(Recording& recording, const IterationRule& told) {
  FoundGrowth found;
  found.rule = told;
  if (told.source == IterationSource::none) found.rule = find_iterations(recording);
  if (found.rule.source == IterationSource::none) return found;
  const KeyMeaning keys = recording.is_program() ? KeyMeaning::id : KeyMeaning::address;
  GrowthFinder finder(recording.file(), keys, found.rule, recording.tables());
  pass_memory_events(recording, finder);
  check_events(found.rule, finder, recording.file());
  found.devices = finder.finish();
  return found;
}

}  // namespace vramlab::replay
