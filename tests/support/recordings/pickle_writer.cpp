#include "tests/support/recordings/pickle_writer.h"

#include <bit>
#include <map>

namespace vramlab::support {
namespace {

enum class PickleStyle { python, cpp, protocol_1, protocol_0 };

class PickleWriter {
 public:
  explicit PickleWriter(PickleStyle style) : style_(style) {
    if (style == PickleStyle::python) bytes = "\x80\x04";
    if (style == PickleStyle::cpp) bytes = "\x80\x02";
  }

  void write(const PickleTree& tree) {
    if (tree.is_object()) return write_dict(tree);
    if (tree.is_array()) return write_list(tree);
    if (tree.is_string()) return write_text(tree.get<std::string>());
    if (tree.is_boolean()) return write_boolean(tree.get<bool>());
    if (tree.is_number_float()) return write_real(tree.get<double>());
    if (tree.is_number()) return write_number(tree);
    add('N');
  }

  std::string bytes;

 private:
  bool is_python() const { return style_ != PickleStyle::cpp; }
  bool is_text() const { return style_ == PickleStyle::protocol_0; }
  bool is_old() const { return is_text() || style_ == PickleStyle::protocol_1; }
  void add(char opcode) { bytes += opcode; }

  template <typename Number>
  void add_number(Number number) {
    for (std::size_t i = 0; i < sizeof number; ++i)
      bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
  }

  void write_boolean(bool value) {
    if (is_old())
      bytes += value ? "I01\n" : "I00\n";
    else
      add(value ? '\x88' : '\x89');
  }

  void write_line(char opcode, const std::string& line) { bytes += opcode + line + "\n"; }

  /// True for a number that is written as letters.
  bool write_number_line(const PickleTree& tree) {
    const bool is_small =
        tree.get<std::int64_t>() >= INT32_MIN && tree.get<std::int64_t>() <= INT32_MAX;
    if (!is_old() || (is_small && !is_text())) return false;
    write_line(is_small ? 'I' : 'L', tree.dump() + (is_small ? "" : "L"));
    return true;
  }

  void write_real(double real) {
    if (is_text()) return write_line('F', PickleTree(real).dump());
    add('G');
    const auto bits = std::bit_cast<std::uint64_t>(real);
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(bits >> shift);
  }

  void write_number(const PickleTree& tree) {
    if (write_number_line(tree)) return;
    const bool is_large = tree.is_number_unsigned() && tree.get<std::uint64_t>() > INT64_MAX;
    if (is_large) {
      bytes += "\x8a\x09";
      add_number(tree.get<std::uint64_t>());
      bytes += '\0';
      return;
    }
    const auto number = tree.get<std::int64_t>();
    if (number >= 0 && number <= UINT8_MAX) {
      add('K');
      add_number(static_cast<std::uint8_t>(number));
    } else if (number >= 0 && number <= UINT16_MAX) {
      add('M');
      add_number(static_cast<std::uint16_t>(number));
    } else if (number >= INT32_MIN && number <= INT32_MAX) {
      add('J');
      add_number(static_cast<std::int32_t>(number));
    } else {
      bytes += "\x8a\x08";
      add_number(number);
    }
  }

  void write_text(const std::string& text) {
    const std::string key = "text " + text;
    if (refer_to(key)) return;
    if (is_text()) {
      write_line('V', text);
      return store(key);
    }
    if (style_ == PickleStyle::python) {
      add('\x8c');
      add_number(static_cast<std::uint8_t>(text.size()));
    } else {
      add('X');
      add_number(static_cast<std::uint32_t>(text.size()));
    }
    bytes += text;
    store(key);
  }

  bool refer_to(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return false;
    if (is_text()) {
      write_line('g', std::to_string(found->second));
    } else {
      add('h');
      add_number(static_cast<std::uint8_t>(found->second));
    }
    return true;
  }

  /// An empty key is found by nobody.
  void store(const std::string& key) {
    if (style_ == PickleStyle::python) {
      add('\x94');
    } else if (is_text()) {
      write_line('p', std::to_string(place_count_));
    } else {
      add('q');
      add_number(static_cast<std::uint8_t>(place_count_));
    }
    if (!key.empty()) places_[key] = place_count_;
    ++place_count_;
  }

