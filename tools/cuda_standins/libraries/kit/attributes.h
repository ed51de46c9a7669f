// Attributes of a descriptor, for libraries whose descriptors are set and asked by attribute: each
// is what the program set, byte for byte. One that was never set is zero.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <vector>

#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {

class Attributes {
 public:
  void set(int name, const void* value, std::size_t bytes) {
    const auto* const begin = static_cast<const unsigned char*>(value);
    values_[name].assign(begin, begin + (value == nullptr ? 0 : bytes));
  }

  /// Fills the buffer and answers how many bytes the attribute has.
  std::size_t get(int name, void* buffer, std::size_t bytes) const {
    const auto found = values_.find(name);
    const std::size_t known = found == values_.end() ? 0 : found->second.size();
    if (buffer == nullptr || bytes == 0) return known;
    std::memset(buffer, 0, bytes);
    if (known > 0) std::memcpy(buffer, found->second.data(), known < bytes ? known : bytes);
    return known == 0 ? bytes : known;
  }

  template <typename T>
  T get_as(int name) const {
    T value{};
    get(name, &value, sizeof(value));
    return value;
  }

  template <typename T>
  std::vector<T> get_all(int name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return {};
    std::vector<T> all(found->second.size() / sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), found->second.data(), all.size() * sizeof(T));
    return all;
  }

 private:
  std::map<int, std::vector<unsigned char>> values_;
};

struct AttributeObject : Object {
  Attributes attributes;
};

}  // namespace vramlab::dry_run
