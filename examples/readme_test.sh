#!/bin/bash
# The C program in the README is the file examples/first.c and has at most 30 lines.
#   readme_test.sh README.md first.c
set -euo pipefail
awk '/^```$/ { shown = 0 } shown { print } /^```c$/ { shown = 1 }' "$1" | diff - "$2"
[ "$(wc -l <"$2")" -le 30 ] || { echo "$2 has more than 30 lines" >&2 && exit 1; }
