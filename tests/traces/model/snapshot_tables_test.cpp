// Ids of short texts are those of the table, whichever texts were looked up before.
#include "traces/model/snapshot_tables.h"

#include <gtest/gtest.h>

#include <string>

namespace vramlab::traces {
namespace {

TEST(ShortTexts, every_length_gets_the_id_of_the_table) {
  TextTable table;
  ShortTexts texts(table);
  std::string letters(40 + ShortTexts::longest_short_text, 'x');
  for (int round = 0; round < 2; ++round) {
    for (std::size_t size = 0; size <= 40; ++size) {
      const std::string_view text(letters.data(), size);
      EXPECT_EQ(texts.intern(text), table.intern(text)) << size;
    }
  }
}

TEST(ShortTexts, more_texts_than_it_holds_are_told_apart) {
  TextTable table;
  ShortTexts texts(table);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 10000; ++i) {
      const std::string text = std::to_string(i);
      const std::string padded = text + std::string(ShortTexts::longest_short_text, '"');
      EXPECT_EQ(table.text(texts.intern({padded.data(), text.size()})), text);
    }
  }
}

TEST(ShortTexts, known_texts_keep_their_numbers) {
  TextTable table;
  ShortTexts texts(table);
  for (const std::string_view known : known_texts) {
    const std::string padded =
        std::string(known) + std::string(ShortTexts::longest_short_text, '"');
    EXPECT_EQ(table.text(texts.intern({padded.data(), known.size()})), known);
  }
  EXPECT_EQ(table.count(), known_texts.size());
}

TEST(ShortTexts, texts_that_end_in_zeros_are_told_apart) {
  TextTable table;
  ShortTexts texts(table);
  const std::string letters = "a" + std::string(2 * ShortTexts::longest_short_text, '\0');
  for (std::size_t size = 1; size <= ShortTexts::longest_short_text; ++size)
    EXPECT_EQ(table.text(texts.intern({letters.data(), size})).size(), size);
}

}  // namespace
}  // namespace vramlab::traces
