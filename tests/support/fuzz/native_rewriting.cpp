#include "tests/support/fuzz/native_rewriting.h"

#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/dribbling_source.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/native/native_binary.h"
#include "traces/native/native_script.h"
#include "traces/native/native_text.h"

namespace vramlab::support {
namespace {

template <typename Read>
NativeRewriting rewrite(const std::string& bytes, std::size_t bytes_at_a_time, const Read& read) {
  DribblingSource source(bytes, bytes_at_a_time);
  traces::SnapshotTables tables;
  CollectedBytes output;
  const auto writer = make_trace_writer(traces::TraceFormat::native_text, output, tables);
  NativeRewriting rewriting;
  try {
    read(source, tables, writer->sinks());
  } catch (const traces::InputError& error) {
    rewriting.error = error.what();
  }
  writer->finish();
  rewriting.text = std::move(output.bytes);
  return rewriting;
}

std::string written_as(traces::TraceFormat format, const std::string& text) {
  DribblingSource source(text, text.size() + 1);
  traces::SnapshotTables tables;
  CollectedBytes output;
  const auto writer = make_trace_writer(format, output, tables);
  traces::read_native_text(source, "file", tables, writer->sinks());
  writer->finish();
  return output.bytes;
}

}  // namespace

NativeRewriting rewrite_native_text(const std::string& bytes, std::size_t bytes_at_a_time) {
  return rewrite(bytes, bytes_at_a_time, [](auto& source, auto& tables, auto sinks) {
    traces::read_native_text(source, "file", tables, sinks);
  });
}

NativeRewriting rewrite_native_binary(const std::string& bytes, std::size_t bytes_at_a_time) {
  return rewrite(bytes, bytes_at_a_time, [](auto& source, auto& tables, auto sinks) {
    traces::read_native_binary(source, "file", tables, sinks);
  });
}

NativeRewriting rewrite_native_script(const std::string& bytes, std::size_t bytes_at_a_time) {
  return rewrite(bytes, bytes_at_a_time, [](auto& source, auto& tables, auto sinks) {
    traces::read_native_script(source, "file", tables, sinks.program);
  });
}

std::string native_binary_of(const std::string& text) {
  return written_as(traces::TraceFormat::native_binary, text);
}

std::string native_script_of(const std::string& text) {
  return written_as(traces::TraceFormat::native_script, text);
}

}  // namespace vramlab::support
