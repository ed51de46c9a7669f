// The two things that a function of a stand-in does beside answering: it puts work on a stream, and
// it notes answers for the report that a GPU's library might give otherwise. Both go to the
// stand-in driver.
#pragma once

namespace vramlab::dry_run {

/// Puts one kernel of modelled time on the stream, captures included.
void put_work(void* stream);

/// The same on the stream of a handle.
void put_work_of(void* handle);

/// A figure that is modelled, for instance "cudnn workspace". Each call counts.
void note_modelled(const char* subject);
/// The same, where no peak of the program's allocator depends on it.
void note_beside_peak(const char* subject);

/// A function without code of its own was called: it succeeded and did nothing more.
void note_unknown(const char* function);

/// The version of CUDA that the driver tells, for instance 13000; 0 without a driver.
int driver_cuda_version();

/// The version of the runtime that the program uses, for instance 12090; the driver's before one
/// was initialized. The driver is newer where the program is of CUDA 12.
int cuda_version();

/// A cuDeviceAttribute of the current device; 0 without one.
int device_attribute(int attribute);

/// The compute capability of the current device without its point: 80 for 8.0.
int compute_capability();

/// The answer to a libraryPropertyType (0 major, 1 minor, 2 patch) for a library that has CUDA's
/// version.
int part_of_version(int property);

}  // namespace vramlab::dry_run

/// Marks a function that a stand-in exports. A list of functions names them; the others stay
/// hidden.
#define VRAMLAB_EXPORT extern "C" [[gnu::visibility("default")]]
