#!/bin/bash
# What can be said of packaging/ without the programs that it is for: files parse, versions agree, the
# documentation shows what is there, and the workflow's script does what it says.
#   packaging_test.sh ROOT TOOL
set -euo pipefail
root=$1
tool=$2
packaging=$root/packaging
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "packaging_test: $*" >&2
    exit 1
}

version=$(sed -n 's/^project(pliant VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
grep -q "^pliant ($version-" "$root/debian/changelog" || fail "debian/changelog is not about $version"
grep -q "\"version\": \"$version\"" "$packaging/vcpkg/pliant/vcpkg.json" || fail "vcpkg.json is not about $version"
grep -q "version = \"$version\"" "$packaging/conan/conanfile.py" || fail "conanfile.py is not about $version"
abi=$(sed -n 's/^set(PLIANT_ABI \([0-9]*\))$/\1/p' "$root/cmake/libraries.cmake")
for name in libpliant libpliant-asset libpliant-gl; do
    grep -q "^Package: $name$abi$" "$root/debian/control" || fail "debian/control has another soname than $abi"
done

# The page of the documentation has both files of the workflow, word for word.
block() { awk -v kind="$1" '/^```$/ { inside = 0 } inside { print } $0 == "```" kind { inside = 1 }' "$root/docs/guide/pipeline.md"; }
diff <(block yaml) "$packaging/workflow/characters.yml"
diff <(block sh) "$packaging/workflow/check-characters"

# The script: nothing new, something new, something accepted, a file that cannot be read.
mkdir -p "$work/bin" "$work/characters" "$work/known"
ln -s "$tool" "$work/bin/pliant"
export PATH="$work/bin:$PATH"
cd "$work"
check() { sh "$packaging/workflow/check-characters" >"$work/out" 2>&1; }
pliant export figure -o characters/quiet.glb --steps 2 --triangles 100 >/dev/null
check || fail "nothing touches, but: $(cat out)"
pliant export spheres -o characters/crossing.glb --steps 4 --triangles 100 >/dev/null
if check; then fail "a contact went unnoticed"; fi
grep -q '^FOUND  characters/crossing' out || fail "the new contact is not named: $(cat out)"
pliant accept characters/crossing.glb -o known/crossing.ref >/dev/null || fail "accept"
check || fail "what was accepted is still new: $(cat out)"
echo nonsense >characters/broken.glb
status=0
check || status=$?
[ $status -eq 2 ] && grep -q '^ERROR  characters/broken' out || fail "a broken file is status $status: $(cat out)"

python=/usr/bin/python3
[ -x $python ] || { echo "needs python3 for the rest" >&2; exit 77; }
for file in "$packaging"/conan/*.py "$packaging"/conan/test_package/*.py; do
    $python -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$file"
done
$python -m json.tool "$packaging/vcpkg/pliant/vcpkg.json" >/dev/null
if $python -c 'import yaml' 2>/dev/null; then
    $python - "$packaging/workflow/characters.yml" <<'PYTHON'
import sys
import yaml
workflow = yaml.safe_load(open(sys.argv[1]))
# YAML 1.1 reads the key "on" as a truth value.
assert "paths" in workflow[True]["pull_request"], workflow
steps = workflow["jobs"]["check"]["steps"]
assert all(("uses" in step) != ("run" in step) for step in steps), steps
assert any("scripts/check-characters" in step.get("run", "") for step in steps)
PYTHON
fi
