// The grammar that knows the reserves of expandable segments, which 2.15 has. Each string here was
// given to PyTorch 2.15.0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/options/size_rules.h"
#include "tests/support/kit/option_strings.h"

namespace vramlab::allocator {
namespace {

using namespace literals;
using Kind = SettingsErrorKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using Unit = AddressReserve::Unit;

constexpr std::string_view reserve_option = "expandable_segments_reserve";
constexpr std::string_view by_class_option = "expandable_segments_reserve_by_class";
constexpr Bytes a100{84987084800};

/// The addresses of a segment of small requests under the option.
Bytes reserved_with(const std::string& value) {
  const Settings settings = support::accepted_as("2.15", "expandable_segments_reserve:" + value);
  return reservation_size(a100, 2_MiB, settings.expandable_reserve);
}

TEST(ExpandableReserve, is_a_share_of_the_device_or_a_number_of_gibibytes) {
  EXPECT_EQ(reserved_with("1G"), 1_GiB);
  EXPECT_EQ(reserved_with("1.5G"), 1536_MiB);
  EXPECT_EQ(reserved_with("1g"), 1_GiB);
  EXPECT_EQ(reserved_with("0.5"), Bytes{42494590976});
  EXPECT_EQ(reserved_with("1"), Bytes{84987084800});
  EXPECT_EQ(reserved_with("1e-3"), Bytes{85983232});
}

TEST(ExpandableReserve, is_made_of_whole_units_after_a_part_of_a_byte_is_cut_off) {
  EXPECT_EQ(reserved_with("0.00001"), 2_MiB);
  EXPECT_EQ(reserved_with("0.0019531250000001G"), 2_MiB);
  EXPECT_EQ(reserved_with("0.001953126G"), 4_MiB);
  const Settings settings = support::accepted_as("2.15", "expandable_segments_reserve:1G");
  EXPECT_EQ(reservation_size(a100, 20_MiB, settings.expandable_reserve), 1040_MiB);
}

TEST(ExpandableReserve, is_nine_eighths_of_the_device_at_most) {
  for (const char* value : {"2", "1.125", "1000G", "1e30G", "1e300", "1e308G", "5."})
    EXPECT_EQ(reserved_with(value), Bytes{95611256832}) << value;
}

TEST(ExpandableReserve, has_numbers_that_are_read_to_their_end) {
  EXPECT_EQ(reserved_with("+0.5"), reserved_with("0.5"));
  EXPECT_EQ(reserved_with(".5"), reserved_with("0.5"));
  EXPECT_EQ(reserved_with("5\tG"), 5_GiB);
  for (const char* value :
       {"0", "-1",     "-0",    "abc", "0.5x", "1GB", "512M", "inf", "nan", "infG",
        "G", "0x1p-1", "1e400", "1G2", "1GG",  "-1G", "++1G", "+-1", "1e",  "1d0"}) {
    const ParsedSettings parsed =
        support::parse_as("2.15", std::string(reserve_option) + ":" + value);
    EXPECT_FALSE(parsed.error) << value;
    EXPECT_THAT(parsed.ignored, ElementsAre(HasSubstr(std::string("'") + value + "'")));
  }
}

TEST(ExpandableReserve, keeps_its_value_where_another_is_passed_over_or_not_named) {
  const Settings first = support::accepted_as("2.15", "expandable_segments_reserve:1G");
  EXPECT_EQ(first.expandable_reserve, (AddressReserve{1, Unit::gibibytes}));
  for (const char* text : {"expandable_segments_reserve:x", "expandable_segments:True", ""})
    EXPECT_EQ(support::accepted_as("2.15", text, first).expandable_reserve,
              first.expandable_reserve);
}

TEST(ExpandableReserve, is_unknown_before_2_15) {
  for (const char* version : {"2.6", "2.12", "2.12.1", "2.13", "2.14"})
    for (const std::string_view option : {reserve_option, by_class_option})
      support::refused_as(version, std::string(option) + ":0.5", Kind::unknown_option, option);
}

TEST(ReservesByClass, are_a_list_of_names_with_a_reserve_each) {
  for (const char* list : {"[a:1G,b:2G]", "[]", "[a:1G,]", "[a:1G,a:2G]", "[ a : 0.5 ]", "[a:1G]]"})
    EXPECT_EQ(
        support::accepted_as("2.15", std::string(by_class_option) + ":" + list).expandable_reserve,
        std::nullopt)
        << list;
  for (const char* list : {"[a:x,b:2G]", "[a:0,b:2G]", "[a:,b:2G]"})
    EXPECT_THAT(support::parse_as("2.15", std::string(by_class_option) + ":" + list).ignored,
                SizeIs(1))
        << list;
}

TEST(ReservesByClass, are_refused_where_an_entry_is_not_complete) {
  const auto refused = [](std::string_view list, Kind kind) {
    support::refused_as("2.15", std::string(by_class_option) + ":" + std::string(list), kind,
                        by_class_option);
  };
  for (const char* list :
       {"[a]", "[a:]", "[:1G]", "[a:1G,,b:2G]", "[a:1G:b:2G]", "[a::1G]", "[b:2G,a]", "1G", ""})
    refused(list, Kind::missing_value);
  for (const char* list : {"[a:1G", "[a:1G,", "[", "[a:1G,b:"}) refused(list, Kind::unclosed_list);
}

TEST(DeviceTotalFor, is_the_device_whose_share_the_reservation_is) {
  EXPECT_EQ(device_total_for(9_GiB), 8_GiB);
  EXPECT_EQ(device_total_for(9_GiB, AddressReserve{2, Unit::device_memory}), 8_GiB);
  EXPECT_EQ(device_total_for(1_GiB, AddressReserve{0.25, Unit::device_memory}), 4_GiB);
  EXPECT_EQ(device_total_for(1_GiB, AddressReserve{1, Unit::gibibytes}), std::nullopt);
}

}  // namespace
}  // namespace vramlab::allocator
