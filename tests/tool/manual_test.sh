#!/bin/bash
# The manual page and the completions are what the tool says of its options, and the
# completions of bash, fish and zsh complete.
#   manual_test.sh TOOL ROOT
set -euo pipefail
tool=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || { echo "needs python3" >&2; exit 77; }
"$root/scripts/manual" --check "$tool"

fail()
{
    echo "manual_test: $*" >&2
    exit 1
}

# The completions of three shells, each asked for those of the last of the given words. Shells that
# are not installed are left out.
pliant() { "$tool" "$@"; }
compopt() { :; } # works only while completing
. "$root/packaging/completion/pliant.bash"
complete_bash()
{
    COMP_WORDS=(pliant "$@")
    COMP_CWORD=$#
    _pliant
    printf '%s\n' "${COMPREPLY[@]-}"
}

complete_fish()
{
    local words="pliant $*"
    PATH=$(dirname "$tool"):$PATH HOME=$work fish --no-config -c \
        "source '$root/packaging/completion/pliant.fish'; complete -C \"\$argv\"" -- "$words" | cut -f 1
}

# A second zsh, at a terminal of its own, gets the words and the key of a widget that inserts all
# matches, then that of one which shows the line.
complete_zsh()
{
    PATH=$(dirname "$tool"):$PATH HOME=$work zsh -f "$work/ask.zsh" "$root/packaging/completion" "pliant $*" "${!#}"
}
cat >"$work/ask.zsh" <<'END_OF_FILE'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=(${(q)1} \$fpath) PS1= PROMPT_EOL_MARK=; setopt no_beep; stty -echo"
zpty -w shell 'autoload -Uz compinit && compinit -u -D'
zpty -w shell "zstyle ':completion:*' completer _all_matches _complete; zstyle ':completion:*' insert true"
zpty -w shell "zstyle ':completion:*' old-matches false; zstyle ':completion:*' file-patterns '%p-none'"
zpty -w shell "show() { print -r -- \"<<<\$BUFFER>>>\"; BUFFER=; }; zle -N show; bindkey '^X' show"
zpty -w shell "bindkey '^T' complete-word; print ready:"
zpty -r shell line '*ready:*'
zpty -n -w shell "$2"$'\t\x18'
zpty -r shell line '*>>>*'
zpty -d shell
line=${${line##*<<<}%%>>>*}
print -rl -- ${=${line#${2%$3}}}
END_OF_FILE

shells=(bash)
# The others need a terminal and wait for it, which a busy machine makes them do in vain.
is_large=$(awk "BEGIN { if (${PLIANT_TEST_SCALE:-1} >= 1) print 1 }")
for shell in fish zsh; do
    if [ -n "$is_large" ] && command -v "$shell" >/dev/null; then
        shells+=("$shell")
    else
        echo "no $shell here, or tests of a small size: its completion is not tried"
    fi
done

# expect WORDS... -- WORD...: these, in any order, complete the last word.
expect()
{
    local wanted=() shell found
    while [ "$1" != -- ]; do
        wanted+=("$1")
        shift
    done
    shift
    for shell in "${shells[@]}"; do
        found=$("complete_$shell" "$@" | LC_ALL=C sort -u | sed '/^$/d')
        [ "$found" = "$(printf '%s\n' "${wanted[@]}" | LC_ALL=C sort | sed '/^$/d')" ] ||
            fail "$shell: pliant $*: ${found//$'\n'/ }"
    done
}
expect check -- ch
expect --max-depth -- check a.glb --max-d
expect node primitive component -- check --split ""
expect avx2 avx512 -- check --isa avx
expect --clearance --clip --clips --config --continuous --contours --csv -- check --c
expect -- check --fps ""
expect spheres -- demo sphe

# Every option that a command reads is in each of the four files.
for command in check demo export fit replay info scenes; do
    for option in $("$tool" "$command" --options | cut -d ' ' -f 1); do
        grep -q -- "${option//-/\\\\-}" "$root/docs/pliant.1" || fail "pliant.1 lacks $option"
        grep -q -- "'$option\[" "$root/packaging/completion/_pliant" || fail "_pliant lacks $option"
        grep -q "from $command' .*-l ${option#--} " "$root/packaging/completion/pliant.fish" ||
            fail "pliant.fish lacks $option of $command"
    done
done
[ -z "$(command -v zsh)" ] || zsh -n "$root/packaging/completion/_pliant"
[ -z "$(command -v fish)" ] || fish -n "$root/packaging/completion/pliant.fish"
# An option that its help does not explain is an error.
broken=$work/broken
printf '#!/bin/bash\n[ "$*" = "check --options" ] && echo "--secret - text"\nexec %q "$@"\n' "$tool" >"$broken"
chmod +x "$broken"
if "$root/scripts/manual" --check "$broken" 2>/dev/null; then
    fail "an option without an explanation was accepted"
fi
