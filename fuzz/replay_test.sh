#!/usr/bin/env bash
# Replays the seeds of one target and the inputs that fuzzing has found (FOUND/FORMAT, if any).
# usage: replay_test.sh WRITE-SEEDS TARGET FORMAT FOUND
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder"
inputs=("$folder/$3")
[ ! -d "$4/$3" ] || inputs+=("$4/$3")
"$2" "${inputs[@]}" >"$folder/out"
cat "$folder/out"
! grep -qx '0 files' "$folder/out"
