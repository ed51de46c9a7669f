// Objects: the handles and descriptors of the stand-ins, with their attributes. A handle is the
// address of an Object, so handles are distinct as long as they live, and every library finds the
// stream of any handle in the same place. The program destroys each once, as CUDA's libraries ask
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <new>
#include <vector>

namespace vramlab::dry_run {

/// Tells our objects from descriptors in the program's own memory, which some interfaces allow.
inline constexpr std::uint64_t object_mark = 0x7672616d6c616221;

struct Object {
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() { mark = 0; }

  std::uint64_t mark = object_mark;
  void* stream = nullptr;  // the CUstream that its work goes to; null: the legacy stream
};

/// The object behind a handle, or null if the handle is null or stands for something else.
template <typename T = Object>
T* object_of(const void* handle) {
  Object* const object = static_cast<Object*>(const_cast<void*>(handle));
  if (object == nullptr || object->mark != object_mark) return nullptr;
  if constexpr (__is_same(T, Object))
    return object;
  else
    return dynamic_cast<T*>(object);
}

/// Creates an object and puts its handle there; false if there is no place or no memory for it.
template <typename T = Object, typename Handle>
bool create_object(Handle* handle) {
  if (handle == nullptr) return false;
  T* const object = new (std::nothrow) T;
  *handle = static_cast<Object*>(object);
  return object != nullptr;
}

inline void destroy_object(const void* handle) { delete object_of(handle); }

/// Puts a value where the program asked for it, or nowhere if it did not ask.
template <typename T, typename Value>
void put(T* place, Value value) {
  if (place != nullptr) *place = static_cast<T>(value);
}

// Attributes of a descriptor, for libraries whose descriptors are set and asked by attribute. Each
// has the bytes that the program set, or zeros.

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
