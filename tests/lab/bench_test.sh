#!/usr/bin/env bash
# pliant-bench with files: runs that are added up, results that are compared, the user's own meshes.
# usage: bench_test.sh PATH-TO-PLIANT PATH-TO-PLIANT-BENCH
set -u
pliant=$1
bench=$2
command -v python3 >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# expect STATUS ARGUMENT...: runs pliant-bench.
expect() {
    local wanted=$1
    shift
    "$bench" "$@" >"$folder/out" 2>"$folder/err"
    local status=$?
    [ $status -eq "$wanted" ] || fail "pliant-bench $*: status $status, not $wanted: $(cat "$folder/err")"
}

# says WORDS: they stand on stderr, in one line.
says() {
    grep -qF -- "$1" "$folder/err" || fail "stderr does not say '$1': $(cat "$folder/err")"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "stderr has not one line: $(cat "$folder/err")"
}

# look FILE EXPRESSION: of the figures in FILE, as d, and its experiments by name, as e.
look() {
    python3 - "$1" "$2" <<'PYTHON' || fail "$1: not $2"
import json, sys
d = json.load(open(sys.argv[1]))
e = {one["name"]: one for one in d["experiments"]}
sys.exit(not eval(sys.argv[2]))
PYTHON
}

# Runs are added up to the number asked for, and no further.
file=$folder/results.json
expect 0 build --quick --into "$file"
look "$file" 'd["schema"] == 2 and e["build"]["runs"] == 1 and "quartiles" not in e["build"]'
expect 0 build --quick --repeat 3 --into "$file"
grep -q '^build: run 3 of 3' "$folder/out" || fail "the third run is not told"
look "$file" 'e["build"]["runs"] == 3 and len(e["build"]["quartiles"]["rows"]) == len(e["build"]["rows"])'
look "$file" 'all(len(v) == 3 and sorted(v)[1] == e["build"]["ratios"][k] for k, v in e["build"]["samples"]["ratios"].items())'
look "$file" 'e["build"]["units"]["total_ms"] == "ms" and e["build"]["units"]["triangles"] == "count"'
look "$file" '{"commit", "date", "version"} <= set(d) and {"cpu", "compiler", "flags", "isa"} <= set(d["machine"])'
cp "$file" "$folder/before.json"
expect 0 build --quick --repeat 2 --into "$file"
look "$file" 'e["build"]["runs"] == 3'
expect 0 exact-triangle --quick --into "$file"
look "$file" 'list(e) == ["build", "exact-triangle"] and e["build"]["runs"] == 3'
[ ! -e "$file.part" ] || fail "a file is left behind"

# Runs of another program, machine or length do not belong there, nor into what is no such file.
sed 's/"commit": "[^"]*"/"commit": "0000"/' "$file" >"$folder/other.json"
cp "$folder/other.json" "$folder/copy.json"
expect 2 build --quick --into "$folder/other.json"
says 'its commit is "0000"'
cmp -s "$folder/other.json" "$folder/copy.json" || fail "a refused file was touched"
expect 2 build --into "$file"
says 'its length is "quick"'
echo 'no figures' >"$folder/text"
expect 2 build --quick --into "$folder/text"
says "$folder/text cannot be read"
expect 2 build --quick --into "$file" --json "$folder/x.json"
says '--json and --into'
expect 3 build --quick --into "$folder/no/such/folder.json"
says 'folder.json'

# States a second: every contestant of a motion in time, and runs of another rate are refused.
expect 0 points-idle --quick --rate 20 --into "$folder/rate.json"
look "$folder/rate.json" '{one["states_per_second"] for one in e["points-idle"]["contestants"]} == {20}'
look "$folder/rate.json" 'set(e["points-idle"]["made"]) == set(e["points-idle"]["ratios"])'
grep -q '20 states a second' "$folder/out" || fail "the rate is not printed"
expect 0 points-idle --quick --rate 20 --repeat 2 --into "$folder/rate.json"
look "$folder/rate.json" 'e["points-idle"]["runs"] == 2'
expect 3 points-idle --quick --repeat 3 --into "$folder/rate.json"
says 'contests'
expect 2 points-idle --quick --rate 0

