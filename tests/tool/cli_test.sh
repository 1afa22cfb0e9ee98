#!/usr/bin/env bash
# The command-line tool from outside: exit codes, errors, files, broken outputs.
# usage: cli_test.sh PATH-TO-PLIANT
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"

# Help and version.
commands='demo check bench scenes export info fit replay'
expect 0 --help
for command in $commands; do
    grep -q "^  $command " "$folder/out" || fail "--help does not list $command"
done
for command in $commands; do
    expect 0 "$command" --help
    grep -q "^usage: pliant $command" "$folder/out" || fail "$command --help has no usage"
    for option in '--threads N' '--isa SET' --help --version; do
        [ "$(grep -c "^  $option  " "$folder/out")" -eq 1 ] ||
            fail "$command --help does not explain $option"
    done
    awk 'length > 100 {exit 1}' "$folder/out" || fail "$command --help has lines of over 100 columns"
    # What is said about options stands in line.
    [ "$(grep -E '^  --?[a-z]+( [A-Z][A-Za-z.:#]*)? {2}' "$folder/out" |
        sed -E 's/^(  --?[a-z-]+( [A-Za-z.:#]+)? +).*/\1/' | awk '{print length}' | sort -u |
        wc -l)" -eq 1 ] || fail "$command --help is not in line"
done
for command in '' $commands; do
    expect 0 $command --version
    grep -Eq '^pliant(-bench)? [0-9]+\.[0-9]+\.[0-9]+$' "$folder/out" || fail "$command --version looks wrong"
    grep -Eq '^  libpliant +[0-9.]+ \(([a-z0-9=]+ )*plain\)$' "$folder/out" ||
        fail "$command --version does not say which kernels there are"
done

# Bad usage.
refuse ''
refuse '' fly
refuse '' --fly
refuse '' demo --fly
refuse '' demo nowhere
refuse '' demo spheres cloth
refuse '' demo --steps
refuse '' demo --steps 0
refuse '' demo --steps -3
refuse '' demo --steps 12x
refuse '' demo --steps=
refuse '' demo --steps 99999999999999999999
refuse '' demo --update sideways
refuse '' bench --quick --full
refuse '' bench nothing
refuse '' bench --quick=1
refuse '' scenes spheres

refuse '' export
refuse '' export spheres
refuse '' export nowhere -o x.glb
refuse '' export spheres -o x.fbx
refuse '' export spheres -o .glb

# Lists.
expect 0 scenes
for scene in spheres cloth bowl soup; do
    grep -q "^$scene " "$folder/out" || fail "scenes does not list $scene"
done
expect 0 bench --list
for experiment in larsson-1 larsson-2 larsson-3-spheres larsson-3-arms workers broad \
    exact-triangle build memory bd-curtain bd-bridge bd-chairs bd-crowd growth peers-spheres peers-27 \
    peers-ring peers-first peers-self; do
    grep -q "^$experiment " "$folder/out" || fail "bench --list does not list $experiment"
done

# The demo: every scene, options in any order and in both spellings; its page is whole and needs
# nothing from outside.
for scene in spheres cloth bowl soup; do
    expect 0 demo -o "$folder/$scene" --steps=20 "$scene"
    [ ! -s "$folder/err" ] || fail "demo $scene writes to stderr in a pipe"
    for update in bottom-up top-down hybrid front auto; do
        grep -q "^$update " "$folder/out" || fail "demo $scene has no row for $update"
    done
    page="$folder/$scene/report.html"
    for part in '<!DOCTYPE html>' '<noscript>' '</html>'; do
        grep -q "$part" "$page" || fail "the page of $scene has no $part"
    done
    [ "$(wc -c <"$page")" -gt 200000 ] || fail "the page of $scene has no program in it"
    if grep -Eq 'https?://|src=' "$page"; then
        fail "the page of $scene refers to something outside"
    fi
done
expect 0 demo --steps 5 --update hybrid -o"$folder/one"
[ "$(grep -c '^hybrid ' "$folder/out")" -eq 1 ] || fail "--update hybrid: no row"
grep -q '^bottom-up ' "$folder/out" && fail "--update hybrid: other rows too"

