// The functions of the stand-in driver, found by name and version, as cuGetProcAddress does, and by
// symbol. They are all those of streams/cuda_interface/function_list.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace vramlab::dry_run {

enum class StreamVariant : std::uint8_t { plain, per_thread };

struct DriverFunction {
  std::string_view name;
  std::string_view symbol;
  int version = 0;
  StreamVariant variant = StreamVariant::plain;
  void* address = nullptr;
};
std::span<const DriverFunction> driver_functions();

/// The function behind a symbol of a driver of this version, or null, as dlsym finds it.
void* find_symbol(std::string_view symbol, int driver_version);

enum class ProcStatus : std::uint8_t { found, not_found, version_not_sufficient };

struct FoundProc {
  ProcStatus status = ProcStatus::not_found;
  void* address = nullptr;
};

struct ProcQuery {
  std::string_view name;
  int version = 0;
  StreamVariant variant = StreamVariant::plain;
};

/// The answer of cuGetProcAddress: the latest function that is not newer than the version asked
/// for.
FoundProc find_proc(const ProcQuery& query, int driver_version);

}  // namespace vramlab::dry_run
