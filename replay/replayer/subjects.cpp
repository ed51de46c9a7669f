#include "replay/replayer/subjects.h"

#include <utility>

#include "allocator/checks/consistency.h"
#include "allocator/pinned/pinned_allocator.h"

namespace vramlab::replay {

using namespace allocator;

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
  return std::make_unique<EngineSubject<Listeners<Statistics, History>>>(device, version, settings);
}

namespace {

class HostEngineSubject final : public HostSubject {
 public:
  HostEngineSubject(HostSystem& system, const ReferenceVersion& version)
      : version_(version), engine_(system, {}, version) {}

  std::optional<SettingsError> set_options(std::string_view text) override {
    ParsedSettings parsed = parse_settings(engine_.settings(), text, version_);
    engine_.set_settings(std::move(parsed.settings));
    return std::move(parsed.error);
  }
  HostMallocResult malloc(Bytes size, StreamId current, HostStack stack) override {
    return engine_.malloc(size, current, stack);
  }
  void free(Address at, HostStack stack) override { engine_.free(at, stack); }
  bool use(Address at, StreamId stream) override { return engine_.use(at, stream); }
  void empty_cache() override { engine_.empty_cache(); }
  void run_background_thread() override { engine_.run_background_thread(); }
  void begin_pool(PoolId pool, StreamFilter filter) override {
    engine_.begin_pool(pool, std::move(filter));
  }
  void end_pool(PoolId pool) override { engine_.end_pool(pool); }
  void release_pool(PoolId pool) override { engine_.release_pool(pool); }
  void record_history(const HostRecording& recording) override {
    engine_.record_history(recording);
  }
  void register_external(Address at, Bytes size, HostStack stack) override {
    engine_.register_external(at, size, stack);
  }
  void unregister_external(Address at, HostStack stack) override {
    engine_.unregister_external(at, stack);
  }
  std::vector<HostEvent> history() const override { return engine_.history(); }
  HostSnapshot snapshot() const override { return engine_.snapshot(); }
  HostStatisticValues statistics() const override { return engine_.statistics(); }
  void reset_peak_statistics() override { engine_.reset_peak_statistics(); }
  void reset_accumulated_statistics() override { engine_.reset_accumulated_statistics(); }
  std::string find_broken_rule() const override { return find_broken_host_rule(engine_); }

 private:
  const ReferenceVersion& version_;
  PinnedAllocator engine_;
};

}  // namespace

std::unique_ptr<HostSubject> make_host_engine_subject(HostSystem& system,
                                                      const ReferenceVersion& version) {
  return std::make_unique<HostEngineSubject>(system, version);
}

}  // namespace vramlab::replay
