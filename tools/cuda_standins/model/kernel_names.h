// KernelNames: the kernels that programs asked for by name. A module whose machine code can be read
// has the kernels that are in it; any other has every kernel, and nothing more is known of them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tools/cuda_standins/code/kernel_facts.h"
#include "tools/cuda_standins/model/kernel_answers.h"
#include "tools/cuda_standins/model/kernel_writes.h"

namespace vramlab::dry_run {

struct NamedKernel {
  std::string name;
  KernelQuestion question;
  KernelWriter writer;
  std::optional<KernelFacts> facts;
  /// What the program asked for beyond what every block can have.
  std::optional<int> dynamic_shared_bytes{};
};

class KernelNames {
 public:
  void load(std::uint64_t module, std::span<const char> code) {
    FactsByName facts;
    add_facts(code, facts);
    if (!facts.empty()) modules_[module] = std::move(facts);
  }
  void unload(std::uint64_t module) { modules_.erase(module); }

  /// Its handle; nothing if the module has no such kernel.
  std::optional<std::uint64_t> find(std::uint64_t module, const std::string& name) {
    const auto loaded = modules_.find(module);
    if (loaded == modules_.end()) return handle_of({0, name}, std::nullopt);
    const auto found = loaded->second.find(name);
    if (found == loaded->second.end()) return std::nullopt;
    return handle_of({module, name}, found->second);
  }
  /// Null where no kernel has this handle.
  const NamedKernel* kernel_of(std::uint64_t handle) const {
    if (handle < first_ || (handle - first_) % step_ != 0) return nullptr;
    const std::uint64_t place = (handle - first_) / step_;
    return place < kernels_.size() ? &kernels_[place] : nullptr;
  }
  NamedKernel* kernel_of(std::uint64_t handle) {
    return const_cast<NamedKernel*>(std::as_const(*this).kernel_of(handle));
  }
  const std::string* name_of(std::uint64_t handle) const {
    const NamedKernel* const kernel = kernel_of(handle);
    return kernel == nullptr ? nullptr : &kernel->name;
  }

 private:
  using Key = std::pair<std::uint64_t, std::string>;

  std::uint64_t handle_of(const Key& key, std::optional<KernelFacts> facts) {
    const auto [found, is_new] = handles_.try_emplace(key, first_ + step_ * kernels_.size());
    if (is_new)
      kernels_.push_back({key.second, question_of(key.second), writer_of(key.second), facts});
    return found->second;
  }

  static constexpr std::uint64_t first_ = 0x50000000;
  static constexpr std::uint64_t step_ = 16;

  std::map<std::uint64_t, FactsByName> modules_;
  /// Modules without code that can be read have the same kernels, and the number 0.
  std::map<Key, std::uint64_t> handles_;
  /// Their names are told as pointers, so none may move.
  std::deque<NamedKernel> kernels_;
};

}  // namespace vramlab::dry_run
