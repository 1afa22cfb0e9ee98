#!/usr/bin/env bash
# The page in headless Chromium and the exporter under Khronos' validator.
# usage: page_test.sh PATH-TO-PLIANT SOURCE-FOLDER
# Ends with 77, which counts as skipped, where Node, its packages or Chromium are missing, or the real files.
set -u
pliant=$1
source=$2
. "$(dirname "${BASH_SOURCE[0]}")/../support/skipping.sh"
command -v node >/dev/null || skip "there is no node; \`make web\` gets it"
for package in gltf-validator playwright-core; do
    [ -d "$source/web/node_modules/$package" ] || skip "the package $package is not installed; \`make web\` gets it"
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# Every scene is exported and valid.
scenes=$("$pliant" scenes | awk '/^[a-z]/{print $1}')
for scene in $scenes; do
    "$pliant" export "$scene" -o "$folder/$scene.glb" --steps 8 --triangles 800 >/dev/null ||
        fail "export $scene"
done
node "$source/web/test/gltf.mjs" "$folder"/*.glb || fail "the validator finds faults"
"$pliant" check "$folder/figure.glb" >"$folder/figure.txt"
[ $? -le 1 ] || fail "check cannot read what export writes"

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "there is no chromium"

# Pages of all scenes, and of the characters where the folder of real files is there; at the usual
# size of those that show something which the others do not.
pages="spheres cloth curtain chairs ring figure volumes"
characters="dressed-person fox AnimatedMorphSphere"
if awk "BEGIN { exit !(${PLIANT_TEST_SCALE:-1} >= 10) }"; then
    pages=$scenes
    characters=all
fi
for scene in $pages; do
    "$pliant" demo "$scene" --update auto --steps 12 -o "$folder/$scene" >/dev/null || fail "demo $scene"
done
"$pliant" demo --steps 60 -o "$folder/demo" >/dev/null || fail "demo"
mkdir "$folder/cape"
mv "$folder/demo/cape.html" "$folder/cape/report.html"
mkdir -p "$folder/bench"
"$pliant" bench larsson-1 larsson-2 --quick --html "$folder/bench/report.html" >/dev/null ||
    fail "bench --html"
# A long run stays small.
"$pliant" demo figure --update auto --steps 10000 -o "$folder/long" >/dev/null || fail "demo figure, 10000 steps"
[ "$(wc -c <"$folder/long/report.html")" -lt 20000000 ] || fail "a page of 10000 steps is too large"
# The vertices as the library has them, for comparison.
for scene in figure curtain ring spheres; do
    case " $(echo $scenes) " in
    *" $scene "*)
        triangles=()
        [ "$scene" != spheres ] || triangles=(--triangles 5120)
        "$pliant" export "$scene" --steps 12 "${triangles[@]}" -o "$folder/$scene/positions.####.ply" \
            >/dev/null || fail "export $scene as .ply"
        ;;
    esac
done
# A check with contours.
mkdir -p "$folder/contours"
"$pliant" check "$folder/figure.glb" --contours --json "$folder/contours/report.json" \
    --html "$folder/contours/report.html" >/dev/null
[ $? -le 1 ] || fail "check --contours --html"
# A batch, one of whose files cannot be read.
mkdir -p "$folder/batch/in"
cp "$folder/figure.glb" "$folder/spheres.glb" "$folder/batch/in"
echo nonsense >"$folder/batch/in/bad.glb"
"$pliant" check --each "$folder/batch/in" --allow still --html "$folder/batch/report.html" >/dev/null
[ $? -eq 2 ] || fail "check --each --html"
# A pyramid that passes through a sheet, from x = 0 to x = 7 and through x = 3.
mkdir -p "$folder/passing"
printf 'o sheet\nv 3 -9 -9\nv 3 9 -9\nv 3 0 9\nf 1 2 3\n' >"$folder/passing/sheet.obj"
for frame in 0 1 2; do
    x=$((7 * frame))
    printf 'o mover\nv %d 0 0\nv %d 1 0\nv %d 0 1\nv %d.25 0 0\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n' \
        $x $x $x $x >"$folder/passing/mover.$frame.obj"
done
"$pliant" check "$folder/passing/sheet.obj" "$folder/passing/mover.#.obj" --continuous 3 \
    --json "$folder/passing/report.json" --html "$folder/passing/report.html" >/dev/null
[ $? -eq 1 ] || fail "check --continuous --html"
assets=${PLIANT_ASSETS:-$source/../shared/assets}
if [ -d "$assets/characters" ]; then
    for file in "$assets"/characters/*.glb "$assets"/characters/*.gltf; do
        name=$(basename "${file%.*}")
        [[ $characters == all || " $characters " == *" $name "* ]] || continue
        mkdir -p "$folder/$name"
        between=()
        case $name in fox | wolf) between=(--continuous 2) ;; esac
        "$pliant" check "$file" --self "${between[@]}" --fps 10 --frames 0:12 --json "$folder/$name/report.json" \
            --html "$folder/$name/report.html" >/dev/null
        [ $? -le 1 ] || fail "check $name --html"
    done
else
    without_assets "$assets/characters"
fi
node "$source/web/test/page.mjs" "$chromium" "$folder" || fail "a page is not as it should be"
[ $failures -eq 0 ] && echo "all is well"
exit $((failures > 0 ? 1 : skipped))
