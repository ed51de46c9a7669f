# Completion of vramlab for bash.
_vramlab() {
  local cur=${COMP_WORDS[COMP_CWORD]} cword=$COMP_CWORD line
  local words=("${COMP_WORDS[@]}")
  # Bash takes : and = for the ends of words, which option strings hold.
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n =: cur words cword
  fi
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("${line%%$'\t'*}"); done < <(
    "${words[0]}" complete -- "${words[@]:1:cword}" 2>/dev/null)
  if [ "${COMPREPLY[0]-}" = ":files" ]; then
    COMPREPLY=()
    compopt -o default 2>/dev/null
    return 0
  fi
  # More belongs to the same word.
  case "${COMPREPLY[0]-}" in *: | *=) compopt -o nospace 2>/dev/null ;; esac
  if [[ "$cur" == *[:=]* && "$COMP_WORDBREAKS" == *:* ]]; then
    local before="${cur%"${cur##*[:=]}"}" i
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$before"}; done
  fi
  return 0
}
complete -F _vramlab vramlab
