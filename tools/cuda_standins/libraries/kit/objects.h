// What handles and descriptors of the stand-ins point to: objects of this process. A handle is the
// address of an Object, so handles are distinct as long as they live, and every library finds the
// stream of any handle in the same place. Whoever creates an object destroys it once, as CUDA's
// libraries ask for.
#pragma once

#include <cstdint>
#include <new>

namespace vramlab::dry_run {

/// Tells our objects from what a program made in its own memory, which some interfaces allow.
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

}  // namespace vramlab::dry_run
