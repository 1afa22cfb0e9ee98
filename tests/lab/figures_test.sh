#!/usr/bin/env bash
# Every experiment, quickly, and the pages that scripts/figures makes of it: on a copy of the
# documentation, filled, checked, and spoilt in every way that the check is to find.
# usage: figures_test.sh PATH-TO-PLIANT-BENCH REPOSITORY
set -u
bench=$1
root=$2
command -v python3 >/dev/null && command -v git >/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# A text without what the script writes into it.
hollow() {
    sed -e '/^<!-- begin [a-z0-9-]* -->$/,/^<!-- end [a-z0-9-]* -->$/d' \
        -e 's|<!--=\([^>]*\)-->[^<]*<!--/-->|\1|g' "$1"
}

copy() {
    rm -rf "$folder/copy"
    mkdir -p "$folder/copy/lab/figures"
    cp -r "$root/README.md" "$root/docs" "$folder/copy/"
    for name in mpi cuda; do
        mkdir -p "$folder/copy/libs/$name"
        cp "$root/libs/$name/README.md" "$folder/copy/libs/$name/"
    done
    cp "$root/lab/figures/exceptions.txt" "$folder/copy/lab/figures/"
}

# figures STATUS ARGUMENT...: the script on the copy.
figures() {
    local wanted=$1
    shift
    "$root/scripts/figures" --root "$folder/copy" "$@" >"$folder/out" 2>"$folder/err"
    local status=$?
    [ $status -eq "$wanted" ] || fail "figures $*: status $status, not $wanted: $(cat "$folder/err")"
}

# spoilt FILE SED-SCRIPT WORDS: after that edit of a filled page the check fails and says so.
spoilt() {
    cp "$folder/copy/$1" "$folder/kept"
    sed -i "$2" "$folder/copy/$1"
    cmp -s "$folder/kept" "$folder/copy/$1" && fail "nothing was spoilt by $2"
    figures 1 --check --draft --results "$folder/trial.json"
    grep -qF -- "$3" "$folder/err" || fail "$1, $2: the check does not say '$3': $(cat "$folder/err")"
    cp "$folder/kept" "$folder/copy/$1"
}

"$bench" --all --quick --json "$folder/trial.json" >"$folder/out" 2>"$folder/err" ||
    fail "the experiments failed: $(cat "$folder/err")"
