# Completion of vramlab for fish.
function __vramlab_candidates
    set -l words (commandline -opc)
    set -l found ($words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if test "$found[1]" = ":files"
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $found
    end
end
complete -c vramlab -f -a '(__vramlab_candidates)'
