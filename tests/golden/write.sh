#!/usr/bin/env bash
# Writes golden files anew with the program in build/: all that commands.txt lists, or those that are
# named as they are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
golden=tests/golden
is_asked_for() {
  local file="$1"
  shift
  [ $# -eq 0 ] && return
  for asked in "$@"; do [ "${asked#"$golden"/}" = "$file" ] && return; done
  return 1
}
while read -r file expected command; do
  if [ "$file" = "#" ] || ! is_asked_for "$file" "$@"; then continue; fi
  read -r -a words <<<"$command"
  mkdir -p "$(dirname "$golden/$file")"
  status=0
  LC_ALL=C.UTF-8 build/vramlab "${words[@]}" >"$golden/$file" </dev/null || status=$?
  if [ "$status" != "$expected" ]; then
    echo "$golden/$file: exit status $status, expected $expected" >&2
    exit 1
  fi
  echo "$golden/$file"
done <"$golden/commands.txt"
