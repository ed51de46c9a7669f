#include <algorithm>
#include <array>
#include <cmath>

#include "traces/cases/recorded_parts.h"

namespace vramlab::traces {
namespace {

enum class Field : std::uint8_t {
  none,
  id,
  bytes,
  stream,
  waited_stream,
  pool,
  /// May be left out.
  maybe_pool,
  fraction,
  text,
  scope,
  traits,
};

struct CallForm {
  std::string_view name;
  CallKind kind;
  std::array<Field, 3> fields{};
};

/// The most frequent ones first: they are looked up one by one.
constexpr std::array<CallForm, 22> call_forms = {{
    {"malloc", CallKind::malloc, {Field::id, Field::bytes, Field::stream}},
    {"free", CallKind::free, {Field::id}},
    {"record_stream", CallKind::record_stream, {Field::id, Field::stream}},
    {"work", CallKind::work, {Field::stream}},
    {"complete", CallKind::complete, {Field::stream}},
    {"external", CallKind::external, {Field::bytes}},
    {"empty_cache", CallKind::empty_cache, {Field::maybe_pool}},
    {"snapshot", CallKind::snapshot},
    {"reset_peak_stats", CallKind::reset_peak_stats},
    {"reset_accumulated_stats", CallKind::reset_accumulated_stats},
    {"set_config", CallKind::set_config, {Field::text}},
    {"set_fraction", CallKind::set_fraction, {Field::fraction}},
    {"begin_pool", CallKind::begin_pool, {Field::pool, Field::scope}},
    {"end_pool", CallKind::end_pool, {Field::pool}},
    {"release_pool", CallKind::release_pool, {Field::pool}},
    {"create_pool", CallKind::create_pool, {Field::pool, Field::traits}},
    {"destroy_pool", CallKind::destroy_pool, {Field::pool}},
    {"checkpoint", CallKind::checkpoint, {Field::pool, Field::text}},
    {"restore", CallKind::restore, {Field::text, Field::id}},
    {"capture_begin", CallKind::capture_begin, {Field::stream}},
    {"capture_end", CallKind::capture_end, {Field::stream}},
    {"wait", CallKind::wait, {Field::stream, Field::waited_stream}},
}};

double read_fraction(const JsonValue& value) {
  const double fraction = value.real();
  if (!(fraction >= 0 && fraction <= 1)) value.fail("a fraction from 0 to 1");
  return fraction;
}

void read_scope(const JsonValue& value, Call& call) {
  if (value.is_null()) {
    call.scope = ScopeStreams::every_stream;
  } else if (value.is_text()) {
    if (value.text() != "capture") value.fail("a stream, null or \"capture\"");
    call.scope = ScopeStreams::capturing_streams;
  } else {
    call.scope = ScopeStreams::one_stream;
    call.stream = {value.number()};
  }
}

void read_traits(const JsonValue& value, Call& call) {
  value.only_keys({"use_on_oom", "no_split"});
  call.use_on_oom = value.key("use_on_oom").boolean();
  call.no_split = value.key("no_split").boolean();
}

void read_field(Field field, const JsonValue& value, Call& call) {
  switch (field) {
    case Field::none:
      return;
    case Field::id:
      call.id = value.number();
      return;
    case Field::bytes:
      call.bytes = {value.number()};
      return;
    case Field::stream:
      call.stream = {value.number()};
      return;
    case Field::waited_stream:
      call.waited_stream = {value.number()};
      return;
    case Field::pool:
    case Field::maybe_pool:
      call.pool = value.number();
      return;
    case Field::fraction:
      call.fraction = read_fraction(value);
      return;
    case Field::text:
      call.text = value.text();
      return;
    case Field::scope:
      return read_scope(value, call);
    case Field::traits:
      return read_traits(value, call);
  }
}

const CallForm& form_of(const JsonValue& op) {
  if (op.array_size() == 0) op.fail("a call: its name and what it is about");
  const JsonValue name = op.at(0);
  const auto form = std::ranges::find(call_forms, std::string_view(name.text()), &CallForm::name);
  if (form == call_forms.end()) name.fail("the name of a call");
  return *form;
}

Call read_call(const JsonValue& op) {
  const CallForm& form = form_of(op);
  const auto most = static_cast<std::size_t>(
      std::ranges::count_if(form.fields, [](Field field) { return field != Field::none; }));
  const std::size_t least = form.fields[0] == Field::maybe_pool ? 0 : most;
  const std::size_t given = op.array_size() - 1;
  if (given < least || given > most)
    op.fail("'" + std::string(form.name) + "' with " + std::to_string(most) +
            (most == 1 ? " value" : " values") + " after it");
  Call call;
  call.kind = form.kind;
  for (std::size_t i = 0; i < given; ++i) read_field(form.fields[i], op.at(i + 1), call);
  return call;
}

}  // namespace

std::vector<Call> read_recorded_calls(const JsonValue& ops) {
  std::vector<Call> calls;
  calls.reserve(ops.array_size());
  for (std::size_t i = 0; i < ops.array_size(); ++i) calls.push_back(read_call(ops.at(i)));
  return calls;
}

}  // namespace vramlab::traces
