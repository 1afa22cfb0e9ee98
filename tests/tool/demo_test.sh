#!/usr/bin/env bash
# The demo without a scene: a figure in its coat, checked as a file would be, and a cape.
# usage: demo_test.sh PATH-TO-PLIANT
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool.sh"

steps=40
expect 0 demo --steps $steps -o "$folder/demo"
[ ! -s "$folder/err" ] || fail "the demo writes to stderr in a pipe"
cp "$folder/out" "$folder/said"
[ "$(head -1 "$folder/said")" = 'What touches when a dressed figure walks' ] || fail "another subject: $(head -1 "$folder/said")"
[ "$(grep '^page: ' "$folder/said")" = "page: $folder/demo/report.html
page: $folder/demo/cape.html" ] || fail "other pages: $(grep '^page: ' "$folder/said")"
grep -q "^nothing touches in any of $steps steps$" "$folder/said" || fail "the cape touches something"
for page in report cape; do
    grep -Eq 'https?://|src=' "$folder/demo/$page.html" && fail "$page.html refers to something outside"
done
grep -q '<title>What touches when a dressed figure walks</title>' "$folder/demo/report.html" ||
    fail "the page has another title"
grep -q '<title>A cape falls onto a walking figure</title>' "$folder/demo/cape.html" ||
    fail "the page of the cape has another title"

# The findings are those of a file with the same figure.
"$pliant" export figure --steps $steps --triangles 40000 -o "$folder/figure.glb" >/dev/null || fail "export figure"
expect 1 check "$folder/figure.glb"
table() { sed -n '/^2 bodies/,/^compared/p' "$1"; }
grep -q ' new$' <(table "$folder/said") || fail "nothing is found"
cmp -s <(table "$folder/said") <(table "$folder/out") || fail "check finds something else in the same figure"

# Figures of the work saved: the vertices that there are, and times above 0; on the page as well.
work=$(grep '^Vertices evaluated ' "$folder/said")
grep -qF "\"work\":\"$work\"" "$folder/demo/report.html" || fail "the page has another line about work: $work"
vertices=$("$pliant" info "$folder/figure.glb" | awk '$1 == "figure" || $1 == "coat" {sum += $2} END {print sum}')
python3 - "$work" $((steps + 1)) "$vertices" <<'END' || fail "wrong figures in: $work"
import re, sys
work, frames, vertices = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
found = re.fullmatch(r"Vertices evaluated to find the touching triangles: ([\d,]+) of ([\d,]+) \((\d+) %\)\. "
    r"Time for all (\d+) frames: ([\d.]+) ms; with a full refit in each ([\d.]+) ms; with every vertex evaluated "
    r"first and then a full refit ([\d.]+) ms \(medians of (\d+) plays, .*\)\.", work)
read, of = (int(found[i].replace(",", "")) for i in (1, 2))
assert of == frames * vertices and int(found[4]) == frames, (of, frames, vertices)
assert 0 < read and abs(100 * read / of - int(found[3])) <= 0.5
assert min(float(found[i]) for i in (5, 6, 7)) > 0 and int(found[8]) >= 3
END

# Threads and instruction sets change times only.
all_but_work() { sed -E 's/[0-9.]+ ms/ms/g; s/"ms":[0-9.]*//g' "$1"; }
expect 0 demo --steps $steps -o "$folder/other" --threads 3 --isa plain
for page in report cape; do
    cmp -s <(all_but_work "$folder/demo/$page.html") <(all_but_work "$folder/other/$page.html") ||
        fail "three threads without vectors give another $page.html"
done

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
