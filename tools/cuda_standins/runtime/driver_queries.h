// DriverQueries: how CUDA's runtime finds the driver's functions, as NVIDIA's does: dlopen, one
// dlsym of cuGetProcAddress_v2, four queries through that, and all others through the function that
// it gave for itself. So whatever stands between sees these calls, too.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

namespace vramlab::dry_run {

/// The numbers of the driver's and the runtime's errors are the same.
template <class... Parameters>
using DriverFunction = int (*)(Parameters...);

/// What stream 0 means: the device's own, or the thread's own.
enum class DefaultStream : unsigned char { plain, own };

template <class... Parameters>
struct StreamFunction {
  DriverFunction<Parameters...> plain = nullptr;
  DriverFunction<Parameters...> own = nullptr;

  DriverFunction<Parameters...> operator[](DefaultStream variant) const {
    return variant == DefaultStream::plain ? plain : own;
  }
};

/// Every answer can be called: what the driver lacks answers that it is not supported.
class DriverQueries {
 public:
  /// Becomes a pointer of the type that it is stored in.
  struct Answer {
    void* address = nullptr;
    template <class... Parameters>
    operator DriverFunction<Parameters...>() const {
      return reinterpret_cast<DriverFunction<Parameters...>>(address);
    }
  };
  struct Answers {
    Answer plain;
    Answer own;
    template <class... Parameters>
    operator StreamFunction<Parameters...>() const {
      return {plain, own};
    }
  };

  DriverQueries();
  /// The function as of that version of CUDA.
  Answer operator()(const char* name, int version) const;
  /// Both variants, with the versions since which they exist.
  Answers both(const char* name, int version, int own_version) const;
  bool has_driver() const { return get_ != nullptr; }
  /// A symbol of the driver's library that is no function of CUDA's; null where it has none.
  void* symbol(const char* name) const;

 private:
  void* ask(const char* name, int version, unsigned long long flags) const;
  void* answer_to(const char* name, int version, unsigned long long flags) const;
  void ask_all();

  void* library_ = nullptr;
  DriverFunction<const char*, void**, int, unsigned long long, int*> get_ = nullptr;
  std::unordered_map<std::string, void*> asked_;
};

}  // namespace vramlab::dry_run
