#!/usr/bin/env bash
# What pliant check must never call OK because it did not look: each is an error, or allowed by name.
# usage: doubts_test.sh PATH-TO-PLIANT
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"
prefix=(check)

says() {
    grep -q -- "$1" "$folder/out" || fail "the output lacks '$1': $(cat "$folder/out")"
}

# tetrahedron FILE X NAME [SIZE]
tetrahedron() {
    awk -v x="$2" -v n="$3" -v s="${4:-1}" 'BEGIN {
        printf "o %s\nv %g 0 0\nv %g 0 0\nv %g %g 0\nv %g 0 %g\n", n, x, x + s, x, s, x, s
        print "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4" }' >"$1"
}
tetrahedron "$folder/a.obj" 0 left
tetrahedron "$folder/b.obj" 5 right
tetrahedron "$folder/inner.obj" 0.1 inner 0.1
sed -i 's/^v \([0-9.]*\) 0 0$/v \1 0.1 0.1/; s/^v 0.1 0.1 0$/v 0.1 0.2 0.1/; s/^v 0.1 0 0.1$/v 0.1 0.1 0.2/' "$folder/inner.obj"

# One body is compared with itself, and the last line says so.
expect 0 "$folder/a.obj"
says 'compared with itself'
tail -n 1 "$folder/out" | grep -q '^compared: 1 body, 1 pair of bodies (the body and itself), 1 clip, 1 frame$' ||
    fail "the last line is $(tail -n 1 "$folder/out")"
expect 0 "$folder/a.obj" "$folder/b.obj"
tail -n 1 "$folder/out" | grep -q '^compared: 2 bodies, 1 pair of bodies, 1 clip, 1 frame$' ||
    fail "the last line is $(tail -n 1 "$folder/out")"

# Names that fit nothing.
refuse "no body and no material is called 'lef'" "$folder/a.obj" "$folder/b.obj" --ignore lef
refuse "is called 'left+rigth'" "$folder/a.obj" "$folder/b.obj" --ignore left+rigth
expect 0 "$folder/a.obj" "$folder/b.obj" --ignore lef --allow unused
refuse 'every pair of bodies is ignored' "$folder/a.obj" "$folder/b.obj" --ignore left+right
expect 0 "$folder/a.obj" "$folder/b.obj" --ignore left+right --allow nothing
refuse "not 'sleeping'" "$folder/a.obj" --allow sleeping
refuse "there is no clip 'Walk'" "$folder/a.obj" --clip Walk

# A sequence with files missing; its frames are called as the files are.
for frame in 5 6 9 12; do
    tetrahedron "$folder/go.$frame.obj" "$(awk -v f="$frame" 'BEGIN { print f == 9 ? 0.25 : 7 }')" mover
done
refuse '4 of 8 files of the sequence are missing' "$folder/a.obj" "$folder/go.#.obj"
expect 1 "$folder/a.obj" "$folder/go.#.obj" --allow missing
grep -q 'left + mover .* 9  *9  *9  *1 ' "$folder/out" || fail "not frame 9: $(cat "$folder/out")"
expect 0 "$folder/a.obj" "$folder/go.#.obj" --allow missing --frames 5:6
says 'compared: 2 bodies, 1 pair of bodies, 1 clip, 2 frames'

# A sequence in which nothing changes; one whose first frame, the reference, is as wrong as the others.
for frame in 1 2 3; do
    tetrahedron "$folder/stay.$frame.obj" 7 mover
    tetrahedron "$folder/deep.$frame.obj" "0.2$frame" mover
done
refuse "clip 'frames' moves none of the bodies in its 3 frames" "$folder/a.obj" "$folder/stay.#.obj"
expect 0 "$folder/a.obj" "$folder/stay.#.obj" --allow still
expect 0 "$folder/a.obj" "$folder/deep.#.obj"
says "the reference is the first frame.* between 'left' and 'mover'; --against none reports them"
expect 1 "$folder/a.obj" "$folder/deep.#.obj" --against none

# A body inside another that touches nothing of it; it can be accepted.
expect 1 "$folder/a.obj" "$folder/inner.obj"
says 'inner inside left'
prefix=(accept)
expect 0 "$folder/a.obj" "$folder/inner.obj" -o "$folder/inside.ref"
prefix=(check)
expect 0 "$folder/a.obj" "$folder/inner.obj" --against "$folder/inside.ref"

