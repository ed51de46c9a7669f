// What handles and descriptors of the stand-ins point to: objects of this process. A handle is the
// address of an Object, so handles are distinct as long as they live, and every library finds the
// stream of any handle in the same place. Whoever creates an object destroys it once, as CUDA's
// libraries ask for.
#pragma once

#include <new>

namespace vramlab::dry_run {

struct Object {
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  void* stream = nullptr;  // the CUstream that its work goes to; null: the legacy stream
};

/// The object behind a handle, or null if the handle is null or stands for something else.
template <typename T = Object>
T* object_of(void* handle) {
  if constexpr (__is_same(T, Object)) {
    return static_cast<Object*>(handle);
  } else {
    return dynamic_cast<T*>(static_cast<Object*>(handle));
  }
}

/// Creates an object and puts its handle there; false if there is no place or no memory for it.
template <typename T = Object, typename Handle>
bool create_object(Handle* handle) {
  if (handle == nullptr) return false;
  T* const object = new (std::nothrow) T;
  *handle = static_cast<Handle>(static_cast<Object*>(object));
  return object != nullptr;
}

inline void destroy_object(void* handle) { delete object_of(handle); }

}  // namespace vramlab::dry_run
