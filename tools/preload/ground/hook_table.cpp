#include "tools/preload/ground/hook_table.h"

#include <array>

namespace vramlab::preload {
namespace {

constexpr std::array<HookRow, hook_count> rows = {{
#define VRAMLAB_HOOK(symbol, type, name, since, meaning, use) \
  {Hook::symbol, #symbol, name, since, DefaultStream::meaning, HookUse::use},
    VRAMLAB_HOOKS
#undef VRAMLAB_HOOK
}};

constexpr bool has_twin(const HookRow& row) {
  for (const HookRow& other : rows)
    if (other.name == row.name && other.if_null != row.if_null) return true;
  return false;
}

constexpr bool answers(const HookRow& row, const DriverQuery& query) {
  if (row.name != query.name || row.since > query.version) return false;
  return row.if_null == query.if_null || !has_twin(row);
}

}  // namespace

std::span<const HookRow> hook_rows() { return rows; }

std::optional<Hook> hook_of_symbol(std::string_view symbol) {
  for (const HookRow& row : rows)
    if (row.symbol == symbol) return row.hook;
  return std::nullopt;
}

std::optional<Hook> hook_of_query(const DriverQuery& query) {
  const HookRow* newest = nullptr;
  for (const HookRow& row : rows)
    if (answers(row, query) && (newest == nullptr || row.since > newest->since)) newest = &row;
  if (newest == nullptr) return std::nullopt;
  return newest->hook;
}

bool is_driver_name(const char* symbol) {
  return symbol != nullptr && symbol[0] == 'c' && symbol[1] == 'u' && symbol[2] >= 'A' &&
         symbol[2] <= 'Z';
}

}  // namespace vramlab::preload
