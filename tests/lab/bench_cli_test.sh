#!/usr/bin/env bash
# pliant bench from outside, as cli_test.sh looks at the other commands: it starts the laboratory.
# usage: bench_cli_test.sh PATH-TO-PLIANT
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"

check_help bench
check_version bench
refuse '' bench --quick --full
refuse '' bench nothing
refuse '' bench --quick=1

expect 0 bench --list
for experiment in larsson-1 larsson-2 larsson-3-spheres larsson-3-arms workers broad \
    exact-triangle build memory bd-curtain bd-bridge bd-chairs bd-crowd growth peers-spheres peers-27 \
    peers-ring peers-first peers-self; do
    grep -q "^$experiment " "$folder/out" || fail "bench --list does not list $experiment"
done
check_limits 0 bench --list

# Outputs that cannot be written: status 3 and a message.
expect 3 bench build --quick --json "$folder/no/such/folder.json"
grep -q 'folder.json' "$folder/err" || fail "the message does not name the file"
if [ -e /dev/full ]; then
    ln -s /dev/full "$folder/full.json"
    expect 3 bench build --quick --json "$folder/full.json"
fi

# Some experiments; all of them are run by figures_test.sh.
experiments=exact-triangle
[ -n "$is_small" ] || experiments+=" larsson-3-spheres"
expect 0 bench --json "$folder/bench.json" --quick $experiments
[ ! -s "$folder/err" ] || fail "bench writes to stderr in a pipe"
if command -v python3 >/dev/null; then
    python3 -m json.tool "$folder/bench.json" >/dev/null || fail "bench --json is not JSON"
fi

# Under a cap, what is reported is what is used.
expect 0 bench build --quick --isa plain --json "$folder/plain.json"
grep -q '"isa": "plain"' "$folder/plain.json" || fail "bench --isa plain uses another set"
grep -q '^instruction set: plain;' "$folder/out" || fail "bench does not name the set it uses"
grep -q '^threads: ' "$folder/out" && fail "bench on one thread speaks of threads"

# With more threads our methods find the same pairs as the others and as on one thread.
if [ -z "$is_small" ]; then
    expect 0 bench larsson-3-spheres workers --quick --threads 3 --isa plain \
        --json "$folder/three.json"
    grep -q '^threads: 3 for our methods' "$folder/out" || fail "bench does not say how many threads"
fi
if [ -z "$is_small" ] && command -v python3 >/dev/null; then
    python3 - "$folder/bench.json" "$folder/three.json" <<'EOF' ||
import json, sys
pairs = []
for path, threads in zip(sys.argv[1:], (1, 3)):
    result = json.load(open(path))
    assert result["machine"]["threads"] == threads, (path, result["machine"])
    found = {experiment["name"]: experiment for experiment in result["experiments"]}
    crowd = found["larsson-3-spheres"]
    pairs.append([(row["method"], row["pairs"]) for row in crowd["rows"]])
    assert any(f"{threads} workers" in note for note in crowd["notes"]) == (threads > 1)
    for row in crowd["rows"]:
        assert 0 <= row["update_ms"] <= row["total_ms"], row
assert pairs[0] == pairs[1], pairs
for key in ("speedup_3", "speedup_3_crowd", "speedup_3_pair", "speedup_3_blended",
            "speedup_3_reduced", "speedup_3_people_200", "control_3", "speedup_3_over_control"):
    assert found["workers"]["ratios"][key] > 0, key
assert found["workers"]["ratios"]["speedup_2_crowd_1000_dense"] > 0
assert found["workers"]["ratios"]["more_over_fewer"] > 0
assert not any("_4" in key for key in found["workers"]["ratios"])
EOF
        fail "bench --threads finds something else, or does not say what it did"
fi

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
echo "all passed"
