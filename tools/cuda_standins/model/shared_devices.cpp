#include "tools/cuda_standins/model/shared_devices.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>

namespace vramlab::dry_run {
namespace {

constexpr std::size_t most_sharing_processes = 256;
constexpr std::size_t most_shared_devices = 64;
constexpr std::size_t most_letters_of_name = 88;
constexpr const char* shared_table = "shared_devices";
constexpr const char* shared_log = "shared_devices.log";
/// In the order of SharedUse.
constexpr std::array use_words = {"took", "gave", "refused", "ended"};

/// Bytes of the table's file stand for locks: one for the turn, one for each row.
constexpr std::size_t turn_lock = most_sharing_processes;

struct flock lock_of(std::size_t place, short kind) {
  struct flock lock{};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(place);
  lock.l_len = 1;
  return lock;
}

bool try_lock(int file, std::size_t place) {
  struct flock lock = lock_of(place, F_WRLCK);
  return fcntl(file, F_SETLK, &lock) == 0;
}

class SharedTurn {
 public:
  explicit SharedTurn(int file) : file_(file) {
    struct flock lock = lock_of(turn_lock, F_WRLCK);
    while (fcntl(file_, F_SETLKW, &lock) != 0 && errno == EINTR) {
    }
  }
  SharedTurn(const SharedTurn&) = delete;
  SharedTurn& operator=(const SharedTurn&) = delete;
  ~SharedTurn() {
    struct flock lock = lock_of(turn_lock, F_UNLCK);
    fcntl(file_, F_SETLK, &lock);
  }

 private:
  int file_;
};

std::uint64_t wall_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

int open_shared_file(const std::string& folder, const char* name, int flags) {
  const int file = open((folder + "/" + name).c_str(), flags | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("cannot open " + folder + "/" + name);
  return file;
}

/// The words of the command line in one line, with blanks in between.
void read_command_line(char* text, std::size_t size) {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? 0 : read(file, text, size - 1);
  if (file >= 0) close(file);
  const auto count = static_cast<std::size_t>(std::max<ssize_t>(bytes, 0));
  std::replace_if(
      text, text + count, [](char letter) { return static_cast<unsigned char>(letter) < ' '; },
      ' ');
  text[count] = '\0';
}

}  // namespace

struct SharedDevices::Row {
  std::int64_t process;
  std::uint64_t held[most_shared_devices];
  char name[most_letters_of_name];
};

SharedDevices::SharedDevices(const std::string& folder)
    : table_(open_shared_file(folder, shared_table, O_RDWR)),
      log_(open_shared_file(folder, shared_log, O_WRONLY | O_APPEND)) {
  constexpr std::size_t bytes = most_sharing_processes * sizeof(Row);
  void* const table = ftruncate(table_, bytes) == 0
                          ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, table_, 0)
                          : MAP_FAILED;
  if (table == MAP_FAILED) throw std::runtime_error("cannot use the table in " + folder);
  rows_ = static_cast<Row*>(table);
}

SharedDevices::~SharedDevices() {
  munmap(rows_, most_sharing_processes * sizeof(Row));
  close(log_);
  close(table_);
}

/// Requires: it is this process's turn.
SharedDevices::Row& SharedDevices::own_row() {
  if (process_ == getpid()) return rows_[own_];
  own_ = 0;
  while (own_ < most_sharing_processes && !try_lock(table_, own_)) ++own_;
  if (own_ == most_sharing_processes)
    throw std::runtime_error("more than 256 processes share the devices of a dry run");
  process_ = getpid();
  has_left_ = false;
  Row& row = rows_[own_];
  if (row.process != 0) empty(row);
  row.process = process_;
  read_command_line(row.name, sizeof row.name);
  return row;
}

/// Nobody else may have the lock of a row while its process lives.
bool SharedDevices::is_alive(std::size_t row) const {
  struct flock lock = lock_of(row, F_WRLCK);
  return fcntl(table_, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

void SharedDevices::empty(Row& row) {
  for (std::uint32_t device = 0; device < most_shared_devices; ++device)
    if (row.held[device] != 0) log(row, device, {SharedUse::ended, row.held[device], 0});
  std::memset(&row, 0, sizeof row);
}

std::uint64_t SharedDevices::others_in_turn(std::uint32_t device) {
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < most_sharing_processes; ++i) {
    if (rows_[i].process == 0 || (i == own_ && process_ == getpid())) continue;
    if (is_alive(i))
      others += rows_[i].held[device];
    else
      empty(rows_[i]);
  }
  return others;
}

void SharedDevices::in_turn(std::uint32_t device,
                            const std::function<Change(std::uint64_t others)>& change) {
  const SharedTurn turn(table_);
  Row& row = own_row();
  const Change done = change(others_in_turn(device));
  if (has_left_) return;
  row.held[device] = done.held;
  log(row, device, done);
}

std::uint64_t SharedDevices::held_by_others(std::uint32_t device) {
  const SharedTurn turn(table_);
  return others_in_turn(device);
}

void SharedDevices::leave() {
  if (process_ != getpid() || has_left_) return;
  const SharedTurn turn(table_);
  empty(rows_[own_]);
  has_left_ = true;
}

void SharedDevices::log(const Row& row, std::uint32_t device, const Change& change) const {
  char line[256];
  const int size = std::snprintf(line, sizeof line, "%llu %lld %u %s %llu %llu %s\n",
                                 static_cast<unsigned long long>(wall_clock_ns()),
                                 static_cast<long long>(row.process), device,
                                 use_words.at(static_cast<std::size_t>(change.use)),
                                 static_cast<unsigned long long>(change.bytes),
                                 static_cast<unsigned long long>(change.held), row.name);
  [[maybe_unused]] const ssize_t written = write(log_, line, static_cast<std::size_t>(size));
}

}  // namespace vramlab::dry_run
