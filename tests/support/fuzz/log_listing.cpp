#include "tests/support/fuzz/log_listing.h"

#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/dribbling_source.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/logs/bfc_log.h"
#include "traces/logs/profiler_json.h"
#include "traces/logs/rmm_log.h"

namespace vramlab::support {
namespace {

template <typename Read>
LogListing list_log(traces::ByteSource& source, const Read& read) {
  LogListing listing;
  traces::SnapshotTables tables;
  CollectedBytes output;
  const auto writer = make_trace_writer(traces::TraceFormat::native_text, output, tables);
  try {
    listing.facts = read(source, "file", tables, writer->sinks().program).facts;
    writer->finish();
  } catch (const traces::InputError& error) {
    listing.error = error.what();
    return listing;
  }
  const std::size_t header_end = output.bytes.find('\n') + 1;
  const std::size_t end_line = output.bytes.rfind("{\"end\":true}");
  listing.header = output.bytes.substr(0, header_end);
  listing.lines = output.bytes.substr(header_end, end_line - header_end);
  return listing;
}

}  // namespace

LogListing read_profiler_bytes(const std::string& bytes, std::size_t bytes_at_a_time) {
  DribblingSource source(bytes, bytes_at_a_time);
  return list_log(source, traces::read_profiler_json);
}

LogListing read_rmm_bytes(const std::string& bytes, std::size_t bytes_at_a_time) {
  DribblingSource source(bytes, bytes_at_a_time);
  return list_log(source, traces::read_rmm_log);
}

LogListing read_piped_rmm_bytes(const std::string& bytes, std::size_t bytes_at_a_time) {
  PipedSource source(bytes, bytes_at_a_time);
  return list_log(source, traces::read_rmm_log);
}

LogListing read_bfc_bytes(const std::string& bytes, std::size_t bytes_at_a_time) {
  DribblingSource source(bytes, bytes_at_a_time);
  return list_log(source, traces::read_bfc_log);
}

LogListing read_piped_bfc_bytes(const std::string& bytes, std::size_t bytes_at_a_time) {
  PipedSource source(bytes, bytes_at_a_time);
  return list_log(source, traces::read_bfc_log);
}

}  // namespace vramlab::support
