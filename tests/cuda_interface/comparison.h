// The parts of the comparison with NVIDIA's headers. Both declare the same names, so NVIDIA's are
// the global ones and ours are in the namespace `ours` (comparison.awk writes the source that does
// that). A type of ours is right when it is NVIDIA's once each struct, enum and handle in it is
// replaced by NVIDIA's of the same name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <utility>

// All versions of a function are then declared under their own symbols.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaTypedefs.h>

namespace vramlab::cuda_comparison {

template <class Ours>
struct Theirs {
  using Type = Ours;
};
template <class Ours>
struct Theirs<const Ours> {
  using Type = const typename Theirs<Ours>::Type;
};
template <class Ours>
struct Theirs<Ours*> {
  using Type = typename Theirs<Ours>::Type*;
};
template <class Ours, std::size_t count>
struct Theirs<Ours[count]> {
  using Type = typename Theirs<Ours>::Type[count];
};
template <class Result, class... Parameters>
struct Theirs<Result(Parameters...)> {
  using Type = typename Theirs<Result>::Type(typename Theirs<Parameters>::Type...);
};

template <class Ours, class Other>
inline constexpr bool is_same = std::is_same_v<typename Theirs<Ours>::Type, Other>;

template <class Number>
std::uint64_t bits_of(Number number) {
  if constexpr (std::is_pointer_v<Number>)
    return reinterpret_cast<std::uintptr_t>(number);
  else
    return static_cast<std::uint64_t>(number);
}

class Comparison {
 public:
  void same_type(const char* what, bool is_same) {
    ++count_;
    if (!is_same) differs(what, "its type", 0, 0);
  }
  void same(const char* what, const char* property, std::uint64_t ours, std::uint64_t nvidias) {
    if (ours != nvidias) differs(what, property, ours, nvidias);
  }
  /// The exit status.
  int end() const {
    std::printf("%d declarations agree, %d differ\n", count_ - differences_, differences_);
    return differences_ == 0 ? 0 : 1;
  }

 private:
  void differs(const char* what, const char* property, std::uint64_t ours, std::uint64_t nvidias) {
    ++differences_;
    std::printf("%s: %s differs from NVIDIA's", what, property);
    if (ours != nvidias)
      std::printf(": %llu here, %llu there", static_cast<unsigned long long>(ours),
                  static_cast<unsigned long long>(nvidias));
    std::printf("\n");
  }

  int count_ = 0;
  int differences_ = 0;
};

}  // namespace vramlab::cuda_comparison

// NVIDIA's macro, before ours replaces it.
#define VRAMLAB_CAPTURE(name) \
  inline std::uint64_t nvidias_##name() { return vramlab::cuda_comparison::bits_of(name); }

#define VRAMLAB_MAP(name)       \
  template <>                   \
  struct Theirs<::ours::name> { \
    using Type = ::name;        \
  };

#define VRAMLAB_SAME_TYPE(what, our_type, their_type) \
  comparison.same_type(what, vramlab::cuda_comparison::is_same<our_type, their_type>)
#define VRAMLAB_COMPARE_ALIAS(name) VRAMLAB_SAME_TYPE(#name, ours::name, ::name)
#define VRAMLAB_COMPARE_HANDLE(name)                                                 \
  comparison.same_type(#name, std::is_pointer_v<::name> &&                           \
                                  !std::is_const_v<std::remove_pointer_t<::name>> && \
                                  sizeof(::name) == sizeof(ours::name))
#define VRAMLAB_COMPARE_OPAQUE(name) comparison.same_type(#name, std::is_class_v<::name>)
#define VRAMLAB_COMPARE_ENUM(name) \
  comparison.same_type(            \
      #name, std::is_same_v<std::underlying_type_t<ours::name>, std::underlying_type_t<::name>>)
#define VRAMLAB_COMPARE_VALUE(name)                                 \
  VRAMLAB_SAME_TYPE(#name, decltype(ours::name), decltype(::name)); \
  comparison.same(#name, "its value", ours::name, ::name)
#define VRAMLAB_COMPARE_MACRO(name)  \
  comparison.same_type(#name, true); \
  comparison.same(#name, "its value", vramlab::cuda_comparison::bits_of(name), nvidias_##name())
#define VRAMLAB_COMPARE_STRUCT(name)                                      \
  comparison.same_type(#name, std::is_class_v<::name>);                   \
  comparison.same(#name, "its size", sizeof(ours::name), sizeof(::name)); \
  comparison.same(#name, "its alignment", alignof(ours::name), alignof(::name))
#define VRAMLAB_COMPARE_FIELD(type, field)                                        \
  VRAMLAB_SAME_TYPE(#type "." #field, decltype(std::declval<ours::type>().field), \
                    decltype(std::declval<::type>().field));                      \
  comparison.same(#type "." #field, "its offset", offsetof(ours::type, field),    \
                  offsetof(::type, field))
#define VRAMLAB_COMPARE_FUNCTION(type, symbol)  \
  VRAMLAB_SAME_TYPE(#type, ours::type, ::type); \
  VRAMLAB_SAME_TYPE(#symbol, ours::type, decltype(&::symbol))
