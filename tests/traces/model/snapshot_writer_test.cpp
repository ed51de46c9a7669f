// Snapshots that the writers write are read back as they were.
#include "traces/model/snapshot_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "tests/support/recordings/pickle_writer.h"
#include "traces/filters/record_filter.h"
#include "traces/io/input_error.h"
#include "traces/json/snapshot_json.h"
#include "traces/pickle/snapshot_pickle.h"

namespace vramlab::traces {
namespace {

using support::PickleTree;
using MakeWriter = std::unique_ptr<SnapshotWriter> (*)(ByteSink&, const SnapshotTables&);

std::string rewritten(const std::string& pickle, MakeWriter make_writer) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_writer(output, tables);
  const auto source = support::make_memory_source(pickle);
  read_snapshot_pickle(*source, "file", tables, *writer);
  writer->finish();
  return output.bytes;
}
std::string as_pickle(const std::string& pickle) {
  return rewritten(pickle, make_snapshot_pickle_writer);
}
std::string as_json(const std::string& pickle) {
  return rewritten(pickle, make_snapshot_json_writer);
}

/// Values that no PyTorch has written yet, in every place.
PickleTree strange_snapshot() {
  PickleTree tree = support::small_snapshot();
  const PickleTree strange = PickleTree::parse(
      R"({"none": null, "yes": true, "list": [1, -1, 65536, 4294967296, -9223372036854775808,
          18446744073709551615, 0.5, 1e300], "empty": {}, "text": "\u00e4\ud83d\ude00\n\"\\"})");
  tree["segments"][0]["new"] = strange;
  tree["segments"][0]["blocks"][0]["new"] = strange;
  tree["segments"][0]["blocks"][1]["history"] =
      PickleTree::parse(R"([{"addr": 5, "real_size": 6, "frames": [], "new": 7}])");
  tree["device_traces"][0][0]["new"] = strange;
  tree["device_traces"][0][0]["action"] = "annotate";
  tree["device_traces"][0][0]["pool_id"] = {1, 2};
  tree["device_traces"][0][1]["frames"][0]["fx_node_op"] = "call_function";
  tree["device_traces"][0][1]["forward_frames"] = {"one", "two"};
  tree["external_annotations"][0]["new"] = strange;
  tree["host_segments"] = PickleTree::array({strange, strange});
  return tree;
}

TEST(SnapshotPickleWriter, everything_reads_back_as_it_was) {
  for (const PickleTree& tree : {support::small_snapshot(), strange_snapshot(),
                                 PickleTree::object(), support::small_snapshot()["segments"]}) {
    for (const std::string& pickle : {support::python_pickle(tree), support::cpp_pickle(tree)}) {
      const auto expected = support::read_pickle_bytes(pickle);
      ASSERT_EQ(expected.error, "");
      const auto written = support::read_pickle_bytes(as_pickle(pickle));
      EXPECT_EQ(written.error, "");
      EXPECT_EQ(written.lines, expected.lines);
    }
  }
}

TEST(SnapshotPickleWriter, it_writes_what_python_writes_but_for_places_nobody_refers_to) {
  EXPECT_EQ(as_pickle(support::cpp_pickle(PickleTree{{"segments", PickleTree::array()}})),
            std::string("\x80\x04}(\x8c\x08segments\x94]u."));
  EXPECT_EQ(as_pickle(support::cpp_pickle(PickleTree::object())), "\x80\x04}.");
}

TEST(SnapshotPickleWriter, a_stack_and_its_texts_are_written_once) {
  const std::string written = as_pickle(support::python_pickle(support::small_snapshot()));
  for (const char* once : {"train.py", "main", "filename",
                           "\x05"
                           "alloc"})
    EXPECT_EQ(written.find(once), written.rfind(once)) << once;
}

TEST(SnapshotPickleWriter, lists_are_handed_over_a_thousand_items_at_a_time) {
  PickleTree tree = support::small_snapshot();
  PickleTree& events = tree["device_traces"][0];
  constexpr int event_count = 2001;
  while (events.size() < event_count) events.push_back(events[0]);
  const std::string pickle = support::cpp_pickle(tree);
  const std::string written = as_pickle(pickle);
  EXPECT_EQ(support::read_pickle_bytes(written).lines, support::read_pickle_bytes(pickle).lines);
  EXPECT_NE(written.find("ue(}("), std::string::npos);
}

TEST(SnapshotPickleWriter, a_shared_value_stays_shared_and_is_refused_where_it_grows_in_json) {
  // Each list holds the one before ten times: ten thousand million numbers in a few bytes.
  std::string pickle =
      "\x80\x04}(\x8c\x01x](](K\x01"
      "e\x94";
  for (char place = 0; place < 10; ++place) {
    pickle += "](";
    for (int i = 0; i < 10; ++i) pickle += {'h', place};
    pickle += "e\x94";
  }
  pickle += "eu.";
  const auto reading = support::read_pickle_bytes(pickle);
  ASSERT_EQ(reading.error, "");
  EXPECT_LT(as_pickle(pickle).size(), 2 * pickle.size());
  EXPECT_THROW(as_json(pickle), InputError);
}

TEST(SnapshotJsonWriter, a_json_parser_sees_the_tree) {
  EXPECT_EQ(PickleTree::parse(as_json(support::python_pickle(support::small_snapshot()))),
            support::small_snapshot());
}

TEST(SnapshotJsonWriter, everything_reads_back_as_it_was) {
  const std::string pickle = support::python_pickle(strange_snapshot());
  const auto written = support::read_json_bytes(as_json(pickle));
  EXPECT_EQ(written.error, "");
  EXPECT_EQ(written.lines, support::read_pickle_bytes(pickle).lines);
}

TEST(SnapshotJsonWriter, numbers_keep_their_kind) {
  const std::string written = as_json(support::python_pickle(PickleTree{{"x", {1.0, 1, -0.0}}}));
  EXPECT_EQ(written, "{\n\"x\": [\n1.0,\n1,\n-0.0]}\n");
}

TEST(SnapshotJsonWriter, letters_that_json_does_not_take_are_escaped) {
  // Half a pair of surrogates, and a byte that is no UTF-8.
  const std::string pickle = "\x80\x04}(\x8c\x01x\x8c\x05\xED\xA0\x80\xFF\x01u.";
  EXPECT_EQ(as_json(pickle), "{\n\"x\": \"\\ud800\xEF\xBF\xBD\\u0001\"}\n");
}

TEST(SnapshotJsonWriter, what_json_can_not_say_is_refused) {
  EXPECT_THROW(as_json("\x80\x04}(\x8c\x01x}(K\x01K\x02uu."), InputError);
  EXPECT_THROW(as_json(std::string("\x80\x04}(\x8c\x01xG\x7f\xf0\0\0\0\0\0\0u.", 19)), InputError);
}

TEST(StrippedFrames, no_stack_is_left_and_all_else_is) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_snapshot_json_writer(output, tables);
  RefusedProgram no_program("file", "a snapshot");
  StrippedFrames stripped({*writer, no_program});
  PickleTree tree = support::small_snapshot();
  const auto source = support::make_memory_source(support::python_pickle(tree));
  read_snapshot_pickle(*source, "file", tables, stripped);
  writer->finish();
  tree["segments"][0]["blocks"][0]["frames"] = PickleTree::array();
  tree["device_traces"][0][1].erase("frames");
  EXPECT_EQ(PickleTree::parse(output.bytes), tree);
}

}  // namespace
}  // namespace vramlab::traces
