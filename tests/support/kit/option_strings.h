// Parts that tests of the option string share: parsing by the name of a version, and the
// expectation of an error in one line.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "allocator/options/settings.h"
#include "allocator/types/check.h"
#include "allocator/types/reference_version.h"

namespace vramlab::support {

using allocator::ParsedSettings;
using allocator::Settings;
using allocator::SettingsError;
using allocator::SettingsErrorKind;

inline ParsedSettings parse_as(std::string_view version_name, std::string_view text,
                               const Settings& in_force = {}) {
  const allocator::ReferenceVersion* version = allocator::find_reference_version(version_name);
  check(version != nullptr, "a test names a version that there is");
  return allocator::parse_settings(in_force, text, *version);
}

/// Requires: the string is accepted.
inline Settings accepted_as(std::string_view version_name, std::string_view text,
                            const Settings& in_force = {}) {
  ParsedSettings parsed = parse_as(version_name, text, in_force);
  EXPECT_FALSE(parsed.error) << "'" << text
                             << "': " << parsed.error.value_or(SettingsError{}).message;
  return std::move(parsed.settings);
}

/// Checks the error and returns the settings that the string left behind.
inline Settings refused_as(std::string_view version_name, std::string_view text,
                           SettingsErrorKind kind, std::string_view option,
                           const Settings& in_force = {}) {
  ParsedSettings parsed = parse_as(version_name, text, in_force);
  EXPECT_TRUE(parsed.error) << "'" << text << "' was accepted";
  const SettingsError error = parsed.error.value_or(SettingsError{});
  EXPECT_EQ(settings_error_kind_name(error.kind), settings_error_kind_name(kind))
      << "'" << text << "': " << error.message;
  EXPECT_EQ(error.option, option) << "'" << text << "': " << error.message;
  return std::move(parsed.settings);
}

}  // namespace vramlab::support
