#!/usr/bin/env bash
# pliant check from outside: exit status, options, files of every kind, reports, broken outputs.
# usage: check_test.sh PATH-TO-PLIANT FOLDER-OF-ASSETS
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../support/skipping.sh"
assets=${PLIANT_ASSETS:-$2}
prefix=(check)

says() {
    grep -q -- "$1" "$folder/out" || fail "the output lacks '$1': $(cat "$folder/out")"
}

says_not() {
    if grep -q -- "$1" "$folder/out"; then
        fail "the output has '$1': $(cat "$folder/out")"
    fi
}

# tetrahedron FILE X [NAME]: an OBJ file of a tetrahedron that starts at X.
tetrahedron() {
    local x=$2
    {
        echo "o ${3:-tetrahedron}"
        printf 'v %s %s %s\n' "$x" 0 0 "$(echo "$x" | awk '{print $1 + 1}')" 0 0 "$x" 1 0 "$x" 0 1
        printf 'f %s %s %s\n' 1 3 2 1 2 4 2 3 4 3 1 4
    } >"$1"
}
tetrahedron "$folder/a.obj" 0 left
tetrahedron "$folder/b.obj" 0.5 right
tetrahedron "$folder/far.obj" 10 right
for frame in 0 1 2 3; do # comes, touches, goes
    tetrahedron "$folder/move.$frame.obj" "$(echo "$frame" | awk '{print $1 == 1 ? 0.25 : $1 == 2 ? -0.6 : 7}')" mover
done

# Help.
expect 0 --help
for option in --clip --fps --frames --self --continuous --volume --contours --clearance --against --split --ignore \
    --near --min-depth --max-depth --max-area --clips --together --allow --json --csv --threads --isa; do
    says "$option"
done
"$pliant" --help >"$folder/out"
says '^  check '

# Bad usage and bad input.
refuse 'needs a file'
refuse 'no option' "$folder/a.obj" --fly
refuse '--fps' "$folder/a.obj" --fps 0
refuse '--fps' "$folder/a.obj" --fps nan
refuse '--fps' "$folder/a.obj" --fps 30x
refuse '--frames' "$folder/a.obj" --frames 5:2
refuse '--frames' "$folder/a.obj" --frames 1:2:3
refuse '--frames' "$folder/a.obj" --frames x
refuse '--clearance' "$folder/a.obj" --clearance -1
refuse '--clearance' "$folder/a.obj" --clearance inf
refuse 'cannot read yesterday' "$folder/a.obj" --against yesterday
refuse '--against' "$folder/a.obj" --against frame:
refuse '--against' "$folder/a.obj" --against frame:-1
refuse '--split' "$folder/a.obj" --split atoms
refuse '--continuous' "$folder/a.obj" --continuous 0
refuse '--continuous' "$folder/a.obj" --continuous=x
refuse '--continuous' "$folder/a.obj" --continuous 1001
refuse '--threads' "$folder/a.obj" --threads 0
refuse '--isa' "$folder/a.obj" --isa sse9
refuse '--max-depth' "$folder/a.obj" --max-depth -1
refuse 'takes no value' "$folder/a.obj" --self=1
refuse 'no clip' "$folder/a.obj" --clip Walk
refuse 'only one' "$folder/a.obj" --json - --csv -
refuse 'none.obj' "$folder/none.obj"
refuse 'none.json' "$folder/a.obj" --against "$folder/none.json"
: >"$folder/empty.obj"
refuse 'empty' "$folder/empty.obj"
echo 'v 1 2 nan' >"$folder/nan.obj"
refuse 'nan.obj' "$folder/nan.obj"
echo 'Kaydara FBX Binary  ' >"$folder/x.fbx"
refuse 'FBX' "$folder/x.fbx"
refuse 'everything is ignored' "$folder/a.obj" --ignore '*'

