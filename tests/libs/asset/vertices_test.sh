#!/usr/bin/env bash
# Every character and every conformance file, evaluated by us and by three.js.
# usage: vertices_test.sh PATH-TO-DUMP-VERTICES SOURCE-FOLDER
# Ends with 77, which counts as skipped, where Node, three or the real files are missing.
set -u
program=$1
source=$2
. "$(dirname "${BASH_SOURCE[0]}")/../../support/skipping.sh"
command -v node >/dev/null || skip "there is no node; \`make web\` gets it"
[ -d "$source/web/node_modules/three" ] || skip "the package three is not installed; \`make web\` gets it"
assets=${PLIANT_ASSETS:-$source/../shared/assets}
for part in characters conformance; do
    [ -d "$assets/$part" ] || { without_assets "$assets/$part"; exit $skipped; }
done
mapfile -t files < <(find -L "$assets/characters" "$assets/conformance" -name '*.gl[tb]*' | sort)

# Some of them once more with EXT_meshopt_compression, where the encoder is there.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ -d "$source/web/node_modules/meshoptimizer" ]; then
    for file in characters/fox characters/horse conformance/AnimatedMorphCube conformance/RiggedFigure; do
        compressed=$folder/$(basename "$file")-meshopt.glb
        node "$source/web/test/meshopt.mjs" "$assets/$file.glb" "$compressed" || exit 1
        files+=("$compressed")
    done
else
    echo "the package meshoptimizer is not installed: nothing compressed is looked at"
fi

if node "$source/web/test/vertices.mjs" --spoil "$program" "$assets/conformance/RiggedSimple.glb" >/dev/null 2>&1; then
    echo "FAILED: a joint that is out of its place goes unnoticed" >&2
    exit 1
fi
node "$source/web/test/vertices.mjs" "$program" "${files[@]}"
