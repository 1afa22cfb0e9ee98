#!/bin/bash
# The manual page and the completions are what the tool says of its options, and the completion of
# bash completes.
#   manual_test.sh TOOL ROOT
set -euo pipefail
tool=$1
root=$2
command -v python3 >/dev/null || { echo "needs python3" >&2; exit 77; }
"$root/scripts/manual" --check "$tool"

fail()
{
    echo "manual_test: $*" >&2
    exit 1
}

# Completions of the last of the given words, on one line. compopt works only while completing.
compopt() { :; }
pliant() { "$tool" "$@"; }
. "$root/packaging/completion/pliant.bash"
complete_words()
{
    COMP_WORDS=(pliant "$@")
    COMP_CWORD=$#
    _pliant
    echo "${COMPREPLY[*]-}"
}
expect()
{
    local wanted=$1
    shift
    [ "$(complete_words "$@")" = "$wanted" ] || fail "pliant $*: $(complete_words "$@")"
}
expect "check" ch
expect "--max-pairs" check a.glb --max
expect "node primitive component" check --split ""
expect "avx2 avx512" check --isa avx
expect "--clearance --clip --continuous --contours --csv" check --c
expect "" check --fps ""
expect "spheres" demo sphe

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
broken=$(mktemp)
trap 'rm -f "$broken"' EXIT
printf '#!/bin/bash\n[ "$*" = "check --options" ] && echo "--secret - text"\nexec %q "$@"\n' "$tool" >"$broken"
chmod +x "$broken"
if "$root/scripts/manual" --check "$broken" 2>/dev/null; then
    fail "an option without an explanation was accepted"
fi
