#!/bin/bash
# Installs a finished build, moves the tree elsewhere, and uses it in every documented way.
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

quietly cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$prefix"
lib=$(dirname "$(find "$prefix" -name libpliant.a)")

echo "what was installed"
diff <(cd "$source/include/pliant" && ls) <(cd "$prefix/include/pliant" && ls)
for path in "$lib/libpliant.so" "$lib/pkgconfig/pliant.pc" "$lib/cmake/pliant/pliant-config.cmake" \
    "$prefix/share/doc/pliant/LICENSE"; do
    [ -e "$path" ] || fail "not installed: ${path#"$prefix/"}"
done
if grep -rlF -e "$source" -e "$build" -e "$work" "$lib/cmake" "$lib/pkgconfig"; then
    fail "the files above name folders of the build"
fi
foreign=$(nm -D --defined-only "$lib/libpliant.so" | awk '$3 !~ /^pliant_/ { print $3 }')
[ -z "$foreign" ] || fail "the shared library exports more than pliant_*: $foreign"
if [ -x "$build/bin/pliant" ]; then
    quietly "$prefix/bin/pliant" --version
    # Readers of files, modal analysis and compression; neither the laboratory nor what it compares.
    foreign=$(readelf -d "$prefix/bin/pliant" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' |
        grep -vE '^(libjansson|libmeshoptimizer|libz|liblapacke|libc|libm|libpthread|ld-linux.*)\.so') || true
    [ -z "$foreign" ] || fail "the installed tool needs $foreign"
fi
[ ! -e "$prefix/bin/pliant-bench" ] || fail "the laboratory is installed"

# uses_shared PROGRAM: whether it needs libpliant at run time.
uses_shared()
{
    readelf -d "$1" | grep -q 'NEEDED.*libpliant'
}

for shared in OFF ON; do
    echo "find_package, BUILD_SHARED_LIBS=$shared"
    quietly cmake -S "$source/examples/consumer" -B "$work/found-$shared" \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" -DBUILD_SHARED_LIBS=$shared
    quietly cmake --build "$work/found-$shared"
    quietly "$work/found-$shared/consumer"
    if uses_shared "$work/found-$shared/consumer"; then used=ON; else used=OFF; fi
    [ $used = $shared ] || fail "pliant::pliant is the wrong library for BUILD_SHARED_LIBS=$shared"
done

export PKG_CONFIG_PATH=$lib/pkgconfig
main=$source/examples/consumer/main.c
echo "pkg-config, shared"
quietly "$cc" "$main" $(pkg-config --cflags --libs pliant) -o "$work/shared"
uses_shared "$work/shared" || fail "pkg-config did not choose the shared library"
LD_LIBRARY_PATH=$lib quietly "$work/shared"
echo "pkg-config, static"
quietly "$cc" -static "$main" $(pkg-config --static --cflags --libs pliant) -o "$work/static"
quietly "$work/static"

if [ -e "$lib/libpliant_gl.a" ]; then
    # Whether there is a driver is another matter: a sentence that says there is none will do.
    mkdir "$work/gl"
    cat >"$work/gl/main.c" <<'END'
#include <pliant/gl.h>
#include <pliant/pliant.h>
#include <stdio.h>

int main(void)
{
    pliant_volume_backend *backend = NULL;
    pliant_result result = pliant_gl_create(NULL, &backend);
    puts(result == PLIANT_OK ? pliant_gl_get_renderer(backend) : pliant_gl_last_error());
    pliant_context *context = NULL;
    pliant_volume *volume = NULL;
    pliant_volume_def def = pliant_volume_def_default();
    def.backend = backend;
    if (pliant_context_create(NULL, &context) != PLIANT_OK ||
        pliant_volume_create(context, &def, &volume) != PLIANT_OK) {
        return 1;
    }
    pliant_volume_destroy(volume);
    pliant_gl_destroy(backend);
    pliant_context_destroy(context);
    return result == PLIANT_OK || result == PLIANT_ERROR_STATE ? 0 : 1;
}
END
    cat >"$work/gl/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(pliant_gl_consumer LANGUAGES C)
find_package(pliant 0.1 REQUIRED COMPONENTS gl)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE pliant::pliant pliant::pliant_gl)
END
    echo "find_package, component gl"
    quietly cmake -S "$work/gl" -B "$work/gl-found" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_PREFIX_PATH="$prefix"
    quietly cmake --build "$work/gl-found"
    quietly "$work/gl-found/consumer"
    echo "pkg-config, pliant_gl"
    quietly "$cc" "$work/gl/main.c" $(pkg-config --cflags --libs pliant_gl) -o "$work/gl-shared"
    LD_LIBRARY_PATH=$lib quietly "$work/gl-shared"
elif [ -e "$lib/pkgconfig/pliant_gl.pc" ]; then
    fail "pliant_gl.pc is installed without its library"
fi

echo "subproject"
quietly cmake -S "$source/examples/consumer" -B "$work/sub" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_BUILD_TYPE=None -DPLIANT_SOURCE="$source" # not optimised: it is run once
quietly cmake --build "$work/sub" --parallel 2
quietly "$work/sub/consumer"
targets=$(cmake --build "$work/sub" --target help)
if grep -E 'pliant_tool|test_|example_' <<<"$targets"; then
    fail "a subproject gets tests or the tool"
fi
if [ -n "$(find "$work/sub" -name libpliant.so)" ]; then
    fail "a subproject builds what nobody linked"
fi
