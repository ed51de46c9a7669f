#include "traces/pickle/snapshot_pickle.h"

#include "traces/pickle/snapshot_pickle_walker.h"

namespace vramlab::traces {
namespace {

using Kind = PickleTokenKind;

/// The top of a snapshot: its sections, in any order.
class SectionReader {
 public:
  SectionReader(PickleInput input, SnapshotTables& tables, SnapshotSink& sink)
      : walker_(input, tables), tokens_(walker_.tokens), sink_(sink), entry_(walker_.event) {}

  PickleFacts read() {
    PickleToken first = tokens_.next();
    if (first.kind == Kind::proto) {
      constexpr std::uint64_t newest_protocol = 5;
      if (first.number > newest_protocol)
        tokens_.fail("a pickle of protocol 0 to 5", "protocol " + std::to_string(first.number));
      facts_.protocol = static_cast<std::uint32_t>(first.number);
      first = tokens_.next();
    }
    if (first.kind == Kind::empty_dict) {
      read_top_dict();
    } else if (first.kind == Kind::empty_list) {
      sink_.bare_list();
      mark_section(SnapshotSection::segments);
      read_values<SegmentValue>();
    } else {
      walker_.fail_at(first, "a snapshot: a dict, or a list of segments");
    }
    walker_.expect(Kind::stop);
    facts_.bytes = tokens_.bytes_taken();
    return facts_;
  }

 private:
  void read_top_dict() {
    const auto put = walker_.values.take_put();
    if (put) walker_.values.store(*put, {MemoKind::passed, 0});
    // Python stores a dict before it fills it, PyTorch's own pickler afterwards if at all.
    facts_.producer = put ? PickleProducer::python : PickleProducer::cpp;
    for (bool has_more = true; has_more;) {
      if (tokens_.peek() == PickleOpcode::mark) {
        tokens_.take_peeked();
        read_marked_sections();
      } else {
        has_more = walker_.read_unmarked_item(
            [this](TextId key) { return read_section(key); },
            [this](TextId key, const GenericPointer& value) { give_generic(key, value); });
      }
    }
    walker_.values.store_if_put({MemoKind::passed, 0});
  }

  void read_marked_sections() {
    while (true) {
      const PickleToken token = tokens_.next();
      if (token.kind == Kind::setitems) return;
      const auto key = walker_.values.text_of(token);
      if (!key) walker_.fail_at(token, "a text as key");
      if (read_section(*key)) continue;
      const auto collected = walker_.values.collect(PickleValues::StopAt::section_key);
      walker_.give_collected(*key, collected, [this](TextId text, const GenericPointer& value) {
        give_generic(text, value);
      });
      if (collected.ended_by == Kind::setitems) return;
      if (collected.ended_by != Kind::text)
        tokens_.fail("the end of a dict's items",
                     std::string(pickle_token_name(collected.ended_by)));
    }
  }

  bool read_section(TextId text) {
    const auto section = section_of(text);
    if (!section || *section == SnapshotSection::allocator_settings) return false;
    if (tokens_.next().kind != Kind::empty_list) {
      tokens_.push_back();
      return false;
    }
    mark_section(*section);
    read_list_section(*section);
    return true;
  }

  void read_list_section(SnapshotSection section) {
    if (section == SnapshotSection::segments)
      read_values<SegmentValue>();
    else if (section == SnapshotSection::device_traces)
      read_device_traces();
    else
      read_values<AnnotationValue>();
  }

  template <typename Value>
  void read_values() {
    walker_.values.store_if_put({MemoKind::passed, 0});
    walker_.read_list(Kind::empty_dict, [&](const PickleToken& item) {
      Value value;
      walker_.read_value(item, value);
      give(value);
    });
    walker_.values.store_if_put({MemoKind::passed, 0});
  }

  void read_device_traces() {
    walker_.values.store_if_put({MemoKind::passed, 0});
    DeviceIndex device;
    walker_.read_list(Kind::empty_list, [&](const PickleToken& item) {
      sink_.device_trace(device);
      read_trace(item, device);
      ++device.value;
    });
    walker_.values.store_if_put({MemoKind::passed, 0});
  }

