#!/bin/bash
# Projects in C and in C++ use an installed Pliant, or one in their source tree, in every documented
# way: core, asset and gl, shared and static, by pkg-config and by CMake, without a warning and with one
# core in each program.
#   consumer_test.sh SOURCE BUILD CC CXX [all]
# With `all` also what takes minutes: the subproject is not only configured but built, static, shared
# and by FetchContent, and programs in all the dialects of C and C++ that the headers are for.
set -euo pipefail
source=$1 build=$2 cc=$3 cxx=$4 how=${5-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings="-Wall -Wextra -pedantic -Werror"
consumer=$source/examples/consumer

fail()
{
    echo "consumer_test: $*" >&2
    exit 1
}

# quietly COMMAND...: its output appears only if it fails.
quietly()
{
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "failed: $*"; }
}

# refused TEXT COMMAND...: it fails and says TEXT.
refused()
{
    local text=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        fail "not refused: $*"
    fi
    grep -qF "$text" "$work/log" || { cat "$work/log" >&2 && fail "\"$text\" is not said by $*"; }
}

# has_one_core PROGRAM KIND: it has the shared core and no other, or the static one and no shared one.
has_one_core()
{
    local needed defined
    needed=$(readelf -d "$1" | grep -c 'NEEDED.*\[libpliant' || true)
    defined=$(nm --defined-only "$1" | grep -c ' pliant_context_create$' || true)
    if [ "$2" = shared ]; then
        [ "$needed" -gt 0 ] && [ "$defined" = 0 ] || fail "$1 has not just the shared core"
    else
        [ "$needed" = 0 ] && [ "$defined" = 1 ] || fail "$1 has not just the static core"
    fi
}

# install_to PREFIX: as `cmake --install`, but the manifest is not the build's own, which
# says what its user has installed.
mkdir "$work/build"
sed "s|\"$build/\\(\\\${CMAKE_INSTALL_MANIFEST}\\)|\"$work/build/\\1|" "$build/cmake_install.cmake" \
    >"$work/build/cmake_install.cmake"
install_to()
{
    quietly cmake -DCMAKE_INSTALL_PREFIX="$1" -P "$work/build/cmake_install.cmake"
}

install_to "$work/installed"
lib=$(dirname "$(find "$work/installed" -name libpliant.a)")
packages="pliant_asset"
define=
if [ -e "$lib/libpliant_gl.a" ]; then
    packages+=" pliant_gl"
    define=-DCONSUMER_HAS_GL
