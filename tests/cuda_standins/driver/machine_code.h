// Machine code of one kernel in the form of ELF, without instructions: what a driver reads of it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tools/cuda_standins/code/kernel_facts.h"

namespace vramlab::dry_run {

class MachineCode {
 public:
  MachineCode(const std::string& kernel, const KernelFacts& facts) {
    constexpr std::uint32_t symbols = 2;
    constexpr std::uint32_t texts = 3;
    add({});
    add({"", std::string(1, '\0') + kernel + '\0', 3});
    add({"", std::string(24, '\0') + words({1, 0, 0, 0, 0, 0}), 2, 1});
    add({"", "", 3});  // names of sections, below
    add({".text." + kernel, "", 1, 0, static_cast<std::uint32_t>(facts.registers) << 24});
    add({".nv.shared." + kernel, std::string(facts.shared_bytes, '\0'), without_bytes});
    const auto stack = static_cast<std::uint32_t>(facts.stack_bytes);
    add({".nv.info", note(0x2f, {1, 0}) + note(0x11, {1, stack}), 0x70000000, symbols});
    std::string notes;
    if (facts.most_threads > 0)
      notes += note(5, {static_cast<std::uint32_t>(facts.most_threads), 1, 1});
    for (std::uint32_t number = 0; number < facts.parameter_bytes.size(); ++number)
      notes +=
          note(0x17, {0, number, static_cast<std::uint32_t>(facts.parameter_bytes[number]) << 18U});
    add({".nv.info." + kernel, notes, 0x70000000, symbols});
    add({".nv.constant3", std::string(facts.constant_bytes, '\0'), 1});
    finish(texts);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::uint32_t without_bytes = 8;
  static constexpr std::size_t header_bytes = 64;

  struct Section {
    std::string name;
    std::string content;
    std::uint32_t type = 0;
    std::uint32_t link = 0;
    std::uint32_t info = 0;
  };

  static std::string words(std::initializer_list<std::uint32_t> values) {
    std::string text;
    for (const std::uint32_t value : values) text.append(reinterpret_cast<const char*>(&value), 4);
    return text;
  }
  static std::string note(std::uint8_t attribute, std::initializer_list<std::uint32_t> values) {
    return std::string{'\4', static_cast<char>(attribute), static_cast<char>(4 * values.size()),
                       '\0'} +
           words(values);
  }
  void add(const Section& section) { sections_.push_back(section); }

  template <class Value>
  void put(std::size_t at, Value value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  void finish(std::uint32_t texts) {
    std::string& names = sections_[texts].content = std::string(1, '\0');
    std::vector<std::uint32_t> name_places;
    for (const Section& section : sections_) {
      name_places.push_back(section.name.empty() ? 0 : static_cast<std::uint32_t>(names.size()));
      if (!section.name.empty()) names += section.name + '\0';
    }
    const std::size_t table = header_bytes;
    bytes_.resize(table + sections_.size() * header_bytes);
    std::memcpy(bytes_.data(), "\177ELF\2\1\1", 7);
    put(40, std::uint64_t{table});
    put(60, static_cast<std::uint16_t>(sections_.size()));
    put(62, static_cast<std::uint16_t>(texts));
    for (std::size_t place = 0; place < sections_.size(); ++place) {
      const Section& section = sections_[place];
      const std::size_t at = table + place * header_bytes;
      put(at, name_places[place]);
      put(at + 4, section.type);
      put(at + 24, std::uint64_t{bytes_.size()});
      put(at + 32, std::uint64_t{section.content.size()});
      put(at + 40, section.link);
      put(at + 44, section.info);
      if (section.type != without_bytes) bytes_ += section.content;
    }
  }

  std::vector<Section> sections_;
  std::string bytes_;
};

}  // namespace vramlab::dry_run
