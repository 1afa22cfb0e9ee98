#!/bin/bash
# The C program that a failing world is printed as compiles without a warning.
#   program_test.sh TEST ROOT CC          TEST is the program test_shrinking
set -euo pipefail
program=$(mktemp)
trap 'rm -f "$program"' EXIT
PLIANT_TABLE_PROGRAM=$program "$1" >/dev/null
grep -q 'pairs\[0\].b' "$program"
"$3" -std=c17 -Wall -Wextra -Werror -Wno-unused-function "-I$2/include" -fsyntax-only -x c "$program"
