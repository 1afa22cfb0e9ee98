#!/usr/bin/env bash
# pliant info and pliant fit from outside: what they print, exit codes, bad files, broken outputs.
# usage: cli_asset_test.sh PATH-TO-PLIANT
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"

printed() {
    grep -qE -- "$1" "$folder/out" || fail "'$1' was not printed: $(cat "$folder/out")"
}

for command in info fit; do
    expect 0 "$command" --help
    printed "^usage: pliant $command"
done

# A sequence of three frames: a square that bends.
for i in 1 2 3; do
    printf 'o sheet\nv 0 0 0\nv 1 0 0\nv 1 1 %d\nv 0 1 0\nf 1 2 3\nf 1 3 4\n' "$i" >"$folder/s.000$i.obj"
done
expect 0 info "$folder/s.0001.obj"
printed '^1 body of 1 shape, 2 triangles, 0 clips$'
printed '^  sheet +4 +2  open +- +-  still$'
printed '^ +4 open edges$'
printed '^      size 1\.732: 1 x 1 x 1$'
grep -q ' $' "$folder/out" && fail "info prints spaces at the end of a line"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\nusemtl blue\nf 1 1 2\n' >"$folder/two.obj"
expect 0 info "$folder/two.obj"
printed '^      materials: red, blue$'
printed '^      1 triangle without area$'
expect 0 info "$folder/s.####.obj"
printed '1 clip$'
printed 'frames$'
printed '3 frames$'
expect 0 fit "$folder/s.####.obj" --modes 5 -o "$folder/fit.glb"
printed '^3 frames at 30 a second$'
printed '^  sheet +4 +1 +100\.0000 %'
[ ! -s "$folder/err" ] || fail "fit writes to stderr"
cp "$folder/fit.glb" "$folder/first.glb"
expect 0 fit --output="$folder/fit.glb" "$folder/s.####.obj" --modes=5
cmp -s "$folder/fit.glb" "$folder/first.glb" || fail "two fits differ"
if ! "$pliant" info "$folder/fit.glb" 2>&1 | grep -q 'lacks jansson'; then
    expect 0 info "$folder/fit.glb"
    printed '^  sheet +4 +2  open +1 +-  morphing$'
    printed '^  frames +0\.067 s +3 keys, 30 frames a second$'
    expect 0 fit "$folder/fit.glb" --modes 2 -o "$folder/again.glb"
    printed '^  sheet +4 +1 +100\.0000 %'
    refuse "there is no clip 'walk'" fit "$folder/fit.glb" --clip walk --modes 2 -o "$folder/x.glb"
    printf '{"asset":' >"$folder/cut.gltf"
    refuse 'cut.gltf: line 1' info "$folder/cut.gltf"
fi

# Bodies of one name are told apart, and pieces counted, as check does.
printf 'o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no b\nv 0 0 0\nv 0 0 1\nv 0 1 1\nf 4 5 6\n' >"$folder/same.obj"
sed 's/^o b/o a/' "$folder/same.obj" >"$folder/namesakes.obj"
expect 0 info "$folder/same.obj" "$folder/namesakes.obj"
for name in a b 'a#2'; do
    printed "^  $name +3 +1  open"
    "$pliant" check "$folder/same.obj" "$folder/namesakes.obj" --ignore "$name" >"$folder/out2" 2>&1
    [ $? -le 1 ] || fail "check does not know the name $name that info prints"
done
sed '/^o b/d; s/^f 4 5 6/v 5 5 5\nf 4 5 6\nf 5 4 7/' "$folder/same.obj" >"$folder/joined.obj"
expect 0 info "$folder/joined.obj"
grep -q pieces "$folder/out" && fail "what meets in a vertex counts as separate"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 4 5 6\n' >"$folder/pieces.obj"
expect 0 info "$folder/pieces.obj"
printed '^      2 separate pieces$'

# Names from files cannot move the cursor.
printf 'o a\033[2Jb\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$folder/name.obj"
expect 0 info "$folder/name.obj"
grep -q "$(printf '\033')" "$folder/out" && fail "an escape sequence went through"

# Bad usage and bad files.
refuse 'info needs a file' info
refuse 'No such file' info "$folder/nowhere.obj"
refuse 'there is no option' info --fly "$folder/name.obj"
refuse 'fit needs a file' fit
refuse 'fit needs --modes' fit "$folder/s.####.obj" -o "$folder/x.glb"
refuse 'fit needs -o' fit "$folder/s.####.obj" --modes 3
refuse 'whole number from 1' fit "$folder/s.####.obj" --modes 0 -o "$folder/x.glb"
refuse 'nothing moves' fit "$folder/name.obj" --modes 3 -o "$folder/x.glb"
printf 'v 0 0 0\nf 1 1 7\n' >"$folder/bad.obj"
refuse 'bad.obj: line 2: a face uses vertex 7 of 1' info "$folder/bad.obj"
printf 'Kaydara' >"$folder/a.fbx"
refuse 'FBX is not read; open it in Blender or the program that made it, and export it as glTF 2.0' info "$folder/a.fbx"
: >"$folder/empty.ply"
refuse 'it is empty' info "$folder/empty.ply"
printf 'f 1 2 3\n' >"$folder/s.0004.obj"
refuse 's.0004.obj: line 1' fit "$folder/s.####.obj" --modes 3 -o "$folder/x.glb"
[ ! -e "$folder/x.glb" ] || fail "a failed fit leaves a file"
rm "$folder/s.0004.obj"

# Outputs that cannot be written.
expect 3 fit "$folder/s.####.obj" --modes 3 -o "$folder/no/such.glb"
grep -q 'such.glb' "$folder/err" || fail "the message does not name the file"
if [ -e /dev/full ]; then
    expect 3 fit "$folder/s.####.obj" --modes 3 -o /dev/full
    [ -s "$folder/err" ] || fail "no message for a full disk"
    "$pliant" info "$folder/name.obj" >/dev/full 2>"$folder/err"
    [ $? -eq 3 ] || fail "a full disk under info is not status 3"
fi

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
echo "all passed"