fi
# An installation of static libraries alone.
mkdir "$work/archives"
cp -a "$work/installed/." "$work/archives"
find "$work/archives" -name '*.so*' -delete
archives=$work/archives/${lib#"$work/installed/"}

echo "what the shared libraries export"
for library in "$lib"/libpliant*.so; do
    foreign=$(nm -D --defined-only "$library" | awk '$3 !~ /^(pliant_[a-z0-9_]+@@)?PLIANT_[0-9.]+$/')
    [ -z "$foreign" ] || fail "$library exports more than pliant_*: $foreign"
    name=$(basename "$library" .so)
    for map in "$source/src/$name.map" "$source"/libs/*/"$name.map"; do
        [ ! -e "$map" ] || diff <(sed -n 's/^    \(pliant_.*\);/\1/p' "$map" | sort) \
            <(nm -D --defined-only "$library" | sed -n 's/.* \(pliant_.*\)@@.*/\1/p' | sort) ||
            fail "$library does not export what $map says"
    done
    readelf -d "$library" | grep -q "SONAME.*\[$name\.so\.[0-9]*\]" || fail "$library has no soname"
done

# by_pkg_config COMPILER SOURCE KIND: builds and runs a program.
by_pkg_config()
{
    local program=$work/by-pkg-config options=--static place=$archives
    echo "pkg-config, $3, ${2##*/} $standard"
    if [ "$3" = shared ]; then
        options='' place=$lib
    fi
    export PKG_CONFIG_PATH=$place/pkgconfig
    # shellcheck disable=SC2046,SC2086
    quietly "$1" $standard $warnings $define "$2" $(pkg-config $options --cflags --libs $packages) \
        -o "$program"
    has_one_core "$program" "$3"
    LD_LIBRARY_PATH=$place quietly "$program"
}
standard=
for kind in shared static; do
    by_pkg_config "$cc" "$consumer/main.c" $kind
    by_pkg_config "$cxx" "$consumer/main.cpp" $kind
done

# by_cmake NAME KIND OPTION...: builds and runs the consumers.
by_cmake()
{
    local name=$1 kind=$2 shared=OFF program
    shift 2
    [ $kind = static ] || shared=ON
    echo "CMake, $name, $kind"
    quietly cmake -S "$consumer" -B "$work/$name-$kind" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_CXX_COMPILER="$cxx" -DBUILD_SHARED_LIBS=$shared \
        -DCMAKE_C_FLAGS="$warnings" -DCMAKE_CXX_FLAGS="$warnings" "$@"
    quietly cmake --build "$work/$name-$kind" --parallel 2
    for program in consumer consumer_cpp; do
        has_one_core "$work/$name-$kind/$program" $kind
        quietly "$work/$name-$kind/$program"
    done
}
by_cmake found shared -DCMAKE_PREFIX_PATH="$work/installed"
by_cmake found static -DCMAKE_PREFIX_PATH="$work/installed"

echo "kinds that are mixed"
mkdir "$work/mixed"
cat >"$work/mixed/CMakeLists.txt" <<'END_OF_FILE'
cmake_minimum_required(VERSION 3.18)
project(mixed LANGUAGES C)
find_package(pliant 0.1 REQUIRED COMPONENTS asset)
add_executable(mixed main.c)
target_link_libraries(mixed PRIVATE pliant::pliant_static pliant::pliant_asset_shared)
END_OF_FILE
cp "$consumer/main.c" "$work/mixed"
refused PLIANT_KIND cmake -S "$work/mixed" -B "$work/mixed/build" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_PREFIX_PATH="$work/installed"
# A program with a static core of its own that shows nothing of it, beside a shared library.
export PKG_CONFIG_PATH=$lib/pkgconfig
quietly "$cc" "$consumer/main.c" -I"$work/installed/include" "$lib/libpliant.a" \
    -Wl,--exclude-libs,ALL -L"$lib" -Wl,-rpath-link,"$lib" -lpliant_asset -lm -pthread -o "$work/two-cores"
refused "another copy of the library" env LD_LIBRARY_PATH="$lib" "$work/two-cores"

echo "old programs"
# Compiled with a definition that has one field less.
mkdir "$work/old"
cp -r "$work/installed/include/pliant" "$work/old"
sed -i '/^    pliant_stage_hooks hooks;/d' "$work/old/pliant/base.h"
cat >"$work/old/main.c" <<'END_OF_FILE'
#include <pliant/pliant.h>
#include <stdio.h>

int main(void)
{
    pliant_context *context = NULL;
    unsigned char before[64] = {0}; /* what would be overwritten */
    pliant_context_def def = pliant_context_def_default();
    unsigned char behind[64] = {0};
    pliant_result result = pliant_context_create(&def, &context);
    for (int i = 0; i < 64; i++) {
        if (((volatile unsigned char *)before)[i] != 0 || ((volatile unsigned char *)behind)[i] != 0) {
            return 2;
        }
    }
    printf("%u bytes: %s\n", (unsigned)sizeof def, pliant_last_error());
    return result == PLIANT_ERROR_ARGUMENT ? 0 : 1;
}
END_OF_FILE
# shellcheck disable=SC2046
quietly "$cc" -fstack-protector-all "$work/old/main.c" -I"$work/old" $(pkg-config --libs pliant) \
    -o "$work/old/program"
said=$(LD_LIBRARY_PATH=$lib "$work/old/program") || fail "an old program is not refused ($?): $said"
[[ $said =~ ^([0-9]+)\ bytes:\ .*pliant_context_def\ given\ has\ ([0-9]+)\ bytes,\ that\ of\ this\ library\ ([0-9]+) &&
    ${BASH_REMATCH[1]} = "${BASH_REMATCH[2]}" && ${BASH_REMATCH[2]} -lt ${BASH_REMATCH[3]} ]] ||
    fail "the sentence does not name both sizes: $said"

echo "subproject"
quietly cmake -S "$consumer" -B "$work/targets" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
    -DPLIANT_SOURCE="$source"
targets=$(cmake --build "$work/targets" --target help)
grep -q '\<pliant_asset_shared\>' <<<"$targets" || fail "a subproject has no library of its own"
if grep -E 'pliant_tool|test_|example_' <<<"$targets"; then
    fail "a subproject gets tests or the tool"
fi
[ "$how" = all ] || exit 0

by_cmake subproject static -DCMAKE_BUILD_TYPE=None -DPLIANT_SOURCE="$source" # run once: not optimised
if [ -n "$(find "$work/subproject-static" -name 'libpliant*.so')" ]; then
    fail "a subproject builds what nobody linked"
fi
by_cmake subproject shared -DCMAKE_BUILD_TYPE=None -DPLIANT_SOURCE="$source"
echo "FetchContent"
mkdir "$work/fetched"
cat >"$work/fetched/CMakeLists.txt" <<'END_OF_FILE'
cmake_minimum_required(VERSION 3.18)
project(fetched LANGUAGES C)
include(FetchContent)
FetchContent_Declare(pliant SOURCE_DIR ${PLIANT_SOURCE})
FetchContent_MakeAvailable(pliant)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE pliant::pliant_asset)
END_OF_FILE
cp "$consumer/main.c" "$work/fetched"
quietly cmake -S "$work/fetched" -B "$work/fetched/build" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_BUILD_TYPE=None -DPLIANT_SOURCE="$source"
quietly cmake --build "$work/fetched/build" --parallel 2 --target consumer
quietly "$work/fetched/build/consumer"
for kind in shared static; do
    for standard in -std=c99 -std=c11 -std=c17; do
        by_pkg_config "$cc" "$consumer/main.c" $kind
    done
    for standard in -std=c++17 -std=c++20; do
        by_pkg_config "$cxx" "$consumer/main.cpp" $kind
    done
done
