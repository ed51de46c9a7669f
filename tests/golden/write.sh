#!/usr/bin/env bash
# Writes golden files anew, all of them or those that are named, with the program in build/.
set -euo pipefail
top="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
cd "$top"
files=("$@")
if [ ${#files[@]} -eq 0 ]; then files=(tests/golden/*/*); fi
for file in "${files[@]}"; do
  read -r line <"$file"
  read -r -a words <<<"${line#\$ vramlab }"
  output="$(build/vramlab "${words[@]}"; echo .)"
  printf '%s\n%s' "$line" "${output%.}" >"$file"
  echo "$file"
done
