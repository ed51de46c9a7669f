#!/usr/bin/env bash
# Writes golden files anew, all of them or those that are named, with the program in build/.
set -euo pipefail
shopt -s extglob
top="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
cd "$top"
files=("$@")
if [ ${#files[@]} -eq 0 ]; then files=(tests/golden/!(memory)/*); fi
for file in "${files[@]}"; do
  read -r line <"$file"
  command="${line#\$ vramlab }"
  expected=0
  [[ "$command" == *"  # exit status "* ]] && expected="${command##*  # exit status }"
  read -r -a words <<<"${command%%  # exit status *}"
  output="$(status=0; build/vramlab "${words[@]}" || status=$?; echo "$status.")"
  output="${output%.}"
  if [ "${output: -1}" != "$expected" ]; then
    echo "$file: exit status ${output: -1}, expected $expected" >&2
    exit 1
  fi
  printf '%s\n%s' "$line" "${output%?}" >"$file"
  echo "$file"
done
