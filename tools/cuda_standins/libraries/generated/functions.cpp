// The functions of one list, compiled for each list anew. <functions.inc> is made from the list and
// has one line for each function: its action, as the README says. All are weak: functions written
// by hand take their place.

#include <atomic>
#include <cstdint>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {
namespace {

// Functions that put out nothing need an index alone.
enum : unsigned {
#define UNKNOWN(name) index_of_##name,
#define PLAIN(name)
#define WORK(name)
#define WORK_ON(name, at)
#define STREAM(name)
#define GET_STREAM(name)
#define NEW(name, at)
#define FREE(name, at)
#define SIZE(name, width, at)
#define SIZES(name, width, at, other_width, other_at)
#define DATA(name, bytes)
#include <functions.inc>
#undef UNKNOWN
  unknown_count
};

// One text behind the other: pointers to them would have to be relocated in every process.
constexpr char unknown_names[] =
#define UNKNOWN(name) #name "\0"
#include <functions.inc>
#undef UNKNOWN
    "";

std::atomic<unsigned> calls_of[unknown_count + 1];

const char* name_of(unsigned index) {
  const char* name = unknown_names;
  for (; index > 0; --index)
    while (*name++ != '\0') {
    }
  return name;
}

/// More calls of a function are not noted, because it may be called thousands of times in a step.
constexpr unsigned most_noted_calls = 100;

// Lists of functions may need neither.
[[maybe_unused, gnu::noinline]] std::intptr_t call_unknown(unsigned index) {
  std::atomic<unsigned>& calls = calls_of[index];
  if (calls.load(std::memory_order_relaxed) >= most_noted_calls) return VRAMLAB_UNKNOWN_ANSWER;
  if (calls.fetch_add(1, std::memory_order_relaxed) < most_noted_calls)
    note_unknown(name_of(index));
  return VRAMLAB_UNKNOWN_ANSWER;
}

[[maybe_unused]] void put_zero(unsigned width, std::intptr_t at) {
  if (at == 0) return;
  if (width == 32)
    *reinterpret_cast<std::int32_t*>(at) = 0;
  else
    *reinterpret_cast<std::int64_t*>(at) = 0;
}

}  // namespace
}  // namespace vramlab::dry_run

// All arguments by number that come in integer registers or behind them. Those that a program does
// not pass are never read.
#define ARGUMENTS                                                                               \
  std::intptr_t a0, std::intptr_t a1, std::intptr_t a2, std::intptr_t a3, std::intptr_t a4,     \
      std::intptr_t a5, std::intptr_t a6, std::intptr_t a7, std::intptr_t a8, std::intptr_t a9, \
      std::intptr_t a10, std::intptr_t a11, std::intptr_t a12, std::intptr_t a13,               \
      std::intptr_t a14, std::intptr_t a15, std::intptr_t a16, std::intptr_t a17,               \
      std::intptr_t a18, std::intptr_t a19, std::intptr_t a20, std::intptr_t a21,               \
      std::intptr_t a22, std::intptr_t a23, std::intptr_t a24, std::intptr_t a25
#define POINTER(at) reinterpret_cast<void*>(at)
#define GENERATED extern "C" [[gnu::weak, gnu::visibility("default")]] std::intptr_t

#undef PLAIN
#undef WORK
#undef WORK_ON
#undef STREAM
#undef GET_STREAM
#undef NEW
#undef FREE
#undef SIZE
#undef SIZES
#undef DATA
#define UNKNOWN(name) \
  GENERATED name() { return vramlab::dry_run::call_unknown(vramlab::dry_run::index_of_##name); }
#define PLAIN(name) \
  GENERATED name() { return 0; }
#define WORK(name)                              \
  GENERATED name(std::intptr_t a0) {            \
    vramlab::dry_run::put_work_of(POINTER(a0)); \
    return 0;                                   \
  }
#define WORK_ON(name, at)                    \
  GENERATED name(ARGUMENTS) {                \
    vramlab::dry_run::put_work(POINTER(at)); \
    return 0;                                \
  }
#define STREAM(name)                                               \
  GENERATED name(std::intptr_t a0, std::intptr_t a1) {             \
    auto* const object = vramlab::dry_run::object_of(POINTER(a0)); \
    if (object != nullptr) object->stream = POINTER(a1);           \
    return 0;                                                      \
  }
#define GET_STREAM(name)                                                                  \
  GENERATED name(std::intptr_t a0, std::intptr_t a1) {                                    \
    const auto* const object = vramlab::dry_run::object_of(POINTER(a0));                  \
    if (object != nullptr && a1 != 0) *static_cast<void**>(POINTER(a1)) = object->stream; \
    return 0;                                                                             \
  }
#define NEW(name, at)                                                  \
  GENERATED name(ARGUMENTS) {                                          \
    vramlab::dry_run::create_object(static_cast<void**>(POINTER(at))); \
    return 0;                                                          \
  }
#define FREE(name, at)                             \
  GENERATED name(ARGUMENTS) {                      \
    vramlab::dry_run::destroy_object(POINTER(at)); \
    return 0;                                      \
  }
#define SIZE(name, width, at)                                   \
  GENERATED name(ARGUMENTS) {                                   \
    vramlab::dry_run::put_zero(width, at);                      \
    vramlab::dry_run::note_modelled(VRAMLAB_LIST " workspace"); \
    return 0;                                                   \
  }
#define SIZES(name, width, at, other_width, other_at)           \
  GENERATED name(ARGUMENTS) {                                   \
    vramlab::dry_run::put_zero(width, at);                      \
    vramlab::dry_run::put_zero(other_width, other_at);          \
    vramlab::dry_run::note_modelled(VRAMLAB_LIST " workspace"); \
    return 0;                                                   \
  }
#define DATA(name, bytes)                                                      \
  extern "C" {                                                                 \
  [[gnu::weak, gnu::visibility("default")]] alignas(16) char name[bytes] = {}; \
  }
#include <functions.inc>