  void write_dict(const PickleTree& tree) {
    const bool is_frame = tree.contains("filename");
    const std::string key = is_frame ? "frame " + tree.dump() : "";
    if (is_frame && refer_to(key)) return;
    bytes += is_text() ? "(d" : "}";
    if (is_python()) store(key);
    const bool is_lone = is_text() || (is_python() && tree.size() == 1);
    if (!is_lone && !(is_python() && tree.empty())) add('(');
    for (const auto& [name, value] : tree.items()) {
      write_text(name);
      if (name == "pool_id" || name == "segment_pool_id")
        write_pool(value);
      else if (name == "frames")
        write_frames(value);
      else
        write(value);
      if (is_lone) add('s');
    }
    if (is_lone) return;
    if (!is_python() || !tree.empty()) add('u');
    if (!is_python() && is_frame) store(key);
  }

  void write_list(const PickleTree& tree) {
    bytes += is_text() ? "(l" : "]";
    if (is_python()) store("");
    write_items(tree);
  }

  void write_items(const PickleTree& tree) {
    const bool is_lone = is_text() || (is_python() && tree.size() == 1);
    if (is_python() && tree.empty()) return;
    if (!is_lone) add('(');
    for (const auto& item : tree) {
      write(item);
      if (is_lone) add('a');
    }
    if (!is_lone) add('e');
  }

  void write_frames(const PickleTree& tree) {
    const std::string key = "stack " + tree.dump();
    if (refer_to(key)) return;
    bytes += is_text() ? "(l" : "]";
    if (is_python()) store(key);
    write_items(tree);
    if (!is_python()) store(key);
  }

  void write_pool(const PickleTree& pool) {
    if (is_old()) add('(');
    write(pool.at(0));
    write(pool.at(1));
    add(is_old() ? 't' : '\x86');
    if (is_python()) store("");
  }

  PickleStyle style_;
  std::map<std::string, std::size_t> places_;
  std::size_t place_count_ = 0;
};

std::string pickled(const PickleTree& tree, PickleStyle style) {
  PickleWriter writer(style);
  writer.write(tree);
  return writer.bytes + ".";
}

}  // namespace

std::string python_pickle(const PickleTree& tree) { return pickled(tree, PickleStyle::python); }

std::string cpp_pickle(const PickleTree& tree) { return pickled(tree, PickleStyle::cpp); }

std::string old_pickle(const PickleTree& tree, int protocol) {
  return pickled(tree, protocol == 0 ? PickleStyle::protocol_0 : PickleStyle::protocol_1);
}

PickleTree small_snapshot() {
  return PickleTree::parse(R"({
    "segments": [{"device": 0, "address": 139637976727552, "total_size": 2097152,
      "allocated_size": 512, "active_size": 512, "requested_size": 100, "stream": 7,
      "segment_type": "small", "segment_pool_id": [0, 3], "is_expandable": false, "frames": [],
      "blocks": [
        {"address": 139637976727552, "size": 512, "requested_size": 100,
         "state": "active_allocated",
         "frames": [{"name": "step", "filename": "train.py", "line": 12},
                    {"name": "main", "filename": "train.py", "line": 40}]},
        {"address": 139637976728064, "size": 2096640, "requested_size": 0, "state": "inactive",
         "frames": []}]}],
    "device_traces": [[
        {"action": "segment_alloc", "addr": 139637976727552, "size": 2097152, "stream": 7,
         "time_us": 1763324226776430},
        {"action": "alloc", "addr": 139637976727552, "size": 100, "stream": 7,
         "time_us": 1763324226776431,
         "frames": [{"name": "step", "filename": "train.py", "line": 12},
                    {"name": "main", "filename": "train.py", "line": 40}]},
        {"action": "oom", "device_free": 1048576, "size": 1073741824, "stream": 7,
         "time_us": 1763324226776432}], []],
    "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1,
      "garbage_collection_threshold": 0.25, "roundup_power2_divisions": {"1": 0, "2": 4}},
    "external_annotations": [{"name": "step", "stage": "START", "device": 0,
      "time_us": 1763324226776430}]
  })");
}

}  // namespace vramlab::support
