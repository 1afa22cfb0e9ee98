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
# Mistakes that do not compile: the compiler names the line of each. The lines before them do.
write_lines()
{
    printf '%s\n' '#include <pliant/pliant.hpp>' '#include <array>' '#include <vector>' \
        'struct doubles { double x, y, z; };' 'struct ints { int x, y, z; };' \
        'struct longs { long x, y, z; };' 'struct vertex { float position[3]; int colour; };' \
        'using floats = std::vector<float>;' 'using words = std::vector<std::uint32_t>;'
    number=0
    while read -r line; do
        number=$((number + 1))
        printf '#line %d "mistakes"\nvoid f%d(pliant::context &c, pliant::body &b, pliant::shape_def &d, ' \
            $number $number
        printf 'pliant::state &s, floats &v) { (void)c; (void)b; (void)d; (void)s; (void)v; %s }\n' "$line"
    done
}
write_lines <<'LINES' | $last -std=c++17 $flags -Wno-missing-declarations -x c++ -
std::vector<vertex> p; b.set_positions(p); d.set_positions(p); b.share_positions(v);
b.set_positions(floats(12)); d.set_positions(v); d.set_positions({v.data(), 4}); s.set_positions(v);
d.set_groups(pliant::span<const std::uint16_t>()); d.set_modes(v, 1);
LINES
mistakes=$(cat <<'LINES'
std::vector<doubles> p; b.set_positions(p);
std::vector<ints> p; b.set_positions(p);
std::vector<longs> p; d.set_triangles(p);
d.set_positions(floats(12));
d.set_positions(std::array<float, 12>());
d.set_triangles(words(3));
d.set_groups(std::vector<std::uint16_t>(3));
d.set_modes(floats(12), 1);
d.set_sparse_modes(v, words(2), words(2));
d.set_influences(1, words(2), words(2), v);
s.set_positions(floats(12));
s.set_transforms(floats(12));
b.share_positions(floats(12));
pliant::query::create(c);
pliant::body::create(b.get_shape());
LINES
)
limit=-ferror-limit=0
[ "$last" = clang++ ] || limit=-fmax-errors=0
found=$(write_lines <<<"$mistakes" | LC_ALL=C $last -std=c++17 $flags $limit -x c++ - 2>&1 || true)
number=0
while read -r line; do
    number=$((number + 1))
    grep -q "mistakes:$number:.*\(error\|requ\)" <<<"$found" ||
        { echo "compiles: $line" >&2; exit 1; }
done <<<"$mistakes"
