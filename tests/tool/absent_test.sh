#!/usr/bin/env bash
# What the tool says where a package was missing when it was built: one sentence that names it.
# usage: absent_test.sh PATH-TO-PLIANT PACKAGE...     the packages that are missing, as in PLIANT_WITH_
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"
shift

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$folder/a1.obj"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 1\nf 1 2 3\n' >"$folder/a2.obj"
expect 0 info "$folder/a1.obj"
for package; do
    case $package in
    JANSSON)
        printf '{"asset":{"version":"2.0"}}' >"$folder/empty.gltf"
        refuse 'lacks jansson' info "$folder/empty.gltf"
        expect 3 demo -o "$folder/demo"
        grep -q 'lacks jansson' "$folder/err" || fail "demo does not say that jansson is missing"
        printf '{}' >"$folder/report.json"
        refuse 'without jansson' bench --compare "$folder/report.json" "$folder/report.json"
        ;;
    MESHOPTIMIZER)
        cat >"$folder/compressed.gltf" <<'GLTF'
{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
 "bufferViews": [{"buffer": 0, "byteLength": 36, "extensions": {"EXT_meshopt_compression":
   {"buffer": 0, "byteLength": 4, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES"}}}],
 "buffers": [{"byteLength": 4, "uri": "data:;base64,AAAAAA=="}]}
GLTF
        refuse 'lacks meshoptimizer' info "$folder/compressed.gltf"
        ;;
    DRACO)
        cat >"$folder/draco.gltf" <<'GLTF'
{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "extensions":
   {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}}]}],
 "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3"}]}
GLTF
        refuse 'lacks it (libdraco-dev)' info "$folder/draco.gltf"
        ;;
    LAPACKE)
        expect 3 demo bridge
        grep -q LAPACKE "$folder/err" || fail "demo bridge does not say that LAPACKE is missing"
        expect 3 fit "$folder/a#.obj" --modes 1 -o "$folder/fitted.glb"
        grep -q LAPACK "$folder/err" || fail "fit does not say that LAPACKE is missing"
        expect 0 bench --quick bd-chairs
        grep -q LAPACKE "$folder/out" || fail "bench does not say that LAPACKE is missing"
        ;;
    esac
done
exit $((failures > 0))
