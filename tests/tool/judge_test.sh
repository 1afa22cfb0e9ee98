#!/usr/bin/env bash
# What pliant check calls fine and wrong with its defaults, on characters of kinds that people would call
# so: what is attached and slides a little at its contact of the rest pose, and garments before and after
# repair. Then that what was accepted holds for other frame rates and exports.
# usage: judge_test.sh PATH-TO-PLIANT SOURCE-FOLDER
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"
source=$2
if ! command -v python3 >/dev/null; then
    echo "no python3: skipped"
    exit 77
fi

make() {
    python3 "$source/tests/tool/characters.py" "$folder" "$@" || fail "characters.py $*"
}

# judge STATUS KIND [name=value...]
judge() {
    local wanted=$1
    shift
    make "$@" name=one
    prefix=(check)
    expect "$wanted" "$folder/one.glb"
    # No check that fails says so of nothing, and none that passes has anything that is worse.
    grep -qE ' (new|worse)$' "$folder/out"
    [ $? -eq $((1 - wanted)) ] || fail "$*: $(cat "$folder/out")"
}

judge_sequence() {
    local wanted=$1
    shift
    rm -f "$folder"/one-*.obj
    make sequence name=one "$@"
    prefix=(check)
    expect "$wanted" "$folder/one-skin.####.obj" "$folder/one-cloth.####.obj"
}

# Attached: several depths, sizes, frame rates, finenesses.
judge 0 antlers deep=3
judge 0 visor deep=1
judge 0 balls deep=3
judge 0 balls deep=3 soft=1 scale=100
judge 0 antlers deep=0.3 lag=6 fine=1 scale=0.01 fps=60
judge 0 visor deep=0.3 scale=100 fps=12
judge 0 visor deep=3 lag=6 fine=1
judge 0 visor deep=1 open=1
judge 0 antlers deep=1 open=1 seed=2
if [ -z "$is_small" ]; then
    for deep in 0.3 1 3 8; do
        for seed in 3 4; do
            judge 0 antlers deep=$deep seed=$seed lag=$((seed * 2)) fine=$((seed - 2)) fps=$((seed * 10))
            judge 0 visor deep=$deep seed=$seed fine=$((seed - 2)) scale=0.0$seed
            judge 0 balls deep=$deep seed=$seed fine=$((seed - 2)) soft=$((seed - 3)) scale=$seed
        done
    done
fi

# Garments: skin comes through by more than a quarter of a percent, or was kept inside.
judge 1 garment raw=1 poke=0.5
judge 0 garment raw=0
judge 1 garment raw=1 poke=1 fine=1 scale=0.01 fps=60
judge 0 garment raw=0 gap=0.1 fine=1 scale=100
judge_sequence 1 raw=1 poke=0.7 fine=1 fps=10
judge_sequence 0 raw=0 fine=1 fps=10
expect 0 "$folder/one-skin.0007.obj" "$folder/one-cloth.0007.obj" # also one frame alone
judge_sequence 1 raw=1 poke=2 fine=1 fps=10
expect 1 "$folder/one-skin.0007.obj" "$folder/one-cloth.0007.obj"
if [ -z "$is_small" ]; then
    judge 1 garment raw=1 poke=2 scale=39.37
    judge_sequence 1 raw=1 poke=0.5 fine=2 fps=20 scale=100
    judge_sequence 0 raw=0 gap=0.1 fine=2 fps=20 scale=100
fi

# Accepted once, it holds for frames at other times and for the same surface in another order; what is
# worse than that fails.
make garment raw=1 poke=0.5 fine=1 name=one
prefix=(accept)
expect 0 "$folder/one.glb" -o "$folder/one.ref"
prefix=(check)
for rate in 7 23.976 60; do
    expect 0 "$folder/one.glb" --against "$folder/one.ref" --fps "$rate"
done
make garment raw=1 poke=0.5 fine=1 name=one shuffle=1 seed=5
expect 0 "$folder/one.glb" --against "$folder/one.ref"
make garment raw=1 poke=2 fine=1 name=one
expect 1 "$folder/one.glb" --against "$folder/one.ref"

# Clips in a file of their own, with or without --clips; joints that are not found are named. A clip that
# moves nothing is an error.
says() {
    grep -q -- "$1" "$folder/out" || fail "the output lacks '$1': $(cat "$folder/out")"
}
make visor only=mesh name=soldier
make visor only=clips name=moves
expect 0 "$folder/soldier.glb" "$folder/moves.glb"
says '^clip moves:run'
says 'compared: 2 bodies, 1 pair of bodies, 2 clips, '
if grep -q 'side by side' "$folder/out"; then
    fail "a file of clips is taken for a second character"
fi
expect 0 "$folder/soldier.glb" --clips "$folder/moves.glb"
says '^clip moves:run'
sed -i 's/"name": "head"/"name": "hat."/' "$folder/moves.glb" # as long as before
expect 0 "$folder/soldier.glb" --clips "$folder/moves.glb"
says "1 of the 2 nodes that its clips move are not found: 'hat.'"
refuse 'there is nothing to check' "$folder/moves.glb"
make visor still=1 name=idler
refuse "clip 'idle' moves none of the bodies" "$folder/idler.glb"
expect 0 "$folder/idler.glb" --allow still
refuse "did you mean 'look'" "$folder/idler.glb" --clip loo

# A reference merges by its lines: what two people accepted, and in any order.
make garment raw=1 poke=0.5 fine=1 name=one
prefix=(accept)
expect 0 "$folder/one.glb" --clip bend -o "$folder/bend.ref"
expect 0 "$folder/one.glb" --clip twist -o "$folder/twist.ref"
prefix=(check)
expect 1 "$folder/one.glb" --against "$folder/twist.ref"
{
    cat "$folder/twist.ref"
    tail -n +3 "$folder/bend.ref"
} >"$folder/merged.ref"
expect 0 "$folder/one.glb" --against "$folder/merged.ref"

exit $((failures > 0))