  void read_trace(const PickleToken& first, DeviceIndex device) {
    if (first.kind == Kind::get) return give_trace(walker_.values.generic_of(first), device);
    if (first.kind != Kind::empty_list) walker_.fail_at(first, "a device's list of events");
    walker_.values.store_if_put({MemoKind::passed, 0});
    walker_.read_list(Kind::empty_dict, [&](const PickleToken& item) { read_entry(item, device); });
    walker_.values.store_if_put({MemoKind::passed, 0});
  }

  void read_entry(const PickleToken& first, DeviceIndex device) {
    // Reset by hand: the vectors keep their memory, and they are mostly empty.
    entry_.keys = {};
    entry_.address = {};
    entry_.device_free = {};
    entry_.size = {};
    entry_.pool = {};
    entry_.pool_is_list = false;
    entry_.stack = {};
    entry_.time_us = 0;
    entry_.stream = {};
    entry_.compile_context = entry_.user_metadata = entry_.internal_metadata = entry_.category = {};
    if (!entry_.forward_frames.empty()) entry_.forward_frames.clear();
    if (!entry_.unknown.empty()) entry_.unknown.clear();
    walker_.read_value(first, entry_);
    keep_if_no_time(entry_);
    if (!entry_.keys.has(KnownText::action)) tokens_.fail("an event with an 'action'", "none");
    sink_.trace_entry(device, entry_);
  }

  void give(SegmentValue& segment) {
    count_up_addresses(segment);
    sink_.segment(segment);
  }

  void give(const AnnotationValue& annotation) { sink_.annotation(annotation); }

  void give_generic(TextId text, const GenericPointer& value) {
    const auto section = section_of(text);
    if (!section) return sink_.unknown_section(text, value);
    mark_section(*section);
    give_section(*section, value);
  }

  void give_section(SnapshotSection section, const GenericPointer& value) {
    switch (section) {
      case SnapshotSection::segments:
        return give_values<SegmentValue>(items_of(value, section));
      case SnapshotSection::external_annotations:
        return give_values<AnnotationValue>(items_of(value, section));
      case SnapshotSection::device_traces: {
        DeviceIndex device;
        for (const GenericPointer& trace : items_of(value, section)) {
          sink_.device_trace(device);
          give_trace(trace, device);
          ++device.value;
        }
        return;
      }
      case SnapshotSection::allocator_settings:
        if (!std::holds_alternative<GenericDict>(value->content))
          tokens_.fail("a dict under 'allocator_settings'", walker_.values.found(*value));
        sink_.settings(value);
    }
  }

  template <typename Value>
  void give_values(const std::vector<GenericPointer>& items) {
    for (const GenericPointer& item : items) {
      Value value;
      walker_.fill_from_generic(item, value);
      give(value);
    }
  }

  void give_trace(const GenericPointer& trace, DeviceIndex device) {
    for (const GenericPointer& item : items_of(trace, SnapshotSection::device_traces)) {
      entry_ = {};
      walker_.fill_from_generic(item, entry_);
      sink_.trace_entry(device, entry_);
    }
  }

  const std::vector<GenericPointer>& items_of(const GenericPointer& value,
                                              SnapshotSection section) {
    const auto* list = std::get_if<GenericList>(&value->content);
    if (list == nullptr)
      tokens_.fail("a list under '" + std::string(known_text(key_of(section))) + "'",
                   walker_.values.found(*value));
    return list->items;
  }

  void mark_section(SnapshotSection section) {
    const KnownText key = key_of(section);
    if (sections_.has(key))
      tokens_.fail("each key once", "the key '" + std::string(known_text(key)) + "' again");
    sections_.add(key);
    sink_.section(section);
  }

  SnapshotPickleWalker walker_;
  PickleTokens& tokens_;
  SnapshotSink& sink_;
  KeySet sections_;
  TraceEntry& entry_;
  PickleFacts facts_;
};

}  // namespace

PickleFacts read_snapshot_pickle(ByteSource& source, const std::string& file,
                                 SnapshotTables& tables, SnapshotSink& sink) {
  return SectionReader({source, file}, tables, sink).read();
}

}  // namespace vramlab::traces
