#!/usr/bin/env bash
# The program behind `make bench`: runs it quickly on a copy of the documentation.
# usage: bench_docs_test.sh PATH-TO-PLIANT_BENCH_DOCS DOCS-FOLDER
set -u
program=$1
source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# A text without what the program writes into it.
hollow() { sed '/^<!-- begin [a-z0-9-]* -->$/,/^<!-- end [a-z0-9-]* -->$/d' "$1"; }

# Every block of a file, as "NAME LINES".
blocks() {
    awk '/^<!-- begin [a-z0-9-]+ -->$/ { name = $3; lines = 0; next }
         /^<!-- end [a-z0-9-]+ -->$/ { print name, lines; name = ""; next }
         name != "" && NF > 0 { lines++ }' "$1"
}

check_svg() {
    [ "$(head -c 5 "$1")" = "<svg " ] || fail "$1 does not begin as SVG"
    [ "$(tail -n 1 "$1")" = "</svg>" ] || fail "$1 does not end as SVG"
    grep -q '<polyline' "$1" || fail "$1 has no curve"
    grep -Eq '(nan|inf)[", ]' "$1" && fail "$1 has a coordinate that is no number"
    if command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$1" ||
            fail "$1 is not well-formed"
    fi
}

mkdir "$folder/docs" "$folder/docs/methods"
pages="methods/larsson-2001.md methods/james-2004.md methods/steinemann-2007.md"
pages="$pages methods/heidelberger-2003.md performance.md benchmarks.md"
for page in $pages; do
    cp "$source/$page" "$folder/docs/$page"
done

"$program" --quick --docs "$folder/docs" --json "$folder/bench.json" >"$folder/out" 2>"$folder/err" ||
    fail "the program failed: $(cat "$folder/err")"
[ ! -s "$folder/err" ] || fail "something on stderr in a pipe"
grep -q '"schema": 1' "$folder/bench.json" || fail "no figures in JSON"
for page in $pages; do
    file=$folder/docs/$page
    [ "$(blocks "$file" | wc -l)" -ge 5 ] || fail "$page has too few blocks"
    while read -r name lines; do
        [ "$lines" -ge 1 ] || fail "$page: block $name is empty"
    done < <(blocks "$file")
    cmp -s <(hollow "$source/$page") <(hollow "$file") || fail "$page changed outside of its blocks"
done
for image in larsson-figure-3a larsson-figure-3b steinemann-figure-5; do
    check_svg "$folder/docs/images/$image.svg"
done

# A block that is not there is found before anything is run, and nothing is written.
sed -i '/^<!-- end trees -->$/d' "$folder/docs/methods/larsson-2001.md"
cp "$folder/docs/methods/larsson-2001.md" "$folder/before"
"$program" --quick --docs "$folder/docs" >"$folder/out" 2>"$folder/err" && fail "a lost mark passes"
grep -q 'trees' "$folder/err" || fail "the message does not name the block"
[ ! -s "$folder/out" ] || fail "the experiments ran all the same"
cmp -s "$folder/before" "$folder/docs/methods/larsson-2001.md" || fail "the page was touched"
"$program" --fast >"$folder/out" 2>"$folder/err"
[ $? -eq 2 ] || fail "bad usage is not status 2"

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
echo "all passed"