# Still files: everything that touches is new, unless the rest pose is asked for.
expect 1 "$folder/a.obj" "$folder/b.obj"
says 'left + right'
says 'FOUND: 1 contact'
[ ! -s "$folder/err" ] || fail "something on stderr in a pipe"
expect 0 "$folder/a.obj" "$folder/b.obj" --against rest
says 'known'
expect 0 "$folder/a.obj" "$folder/b.obj" --max-depth 100%
says 'allowed'
expect 0 "$folder/a.obj" "$folder/far.obj"
says 'OK: nothing touches'
expect 0 "$folder/a.obj"
says 'only one body'
expect 0 "$folder/a.obj" --self
says 'OK: nothing touches'
expect 0 "$folder/a.obj" "$folder/b.obj" --ignore right
expect 0 "$folder/a.obj" "$folder/b.obj" --ignore 'right+l*' --allow nothing
refuse "called 'typo'" "$folder/a.obj" "$folder/b.obj" --ignore 'left+left,typo'
expect 1 "$folder/a.obj" "$folder/far.obj" --clearance 10
says 'gap'
expect 0 "$folder/a.obj" "$folder/far.obj" --clearance 8.9
expect 1 "$folder/a.obj" "$folder/b.obj" --volume
says 'volume'
expect 1 "$folder/a.obj" "$folder/b.obj" --contours --csv -
says 'contours,contour_length,inside_area,inside_depth,guess'
expect 1 "$folder/a.obj" "$folder/b.obj" --contours --json -
says '"inside_depth"'

# Contact in a single point counts, whichever body comes first.
tetrahedron "$folder/point.obj" 1 right
expect 1 "$folder/a.obj" "$folder/point.obj"
expect 1 "$folder/point.obj" "$folder/a.obj"

# One file of two bodies; the same as one body of two pieces.
{
    cat "$folder/a.obj"
    sed 's/^f .*//' "$folder/b.obj"
    printf 'f %s %s %s\n' 5 7 6 5 6 8 6 7 8 7 5 8
} >"$folder/both.obj"
expect 1 "$folder/both.obj"
says 'left + right'
grep -v '^o' "$folder/both.obj" >"$folder/one.obj"
expect 1 "$folder/one.obj" # one body is compared with itself
expect 1 "$folder/one.obj" --self
expect 1 "$folder/one.obj" --split component
says 'one:1 + one:2'
says_not 'itself'
expect 0 "$folder/one.obj" --split component --ignore 'one:2'
expect 1 "$folder/one.obj" --split component --clearance 0.1
awk '/^f 5/{print "usemtl cloth"} {print}' "$folder/one.obj" >"$folder/materials.obj"
expect 1 "$folder/materials.obj" --split primitive
says ':cloth'
expect 0 "$folder/materials.obj" --split primitive --ignore cloth
expect 0 "$folder/materials.obj" --self --ignore cloth

# PLY and OFF.
{
    printf 'ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n'
    printf 'property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n'
    printf '0.5 0 0\n1.5 0 0\n0.5 1 0\n0.5 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n'
} >"$folder/c.ply"
printf 'OFF\n4 4 0\n0.5 0 0\n1.5 0 0\n0.5 1 0\n0.5 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n' >"$folder/d.off"
expect 1 "$folder/a.obj" "$folder/b.obj" --csv -
cut -d, -f6- "$folder/out" >"$folder/pairs"
expect 1 "$folder/a.obj" "$folder/c.ply" --csv -
cut -d, -f6- "$folder/out" | cmp -s - "$folder/pairs" || fail "PLY gives other pairs than OBJ"
expect 1 "$folder/a.obj" "$folder/d.off" --csv -
cut -d, -f6- "$folder/out" | cmp -s - "$folder/pairs" || fail "OFF gives other pairs than OBJ"

# A sequence, with frames and references.
expect 1 "$folder/a.obj" "$folder/move.#.obj"
says 'clip frames, 4 frames'
says '^  left + mover  *1  *1  *1  *1 '
says '^  left + mover  *2  *2  *2  *1 '
expect 1 "$folder/a.obj" "$folder/move.#.obj" --frames 2:
says '^  left + mover  *2  *2  *2 '
expect 0 "$folder/a.obj" "$folder/move.#.obj" --frames :0
expect 0 "$folder/a.obj" "$folder/move.#.obj" --frames 3
refuse 'no clip has frames' "$folder/a.obj" "$folder/move.#.obj" --frames 4:9
expect 0 "$folder/a.obj" "$folder/move.#.obj" --against frame:2
says 'in frame 2'
expect 0 "$folder/a.obj" "$folder/move.#.obj" --frames 1:1 --against frame:1
rm "$folder/move.2.obj"
tetrahedron "$folder/move.2.obj" -0.6 mover
echo 'v 9 9 9' >>"$folder/move.2.obj"
refuse "clip 'frames', frame 2" "$folder/a.obj" "$folder/move.#.obj" --threads 4
tetrahedron "$folder/move.2.obj" -0.6 mover

