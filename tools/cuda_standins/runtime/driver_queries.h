// DriverQueries: how CUDA's runtime finds the driver's functions, as NVIDIA's does: dlopen, one
// dlsym of cuGetProcAddress_v2, four queries through that, and all others through the function that
// it gave for itself. So whatever stands between sees these calls, too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "streams/cuda_interface/function_list.h"
#include "streams/cuda_interface/function_name.h"

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

/// The query for a function: its name, and the version of CUDA since which the name means it.
struct DriverQuery {
  std::string_view name;
  int since = 0;
};
/// The same where another function takes stream 0 for the thread's own.
struct TwinQuery {
  std::string_view name;
  int since = 0;
  int own_since = 0;
};

/// The queries for all functions, by their symbols: driver::cuMemAlloc_v2.
namespace driver {
#define QUERY_OF_ONE(name, symbol, since, ...) inline constexpr DriverQuery symbol{#name, since};
#define QUERY_OF_TWO(name, symbol, since, suffix, other, ...) \
  inline constexpr TwinQuery symbol{#name, since, other};
#define QUERY_OF_BARE_ONE(symbol, since, ...) \
  inline constexpr DriverQuery symbol{driver_name(#symbol), since};
#define QUERY_OF_BARE_TWO(symbol, since, suffix, other, ...) \
  inline constexpr TwinQuery symbol{driver_name(#symbol), since, other};
VRAMLAB_CUDA_FUNCTIONS(QUERY_OF_ONE, QUERY_OF_TWO, QUERY_OF_BARE_ONE, QUERY_OF_BARE_TWO)
#undef QUERY_OF_ONE
#undef QUERY_OF_TWO
#undef QUERY_OF_BARE_ONE
#undef QUERY_OF_BARE_TWO
}  // namespace driver

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
  Answer operator()(const DriverQuery& query) const;
  Answers operator()(const TwinQuery& query) const;
  bool has_driver() const { return get_ != nullptr; }
  /// A symbol of the driver's library that is no function of CUDA's; null where it has none.
  void* symbol(const char* name) const;

 private:
  void* ask(const DriverQuery& query, unsigned long long flags) const;
  void* answer_to(const DriverQuery& query, unsigned long long flags) const;
  void ask_all();

  void* library_ = nullptr;
  DriverFunction<const char*, void**, int, unsigned long long, int*> get_ = nullptr;
  std::unordered_map<std::string, void*> asked_;
};

}  // namespace vramlab::dry_run
