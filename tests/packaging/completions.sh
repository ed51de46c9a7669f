#!/usr/bin/env bash
# What the shells offer after a few letters:  completions.sh VRAMLAB COMPLETIONS
# Zsh and fish are tried where they are installed.
set -euo pipefail

vramlab="$1" completions="$2"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
ln -s "$vramlab" "$folder/vramlab"
export PATH="$folder:$PATH"
tried=bash

expect() {
  [ "$2" = "$3" ] || { echo "failed: $1 offered '$2' instead of '$3'" >&2; exit 1; }
}

# As bash itself splits a line: at spaces, and at each colon and equals sign.
offered_by_bash() {
  bash --norc -c 'source "$1/vramlab.bash"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _vramlab; echo "${COMPREPLY[@]-}"' bash "$completions" "$@"
}
offered_with_whole_words() {
  bash --norc -c 'source "$1/vramlab.bash"; shift
    all=("$@")
    _get_comp_words_by_ref() { words=("${all[@]}"); cword=$((${#all[@]} - 1)); cur=${all[cword]}; }
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vramlab; echo "${COMPREPLY[@]-}"' bash "$completions" "$@"
}
expect bash "$(offered_by_bash vramlab rep)" "report replay"
expect bash "$(offered_by_bash vramlab dry-run --gpu h100-8)" h100-80gb
expect bash "$(offered_by_bash vramlab replay snap)" ""
expect bash "$(offered_by_bash vramlab dry-run -- pyth)" ""
expect bash "$(offered_with_whole_words vramlab replay --conf max_split_size_mb:9,garb)" \
  "9,garbage_collection_threshold:"
expect bash "$(offered_with_whole_words vramlab replay --conf expandable_segments:)" "True False"
expect bash "$(offered_with_whole_words vramlab replay --on-oom=st)" stop

if command -v zsh >/dev/null; then
  tried+=", zsh"
  offered_by_zsh() {
    zsh -f -c 'where="$1"; shift; words=("$@"); CURRENT=$#
      _files() { print files }; _describe() { print -rl -- $items }
      complete_word() { source "$where/_vramlab" }; complete_word' zsh "$completions" "$@"
  }
  expect zsh "$(offered_by_zsh vramlab sw)" \
    "sweep:Compare many settings by replaying under each: a table, best first"
  expect zsh "$(offered_by_zsh vramlab replay --conf garb)" 'garbage_collection_threshold\::'
  expect zsh "$(offered_by_zsh vramlab dry-run --gpu h100-8)" h100-80gb:
  expect zsh "$(offered_by_zsh vramlab info '')" files
fi
if command -v fish >/dev/null; then
  tried+=", fish"
  offered_by_fish() { HOME="$folder" fish -N -c "source $completions/vramlab.fish; complete -C '$1'"; }
  expect fish "$(offered_by_fish 'vramlab sw' | cut -f 1)" sweep
  expect fish "$(offered_by_fish 'vramlab dry-run --gpu h100-8' | cut -f 1)" h100-80gb
  expect fish "$(offered_by_fish 'vramlab replay --conf max_split_size_mb:9,garb')" \
    "max_split_size_mb:9,garbage_collection_threshold:"
  expect fish "$(offered_by_fish 'vramlab diff a b --fail-if stranded_' | cut -f 1)" stranded_at_peak
fi
echo "completions offer what follows: $tried"
