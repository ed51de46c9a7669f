// Answers of an allocator as one line of text each, for messages about differences.
#pragma once

#include <cstddef>
#include <string>

#include "allocator/types/answers.h"
#include "allocator/types/snapshot.h"
#include "streams/device/simulated_device.h"

// The values that both sides answer with, where their own header has no comparison.
namespace vramlab::allocator {
bool operator==(const MallocResult& left, const MallocResult& right);
bool operator==(const OutOfMemory& left, const OutOfMemory& right);
bool operator==(const RestoreResult& left, const RestoreResult& right);
}  // namespace vramlab::allocator

namespace vramlab::tests {

std::string text_of(bool holds);
std::string text_of(std::size_t count);
std::string text_of(allocator::Bytes size);
std::string text_of(const allocator::MallocResult& result);
std::string text_of(const allocator::OutOfMemory& failure);
std::string text_of(const allocator::RestoreResult& result);
std::string text_of(const allocator::AllocatorEvent& event);
std::string text_of(const allocator::Snapshot& snapshot);
std::string text_of(const allocator::StatisticValues& values);
std::string text_of(const streams::DeviceCallCounts& counts);

}  // namespace vramlab::tests