# Two files.
expect 0 --compare "$folder/before.json" "$folder/before.json"
grep -q '^0 figures changed beyond' "$folder/out" || fail "a file differs from itself"
python3 - "$folder/before.json" "$folder/slow.json" <<'PYTHON'
import json, sys
d = json.load(open(sys.argv[1]))
one = d["experiments"][0]
one["rows"][0]["total_ms"] *= 10
for part in ("quartiles", "samples"):
    one[part]["rows"][0]["total_ms"] = [10 * value for value in one[part]["rows"][0]["total_ms"]]
json.dump(d, open(sys.argv[2], "w"))
PYTHON
expect 1 --compare "$folder/before.json" "$folder/slow.json"
grep -q 'total_ms .*+900.0 %  beyond the spread' "$folder/out" || fail "what changed is not told"
grep -q '^1 figures changed beyond' "$folder/out" || fail "how much changed is not told"
expect 2 --compare "$folder/before.json"
says 'two results files'
expect 2 --compare "$folder/before.json" "$folder/text"
says "$folder/text cannot be read"
expect 2 --compare "$folder/none.json" "$folder/before.json"
says "$folder/none.json"

# One's own meshes: two sequences, two still files, an animated file, joints, one body alone.
"$pliant" export spheres --steps 3 --triangles 320 -o "$folder/s.##.obj" >/dev/null || fail "export"
"$pliant" export figure --steps 4 --triangles 500 -o "$folder/figure.glb" >/dev/null || fail "export"
awk '/^o / {part++} {print > (part < 2 ? FILE_A : FILE_B)}' FILE_A="$folder/a.obj" \
    FILE_B="$folder/all" "$folder/s.01.obj"
expect 0 --motion "$folder/s.##.obj" --quick --json "$folder/own.json"
look "$folder/own.json" 'e["motion"]["rows"][0]["method"] == "ours, auto"'
look "$folder/own.json" '{"vs_bottom_up", "vs_van_den_bergen"} <= set(e["motion"]["ratios"])'
look "$folder/own.json" 'e["motion"]["notes"][0].endswith("everybody is given positions")'
look "$folder/own.json" 'len({row["pairs"] for row in e["motion"]["rows"][:4]}) == 1'
expect 0 --motion "$folder/figure.glb" --quick
grep -q 'over_ours' "$folder/out" || fail "no table"
"$pliant" bench --motion "$folder/a.obj" "$folder/a.obj" --quick >"$folder/out" 2>&1 ||
    fail "pliant bench --motion: $(cat "$folder/out")"
grep -q 'rest: 2 bodies, .* 1 frames' "$folder/out" || fail "two still files are not one frame of two"
expect 0 --motion "$folder/a.obj" --quick
grep -q 'rest: 1 bodies' "$folder/out" || fail "one body alone"
expect 2 --motion
says 'needs files'
expect 2 --motion "$folder/none.obj"
says "$folder/none.obj"
printf 'v 0 0 0\nv 1 0 0\nf 1 2 3\n' >"$folder/bad.obj"
expect 2 --motion "$folder/a.obj" "$folder/bad.obj"
says 'bad.obj: line 3'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\n' >"$folder/points.obj"
expect 2 --motion "$folder/points.obj"
says 'points'
expect 2 --motion --compare "$folder/a.obj" "$folder/a.obj"
says 'exclude each other'

# The picture that no figure is in.
expect 0 --picture "$folder/picture.svg"
[ "$(tail -n 1 "$folder/picture.svg")" = "</svg>" ] || fail "the picture does not end as SVG"
expect 3 --picture "$folder/no/picture.svg"

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
echo "all passed"