# Through a sheet from one frame to the next: no frame shows it.
printf 'o sheet\nv 3 -9 -9\nv 3 9 -9\nv 3 0 9\nf 1 2 3\n' >"$folder/sheet.obj"
tetrahedron "$folder/through.0.obj" 0 mover
tetrahedron "$folder/through.1.obj" 7 mover
expect 0 "$folder/sheet.obj" "$folder/through.#.obj"
says_not 'between'
expect 1 --continuous "$folder/sheet.obj" "$folder/through.#.obj" --html "$folder/page.html"
says '^  sheet + mover  *0  *0  *0  *1 .*passes$'
says 'FOUND: 1 passage between two frames'
if command -v python3 >/dev/null; then
    python3 - "$folder/page.html" <<'PYTHON' || fail "the page lacks what passes through"
import base64, re, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
data = base64.b64decode(re.search('id="pliant-data">([^<]*)<', page).group(1))
data = zlib.decompress(data, -15)
assert b'"passes":{"code":"bytes"' in data
PYTHON
fi
expect 1 "$folder/sheet.obj" "$folder/through.#.obj" --continuous --max-depth 4 # no depth, no limit
expect 0 "$folder/sheet.obj" "$folder/through.#.obj" --continuous --ignore 'sheet+mover' --allow nothing
says 'OK: nothing touches'
expect 0 "$folder/sheet.obj" "$folder/through.#.obj" --continuous --frames 0
expect 1 "$folder/sheet.obj" "$folder/through.#.obj" --continuous 2 --csv -
says 'new_depth,between$'
says '^frames,0,0.0[0-9]*,sheet,mover,4,4,,,1$'
expect 1 "$folder/sheet.obj" "$folder/through.#.obj" --continuous=2 --json "$folder/through.json"
grep -q '"passes"' "$folder/through.json" || fail "the report lacks passes"
prefix=(accept)
expect 0 "$folder/sheet.obj" "$folder/through.#.obj" --continuous -o "$folder/through.ref"
prefix=(check)
expect 0 "$folder/sheet.obj" "$folder/through.#.obj" --continuous --against "$folder/through.ref"
says 'known'

# Reports have the same bytes for any number of threads; references hold afterwards, also when a mesh
# gets another number of triangles.
expect 1 "$folder/a.obj" "$folder/move.#.obj" --json "$folder/known.json" --threads 1
expect 1 "$folder/a.obj" "$folder/move.#.obj" --json "$folder/again.json" --threads 3
cmp -s "$folder/known.json" "$folder/again.json" || fail "threads change the report"
prefix=(accept)
expect 0 "$folder/a.obj" "$folder/move.#.obj" -o "$folder/known.ref"
prefix=(check)
expect 0 "$folder/a.obj" "$folder/move.#.obj" --against "$folder/known.ref"
says 'known'
{
    cat "$folder/a.obj"
    echo 'f 1 2 3'
} >"$folder/changed.obj"
expect 0 "$folder/changed.obj" "$folder/move.#.obj" --against "$folder/known.ref"
refuse 'this is no reference' "$folder/a.obj" --against "$folder/known.json"
for isa in plain baseline avx2 avx512; do
    expect 1 "$folder/a.obj" "$folder/move.#.obj" --json "$folder/again.json" --isa "$isa"
    cmp -s "$folder/known.json" "$folder/again.json" || fail "--isa $isa changes the report"
done
if command -v python3 >/dev/null; then
    python3 - "$folder/known.json" <<'PYTHON' || fail "the report lacks something"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["schema"] == 2 and report["status"] == 1
assert report["compared"] == {"bodies": 2, "body_pairs": 1, "clips": 1, "frames": 4}
finding = report["findings"][0]
assert finding["kind"] == "contact" and finding["verdict"] == "new" and finding["fails"] == 1
assert finding["depth"] > 0 and finding["depth_percent"] > 1 and len(finding["position"]) == 3
assert [body["name"] for body in report["bodies"]] == ["left", "mover"]
clip = report["clips"][0]
pair = clip["pairs"][0]
assert clip["frames"] == 4 and pair["verdict"] == "fails"
assert (pair["new"]["first"], pair["new"]["last"]) == (1, 2)
assert pair["series"]["frame"] == [1, 2] and len(pair["series"]["pairs"]) == 2
assert len(pair["triangles"]) % 2 == 0 and pair["triangles"]
PYTHON
fi

