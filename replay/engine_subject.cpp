#include "replay/engine_subject.h"

#include <utility>

#include "allocator/caching_allocator.h"
#include "allocator/consistency.h"

namespace vramlab::replay {
namespace {

using namespace allocator;

class EngineSubject final : public AllocatorSubject {
 public:
  EngineSubject(Device& device, const ReferenceVersion& version, const Settings& settings)
      : engine_(device, version, settings) {}

  MallocResult malloc(Bytes request, StreamId stream) override {
    return engine_.malloc(request, stream);
  }
  OutOfMemory last_failure() const override { return engine_.last_failure(); }
  void free(Address address) override { engine_.free(address); }
  void record_stream(Address address, StreamId stream) override {
    engine_.record_stream(address, stream);
  }
  void empty_cache(PoolId pool) override { engine_.empty_cache(pool); }
  std::optional<SettingsError> set_options(std::string_view text) override {
    return engine_.set_options(text);
  }
  void set_memory_fraction(double fraction) override { engine_.set_memory_fraction(fraction); }
  void begin_scope(PoolId pool, StreamFilter filter) override { engine_.begin_scope(pool, filter); }
  void end_scope(PoolId pool) override { engine_.end_scope(pool); }
  void release_pool(PoolId pool) override { engine_.release_pool(pool); }
  void create_pool(PoolId pool, PoolTraits traits) override { engine_.create_pool(pool, traits); }
  void destroy_pool(PoolId pool) override { engine_.destroy_pool(pool); }
  Checkpoint take_checkpoint(PoolId pool) override { return engine_.take_checkpoint(pool); }
  RestoreResult restore_checkpoint(const Checkpoint& checkpoint) override {
    return engine_.restore_checkpoint(checkpoint);
  }
  Snapshot take_snapshot() override { return engine_.take_snapshot(); }
  StatisticValues statistics() const override { return recorded<Statistics>().values(); }
  void reset_peak_statistics() override { recorded<Statistics>().reset_peak(); }
  void reset_accumulated_statistics() override { recorded<Statistics>().reset_accumulated(); }
  std::vector<AllocatorEvent> history() const override { return recorded<History>().entries(); }
  std::string find_broken_rule() const override {
    const std::vector<std::string> broken = allocator::find_broken_rules(engine_);
    return broken.empty() ? std::string() : broken.front();
  }

 private:
  template <class Listener>
  Listener& recorded() {
    return engine_.listeners();
  }
  template <class Listener>
  const Listener& recorded() const {
    return engine_.listeners();
  }

  RecordingAllocator engine_;
};

}  // namespace

std::unique_ptr<AllocatorSubject> make_engine_subject(Device& device,
                                                      const ReferenceVersion& version,
                                                      std::string_view config,
                                                      std::optional<SettingsError>& config_error) {
  Settings settings;
  if (!config.empty()) {
    ParsedSettings parsed = parse_settings(settings, config, version);
    settings = std::move(parsed.settings);
    config_error = std::move(parsed.error);
  }
  return std::make_unique<EngineSubject>(device, version, settings);
}

}  // namespace vramlab::replay
