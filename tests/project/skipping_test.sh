#!/usr/bin/env bash
# Skipped cases are reported as skipped: by test programs, by scripts and by ctest's last lines.
# usage: skipping_test.sh PATH-TO-SKIPPING-CASES BUILD-FOLDER
program=$1 build=$2
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh" env
. "$(dirname "${BASH_SOURCE[0]}")/../support/skipping.sh"
unset PLIANT_ASSETS_REQUIRED PLIANT_TEST_CASE

expect 0 "$program" passes
expect 77 "$program" lacks_a_package
expect 77 "$program" passes lacks_a_package passes
grep -q 'without a package' "$folder/out" "$folder/err" || fail "what is missing has no name"
expect 1 "$program" fails lacks_a_package
expect 1 "$program" lacks_assets fails
expect 77 "$program" passes lacks_assets
expect 1 PLIANT_ASSETS_REQUIRED=1 "$program" passes lacks_assets
grep -q 'PLIANT_ASSETS lacks a file' "$folder/out" "$folder/err" || fail "the missing file has no name"
expect 77 PLIANT_ASSETS_REQUIRED=1 "$program" lacks_a_package
expect 77 PLIANT_TEST_CASE=lacks_a_package "$program" passes lacks_a_package
expect 0 PLIANT_TEST_CASE=-lacks_a_package "$program" passes lacks_a_package
expect 1 PLIANT_TEST_CASE=nothing "$program" passes

(skip "a reason") >"$folder/out"
[ $? -eq 77 ] || fail "a script that skips everything"
(without_assets a_file; exit $skipped) >"$folder/out"
[ $? -eq 77 ] || fail "a script that skips a part"
(PLIANT_ASSETS_REQUIRED=1; without_assets a_file; exit $skipped) >"$folder/out" 2>&1
[ $? -eq 1 ] || fail "a script that must not skip"

# In a folder of its own: ctest may be running this test, and writes beside what it runs.
echo "subdirs(\"$build/tests\")" >"$folder/CTestTestfile.cmake"
expect 0 PLIANT_ASSETS=/nowhere ctest --test-dir "$folder" -R '^volume_real$'
tail -n 4 "$folder/out" | grep -q 'volume_real (Skipped)' ||
    fail "ctest's last lines do not name volume_real: $(cat "$folder/out")"
expect 8 PLIANT_ASSETS=/nowhere PLIANT_ASSETS_REQUIRED=1 ctest --test-dir "$folder" -R '^volume_real$'

[ $failures -eq 0 ] && echo "all passed"
exit $((failures > 0))
