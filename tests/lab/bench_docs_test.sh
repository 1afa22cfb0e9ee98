#!/usr/bin/env bash
# The program behind `make bench`: runs every experiment quickly on a copy of the documentation.
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
pages="$pages methods/heidelberger-2003.md figures.md benchmarks.md"
for page in $pages; do
    cp "$source/$page" "$folder/docs/$page"
done

"$program" --quick --docs "$folder/docs" --json "$folder/bench.json" >"$folder/out" 2>"$folder/err" ||
    fail "the program failed: $(cat "$folder/err")"
[ ! -s "$folder/err" ] || fail "something on stderr in a pipe"
grep -q '"schema": 1' "$folder/bench.json" || fail "no figures in JSON"
if command -v python3 >/dev/null; then
    python3 - "$folder/bench.json" <<'EOF' || fail "the figures in JSON lack something"
import json, math, sys
result = json.load(open(sys.argv[1]))
assert result["schema"] == 1
machine = result["machine"]
assert machine["cores"] >= 1 and machine["isa"] == machine["isa_available"][-1]
assert machine["threads"] == 1
wanted = {
    "larsson-1": ["all_vs_van_den_bergen", "all_vs_bottom_up", "first_vs_bottom_up",
                  "update_vs_bottom_up", "auto_over_best", "hybrid_tenth_worst",
                  "first_vs_bottom_up_no_memory", "all_vs_bottom_up_tree_order",
                  "all_vs_bottom_up_plain", "isa_over_plain_worst"],
    "larsson-2": ["growth_first", "growth_worst"],
    "larsson-3-spheres": ["all_vs_van_den_bergen", "all_vs_bottom_up", "auto_over_best"],
    "larsson-3-arms": ["all_vs_van_den_bergen", "all_vs_bottom_up", "auto_over_best"],
    "points-root": ["time_509_over_65"],
    "points-tightness": ["root_mean_65", "root_max_65", "root_mean_509", "root_max_509",
                         "accumulation_over_ours_509_max", "accumulation_over_ours_509_mean"],
    "points-ring": ["small_2857_115", "small_2857_115_simd", "small_2857_115_first",
                    "auto_over_best"],
    "points-fish": ["plain", "simd", "auto_over_best"],
    "points-idle": ["time_10x_vertices"],
    "workers": ["speedup_2", "speedup_2_crowd", "speedup_2_pair", "speedup_2_blended",
                "speedup_2_reduced", "control_2", "speedup_2_over_control"],
    "broad": ["growth_sweep", "growth_sweep_work", "growth_all_pairs", "growth_grid"],
    "exact-triangle": ["ns_random", "ns_touching", "query_exact_over_inexact"],
    "build": ["ms_327680", "bytes_per_triangle"],
    "bd-curtain": ["vs_layered_1x", "vs_layered_4x", "vs_layered_16x",
                   "vs_layered_pushed_1x", "vs_layered_pushed_4x", "vs_layered_pushed_16x"],
    "bd-bridge": ["bd_mean_radius", "bd_max_radius", "layered_mean_radius", "layered_max_radius",
                  "fish_step_ms"],
    "bd-chairs": ["deforming_over_rigid", "layered_update_over_step", "ns_per_bound",
                  "bytes_per_idle_body"],
    "bd-crowd": ["pairs_1000", "pairs_12"],
    "check-dressed": ["plain", "simd", "auto_over_best"],
    "contours-person": ["join_over_collide", "regions_over_collide"],
    "memory": ["free_20480_over_copy", "reduced_over_copy", "blended_over_copy"],
    "growth": ["growth_triangles", "growth_nodes", "growth_modes", "growth_bodies",
               "growth_bodies_tests", "growth_contacts", "growth_contacts_tests"],
}
found = {experiment["name"]: experiment for experiment in result["experiments"]}
for name, keys in wanted.items():
    if any(note.startswith("left out") for note in found[name]["notes"]):
        continue  # built without LAPACKE
    assert found[name]["rows"] and found[name]["seed"] == 1, name
    for key in keys:
        value = found[name]["ratios"][key]
        # An exponent fitted to a few noisy times may be below zero, but is a number.
        assert math.isfinite(value) if key.startswith("growth_") else value > 0, (name, key, value)
assert len(found["larsson-1"]["series"]["tenths, hybrid over better"]) == 10
assert found["exact-triangle"]["ratios"]["undecided_share"] < 0.1
EOF
fi
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
