// Numbers of the host, for the program's side, which computes values that it knows.
#include "tools/cuda_standins/model/ordered_numbers.h"
#include "tools/cuda_standins/driver/driver_call.h"
#include "tools/cuda_standins/notes/notes.h"

using namespace vramlab::dry_run;  // NOLINT(google-build-using-namespace)

namespace {

std::int64_t* as_places(long long* places) { return reinterpret_cast<std::int64_t*>(places); }

/// -1 for nothing.
long long as_answer(std::optional<std::uint64_t> number) {
  return number ? static_cast<long long>(*number) : -1;
}

}  // namespace

STAND_IN_EXPORT int vramlab_dry_run_sort(int kind, const void* numbers, unsigned long long rows,
                                         unsigned long long count, int is_descending, void* sorted,
                                         long long* places) {
  const auto known = number_kind(kind);
  if (!known) return 0;
  sort_rows({*known, numbers, rows, count},
            is_descending != 0 ? SortOrder::descending : SortOrder::ascending, sorted,
            as_places(places));
  return 1;
}

STAND_IN_EXPORT unsigned long long vramlab_dry_run_unique(int kind, const void* numbers,
                                                          unsigned long long rows,
                                                          unsigned long long count, void* unique,
                                                          long long* places, long long* counts) {
  const auto known = number_kind(kind);
  if (!known) return 0;
  const UniqueResults to{unique, as_places(places), as_places(counts)};
  return count == 1 ? find_unique({*known, numbers, 1, rows}, to)
                    : find_unique_rows({*known, numbers, rows, count}, to);
}

STAND_IN_EXPORT unsigned long long vramlab_dry_run_pick(const void* mask, unsigned long long count,
                                                        const void* pieces,
                                                        unsigned long long bytes, void* picked) {
  return pick(static_cast<const std::uint8_t*>(mask), count, pieces, bytes, picked);
}

STAND_IN_EXPORT long long vramlab_dry_run_repeat(int kind, const void* counts,
                                                 unsigned long long count, const void* pieces,
                                                 unsigned long long bytes, void* repeated) {
  const auto known = number_kind(kind);
  if (!known) return -1;
  return as_answer(pieces == nullptr
                       ? repeat(*known, counts, count, repeated)
                       : repeat_pieces(*known, counts, count, pieces, bytes, repeated));
}

STAND_IN_EXPORT void vramlab_dry_run_tile(const void* pieces, unsigned long long count,
                                          unsigned long long bytes, unsigned long long times,
                                          void* tiled) {
  tile(pieces, count, bytes, times, tiled);
}

STAND_IN_EXPORT long long vramlab_dry_run_count_classes(int kind, const void* places,
                                                        unsigned long long count) {
  const auto known = number_kind(kind);
  return as_answer(known ? count_classes(*known, places, count) : std::nullopt);
}

STAND_IN_EXPORT int vramlab_dry_run_mark(int kind, const void* places, unsigned long long count,
                                         unsigned long long classes, long long* marks) {
  const auto known = number_kind(kind);
  return known && mark(*known, places, count, classes, as_places(marks)) ? 1 : 0;
}

STAND_IN_EXPORT int vramlab_dry_run_count_in_bins(int kind, const void* numbers,
                                                  unsigned long long count, long long least,
                                                  long long most, unsigned long long bins,
                                                  void* counts) {
  const auto known = number_kind(kind);
  if (!known || count == 0 || bins == 0) return 0;
  return count_in_bins({*known, numbers, 1, count}, {least, most}, bins, counts) ? 1 : 0;
}

STAND_IN_EXPORT int vramlab_dry_run_draw(int kind, const void* numbers, unsigned long long rows,
                                         unsigned long long count, unsigned long long first,
                                         unsigned long long draws, long long* places) {
  const auto known = number_kind(kind);
  if (!known) return 0;
  draw({*known, numbers, rows, count}, first, draws, as_places(places));
  return 1;
}