# Who accepts some frames only keeps what was accepted of the others.
prefix=(accept)
expect 0 "$folder/a.obj" "$folder/go.#.obj" --allow missing -o "$folder/go.ref"
cp "$folder/go.ref" "$folder/gone.ref"
expect 0 "$folder/a.obj" "$folder/go.#.obj" --allow missing --frames 5:6 -o "$folder/go.ref"
says ', 0 no longer there'
cmp -s "$folder/go.ref" "$folder/gone.ref" || fail 'accepting some frames changes what the others have'
prefix=(check)

# References: of another file, of no kind, broken; what is accepted passes, what is gone is said.
tetrahedron "$folder/c.obj" 0.5 right
expect 1 "$folder/a.obj" "$folder/c.obj"
prefix=(accept)
refuse 'needs -o' "$folder/a.obj" "$folder/c.obj"
expect 0 "$folder/a.obj" "$folder/c.obj" -o "$folder/known.ref" --reason 'a test'
grep -q 'a test$' "$folder/known.ref" || fail 'no reason in the reference'
head -n 1 "$folder/known.ref" | grep -qx 'pliant-reference 2' || fail 'no header'
tail -n 1 "$folder/known.ref" | grep -qx 'end' || fail 'no end'
cp "$folder/known.ref" "$folder/again.ref"
expect 0 "$folder/a.obj" "$folder/c.obj" -o "$folder/again.ref"
says '^accepted: 0 places added'
cmp -s "$folder/known.ref" "$folder/again.ref" || fail 'accepting again changes the reference'
prefix=(check)
expect 0 "$folder/a.obj" "$folder/c.obj" --against "$folder/known.ref"
says 'known'
expect 0 "$folder/a.obj" "$folder/b.obj" --against "$folder/known.ref"
says 'no longer'
refuse 'is of another file' "$folder/a.obj" "$folder/inner.obj" --against "$folder/known.ref"
refuse 'this is no reference' "$folder/a.obj" "$folder/c.obj" --against "$folder/a.obj"
refuse 'cannot read' "$folder/a.obj" "$folder/c.obj" --against "$folder/nowhere.ref"
printf 'pliant-reference 1\npair\tleft\tright\n1 2\t3 4 5\t1\n' >"$folder/bad.ref"
refuse 'line 3' "$folder/a.obj" "$folder/c.obj" --against "$folder/bad.ref"
printf 'pliant-reference 1\n1 2 3\t3 4 5\t1\n' >"$folder/bad.ref"
refuse 'before the first pair' "$folder/a.obj" "$folder/c.obj" --against "$folder/bad.ref"

# Clips in another file are bound by names; none that fits is an error.
if [ -n "${2:-}" ] && [ -f "$2/characters/fox.glb" ]; then
    fox="$2/characters/fox.glb"
    expect 1 "$fox" --clips "$fox" --clip 'fox:Run'
    says 'clip fox:Run'
    refuse 'none of the 20 nodes' "$2/characters/horse.glb" --clips "$fox"
    refuse "did you mean 'Survey'" "$fox" --clip surv
    expect 1 "$fox" --together
    says '^clip fox, '
    # 0.708 s at 10 a second: frames 0 to 7, and the last pose.
    "$pliant" check "$fox" --clip Walk --fps 10 --json - >"$folder/walk.json" 2>/dev/null
    grep -q '"frames": *9' "$folder/walk.json" || grep -q '"frames":9' "$folder/walk.json" ||
        fail 'the last pose is not looked at'
fi

# Limits.
expect 0 "$folder/a.obj" "$folder/c.obj" --max-depth 100%
says 'allowed'
expect 1 "$folder/a.obj" "$folder/c.obj" --max-depth 0.01
expect 0 "$folder/a.obj" "$folder/c.obj" --min-depth 10
says 'shallow'
expect 0 "$folder/a.obj" "$folder/c.obj" --max-area 100
refuse '--max-depth needs' "$folder/a.obj" --max-depth deep
[ "$failures" -eq 0 ] && echo "doubts: all good"
exit "$((failures > 0))"