[ ! -s "$folder/err" ] || fail "something on stderr in a pipe"
python3 - "$folder/trial.json" <<'EOT' || fail "the figures in JSON lack something"
import json, math, sys
result = json.load(open(sys.argv[1]))
assert result["schema"] == 2
machine = result["machine"]
assert machine["cores"] >= 1 and machine["isa"] == machine["isa_available"][-1]
assert machine["threads"] == 1
wanted = {
    "larsson-1": ["larsson_vs_van_den_bergen", "all_vs_van_den_bergen_plain", "all_vs_larsson",
                  "all_vs_larsson_plain", "gain_of_layout", "gain_of_vectors", "gain_of_laziness",
                  "larsson_binary_over_8", "larsson_4_over_8", "van_den_bergen_binary_over_8",
                  "larsson_hybrid_tenth_worst", "first_larsson_vs_van_den_bergen",
                  "first_vs_larsson", "all_vs_van_den_bergen", "all_vs_bottom_up", "first_vs_bottom_up",
                  "update_vs_bottom_up", "auto_over_best", "hybrid_tenth_worst",
                  "first_vs_bottom_up_no_memory", "all_vs_bottom_up_tree_order",
                  "all_vs_bottom_up_plain", "isa_over_plain_worst"],
    "larsson-2": ["growth_first", "growth_worst", "growth_pairs", "growth_first_larsson",
                  "growth_worst_larsson", "growth_first_fine", "growth_worst_fine",
                  "growth_pairs_fine", "growth_first_fine_larsson", "growth_worst_fine_larsson"],
    "larsson-3-spheres": ["larsson_vs_van_den_bergen", "all_vs_larsson", "gain_of_layout",
                          "gain_of_vectors", "gain_of_laziness", "all_vs_van_den_bergen", "all_vs_bottom_up", "auto_over_best"],
    "larsson-3-arms": ["larsson_vs_van_den_bergen", "all_vs_larsson", "gain_of_layout",
                          "gain_of_vectors", "gain_of_laziness", "all_vs_van_den_bergen", "all_vs_bottom_up", "auto_over_best"],
    "points-root": ["time_509_over_65"],
    "points-tightness": ["two_largest_root_mean_65", "two_largest_root_max_509",
                         "accumulation_over_paper_509_max", "components_over_ours_509_max",
                         "root_mean_65", "root_max_65", "root_mean_509", "root_max_509",
                         "accumulation_over_ours_509_max", "accumulation_over_ours_509_mean"],
    "points-ring": ["small_2857_115_steinemann", "small_2857_115_plain",
                    "small_2857_115_vs_steinemann", "small_2857_115", "small_2857_115_simd", "small_2857_115_first",
                    "auto_over_best"],
    "points-fish": ["steinemann", "ours_plain", "vs_steinemann", "plain", "simd", "auto_over_best"],
    "points-idle": ["time_10x_vertices"],
    "workers": ["speedup_2", "speedup_2_crowd", "speedup_2_pair", "speedup_2_blended",
                "speedup_2_reduced", "control_2", "speedup_2_over_control"],
    "broad": ["growth_sweep", "growth_sweep_work", "growth_all_pairs", "growth_grid"],
    "exact-triangle": ["ns_random", "ns_touching", "query_exact_over_inexact"],
    "build": ["ms_327680", "bytes_per_triangle"],
    "bd-curtain": ["layered_over_bd_simple", "tests_bd_over_layered_simple", "vs_bd_tree_simple",
                   "vs_layered_scalar_simple", "vs_layered_wide_simple", "layered_over_bd_1x",
                   "vs_layered_scalar_1x", "vs_layered_1x", "vs_layered_4x", "vs_layered_16x",
                   "vs_layered_pushed_1x", "vs_layered_pushed_4x", "vs_layered_pushed_16x"],
    "bd-bridge": ["figure_6_mean", "figure_6_max", "figure_6_mean_affine", "figure_6_max_affine",
                  "fish_share_updated", "bd_mean_radius", "bd_max_radius", "layered_mean_radius", "layered_max_radius",
                  "fish_step_ms"],
    "bd-chairs": ["layered_scalar_over_plain_step", "layered_wide_over_step", "contacts_pile",
                  "ns_per_bound_scalar", "share_updated", "deforming_over_rigid", "layered_update_over_step", "ns_per_bound",
                  "bytes_per_idle_body"],
    "bd-crowd": ["pairs_1000", "pairs_12", "pairs_1000_modern", "pairs_12_modern"],
    "check-dressed": ["plain", "simd", "auto_over_best"],
    "distance-points": ["vs_one_by_one"],
    "within-crowd": ["vs_plain", "over_collide"],
    "features-cloth": ["over_collide_self", "vs_hashing"],
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
        assert found[name]["meanings"][key], (name, key)
# All contestants of a contest are measured alike, in every experiment, and every ratio names a contest,
# but for those of experiments that compare nobody.
alone = {"bd-bridge", "build", "memory", "ldi-particles", "ldi-resolution", "ldi-self",
         "contours-person", "points-tightness"}
for name, experiment in found.items():
    how = {}
    for one in experiment["contestants"]:
        assert one["plays"] >= 1 and one["steps"] >= 1, (name, one)
        this = one["plays"], one["steps"], one["states_per_second"]
        assert how.setdefault(one["contest"], this) == this, (name, one)
    left_out = any(note.startswith("left out") for note in experiment["notes"])
    assert (name in alone or left_out) == (not how), (name, how)
    made = experiment["made"]
    assert set(made) <= set(experiment["ratios"]) and set(made.values()) <= set(how), name
    assert name in alone or left_out or set(made) == set(experiment["ratios"]), (name, set(experiment["ratios"]) - set(made))
for name in ("points-ring", "points-fish", "points-idle"):
    assert {one["states_per_second"] for one in found[name]["contestants"]} == {60}, name
assert len(found["larsson-1"]["series"]["tenths, hybrid over better"]) == 10
assert found["exact-triangle"]["ratios"]["undecided_share"] < 0.1
EOT

# Filled: outside of blocks and numbers pages stay as they are; a second time nothing changes.
copy
figures 1 --results "$folder/trial.json"
grep -q 'quick run' "$folder/err" || fail "a quick run is not refused: $(cat "$folder/err")"
figures 0 --draft --results "$folder/trial.json"
for page in README.md docs/benchmarks.md docs/figures.md docs/performance.md \
    $(cd "$root" && echo docs/methods/*.md); do
    cmp -s <(hollow "$root/$page") <(hollow "$folder/copy/$page") ||
        fail "$page changed outside of its blocks and numbers"
done
grep -q 'do not quote' "$folder/copy/docs/figures.md" || fail "a quick run is not marked as such"
for image in larsson-figure-3a larsson-figure-3b steinemann-figure-5; do
    python3 - "$folder/copy/docs/images/$image.svg" <<'EOT' || fail "$image is no good picture"
import re, sys, xml.dom.minidom
text = open(sys.argv[1], encoding="utf-8").read()
xml.dom.minidom.parseString(text.encode())
assert "<polyline" in text and not re.search(r'\b(nan|inf)\b', text)
EOT
done
figures 0 --draft --results "$folder/trial.json"
[ ! -s "$folder/out" ] || fail "filled twice, something changed: $(cat "$folder/out")"
figures 0 --check --draft --results "$folder/trial.json"

# Spoilt.
spoilt docs/performance.md 's|\(_simd :1-->\)[^<]*|\11234.5|' 'docs/performance.md is stale from line'
spoilt docs/methods/larsson-2001.md '/^| balanced |/s/[0-9]\.[0-9]*/9.99/' 'larsson-2001.md is stale'
spoilt docs/images/steinemann-figure-5.csv '$d' 'steinemann-figure-5.csv is stale'
spoilt docs/methods/larsson-2001.md '/^<!-- end trees -->$/d' 'begin trees --> has no partner'
spoilt docs/methods/larsson-2001.md 's/ trees -->$/ shrubs -->/' 'nobody writes the block shrubs'
spoilt docs/methods/larsson-2001.md '/begin trees/,/end trees/d' 'there is no block trees'
spoilt README.md 's|machine.cpu-->|machine cpu-->|' "'machine cpu' is no key"
spoilt docs/performance.md 's|least-speedup|last-speedup|' "no 'last-speedup'"
spoilt docs/performance.md 's|control_2-->|@nowhere workers.control_2-->|;s|workers\.@|@|' 'nowhere.json'
spoilt docs/methods/james-2004.md 's|paper james2004bdtree|paper james1904|' "no entry 'james1904'"
spoilt README.md '$a It is 12 times faster, in 3 ms.' "'12 times' has no source"
spoilt docs/performance.md '$a It is five times faster.' "'five times faster' has no source"
spoilt docs/guide/choosing.md '$a The value is 1.5 there.' "'1.5' has no source"
spoilt docs/guide/choosing.md '$a That is a speed-up of 7.' "'speed-up of 7"
spoilt docs/performance.md '$a It takes 5 milliseconds.' "'5 milliseconds' has no source"
spoilt docs/performance.md '$a It takes a third of the time.' "'a third of the time' has no source"
spoilt docs/methods/larsson-2001.md '$a Ours is twice as fast.' "'twice as fast' has no source"
spoilt docs/guide/response.md '$a That is sevenfold, in 12 MB.' "'12 MB' has no source"
spoilt docs/glossary.md '$a Thirty times faster than that.' "'Thirty times faster' has no source"
spoilt docs/benchmarks.md 's/at most 0.1 % of/at most a thousandth of/' 'is not in docs/benchmarks.md any more'
spoilt lab/figures/exceptions.txt '$a docs/nowhere.md: 5 %' 'no page docs/nowhere.md'

# A figure that the results lack is named; without --draft that is an error.
python3 - "$folder/trial.json" "$folder/lacking.json" <<'EOT'
import json, sys
result = json.load(open(sys.argv[1]))
result["length"] = "default"
json.dump(result, open(sys.argv[2], "w"))
EOT
figures 1 --results "$folder/lacking.json"
grep -qF 'there is no peers-spheres.vs_' "$folder/err" || grep -qF 'there is no experiment peers-' "$folder/err" ||
    fail "the missing figure is not named: $(head -n 3 "$folder/err")"
python3 - "$folder/trial.json" "$folder/typed.json" <<'EOT'
import json, sys
result = json.load(open(sys.argv[1]))
first = result["experiments"][0]
first["samples"] = {"ratios": {"all_vs_larsson": [2.0, 3.0, 4.0]}}
first["ratios"]["all_vs_larsson"] = 5.0
json.dump(result, open(sys.argv[2], "w"))
EOT
figures 1 --draft --results "$folder/typed.json"
grep -qF 'all_vs_larsson is 5.0, but the median of its runs is 3.0' "$folder/err" ||
    fail "a figure that is no median of its runs passes: $(head -n 3 "$folder/err")"
# Contestants that were not measured alike, and a ratio of a contest that nobody played.
for how in 'one["plays"] += 1' 'one["steps"] += 1' 'one["states_per_second"] = 5' 'one["contest"] = "another"'; do
    python3 - "$folder/trial.json" "$folder/unequal.json" "$how" <<'EOT'
import json, sys
result = json.load(open(sys.argv[1]))
one = next(e for e in result["experiments"] if e["name"] == "points-idle")["contestants"]
for one in one if "contest" in sys.argv[3] else one[1:2]:
    exec(sys.argv[3])
json.dump(result, open(sys.argv[2], "w"))
EOT
    figures 1 --check --draft --results "$folder/unequal.json"
    grep -qF 'points-idle' "$folder/err" || fail "$how is not found: $(head -n 3 "$folder/err")"
done
# Results that are older than the code are told, and do not fail.
mkdir -p "$folder/copy/src"
git_copy() { git -C "$folder/copy" -c user.name=a -c user.email=a "$@" >"$folder/git" 2>&1 || fail "git $*: $(cat "$folder/git")"; }
git_copy init -q
git_copy add docs
git_copy commit -q -m first
for commits in 0 1 2; do
    python3 - "$folder/trial.json" "$folder/dated.json" "$(git -C "$folder/copy" rev-list --max-parents=0 HEAD)" <<'EOT'
import json, sys
result = json.load(open(sys.argv[1]))
result["commit"] = sys.argv[3][:12] + "-dirty"
json.dump(result, open(sys.argv[2], "w"))
EOT
    "$root/scripts/figures" --root "$folder/copy" --check --draft --results "$folder/dated.json" 2>"$folder/err"
    if [ "$commits" -eq 0 ]; then
        grep -q 'warning' "$folder/err" && fail "new results are called old: $(cat "$folder/err")"
    else
        grep -qF "dated.json is older than the code: $commits commits since" "$folder/err" ||
            fail "old results are not told: $(head -n 3 "$folder/err")"
    fi
    echo "$commits" >"$folder/copy/src/code.c"
    git_copy add src
    git_copy commit -q -m "$commits"
done
sed 's/"schema": 2/"schema": 1/' "$folder/trial.json" >"$folder/old.json"
figures 1 --draft --results "$folder/old.json"
grep -q 'schema 1' "$folder/err" || fail "an old file is not refused"
echo '{' >"$folder/broken.json"
figures 1 --draft --results "$folder/broken.json"
grep -q 'broken.json is no results file' "$folder/err" || fail "a broken file is not named"

# Of several machines one must be the main one; figures.md has a column for each.
mkdir -p "$folder/copy/lab/results"
cp "$folder/trial.json" "$folder/copy/lab/results/a.json"
cp "$folder/trial.json" "$folder/copy/lab/results/b.json"
figures 1 --draft
grep -q 'which is MAIN' "$folder/err" || fail "several machines: $(cat "$folder/err")"
# The main one's file may be older than an experiment: that is shown of the other, with its commit.
python3 - "$folder/copy/lab/results/a.json" "$folder/copy/lab/results/b.json" <<'EOT'
import json, sys
for path, commit in zip(sys.argv[1:], ("0123456789ab", "cdefcdefcdef")):
    result = json.load(open(path))
    result["commit"] = commit
    if commit[0] == "0":
        result["experiments"] = [e for e in result["experiments"] if e["name"] != "points-idle"]
    json.dump(result, open(path, "w"))
EOT
figures 0 --draft --results "$folder/copy/lab/results/a.json" --results "$folder/copy/lab/results/b.json"
grep -qF ' | a (0123456), 1 run | quartiles | b (cdefcde), 1 run | quartiles |' \
    "$folder/copy/docs/figures.md" || fail "figures.md has no column for each machine"
grep -q '^| `points-idle` | - | - | [0-9.]*x | - |$' "$folder/copy/docs/figures.md" ||
    fail "figures.md does not have what only another machine has"

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
echo "all passed"
