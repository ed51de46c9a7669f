// The binary form of a native trace says what the text form says, streamed and mapped, and a file
// with a single bit changed is refused.
#include "traces/native/native_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/fuzz/native_rewriting.h"
#include "tests/support/kit/own_folder.h"
#include "tests/support/recordings/native_samples.h"
#include "traces/io/input_error.h"
#include "traces/native/mapped_trace.h"
#include "traces/native/native_layout.h"

namespace vramlab::traces {
namespace {

using support::native_binary_of;
using support::rewrite_native_binary;
using testing::HasSubstr;

/// A file for as long as the test runs.
class MappedBytes {
 public:
  explicit MappedBytes(const std::string& bytes)
      : path_(support::own_folder() + "native_binary_test_" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~MappedBytes() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Empty where it is a good trace.
std::string error_when_mapped(const std::string& bytes) {
  const MappedBytes file(bytes);
  try {
    const MappedTrace trace(file.path());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NativeBinary, every_shape_of_a_snapshot_reads_back_as_it_was) {
  const std::string text = support::sample_bytes(support::every_shape);
  const auto again = rewrite_native_binary(native_binary_of(text));
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.text, text);
}

TEST(NativeBinary, every_kind_of_event_of_a_program_reads_back_as_it_was) {
  const std::string text = support::sample_bytes(support::whole_program);
  const auto again = rewrite_native_binary(native_binary_of(text));
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.text, text);
}

TEST(NativeBinary, it_does_not_matter_how_the_bytes_arrive) {
  const std::string text = support::sample_bytes(support::every_shape);
  EXPECT_EQ(rewrite_native_binary(native_binary_of(text), 1).text, text);
  EXPECT_EQ(rewrite_native_binary(native_binary_of(text), 7).text, text);
}

TEST(NativeBinary, an_error_is_the_same_however_the_bytes_arrive) {
  const std::string binary = native_binary_of(support::sample_bytes(support::whole_program));
  for (std::size_t at = 0; at < binary.size(); at += 3) {
    std::string broken = binary;
    broken[at] = static_cast<char>(broken[at] ^ 1);
    EXPECT_EQ(rewrite_native_binary(broken, 3).error, rewrite_native_binary(broken).error) << at;
  }
}

TEST(NativeBinary, more_events_than_a_chunk_holds_keep_their_order) {
  std::string text = "{\"format\":\"vramlab-trace\",\"version\":1,\"has_end\":true}\n";
  for (int id = 0; id < 70'000; ++id)
    text += "{\"malloc\":" + std::to_string(id) + ",\"bytes\":1}\n";
  text += "{\"end\":true}\n";
  const std::string binary = native_binary_of(text);
  EXPECT_EQ(rewrite_native_binary(binary).text, text);
  const MappedBytes file(binary);
  const MappedTrace trace(file.path());
  EXPECT_EQ(trace.event_count(), 70'000U);
  ASSERT_EQ(trace.runs().size(), 2U);
  EXPECT_EQ(trace.runs()[1].back().subject, 69'999U);
}

TEST(NativeBinary, entries_of_equal_shape_share_it) {
  const std::string binary = native_binary_of(
      "{\"format\":\"vramlab-trace\",\"version\":1}\n{\"section\":\"device_traces\"}\n"
      "{\"trace\":0}\n{\"entry\":{\"action\":\"alloc\",\"addr\":1,\"size\":2}}\n"
      "{\"entry\":{\"action\":\"alloc\",\"addr\":3,\"size\":4}}\n"
      "{\"entry\":{\"action\":\"alloc\",\"addr\":3}}\n");
  EXPECT_THAT(binary, HasSubstr("{\"shape\":2,"));
  EXPECT_THAT(binary, testing::Not(HasSubstr("{\"shape\":3,")));
}

TEST(NativeBinary, mapped_events_refer_to_texts_stacks_and_shapes) {
  const MappedBytes file(native_binary_of(support::sample_bytes(support::whole_program)));
  const MappedTrace trace(file.path());
  EXPECT_EQ(trace.header().origin, "by hand");
  EXPECT_EQ(trace.event_count(), 57U);
  const NativeEvent& malloc = trace.runs()[0][0];
  const ProgramEvent event = decode_program_event(malloc, trace.values());
  EXPECT_EQ(event.kind, ProgramEventKind::malloc);
  EXPECT_EQ(event.bytes, allocator::Bytes{4096});
  const auto frames = trace.tables().stacks.frames(event.stack);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(trace.tables().texts.text(trace.tables().frames.frame(frames[0]).name), "step");
}

TEST(NativeBinary, every_cut_is_found) {
  const std::string binary = native_binary_of(support::sample_bytes(support::every_shape));
  for (std::size_t size = 0; size < binary.size(); ++size)
    EXPECT_THAT(rewrite_native_binary(binary.substr(0, size)).error, HasSubstr("byte ")) << size;
  for (std::size_t size = 0; size < binary.size(); size += 13)
    EXPECT_THAT(error_when_mapped(binary.substr(0, size)), HasSubstr("byte ")) << size;
}

TEST(NativeBinary, every_changed_byte_is_found) {
  const std::string binary = native_binary_of(support::sample_bytes(support::every_shape));
  for (std::size_t at = 0; at < binary.size(); ++at) {
    std::string changed = binary;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_THAT(rewrite_native_binary(changed).error, HasSubstr("byte ")) << at;
    if (at % 7 != 0) continue;
    EXPECT_THAT(error_when_mapped(changed), HasSubstr("byte ")) << at;
  }
}

TEST(NativeBinary, bytes_behind_the_end_are_found) {
  const std::string binary = native_binary_of(support::sample_bytes(support::whole_program));
  EXPECT_THAT(rewrite_native_binary(binary + std::string(8, '\0')).error,
              HasSubstr("the end of the file, found more bytes"));
  EXPECT_THAT(error_when_mapped(binary + std::string(8, '\0')),
              HasSubstr("the end of the file, found more bytes"));
}

/// The trace with its first event changed and all checksums right again.
std::string with_first_event(const NativeEvent& event) {
  std::string binary = native_binary_of(support::sample_bytes(support::whole_program));
  ChunkStart lines;
  std::memcpy(&lines, binary.data() + sizeof(BinaryStart), sizeof lines);
  const std::size_t chunk_byte =
      sizeof(BinaryStart) + sizeof lines + lines.payload_bytes + padding_after(lines.payload_bytes);
  ChunkStart events;
  std::memcpy(&events, binary.data() + chunk_byte, sizeof events);
  const std::size_t payload_byte = chunk_byte + sizeof events;
  std::memcpy(binary.data() + payload_byte, &event, sizeof event);
  events.crc32 = crc32_with(0, {binary.data() + payload_byte, events.payload_bytes});
  std::memcpy(binary.data() + chunk_byte, &events, sizeof events);
  BinaryEnd end;
  std::memcpy(&end, binary.data() + binary.size() - sizeof end, sizeof end);
  ChunkStart directory;
  std::memcpy(&directory, binary.data() + end.directory_byte, sizeof directory);
  char* named = binary.data() + end.directory_byte + sizeof directory;
  std::memcpy(named + sizeof lines, &events, sizeof events);
  directory.crc32 = crc32_with(0, {named, directory.payload_bytes});
  std::memcpy(binary.data() + end.directory_byte, &directory, sizeof directory);
  return binary;
}

struct BadEvent {
  NativeEvent event;
  std::string error;
};

TEST(NativeBinary, events_that_mean_nothing_are_refused_with_their_byte) {
  const auto malloc_with = [](auto change) {
    NativeEvent event;
    change(event);
    return event;
  };
  ASSERT_EQ(rewrite_native_binary(with_first_event({})).error, "");
  const BadEvent cases[] = {
      {malloc_with([](auto& event) { event.kind = 200; }), "a kind that there is"},
      {malloc_with([](auto& event) { event.kind = 0x100; }), "below the 'trace'"},
      {malloc_with([](auto& event) { event.stack = 2; }), "the number of a stack above"},
      {malloc_with([](auto& event) { event.detail = 1; }), "0 in what a kind"},
      {malloc_with([](auto& event) { event.flags = 0x8000; }), "0 in what a kind"},
      {malloc_with([](auto& event) { event.time = 1; }), "0 in what a kind"},
      {malloc_with([](auto& event) { event.kind = 24; }), "the number of a text above"},
  };
  for (const BadEvent& bad : cases) {
    const std::string binary = with_first_event(bad.event);
    EXPECT_THAT(rewrite_native_binary(binary).error, HasSubstr(bad.error));
    EXPECT_THAT(error_when_mapped(binary), HasSubstr(bad.error));
  }
}

TEST(NativeBinary, what_is_not_a_file_can_not_be_mapped) {
  EXPECT_THROW(MappedTrace("/no/such/file"), InputError);
  EXPECT_THROW(MappedTrace("/dev/null"), InputError);
  EXPECT_THROW(MappedTrace("/tmp"), InputError);
}

}  // namespace
}  // namespace vramlab::traces
