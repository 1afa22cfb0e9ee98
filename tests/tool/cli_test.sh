#!/usr/bin/env bash
# The command-line tool from outside: exit codes, errors, files, broken outputs.
# usage: cli_test.sh PATH-TO-PLIANT
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"

# Help and version. The laboratory, which `bench` starts, has tests of its own.
commands='demo check scenes export info fit replay'
expect 0 --help
for command in $commands bench; do
    grep -q "^  $command " "$folder/out" || fail "--help does not list $command"
done
for command in $commands; do
    check_help "$command"
    check_version "$command"
done
check_version

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
refuse 'needs a scene' demo --update auto
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
# Without the laboratory beside it the tool says what is missing.
mkdir "$folder/alone"
cp "$pliant" "$folder/alone/pliant"
"$folder/alone/pliant" bench --list >"$folder/out" 2>"$folder/err"
[ $? -eq 3 ] && grep -q 'needs pliant-bench' "$folder/err" || fail "bench without the laboratory: $(cat "$folder/err")"

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
expect 0 demo spheres --steps 5 --update hybrid -o"$folder/one"
[ "$(grep -c '^hybrid ' "$folder/out")" -eq 1 ] || fail "--update hybrid: no row"
grep -q '^bottom-up ' "$folder/out" && fail "--update hybrid: other rows too"

# The same input gives the same page, the times apart, for any number of threads.
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
expect 0 demo spheres -o "$folder/best" --steps 20
best=$(pairs_by_update)
expect 0 demo spheres -o "$folder/plain" --steps 20 --isa=plain
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
    file.write(b"pliantrc" + struct.pack("=II", 2, 0x01020304))
    file.write(chunk(1, struct.pack("=IIII", 0, 1, 1, 100)) + chunk(9, struct.pack("=Q", 0)))
END
for command in $commands; do
    with_arguments "$command"
    wanted=0
    [ "$command" != check ] || wanted=1
    if [ "$command" = fit ] && "$pliant" fit "${arguments[@]}" 2>&1 | grep -q 'needs LAPACK'; then
        continue # absent_test.sh looks at what it says
    fi
    check_limits "$wanted" "$command" "${arguments[@]}"
done

# Outputs that cannot be written: status 3 and a message.
touch "$folder/file"
expect 3 demo spheres --steps 5 -o "$folder/file/below"
[ -s "$folder/err" ] || fail "no message for a folder that cannot be made"
if [ -e /dev/full ]; then
    "$pliant" --help >/dev/full 2>"$folder/err"
    [ $? -eq 3 ] || fail "a full disk under --help is not status 3"
    [ -s "$folder/err" ] || fail "no message for a full disk"
    "$pliant" demo spheres --steps 5 -o "$folder/full" >/dev/full 2>"$folder/err"
    [ $? -eq 3 ] || fail "a full disk under demo is not status 3"
fi
{
    sleep 0.5
    "$pliant" scenes 2>"$folder/err"
    echo $? >"$folder/status"
} | true
[ "$(cat "$folder/status")" -eq 3 ] || fail "a closed pipe is not status 3"
[ -s "$folder/err" ] || fail "no message for a closed pipe"

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
echo "all passed"
