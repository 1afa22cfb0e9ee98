#!/usr/bin/env bash
# pliant check --each from outside: many files, reports for machines, configs, and their exit status.
# usage: batch_test.sh PATH-TO-PLIANT SOURCE-FOLDER
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"
source=$2
prefix=(check)

says() {
    grep -qF -- "$1" "$folder/${2:-out}" || fail "${2:-out} lacks '$1': $(head -20 "$folder/${2:-out}")"
}

# fits FILE...: JSON files are as docs/check.schema.json says.
fits() {
    if command -v python3 >/dev/null; then
        python3 "$source/tests/tool/schema_check.py" "$source/docs/check.schema.json" "$@" ||
            fail "not as the schema says: $*"
    fi
}

mkdir -p "$folder/in/sub"
gltf "$folder/in/apart.gltf" 5
gltf "$folder/in/sub/touch.gltf" 0.25
cd "$folder" || exit 1

# Nothing fails, something does, something cannot be read; the others go on.
expect 0 --each in/apart.gltf
says 'ok     in/apart.gltf'
says '1 file: 1 ok, 0 with findings, 0 could not be checked'
says 'compared: 2 bodies'
expect 1 --each in
says 'ok     in/apart.gltf'
says 'FOUND  in/sub/touch.gltf'
says 'left + right'
says '2 files: 1 ok, 1 with findings'
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >in/pointer.glb
expect 2 --each in --jobs 3 --json b.json --junit b.xml --markdown b.md --html b.html --annotations
says 'ERROR  in/pointer.glb'
says 'a pointer of Git LFS'
says 'FOUND  in/sub/touch.gltf'
says '3 files: 1 ok, 1 with findings, 1 could not be checked'
for file in b.json b.xml b.md b.html; do
    says "written: $file"
    [ -s "$file" ] || fail "$file is empty"
done
says '::error file=in/pointer.glb,title=cannot be checked::'
says '::error file=in/sub/touch.gltf,title=contact in clip rest::'
says '<testsuites name="pliant check" tests="3" failures="1" errors="1">' b.xml
says '**2 of 3 files fail**' b.md
says 'pliant-block-1' b.html
fits b.json
if command -v python3 >/dev/null; then
    python3 -c 'import xml.dom.minidom, sys; xml.dom.minidom.parse("b.xml")' || fail "b.xml is no XML"
fi
cp b.json first.json
expect 2 --each in --jobs 1 --threads 1 --json b.json
cmp -s b.json first.json || fail "the report depends on the jobs"
rm in/pointer.glb

# Patterns, of which the tool itself finds the files.
expect 1 --each 'in/**/*.gltf'
says '2 files:'
expect 0 --each 'in/*.gltf'
refuse 'no file fits this pattern' --each 'in/*.fbx'
mkdir empty
refuse 'no glTF or GLB file' --each empty
refuse '--csv is about one file' --each in --csv x.csv

# A batch that was given without --each says so.
expect 1 in/apart.gltf in/sub/touch.gltf
says '--each checks each by itself'

# One file: reports also of a failure, and names of what is written.
expect 2 in/none.glb --json f.json --junit f.xml --markdown f.md --annotations
says 'none.glb' err
says '"error": "cannot read' f.json
says 'errors="1"' f.xml
says 'cannot be checked' out
says 'written: f.json'
fits f.json
expect 1 in/sub/touch.gltf --json one.json --markdown one.md
says 'written: one.json'
fits one.json
expect 1 in/sub/touch.gltf --json - --junit one.xml
says 'written: one.xml' err
grep -q written "$folder/out" && fail "names of files between JSON"
refuse 'only one of' in/apart.gltf --json - --markdown -

# Progress in a log.
expect 1 in/sub/touch.gltf --progress plain
says 'frame 1 of 1, 100 %' err
expect 1 --each in --progress plain
says 'file 2 of 2' err
expect 1 in/sub/touch.gltf --progress none
[ ! -s "$folder/err" ] || fail "--progress none says something"
refuse '--progress is bar, plain or none' in/apart.gltf --progress loud

# A config, for all files or some of them; the command line goes before it.
cat >in/pliant.json <<'JSON'
{"check": {"against": "none"}, "files": [{"match": "sub/*.gltf", "max-depth": 9}]}
JSON
expect 0 --each in --config in/pliant.json
expect 0 in/sub/touch.gltf --config in/pliant.json
expect 1 in/sub/touch.gltf --config in/pliant.json --max-depth 0.001

# References, one for each file: '*' is its name; without one the rest pose counts.
mkdir known
"$pliant" accept in/sub/touch.gltf -o known/touch.ref >/dev/null 2>&1 || fail "accept"
expect 0 --each in --against 'known/*.ref'
rm known/touch.ref
expect 1 --each in --against 'known/*.ref'
cat >in/pliant.json <<'JSON'
{"files": [{"match": "touch.gltf", "skip": true}, {"match": "gone*", "self": true}]}
JSON
expect 0 --each in --config in/pliant.json
says '1 file: 1 ok'
says '1 skipped by the config'
says 'no file fits "gone*"'
refuse 'skips all of 1 files' --each in/sub --config in/pliant.json
echo '{"check": {"fsp": 30}}' >in/pliant.json
refuse 'in/pliant.json: there is no key "fsp" here' --each in --config in/pliant.json
echo '{"check": {"fps": 0}}' >in/pliant.json
refuse '--fps needs a number' --each in --config in/pliant.json
echo '{"check": {"json": "x.json"}}' >in/pliant.json
refuse 'no key "json"' in/apart.gltf --config in/pliant.json
refuse 'no-such.json: it cannot be read' in/apart.gltf --config no-such.json

# A full disk is a failure, not a success.
if [ -w /dev/full ]; then
    expect 3 --each in --json /dev/full
    says 'cannot write /dev/full' err
fi
exit $((failures > 0))
