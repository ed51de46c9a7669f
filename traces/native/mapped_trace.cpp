#include "traces/native/mapped_trace.h"

#include "traces/native/native_binary.h"

namespace vramlab::traces {
namespace {

class ViewSource : public ByteSource {
 public:
  explicit ViewSource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(char* target, std::size_t count) override {
    const std::size_t got = bytes_.copy(target, count);
    bytes_.remove_prefix(got);
    return got;
  }
  std::unique_ptr<ByteSource> reopen() const override { return nullptr; }

 private:
  std::string_view bytes_;
};

}  // namespace

/// Every place of the layout is a multiple of 8 bytes, so the events can be used as they lie there.
MappedTrace::MappedTrace(const std::string& path)
    : file_(path), records_(tables_, {unused_, header_}) {
  ViewSource source(file_.bytes());
  const auto keep_run = [this](std::uint64_t byte, std::uint64_t count) {
    runs_.emplace_back(reinterpret_cast<const NativeEvent*>(file_.bytes().data() + byte), count);
    event_count_ += count;
  };
  read_native_binary(source, path, records_, keep_run);
}

}  // namespace vramlab::traces
