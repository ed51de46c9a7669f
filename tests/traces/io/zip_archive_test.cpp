// A recording in a zip archive, and archives of other things.
#include "traces/io/zip_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/kit/dribbling_source.h"
#include "tests/support/recordings/zip_writer.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

using support::zip_archive;
using support::ZipStyle;
using testing::HasSubstr;

std::string content_of_zip(std::unique_ptr<ByteSource> archive) {
  try {
    return read_all({"file", {}, open_zip_member(std::move(archive), "file"), {}});
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string file_in_zip(const std::string& archive) {
  return content_of_zip(std::make_unique<support::DribblingSource>(archive, 1000));
}

const std::string long_content(100'000, 'x');

TEST(ZipArchive, gives_the_only_file_as_it_was) {
  for (const ZipStyle style : {ZipStyle::stored, ZipStyle::deflated}) {
    EXPECT_EQ(file_in_zip(zip_archive({{"a.pickle", "bytes"}}, style)), "bytes");
    EXPECT_EQ(file_in_zip(zip_archive({{"a.pickle", long_content}}, style)), long_content);
    EXPECT_EQ(
        file_in_zip(zip_archive({{"f/", ""}, {"f/a", "bytes"}, {"__MACOSX/._a", "x"}}, style)),
        "bytes");
  }
}

TEST(ZipArchive, gives_the_pickle_that_torch_save_wrote) {
  EXPECT_EQ(file_in_zip(support::torch_save_archive("pickle")), "pickle");
}

TEST(ZipArchive, may_come_from_a_pipe_and_be_read_again) {
  const std::string archive = zip_archive({{"a", long_content}}, ZipStyle::deflated);
  EXPECT_EQ(content_of_zip(std::make_unique<support::PipedSource>(archive, 1000)), long_content);
  const auto member =
      open_zip_member(std::make_unique<support::PipedSource>(archive, 1000), "file");
  EXPECT_EQ(read_all({"file", {}, member->reopen(), {}}), long_content);
}

TEST(ZipArchive, has_a_comment_at_its_end) {
  std::string archive = zip_archive({{"a", "bytes"}}, ZipStyle::deflated);
  archive[archive.size() - 2] = 7;
  EXPECT_EQ(file_in_zip(archive + "comment"), "bytes");
}

TEST(ZipArchive, of_other_things_is_refused_by_what_it_holds) {
  EXPECT_THAT(file_in_zip(zip_archive({{"m/data.pkl", ""}, {"m/data/0", ""}, {"m/data/1", ""}},
                                      ZipStyle::stored)),
              HasSubstr("an archive of torch.save with 2 tensors, such as the weights of a model"));
  EXPECT_THAT(file_in_zip(zip_archive({{"a.npy", ""}, {"b.npy", ""}}, ZipStyle::stored)),
              HasSubstr("an archive of 2 files, the first 'a.npy'"));
  EXPECT_THAT(file_in_zip(zip_archive({}, ZipStyle::stored)),
              HasSubstr("an archive without files"));
}

TEST(ZipArchive, that_is_damaged_is_refused) {
  for (const ZipStyle style : {ZipStyle::stored, ZipStyle::deflated}) {
    const std::string archive = zip_archive({{"a", "some bytes"}}, style);
    for (std::size_t kept = 0; kept < archive.size(); ++kept)
      EXPECT_THAT(file_in_zip(archive.substr(0, kept)),
                  HasSubstr("a whole zip archive, found damaged or cut-off data"))
          << kept;
  }
}

TEST(ZipArchive, is_refused_for_any_changed_byte_or_read_as_before) {
  const std::string archive = zip_archive({{"a", "some bytes"}}, ZipStyle::stored);
  for (std::size_t at = 0; at < archive.size(); ++at)
    for (const char changed : {'\x00', '\x01', '\x7f', '\xff'}) {
      std::string bytes = archive;
      bytes[at] = changed;
      const std::string found = file_in_zip(bytes);
      EXPECT_TRUE(found.starts_with("file") || found.size() <= archive.size()) << at;
    }
}

TEST(ZipArchive, with_a_password_is_refused) {
  std::string archive = zip_archive({{"a", "some bytes"}}, ZipStyle::deflated);
  archive[archive.rfind("PK\x01\x02") + 8] = 1;
  EXPECT_THAT(file_in_zip(archive), HasSubstr("a zip archive without a password"));
}

}  // namespace
}  // namespace vramlab::traces
