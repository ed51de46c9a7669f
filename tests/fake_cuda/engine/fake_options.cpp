#include "tests/fake_cuda/engine/fake_options.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace vramlab::fake {
namespace {

std::uint64_t number_of(const std::string& name, const std::string& text) {
  std::size_t used = 0;
  std::uint64_t value = 0;
  try {
    value = std::stoull(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  const std::string unit = text.substr(used);
  if (used == 0 || unit.size() > 1) throw std::runtime_error(name + " is no number: " + text);
  if (unit == "K") return value << 10;
  if (unit == "M") return value << 20;
  if (unit == "G") return value << 30;
  if (!unit.empty()) throw std::runtime_error(name + " is no number: " + text);
  return value;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string{} : value;
}

void read_number(const char* name, std::uint64_t& into) {
  if (const std::string text = variable(name); !text.empty()) into = number_of(name, text);
}

FaultRule parse_fault(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw std::runtime_error("a fault is name=code[@skipped][xcount], not " + text);
  FaultRule rule{.function = text.substr(0, equals)};
  std::string rest = text.substr(equals + 1);
  if (const std::size_t times = rest.find('x'); times != std::string::npos) {
    rule.count = number_of("a fault's count", rest.substr(times + 1));
    rest.resize(times);
  }
  if (const std::size_t at = rest.find('@'); at != std::string::npos) {
    rule.skipped = number_of("a fault's skipped calls", rest.substr(at + 1));
    rest.resize(at);
  }
  rule.result = static_cast<CUresult>(number_of("a fault's code", rest));
  return rule;
}

}  // namespace

std::vector<FaultRule> parse_faults(const std::string& text) {
  std::vector<FaultRule> rules;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) rules.push_back(parse_fault(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return rules;
}

FakeOptions options_from_environment(FakeOptions options) {
  std::uint64_t devices = options.device_count;
  std::uint64_t version = static_cast<std::uint64_t>(options.driver_version);
  std::uint64_t maps = options.has_memory_mapping ? 1 : 0;
  std::uint64_t backed = options.backing == Backing::host_memory ? 1 : 0;
  read_number("FAKE_CUDA_DEVICES", devices);
  read_number("FAKE_CUDA_MEMORY", options.memory_bytes);
  read_number("FAKE_CUDA_DRIVER_VERSION", version);
  read_number("FAKE_CUDA_MAPPING", maps);
  read_number("FAKE_CUDA_BACKING", backed);
  read_number("FAKE_CUDA_CALL_NS", options.mean_call_ns);
  read_number("FAKE_CUDA_SEED", options.seed);
  options.device_count = static_cast<std::uint32_t>(devices);
  options.driver_version = static_cast<int>(version);
  options.has_memory_mapping = maps != 0;
  options.backing = backed == 0 ? Backing::none : Backing::host_memory;
  if (variable("FAKE_CUDA_FREE") == "at_once") options.free_rule = FreeRule::returns_at_once;
  options.log_file = variable("FAKE_CUDA_LOG");
  options.faults = parse_faults(variable("FAKE_CUDA_FAIL"));
  return options;
}

}  // namespace vramlab::fake