# The same input gives the same page, the times apart, for any number of threads.
strip_times() { sed 's|"ms":[0-9.]*|"ms":0|g' "$1/report.html"; }
expect 0 demo soup -o "$folder/again" --steps 20
cmp -s <(strip_times "$folder/soup") <(strip_times "$folder/again") || fail "two runs differ"
expect 0 demo crowd-arms -o "$folder/crowd" --steps 3 --update auto
grep -q '^page: ' "$folder/out" || fail "the demo of many bodies writes no page"
expect 0 demo crowd-arms -o "$folder/crowd3" --steps 3 --update auto --threads 3
cmp -s <(strip_times "$folder/crowd") <(strip_times "$folder/crowd3") ||
    fail "three threads give another page"

# So does every instruction set.
for isa in plain baseline avx2 avx512; do
    expect 0 demo soup -o "$folder/$isa" --steps 20 --isa "$isa"
    cmp -s <(strip_times "$folder/soup") <(strip_times "$folder/$isa") ||
        fail "--isa $isa gives another page"
done
pairs_by_update() { awk '/^(bottom-up|top-down|hybrid|front|auto) /{print $1, $2, $3, $4}' "$folder/out"; }
expect 0 demo -o "$folder/best" --steps 20
best=$(pairs_by_update)
expect 0 demo -o "$folder/plain" --steps 20 --isa=plain
[ -n "$best" ] && [ "$best" = "$(pairs_by_update)" ] || fail "--isa plain finds other pairs"

# Export: a file, or one for each step.
expect 0 export soup --steps 3 -o "$folder/soup.glb"
[ "$(head -c 4 "$folder/soup.glb")" = glTF ] || fail "export writes no GLB"
expect 0 export soup --steps 3 -o "$folder/soup.ply"
[ -s "$folder/soup.0003.ply" ] || fail "export writes no sequence"
expect 0 export soup --steps 3 -o "$folder/s_##_.obj"
[ -s "$folder/s_03_.obj" ] || fail "export does not number where the #s are"
expect 0 info "$folder/s_##_.obj"
expect 3 export soup --steps 3 -o "$folder/nowhere/soup.glb"

# Every command takes --threads and --isa, and refuses what it cannot make sense of.
with_arguments() { # COMMAND: its arguments, for a call that would work
    case $1 in
    demo) arguments=(soup --steps 5 -o "$folder/limited") ;;
    check) arguments=("$folder/s_##_.obj" --self --json "$folder/limited/report.json") ;;
    bench) arguments=(--list) ;;
    scenes) arguments=() ;;
    export) arguments=(soup --steps 3 -o "$folder/limited/soup.ply") ;;
    info) arguments=("$folder/s_##_.obj") ;;
    fit) arguments=("$folder/s_##_.obj" --modes 2 -o "$folder/limited/fit.glb") ;;
    replay) arguments=("$folder/empty.pliant") ;;
    esac
}
# A recording of a scene that was asked nothing; replay_test.sh has others.
python3 - "$folder/empty.pliant" <<'END'
import struct, sys
def chunk(kind, content):
    data, sum = struct.pack("=IIQ", kind, 0, len(content)) + content, 0
    for (word,) in struct.iter_unpack("=Q", data):
        sum = (sum ^ word) * 0x9E3779B97F4A7C15 % 2**64
        sum ^= sum >> 32
    return data + struct.pack("=Q", sum)
with open(sys.argv[1], "wb") as file:
    file.write(b"pliantrc" + struct.pack("=II", 1, 0x01020304))
    file.write(chunk(1, struct.pack("=IIII", 0, 1, 1, 100)) + chunk(9, struct.pack("=Q", 0)))
END
# Under sanitizers every start takes its time: fewer values there, all read by the same code.
is_small=$([ "${PLIANT_TEST_SCALE:-1}" = 1 ] || echo yes)
limits=('--' '--threads=3' '--isa plain')
bad_threads=(0 abc)
bad_sets=(sse9)
if [ -z "$is_small" ]; then
    limits+=('--threads 1' '--isa=avx2 --threads 2')
    bad_threads+=(-1 257 1e9 99999999999999999999 2x ' 2' '')
    bad_sets+=(best AVX2 1 '')
