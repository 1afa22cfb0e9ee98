#!/bin/bash
# The character example takes all shapes and bodies of a file: here 70 of each, a triangle alone.
#   character_test.sh PROGRAM
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
zero='\x00\x00\x00\x00' one='\x00\x00\x80\x3f'
corners=$(printf "$zero$zero$zero$one$zero$zero$zero$one$zero" | base64)
mesh='{"primitives": [{"attributes": {"POSITION": 0}}]}'
node='{"mesh": 0, "name": "body 0"}'
meshes=$mesh nodes=$node roots=0
for ((i = 1; i < 70; i++)); do
    meshes="$meshes, $mesh"
    nodes="$nodes, {\"mesh\": $i, \"name\": \"body $i\"}"
    roots="$roots, $i"
done
cat >"$work/many.gltf" <<END
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [$roots]}],
 "nodes": [$nodes], "meshes": [$meshes],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                "min": [0, 0, 0], "max": [1, 1, 0]}],
 "bufferViews": [{"buffer": 0, "byteLength": 36}],
 "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,$corners"}]}
END
"$1" "$work/many.gltf" >"$work/out"
bodies=$(grep -c '^body [0-9]*: 1 triangles, ' "$work/out")
[ "$bodies" -eq 70 ] || { echo "$bodies bodies instead of 70" >&2; exit 1; }