# Names with commas, quotes and controls in them stay one field and one line.
tetrahedron "$folder/odd.obj" 0.5 $'odd, "name"\e[31m'
expect 1 "$folder/a.obj" "$folder/odd.obj" --csv -
says ',"odd, ""name""?\[31m",'
expect 1 "$folder/a.obj" "$folder/odd.obj" --json -
if command -v python3 >/dev/null; then
    python3 -m json.tool "$folder/out" >/dev/null || fail "odd names break the JSON"
fi

# Outputs that cannot be written: status 3 and one line.
expect 3 "$folder/a.obj" "$folder/b.obj" --json "$folder/no/such/report.json"
grep -q 'report.json' "$folder/err" || fail "the message does not name the file"
expect 3 "$folder/a.obj" "$folder/b.obj" --csv "$folder/no/such/report.csv"
if [ -e /dev/full ]; then
    expect 3 "$folder/a.obj" "$folder/b.obj" --json /dev/full
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "a full disk under --json: not one line"
    expect 3 "$folder/a.obj" "$folder/b.obj" --csv /dev/full
    "$pliant" check "$folder/a.obj" "$folder/b.obj" >/dev/full 2>"$folder/err"
    [ $? -eq 3 ] || fail "a full disk under the table is not status 3"
    [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "a full disk under the table: not one line"
fi
{
    sleep 0.5
    "$pliant" check "$folder/a.obj" "$folder/b.obj" 2>"$folder/err"
    echo $? >"$folder/status"
} | true
[ "$(cat "$folder/status")" -eq 3 ] || fail "a closed pipe is not status 3"
[ "$(wc -l <"$folder/err")" -eq 1 ] || fail "a closed pipe: not one line"

# The manual page has every option of the help.
docs=$(dirname "$0")/../../docs
"$pliant" check --help | grep -o -- '--[a-z-]*' | sort -u | while read -r option; do
    grep -q -- "${option//-/\\\\-}" "$docs/pliant.1" || echo "$option"
done >"$folder/missing"
[ ! -s "$folder/missing" ] || fail "the manual page lacks $(cat "$folder/missing")"

# Real files, where they are.
if [ -d "$assets/malformed" ]; then
    # The script of the guide, as it stands there.
    mkdir -p "$folder/guide/characters" "$folder/guide/known"
    sed -n '/^```sh$/,/^```$/p' "$docs/guide/pipeline.md" | sed '/^```/d' >"$folder/guide/script"
    ln -s "$(realpath "$assets")/characters/shark.glb" "$(realpath "$assets")/characters/robot.glb" \
        "$folder/guide/characters"
    tool=$(dirname "$(realpath "$pliant")")
    (cd "$folder/guide" && PATH="$tool:$PATH" sh script) >"$folder/out"
    [ $? -eq 1 ] || fail "the guide's script does not fail for new contacts"
    says '^ok     characters/shark'
    says '^FOUND  characters/robot'
    "$pliant" accept "$folder/guide/characters/robot.glb" -o "$folder/guide/known/robot.ref" >/dev/null ||
        fail "accept"
    (cd "$folder/guide" && PATH="$tool:$PATH" sh script) >"$folder/out"
    [ $? -eq 0 ] || fail "the guide's script fails for known contacts"
    says '^ok     characters/robot'
    expect 0 "$assets/characters/shark.glb" --self
    expect 1 "$assets/characters/knight.glb" --clip 'Walking_A,Death_*' --ignore '*Shield,*Sword*'
    says 'Knight_Cape + Knight_Body'
    expect 1 "$assets/meshes/torus.obj" "$assets/meshes/spot.obj" --threads 1
    refuse 'no clip' "$assets/characters/shark.glb" --clip Fly
    count=0
    while read -r file; do
        count=$((count + 1))
        "$pliant" check "$file" --self >"$folder/out" 2>"$folder/err" </dev/null
        status=$?
        [ "$status" -le 2 ] || fail "$file: status $status"
        [ "$status" -ne 2 ] || [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "$file: not one line"
    done < <(find "$assets/malformed" \( -name '*.gltf' -o -name '*.glb' -o -name '*.obj' \) |
        sort | awk -v scale="${PLIANT_TEST_SCALE:-1}" 'scale >= 1 || NR % 10 == 1')
    [ "$count" -gt 20 ] || fail "only $count malformed files"
else
    without_assets "$assets/malformed"
fi

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
[ $skipped -ne 0 ] || echo "all passed"
exit $skipped
