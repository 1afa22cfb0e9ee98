#!/bin/bash
# The tests of the C++ headers, by every compiler that is here, as C++17 and C++20, with and without
# exceptions: no warning. At the usual size: the pairs of dialect and exceptions that no build compiles;
# at ten times that size all of them.
#   compile_test.sh ROOT
set -euo pipefail
root=$1
here=$(cd "$(dirname "$0")" && pwd)
flags="-Wall -Wextra -pedantic -Wshadow -Werror -fsyntax-only -I$root/include"
tried=0
is_large=$(awk "BEGIN { if (${PLIANT_TEST_SCALE:-1} >= 10) print 1 }")
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    last=$compiler
    for standard in c++17 c++20; do
        for exceptions in "" "-fno-exceptions -fno-rtti"; do
            case $is_large$compiler:$standard:$exceptions in
            g++:c++17: | g++:c++20:-fno* | clang++:c++17: | clang++:c++20:-fno*) continue ;;
            esac
            $compiler -std=$standard $flags $exceptions "$here/test_cpp.cpp"
            tried=$((tried + 1))
        done
    done
    $compiler -std=c++17 $flags "$here/test_cpp_asset.cpp"
done
[ $tried -gt 0 ] || { echo "no C++ compiler" >&2; exit 77; }
# The compiler would have noticed: a failure that nobody looks at is an error without exceptions.
if printf '#include <pliant/pliant.hpp>\nint main() { pliant::context::create(); }\n' |
    $last -std=c++17 $flags -DPLIANT_RETURN_FAILURES -x c++ - 2>/dev/null; then
    echo "a returned failure may be thrown away" >&2
    exit 1
fi