fi
# What a call printed and wrote, the times apart.
all_but_times() {
    sed -E 's/^((bottom-up|top-down|hybrid|front|auto)( +[0-9]+){3}) +[0-9.]+/\1 ms/' "$folder/out"
    [ ! -e "$folder/limited/report.html" ] || strip_times "$folder/limited"
    find "$folder/limited" -type f ! -name report.html | sort | while read -r file; do
        echo "$file" && cat "$file"
    done
}
for command in $commands; do
    with_arguments "$command"
    wanted=0
    [ "$command" != check ] || wanted=1
    if [ "$command" = fit ] && "$pliant" fit "${arguments[@]}" 2>&1 | grep -q 'needs LAPACK'; then
        continue # absent_test.sh looks at what it says
    fi
    rm -f "$folder/unlimited"
    for limit in "${limits[@]}"; do
        rm -rf "$folder/limited"
        mkdir "$folder/limited"
        expect "$wanted" "$command" "${arguments[@]}" $limit
        all_but_times >"$folder/answer"
        [ -s "$folder/out" ] || fail "$command $limit prints nothing"
        [ -e "$folder/unlimited" ] || cp "$folder/answer" "$folder/unlimited"
        cmp -s "$folder/unlimited" "$folder/answer" || fail "$command: $limit changes the answer"
    done
    for value in "${bad_threads[@]}"; do
        refuse '--threads' "$command" "${arguments[@]}" "--threads=$value"
    done
    refuse '--threads' "$command" "${arguments[@]}" --threads -1
    refuse '--threads' "$command" "${arguments[@]}" --threads
    for value in "${bad_sets[@]}"; do
        refuse '--isa' "$command" "${arguments[@]}" "--isa=$value"
    done
    refuse '--isa' "$command" "${arguments[@]}" --isa
done

# Outputs that cannot be written: status 3 and a message.
touch "$folder/file"
expect 3 demo --steps 5 -o "$folder/file/below"
[ -s "$folder/err" ] || fail "no message for a folder that cannot be made"
expect 3 bench build --quick --json "$folder/no/such/folder.json"
grep -q 'folder.json' "$folder/err" || fail "the message does not name the file"
if [ -e /dev/full ]; then
    "$pliant" --help >/dev/full 2>"$folder/err"
    [ $? -eq 3 ] || fail "a full disk under --help is not status 3"
    [ -s "$folder/err" ] || fail "no message for a full disk"
    "$pliant" demo --steps 5 -o "$folder/full" >/dev/full 2>"$folder/err"
    [ $? -eq 3 ] || fail "a full disk under demo is not status 3"
    ln -s /dev/full "$folder/full.json"
    expect 3 bench build --quick --json "$folder/full.json"
fi
{
    sleep 0.5
    "$pliant" scenes 2>"$folder/err"
    echo $? >"$folder/status"
} | true
[ "$(cat "$folder/status")" -eq 3 ] || fail "a closed pipe is not status 3"
[ -s "$folder/err" ] || fail "no message for a closed pipe"

# Some experiments; all of them are run by figures_test.sh.
experiments="exact-triangle points-root"
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
    expect 0 bench larsson-3-spheres --quick --threads 2 --json "$folder/two.json"
    grep -q '^threads: 2 for our methods' "$folder/out" || fail "bench does not say how many threads"
    expect 0 bench larsson-3-spheres workers --quick --threads 3 --isa plain \
        --json "$folder/three.json"
fi
if [ -z "$is_small" ] && command -v python3 >/dev/null; then
    python3 - "$folder/bench.json" "$folder/two.json" "$folder/three.json" <<'EOF' ||
import json, sys
pairs = []
for path, threads in zip(sys.argv[1:], (1, 2, 3)):
    result = json.load(open(path))
    assert result["machine"]["threads"] == threads, (path, result["machine"])
    found = {experiment["name"]: experiment for experiment in result["experiments"]}
    crowd = found["larsson-3-spheres"]
    pairs.append([(row["method"], row["pairs"]) for row in crowd["rows"]])
    assert any(f"{threads} workers" in note for note in crowd["notes"]) == (threads > 1)
    for row in crowd["rows"]:
        assert 0 <= row["update_ms"] <= row["total_ms"], row
assert pairs[0] == pairs[1] == pairs[2], pairs
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
