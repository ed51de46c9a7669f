#include "traces/filters/anonymized.h"

#include <algorithm>
#include <array>
#include <vector>

#include "traces/model/generic_text.h"
#include "traces/model/program_event.h"
#include "traces/model/user_frame.h"

namespace vramlab::traces {
namespace {

/// In the order of AnonymizedRecording::Kind.
constexpr std::array<std::string_view, 5> prefixes = {"function_", "file_", "metadata_",
                                                      "annotation_", "text_"};

/// Such as `.py`: only known endings, so that none is a name.
std::string_view ending_of(std::string_view path) {
  for (const std::string_view ending : {".py", ".cpp", ".cu", ".cuh", ".cc", ".c", ".h", ".hpp"})
    if (path.ends_with(ending)) return ending;
  return {};
}

bool says_nothing(TextId text, std::string_view letters) {
  return text.value < known_texts.size() || letters == "??" || letters == "N/A" ||
         letters == failure_marker;
}

/// Such as `fx_node_op`, as people name fields; a path or a title is no identifier.
bool is_identifier(std::string_view letters) {
  const auto is_letter = [](char letter) {
    return letter == '_' || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9');
  };
  return !letters.empty() && std::all_of(letters.begin(), letters.end(), is_letter);
}

}  // namespace

TextId AnonymizedRecording::name_for(TextId text, Kind kind) {
  if (says_nothing(text, tables_.texts.text(text))) return text;
  const auto [place, is_new] = texts_.try_emplace({kind, text});
  if (is_new) place->second = tables_.texts.intern(new_name(text, kind));
  return place->second;
}

std::string AnonymizedRecording::new_name(TextId text, Kind kind) {
  std::string name(prefixes[static_cast<std::size_t>(kind)]);
  name += std::to_string(++counts_[kind]);
  if (kind == Kind::file) name += ending_of(tables_.texts.text(text));
  return name;
}

FrameId AnonymizedRecording::name_frame(FrameId id) {
  const auto [place, is_new] = frames_.try_emplace(id);
  if (!is_new) return place->second;
  FrameValue frame = tables_.frames.frame(id);
  if (const auto file = file_in_pytorch(frame, tables_.texts)) {
    frame.filename = tables_.texts.intern(*file);
  } else {
    frame.name = name_for(frame.name, Kind::function);
    frame.filename = name_for(frame.filename, Kind::file);
  }
  name_fields(frame.unknown);
  return place->second = tables_.frames.intern(frame);
}

StackId AnonymizedRecording::name_frames(StackId stack) {
  const auto [place, is_new] = stacks_.try_emplace(stack);
  if (!is_new) return place->second;
  const auto frames = tables_.stacks.frames(stack);
  std::vector<FrameId> named(frames.begin(), frames.end());
  for (FrameId& frame : named) frame = name_frame(frame);
  return place->second = tables_.stacks.intern(named);
}

TextId AnonymizedRecording::name_key(TextId key) {
  return is_identifier(tables_.texts.text(key)) ? key : name_for(key, Kind::text);
}

void AnonymizedRecording::name_fields(std::vector<UnknownField>& fields) {
  for (UnknownField& field : fields) {
    field.key = name_key(field.key);
    field.value = name_value(field.value);
  }
}

/// Depth is bounded by deepest_generic_value, so this may call itself.
GenericPointer AnonymizedRecording::name_value(const GenericPointer& value) {
  if (const auto known = values_.find(value.get()); known != values_.end())
    return known->second.new_value;
  auto named = std::make_shared<const GenericValue>(named_parts(*value));
  // A value that nobody else holds comes once.
  if (value.use_count() > 1) values_[value.get()] = {value, named};
  return named;
}

GenericValue AnonymizedRecording::named_parts(const GenericValue& value) {
  GenericValue named = value;
  if (auto* text = std::get_if<TextId>(&named.content)) {
    *text = name_for(*text, Kind::text);
  } else if (auto* items = items_of(named)) {
    for (GenericPointer& item : *items) item = name_value(item);
  } else if (auto* dict = std::get_if<GenericDict>(&named.content)) {
    for (auto& [key, item] : dict->items) {
      const auto* name = std::get_if<TextId>(&key->content);
      const bool stays = name != nullptr && name_key(*name) == *name;
      if (!stays) key = name_value(key);
      item = name_value(item);
    }
  }
  return named;
}

TextId AnonymizedRecording::name_path(TextId path) {
  std::string named;
  std::string part;
  const std::string text(tables_.texts.text(path));
  const auto end_part = [&] {
    const bool tells_nothing = part.find_first_not_of("0123456789") == std::string::npos;
    if (!tells_nothing) part = tables_.texts.text(name_for(tables_.texts.intern(part), Kind::text));
    named += part;
    part.clear();
  };
  for (const char c : text) {
    if (c != '.') {
      part += c;
      continue;
    }
    end_part();
    named += c;
  }
  end_part();
  return tables_.texts.intern(named);
}

GenericPointer AnonymizedRecording::name_kinds(const GenericPointer& notes) {
  const GenericValue* const names = find_item(*notes, "names", tables_.texts);
  const auto* list = names == nullptr ? nullptr : items_of(*names);
  if (list == nullptr) return name_value(notes);
  GenericList named;
  for (const GenericPointer& name : *list) {
    const auto* text = std::get_if<TextId>(&name->content);
    named.items.push_back(text == nullptr ? name_value(name) : make_generic(name_path(*text)));
  }
  return with_item(*notes, "names", make_generic(std::move(named)), tables_.texts);
}

void AnonymizedRecording::segment(const SegmentValue& segment) {
  SegmentValue named = segment;
  named.stack = name_frames(named.stack);
  name_fields(named.unknown);
  for (BlockValue& block : named.blocks) {
    block.stack = name_frames(block.stack);
    name_fields(block.unknown);
    for (HistoryEntry& entry : block.history) {
      entry.stack = name_frames(entry.stack);
      name_fields(entry.unknown);
    }
  }
  recorded_.segment(named);
}

void AnonymizedRecording::trace_entry(DeviceIndex device, const TraceEntry& entry) {
  TraceEntry named = entry;
  named.stack = name_frames(named.stack);
  for (TextId* text :
       {&named.compile_context, &named.user_metadata, &named.internal_metadata, &named.category})
    *text = name_for(*text, Kind::metadata);
  for (TextId& frame : named.forward_frames) frame = name_for(frame, Kind::function);
  name_fields(named.unknown);
  recorded_.trace_entry(device, named);
}

void AnonymizedRecording::annotation(const AnnotationValue& annotation) {
  AnnotationValue named = annotation;
  named.name = name_for(named.name, Kind::annotation);
  name_fields(named.unknown);
  recorded_.annotation(named);
}

void AnonymizedRecording::header(const TraceHeader& header) {
  TraceHeader named = header;
  if (!named.origin.empty()) named.origin = "anonymized";
  program_.header(named);
}

void AnonymizedRecording::program_event(const ProgramEvent& event) {
  ProgramEvent named = event;
  named.stack = name_frames(named.stack);
  // The option string is no name.
  if (has_text(named.kind) && named.kind != ProgramEventKind::options)
    named.text = name_for(named.text, Kind::annotation);
  program_.program_event(named);
}

}  // namespace vramlab::traces
