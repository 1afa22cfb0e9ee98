#!/bin/bash
# The C and C++ that the README and the pages of the guide show is word for word in a program of this
# folder or of libs/*/example, which the tests build and run. A block with an #include in it is a whole program.
#   pages_test.sh ROOT
set -euo pipefail
cd "$1"

is_in_an_example()
{
    local file text
    for file in examples/*.c examples/*.cpp libs/*/example/*.c; do
        text=$(<"$file")
        if [ "$text" = "$1" ] || [[ $1 != *'#include'* && $'\n'$text$'\n' == *$'\n'"$1"$'\n'* ]]; then
            return 0
        fi
    done
    return 1
}

shown=0
failures=0
for page in README.md docs/guide/*.md libs/*/README.md; do
    while IFS= read -r -d $'\036' block; do
        shown=$((shown + 1))
        is_in_an_example "${block%$'\n'}" || {
            printf '%s shows what is in no example:\n%s\n' "$page" "$block" >&2
            failures=$((failures + 1))
        }
    done < <(awk '/^```$/ && inside { printf "%s\036", block; inside = 0 }
                  inside { block = block $0 "\n" }
                  /^```c(pp)?$/ { inside = 1; block = "" }' "$page")
done
[ "$shown" -gt 0 ] && [ "$failures" -eq 0 ]
