#!/usr/bin/env bash
# Replays the seeds of one target and the inputs that fuzzing has found (FOUND/FORMAT, if any).
# usage: replay_test.sh WRITE-SEEDS TARGET FORMAT FOUND
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder"
folders=("$folder/$3")
[ ! -d "$4/$3" ] || folders+=("$4/$3")
mapfile -t inputs < <(find "${folders[@]}" -type f)
[ ${#inputs[@]} -gt 0 ]
"$2" "${inputs[@]}"
