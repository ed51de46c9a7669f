// One name, one type: two types of one name in one namespace are two meanings for the linker, which
// takes whichever comes first, and no compiler says a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vramlab::tests {

/// The types that a text defines at the top level of a named namespace, written in full. Those in
/// unnamed namespaces are the file's own.
std::vector<std::string> types_defined_in(std::string_view text);

struct TypesOfFile {
  std::string path;
  std::vector<std::string> types;
};

/// Sentences, none if each name has one home.
std::vector<std::string> types_with_two_homes(const std::vector<TypesOfFile>& files);

}  // namespace vramlab::tests
