// The preload's parts that need no driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/preload/ground/physical_memory.h"
#include "tools/preload/ground/preload_mode.h"
#include "tools/preload/ground/record_file.h"

namespace vramlab::tests {
namespace {

using preload::DefaultStream;
using preload::ModeVariables;
using preload::PhysicalMemory;
using preload::preload_mode;
using preload::PreloadMode;
using preload::RecordLine;
using preload::StreamNumbers;
using testing::IsEmpty;
using testing::SizeIs;

TEST(PreloadMode, is_deferred_where_nothing_is_said) {
  EXPECT_EQ(preload_mode(ModeVariables{nullptr, nullptr}), PreloadMode::deferred);
  EXPECT_EQ(preload_mode(ModeVariables{"", ""}), PreloadMode::deferred);
}

TEST(PreloadMode, is_record_where_there_is_a_file_to_record_to) {
  EXPECT_EQ(preload_mode(ModeVariables{nullptr, "f"}), PreloadMode::record);
  EXPECT_EQ(preload_mode(ModeVariables{"off", "f"}), PreloadMode::off);
}

TEST(PreloadMode, has_no_other_names) {
  EXPECT_EQ(preload_mode(ModeVariables{"nosplit", nullptr}), PreloadMode::nosplit);
  EXPECT_EQ(preload_mode(ModeVariables{"Off", nullptr}), std::nullopt);
  EXPECT_EQ(preload_mode(ModeVariables{"on", nullptr}), std::nullopt);
}

TEST(RecordLine, spells_records_one_after_the_other) {
  RecordLine line;
  line.begin("malloc", 18446744073709551615U).add("bytes", 512).add_unless_0("stream", 0).end();
  line.begin("marker", "out of memory").end();
  EXPECT_EQ(line.letters(),
            "{\"malloc\":18446744073709551615,\"bytes\":512}\n{\"marker\":\"out of memory\"}\n");
}

TEST(RecordLine, keeps_texts_readable_for_any_reader) {
  RecordLine line;
  line.begin("marker", "a\"b\\c\nd\xff").end();
  EXPECT_EQ(line.letters(), "{\"marker\":\"a\\\"b\\\\c?d?\"}\n");
}

CUstream handle(std::uintptr_t number) { return reinterpret_cast<CUstream>(number); }

TEST(StreamNumbers, count_streams_as_they_are_seen) {
  StreamNumbers numbers;
  EXPECT_EQ(numbers.number_of({handle(0x500), DefaultStream::legacy}, 0), 1U);
  EXPECT_EQ(numbers.number_of({handle(0x400), DefaultStream::legacy}, 3), 2U);
  EXPECT_EQ(numbers.number_of({handle(0x500), DefaultStream::per_thread}, 1), 1U);
}

TEST(StreamNumbers, each_threads_own_default_stream_is_one_of_its_own) {
  StreamNumbers numbers;
  EXPECT_EQ(numbers.number_of({nullptr, DefaultStream::legacy}, 1), 0U);
  EXPECT_EQ(numbers.number_of({handle(1), DefaultStream::per_thread}, 1), 0U);
  EXPECT_EQ(numbers.number_of({nullptr, DefaultStream::per_thread}, 1), 1U);
  EXPECT_EQ(numbers.number_of({handle(2), DefaultStream::legacy}, 1), 1U);
  EXPECT_EQ(numbers.number_of({nullptr, DefaultStream::per_thread}, 2), 2U);
}

TEST(StreamNumbers, a_handle_that_comes_again_is_another_stream) {
  StreamNumbers numbers;
  EXPECT_EQ(numbers.number_of({handle(0x500), DefaultStream::legacy}, 0), 1U);
  numbers.forget(handle(0x500));
  EXPECT_EQ(numbers.number_of({handle(0x500), DefaultStream::legacy}, 0), 2U);
}

TEST(PhysicalMemory, is_held_by_its_handle) {
  PhysicalMemory memory;
  memory.create(7, {100, 1});
  EXPECT_TRUE(memory.knows(7));
  EXPECT_EQ(memory.bytes_of(1), 100U);
  EXPECT_EQ(memory.bytes_of(0), 0U);
  EXPECT_EQ(memory.release(7).value().device, 1U);
  EXPECT_EQ(memory.bytes_of(1), 0U);
  EXPECT_FALSE(memory.release(7));
}

TEST(PhysicalMemory, is_held_by_its_mappings_after_its_handle) {
  PhysicalMemory memory;
  memory.create(7, {100, 0});
  memory.map(0x1000, 0x1000, 7);
  memory.map(0x5000, 0x1000, 7);
  EXPECT_FALSE(memory.release(7));
  EXPECT_EQ(memory.bytes_of(0), 100U);
  EXPECT_THAT(memory.unmap(0x1000, 0x1000), IsEmpty());
  EXPECT_THAT(memory.unmap(0x5000, 0x1000), SizeIs(1));
  EXPECT_EQ(memory.bytes_of(0), 0U);
}

TEST(PhysicalMemory, is_held_by_all_of_its_handles) {
  PhysicalMemory memory;
  memory.create(7, {100, 0});
  memory.map(0x1000, 0x1000, 7);
  memory.retain(0x1fff, 7);
  EXPECT_TRUE(memory.share(7));
  memory.unmap(0x1000, 0x1000);
  EXPECT_FALSE(memory.release(7));
  EXPECT_FALSE(memory.release(7));
  EXPECT_EQ(memory.bytes_of(0), 100U);
  EXPECT_TRUE(memory.release(7));
  EXPECT_FALSE(memory.share(7));
}

TEST(PhysicalMemory, gets_a_handle_again_while_it_is_mapped) {
  PhysicalMemory memory;
  memory.create(7, {100, 0});
  memory.map(0x1000, 0x1000, 7);
  memory.release(7);
  memory.retain(0x2000, 8);
  EXPECT_FALSE(memory.knows(8)) << "nothing is mapped there";
  memory.retain(0x1000, 7);
  memory.unmap(0x1000, 0x1000);
  EXPECT_EQ(memory.bytes_of(0), 100U);
  EXPECT_TRUE(memory.release(7));
}

TEST(PhysicalMemory, of_others_takes_none_of_a_device) {
  PhysicalMemory memory;
  memory.create(7, {100, std::nullopt});
  EXPECT_EQ(memory.bytes_of(0), 0U);
  EXPECT_EQ(memory.release(7).value().bytes, 100U);
  EXPECT_EQ(memory.bytes_of(0), 0U);
}

TEST(PhysicalMemory, one_unmap_may_cover_several_pieces) {
  PhysicalMemory memory;
  for (std::uint64_t i = 0; i < 3; ++i) {
    memory.create(i, {10, 0});
    memory.map(0x1000 * (i + 1), 0x1000, i);
    memory.release(i);
  }
  EXPECT_THAT(memory.unmap(0x1000, 0x2000), SizeIs(2));
  EXPECT_EQ(memory.bytes_of(0), 10U);
}

}  // namespace
}  // namespace vramlab::tests
