#!/bin/bash
# Installs a library that is a project of its own into an empty folder, and builds its example with it and
# the core: shared and static, by CMake and by pkg-config.
#   beside_test.sh ROOT BUILD NAME STAGE EXAMPLE     STAGE: where the core is installed
set -euo pipefail
root=$1 build=$2 name=$3 stage=$4 example=$1/libs/$3/example/$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "beside_test: $*" >&2
    exit 1
}

# quietly COMMAND...: its output appears only if it fails.
quietly()
{
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "failed: $*"; }
}

# has_libraries PROGRAM KIND: it needs both shared libraries, or none.
has_libraries()
{
    local needed
    needed=$(readelf -d "$1" | grep -cE "NEEDED.*\[libpliant(_$name)?\.so" || true)
    [ "$needed" = "$([ "$2" = shared ] && echo 2 || echo 0)" ] ||
        fail "$1, which is $2, needs $needed shared libraries"
}

quietly cmake -DCMAKE_INSTALL_PREFIX="$work/installed" -P "$build/cmake_install.cmake"
rm -f "$build/install_manifest.txt"
lib=$(dirname "$(find "$work/installed" -name "libpliant_$name.a")")
[ "$(cd "$work/installed/include/pliant" && ls)" = "$name.h" ] || fail "the headers are not $name.h alone"
if grep -rlF -e "$root/" -e "$build" "$lib/cmake" "$lib/pkgconfig"; then
    fail "the files above name folders of the build"
fi
diff <(sed -n 's/^    \(pliant_.*\);/\1/p' "$root/libs/$name/libpliant_$name.map" | sort) \
    <(nm -D --defined-only "$lib/libpliant_$name.so" | sed -n 's/.* \(pliant_.*\)@@.*/\1/p' | sort) ||
    fail "libpliant_$name.so does not export what its map says"

mkdir "$work/consumer"
cat >"$work/consumer/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.18)
project(consumer LANGUAGES C)
find_package(pliant_$name 0.1 REQUIRED COMPONENTS \${KIND})
add_executable(consumer $example)
target_link_libraries(consumer PRIVATE pliant::pliant_$name m)
CMAKE
core=$(dirname "$(find "$stage" -name pliant.pc)")
export PKG_CONFIG_PATH=$lib/pkgconfig:$core${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
for kind in shared static; do
    quietly cmake -S "$work/consumer" -B "$work/$kind" -DKIND=$kind \
        -DCMAKE_PREFIX_PATH="$work/installed;$stage"
    quietly cmake --build "$work/$kind"
    has_libraries "$work/$kind/consumer" $kind
done
# shellcheck disable=SC2046 # a list of words
quietly cc "$example" $(pkg-config --cflags --libs "pliant_$name") -lm -o "$work/by-pkg-config"
has_libraries "$work/by-pkg-config" shared
