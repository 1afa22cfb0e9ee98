#!/usr/bin/env bash
# scripts/build configures a folder once, and again when a package came, tests are wanted
# or other libraries are not. CMake is a script here that takes notes.
# usage: build_script_test.sh SOURCE-FOLDER
set -eu
source_folder=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/project/scripts" "$folder/bin" "$folder/lib"
cp "$source_folder/scripts/build" "$folder/project/scripts/"
cp "$source_folder/CMakePresets.json" "$folder/project/"
cat >"$folder/bin/cmake" <<'CMAKE'
#!/usr/bin/env bash
case $1 in
--preset)
    echo configured >>"$NOTES"
    mkdir -p build
    sleep "${TAKES:-0}"
    printf '%s\n' "$@" | sed -n 's/^-D\(PLIANT_BUILD_TESTS\|PLIANT_PEERS\)=/\1:BOOL=/p' >build/CMakeCache.txt
    ;;
esac
CMAKE
chmod +x "$folder/bin/cmake"
export PATH="$folder/bin:$PATH" NOTES="$folder/notes" PLIANT_PACKAGE_PLACES="$folder/none:$folder/lib"
unset PLIANT_STRICT PLIANT_TIMES PLIANT_PEERS # of a run around this one
: >"$NOTES"
touch -d '1 hour ago' "$folder/lib" "$folder/project/CMakePresets.json"

# expect COUNT WHAT ARGUMENTS...: builds; CMake has then been run for COUNT configurations.
expect() {
    local wanted=$1 what=$2
    shift 2
    "$folder/project/scripts/build" "$@" || { echo "FAILED: $what" >&2; exit 1; }
    local found
    found=$(wc -l <"$NOTES")
    [ "$found" -eq "$wanted" ] || { echo "FAILED: $what: configured $found times, not $wanted" >&2; exit 1; }
}

expect 1 'a new folder' release
expect 1 'nothing new' release
touch "$folder/lib/libnew.so"
expect 2 'a package came' release
expect 2 'nothing new since' release
expect 3 'tests are wanted' --tests release
export PLIANT_PEERS=OFF
expect 4 'without other libraries' release
grep -q '^PLIANT_PEERS:BOOL=OFF$' "$folder/project/build/CMakeCache.txt" ||
    { echo 'FAILED: other libraries were not left out' >&2; exit 1; }
expect 4 'still without' release
unset PLIANT_PEERS
expect 5 'with them again' release
touch -d '1 minute' "$folder/lib"
expect 6 'a package came with tests' release
grep -q '^PLIANT_BUILD_TESTS:BOOL=ON$' "$folder/project/build/CMakeCache.txt" ||
    { echo 'FAILED: a folder with tests lost them' >&2; exit 1; }

# Two builds in one checkout: the second waits, says so, and finds everything configured.
if command -v flock >/dev/null; then
    touch -d '1 hour ago' "$folder/lib"
    rm "$folder/project/build/.configured"
    TAKES=2 "$folder/project/scripts/build" release &
    first=$!
    until [ "$(wc -l <"$NOTES")" -eq 7 ]; do sleep 0.05; done
    "$folder/project/scripts/build" release 2>"$folder/said"
    ! kill -0 $first 2>/dev/null || wait $first
    grep -q 'waiting for another build' "$folder/said" || { echo 'FAILED: no word about waiting' >&2; exit 1; }
    [ "$(wc -l <"$NOTES")" -eq 7 ] || { echo 'FAILED: two builds configured one folder' >&2; exit 1; }
fi
