#!/bin/bash
# Every public function of interface/api.json is called by a C++ header, or stands in not_in_cpp.txt with
# the reason; every definition and option has its default by construction.
#   reachable_test.sh ROOT
set -euo pipefail
root=$1
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sed -n '/^  "functions": \[/,$ s/^    {"name": "\(pliant_[a-z_0-9]*\)".*/\1/p' "$root/interface/api.json" |
    sort -u >"$scratch/all"
# Comments do not count as calls.
cat "$root"/include/pliant/*.hpp "$root"/include/pliant/cpp/*.hpp |
    tr '\n' '\001' | sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' | tr '\001' '\n' |
    sed 's/PLIANT_CPP_DEFAULTS(\([a-z_0-9]*\))/pliant_\1_default pliant_\1_fill/' |
    grep -o '\<pliant_[a-z_0-9]*\>' | sort -u >"$scratch/called"
sed -n 's/^\(pliant_[a-z_0-9]*\): ..*/\1/p' "$here/not_in_cpp.txt" | sort -u >"$scratch/left_out"

[ "$(wc -l <"$scratch/all")" -gt 150 ] || { echo "interface/api.json could not be read" >&2; exit 1; }
status=0
report()
{
    while read -r name; do
        echo "$name: $1" >&2
        status=1
    done <"$scratch/found"
}
comm -23 "$scratch/all" "$scratch/called" | comm -23 - "$scratch/left_out" >"$scratch/found"
report "no C++ header calls it, and tests/cpp/not_in_cpp.txt has no reason"
comm -12 "$scratch/left_out" "$scratch/called" >"$scratch/found"
report "listed as left out, but called"
comm -23 "$scratch/left_out" "$scratch/all" >"$scratch/found"
report "listed as left out, but there is no such function"
exit $status
