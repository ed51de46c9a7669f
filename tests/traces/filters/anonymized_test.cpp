// An anonymized recording does not tell whose program it was, and equal texts stay equal.
#include "traces/filters/anonymized.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "tests/support/recordings/native_samples.h"
#include "traces/formats/trace_formats.h"
#include "traces/native/native_text.h"

namespace vramlab::traces {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string anonymized(const std::string& text) {
  SnapshotTables tables;
  support::CollectedBytes output;
  const auto writer = make_trace_writer(TraceFormat::native_text, output, tables);
  AnonymizedRecording named(tables, writer->sinks());
  const auto source = support::make_memory_source(text);
  read_native_text(*source, "file", tables, named.sinks());
  writer->finish();
  return output.bytes;
}

std::string lines(const std::string& records) {
  const std::string start =
      anonymized("{\"format\":\"vramlab-trace\",\"version\":1,\"origin\":\"mine\"}\n" + records);
  return start.substr(start.find('\n') + 1);
}

TEST(Anonymized, the_same_text_gets_the_same_name_everywhere) {
  EXPECT_EQ(lines("{\"range_begin\":\"secret\"}\n{\"marker\":\"other\"}\n"
                  "{\"range_end\":\"secret\"}\n"),
            "{\"range_begin\":\"annotation_1\"}\n{\"marker\":\"annotation_2\"}\n"
            "{\"range_end\":\"annotation_1\"}\n{\"end\":true}\n");
}

TEST(Anonymized, the_marker_of_a_failed_request_stays) {
  const std::string marker = "{\"marker\":\"out of memory\"}\n";
  EXPECT_EQ(lines(marker), marker + "{\"end\":true}\n");
}

TEST(Anonymized, frames_keep_their_lines_and_the_kind_of_their_file) {
  EXPECT_EQ(
      lines("{\"frame\":1,\"is\":{\"name\":\"f\",\"filename\":\"/home/me/a.py\",\"line\":7}}\n"
            "{\"frame\":2,\"is\":{\"name\":\"g\",\"filename\":\"??\",\"line\":0}}\n"
            "{\"stack\":1,\"frames\":[1,2]}\n{\"malloc\":1,\"bytes\":2,\"stack\":1}\n"),
      "{\"frame\":1,\"is\":{\"name\":\"function_1\",\"filename\":\"file_1.py\",\"line\":7}}\n"
      "{\"frame\":2,\"is\":{\"name\":\"function_2\",\"filename\":\"??\",\"line\":0}}\n"
      "{\"stack\":1,\"frames\":[1,2]}\n{\"malloc\":1,\"bytes\":2,\"stack\":1}\n"
      "{\"end\":true}\n");
}

/// A stack of one frame, as it comes out.
std::string frame_after(const std::string& name, const std::string& file) {
  const std::string text =
      lines("{\"text\":1,\"is\":\"" + name + "\"}\n{\"text\":2,\"is\":\"" + file +
            "\"}\n{\"frame\":1,\"is\":{\"name\":{\"$text\":1},\"filename\":{\"$text\":2},"
            "\"line\":7}}\n{\"stack\":1,\"frames\":[1]}\n"
            "{\"malloc\":1,\"bytes\":2,\"stack\":1}\n");
  return text.substr(0, text.find("{\"stack\""));
}

TEST(Anonymized, pytorch_frames_keep_function_line_and_the_file_below_its_package) {
  for (const char* place : {"/home/me/.venv/lib/python3.12/site-packages/",
                            "/usr/lib/python3/dist-packages/", "C:/fl/Lib/site-packages/"})
    EXPECT_EQ(frame_after("forward", std::string(place) + "torch/nn/modules/linear.py"),
              "{\"text\":1,\"is\":\"torch/nn/modules/linear.py\"}\n{\"frame\":1,\"is\":{"
              "\"name\":\"forward\",\"filename\":{\"$text\":1},\"line\":7}}\n");
  EXPECT_THAT(frame_after("forward", R"(D:\\me\\Lib\\site-packages\\torch\\_tensor.py)"),
              HasSubstr("{\"name\":\"forward\",\"filename\":\"torch/_tensor.py\",\"line\":7}"));
}

TEST(Anonymized, pytorch_frames_of_cpp_keep_function_and_source) {
  for (const char* name :
       {"c10::TensorImpl::~TensorImpl()", "void at::cuda::blas::gemm<float>(char, long)",
        "at::native::(anonymous namespace)::addmm_out(at::Tensor&, c10::Scalar const&)",
        "torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&) [clone .isra.0]",
        "THPVariable_clear(THPVariable*)"})
    for (const char* file : {"??", "Functions.cpp"})
      EXPECT_THAT(frame_after(name, file),
                  testing::AllOf(HasSubstr(name), HasSubstr(std::string("\"") + file + "\"")));
  EXPECT_THAT(frame_after("at::empty(long)", "/build/pytorch/aten/src/ATen/Utils.cpp"),
              testing::AllOf(HasSubstr("\"aten/src/ATen/Utils.cpp\""), HasSubstr("at::empty")));
}

TEST(Anonymized, frames_of_others_are_renamed_though_pytorch_is_near) {
  for (const char* name :
       {"torch::autograd::CppNode<Secret>::apply()", "secret::launch(at::Tensor)",
        "c10::impl::wrap<at::Tensor (secret::op)(long)>()", "secret", "main"})
    EXPECT_THAT(frame_after(name, "??"), HasSubstr("\"name\":\"function_1\"")) << name;
  for (const char* file : {"/home/me/torch/secret.py", "/x/site-packages/secret/torch/a.py",
                           "/x/site-packages/torchsecret/a.py"})
    EXPECT_THAT(frame_after("forward", file), Not(HasSubstr("forward"))) << file;
  EXPECT_THAT(frame_after("at::empty(long)", "/home/secret/ext.cpp"),
              HasSubstr("\"filename\":\"file_1.cpp\""));
}

TEST(Anonymized, entries_without_frames_stay_without_them) {
  const std::string entry = "{\"entry\":{\"action\":\"alloc\",\"addr\":512,\"size\":512}}\n";
  EXPECT_THAT(lines("{\"section\":\"device_traces\"}\n{\"trace\":0}\n" + entry), HasSubstr(entry));
}

TEST(Anonymized, settings_and_numbers_stay) {
  const std::string settings = "{\"settings\":{\"conf\":\"max_split_size_mb:64\",\"n\":-1}}\n";
  EXPECT_EQ(lines(settings), settings + "{\"end\":true}\n");
  EXPECT_EQ(lines("{\"options\":\"max_split_size_mb:1\"}\n"),
            "{\"options\":\"max_split_size_mb:1\"}\n{\"end\":true}\n");
}

TEST(Anonymized, the_header_does_not_say_where_it_is_from) {
  const std::string text = anonymized(support::sample_bytes(support::whole_program));
  EXPECT_THAT(text, Not(HasSubstr("by hand")));
  EXPECT_THAT(text, HasSubstr("\"origin\":\"anonymized\""));
}

TEST(Anonymized, no_text_of_a_snapshot_is_left_but_keys_and_settings) {
  const std::string text = anonymized(support::sample_bytes(support::every_shape));
  for (const char* gone : {"train.py", "somebody", "a long name", "much longer", "\"one\"", "step",
                           "😀", "\"4\"]", "call\"", "$odd"})
    EXPECT_THAT(text, Not(HasSubstr(gone)));
  for (const char* kept : {"expandable_segments:True", "active_awaiting_free", "N/A",
                           "host_segments", "fx_node_op", "START"})
    EXPECT_THAT(text, HasSubstr(kept));
}

}  // namespace
}  // namespace vramlab::traces
