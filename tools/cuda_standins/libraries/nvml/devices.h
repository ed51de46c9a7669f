// The GPUs that NVML tells of: those of the stand-in driver.
#pragma once

#include <cstddef>

namespace vramlab::dry_run::nvml {

constexpr int success = 0;
constexpr int invalid_argument = 2;
constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;

struct Device {
  int index = 0;
};

struct MemoryFigures {
  unsigned long long total = 0;
  unsigned long long free = 0;
  bool is_in_use = false;  // by this process
};

int device_count();

/// Null if there is no such GPU. A handle stays valid, whoever asks.
Device* device_at(int index);

/// The GPU behind a handle, or -1.
int index_of(const void* handle);

MemoryFigures memory_of(int index);

/// "GPU-...", "00000000:01:00.0" and the name; false if the text has no room.
bool put_uuid(int index, char* text, std::size_t bytes);
bool put_bus_id(int index, char* text, std::size_t bytes);
bool put_name(int index, char* text, std::size_t bytes);

int attribute_of(int index, int attribute);

}  // namespace vramlab::dry_run::nvml
