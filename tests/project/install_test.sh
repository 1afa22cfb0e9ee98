#!/bin/bash
# Installs a finished build, moves the tree elsewhere, uses it there, and uninstalls. consumer_test.sh
# uses it in every documented way.
#   install_test.sh SOURCE BUILD CC
set -euo pipefail
source=$1 build=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved

fail()
{
    echo "install_test: $*" >&2
    exit 1
}

# quietly COMMAND...: its output appears only if it fails.
quietly()
{
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2 && fail "failed: $*"; }
}

# install_to PREFIX [COMPONENT]: as `cmake --install`, but the manifest is not the build's own, which
# says what its user has installed.
mkdir "$work/build"
sed "s|\"$build/\\(\\\${CMAKE_INSTALL_MANIFEST}\\)|\"$work/build/\\1|" "$build/cmake_install.cmake" \
    >"$work/build/cmake_install.cmake"
install_to()
{
    quietly cmake -DCMAKE_INSTALL_PREFIX="$1" ${2:+-DCMAKE_INSTALL_COMPONENT=$2} \
        -P "$work/build/cmake_install.cmake"
}

install_to "$work/first"
mv "$work/first" "$prefix"
lib=$(dirname "$(find "$prefix" -name libpliant.a)")

echo "what was installed"
diff <(cd "$source/include/pliant" && ls) <(cd "$prefix/include/pliant" && ls)
for path in "$lib/libpliant.so" "$lib/pkgconfig/pliant.pc" "$lib/cmake/pliant/pliant-config.cmake" \
    "$lib"/libpliant_asset.{a,so} "$lib/pkgconfig/pliant_asset.pc" "$prefix/share/doc/pliant/LICENSE"; do
    [ -e "$path" ] || fail "not installed: ${path#"$prefix/"}"
done
if grep -rlF -e "$source" -e "$build" -e "$work" "$lib/cmake" "$lib/pkgconfig"; then
    fail "the files above name folders of the build"
fi
for name in pliant_gl pliant_asset; do
    [ -e "$lib/lib$name.a" ] || [ ! -e "$lib/pkgconfig/$name.pc" ] ||
        fail "$name.pc is installed without its library"
done
if [ -x "$build/bin/pliant" ]; then
    quietly "$prefix/bin/pliant" --version
    # Readers of files, modal analysis and compression; neither the laboratory nor what it compares.
    foreign=$(readelf -d "$prefix/bin/pliant" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' |
        grep -vE '^(libjansson|libmeshoptimizer|libdraco|libstdc\+\+|libgcc_s|libz|liblapacke|libc|libm|libpthread|ld-linux.*)\.so') || true
    [ -z "$foreign" ] || fail "the installed tool needs $foreign"
fi
[ ! -e "$prefix/bin/pliant-bench" ] || fail "the laboratory is installed"

echo "what was installed is used where it was moved to"
quietly cmake -S "$source/examples/consumer" -B "$work/consumer" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_PREFIX_PATH="$prefix"
quietly cmake --build "$work/consumer" --target consumer
quietly "$work/consumer/consumer"

echo "uninstall"
rm "$work"/build/install_manifest*
export DESTDIR=$work/root
for components in "" "core asset"; do
    mkdir -p "$work/root$work/second/include" && touch "$work/root$work/second/include/other.h"
    for component in "${components%% *}" ${components#* }; do
        install_to "$work/second" $component
    done
    [ -e "$work/root$work/second/include/pliant/asset.h" ] || fail "nothing was installed"
    [ "$components" = "" ] || [ ! -e "$work/root$work/second/bin/pliant" ] ||
        fail "the tool is in another component"
    quietly cmake -DBUILD="$work/build" -P "$source/cmake/uninstall.cmake"
    left=$(find "$work/root" ! -type d)
    [ "$left" = "$work/root$work/second/include/other.h" ] || fail "uninstall leaves or takes too much: $left"
    [ -z "$(find "$work/root" -type d -name pliant)" ] || fail "uninstall leaves empty folders"
done
if cmake -DBUILD="$work/build" -P "$source/cmake/uninstall.cmake" >"$work/log" 2>&1; then
    fail "uninstall finds something twice"
fi
