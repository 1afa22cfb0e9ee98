"""Tests of finding, naming and planting mutants; they need no clang."""
import os
import tempfile

from . import plan, plant, source, syntax

FILE = """/* Comment { with braces. */
#define BOUND (3.0 + \\
               1.0)
enum { FEW = 2, MANY = 64 };

static const int table[2] = {1, 2};

static int count(const int *list, int n)
{
    int sum = 0; /* sum < n */
    for (int i = 0; i < n; i++) {
        sum += list[i] < n ? list[i] : 0;
    }
    return sum;
}

MAKE(int, made, (int a, int b), a - b)
int
count_twice(int n)
{
    n = n + 1;
    return n;
}
"""
FOUND = {  # a mutant, and the text at its place
    "BOUND: 3.0 => 4.0": "3.0",
    "MANY: 64 => 63": "64",
    "table: 1, 2 => 2, 1": "1, 2",
    "made: a - b => b - a": "a - b",
    "count: i<n => i <= n": "i < n",
    "count in a.c: list[i] => list[0] #2": "list[i]",
    "count_twice: n + 1 => n": "n + 1",
}
LOST = ("count: sum < n => n", "count: n => 0", "count: list[i] => 0 #3", "nobody: 1 => 2", "count in b.c: i < n => 0",
        "count: i < n")
STEPS = {"0": "1", "7u": "8u", "0x1f": "0x20", "0.5": "0.6", "1.0f": "1.1f", "2.": "3.", "1e-3": None,
         "0x1p-24f": "0x1p-25f", "9.9": "10.0", "010": "9"}


def check(failures, good, what):
    if not good:
        failures.append(what)


def check_sources(sources, failures):
    for mutant, text in FOUND.items():
        place, new = sources.find(mutant)
        check(failures, sources.text(place.file)[place.start:place.end] == text, mutant)
        again = sources.notation(place, new)
        check(failures, again is not None and sources.find(again) == (place, new), f"{mutant} becomes {again}")
    for mutant in LOST:
        try:
            failures.append(f"{mutant} has a place: {sources.find(mutant)}")
        except source.NotFound:
            pass


def check_planting(sources, failures):
    text = sources.text("src/a.c")
    at = text.index("list[i] < n ?")
    whole = at, at + len("list[i] < n ? list[i] : 0")
    nodes = syntax.Nodes({whole, (at, at + 11), (at, at + 7)}, {(text.index("sum += "), whole[1] + 1)})
    for mutant, kind, new in (
            ("count: list[i] < n => list[i] > n", "value", "list[i] > n ? list[i] : 0"),  # not part of an operand
            ("count: sum += list[i] => sum -= list[i]", "statement", "sum -= list[i] < n ? list[i] : 0;"),
            ("FEW: 2 => 3", "alone", "3")):
        edit = plant.embed(sources, nodes, *sources.find(mutant))
        check(failures, (edit.kind, edit.new) == (kind, new), f"{mutant} is planted as {edit}")
    outer = {"file": "src/a.c", "kind": "value", "start": whole[0], "end": whole[1], "new": "n"}
    inner = {"kind": "condition", "start": at, "end": at + 11, "new": ""}
    probe = {"kind": "alone", "probe": text.index("{\n    int sum") + 1, "start": 0, "end": 0, "new": ""}
    planted = plant.plant(text, [(0, outer), (1, inner), (2, probe)])
    for piece in ("sum += (PLIANT_MUTANT(0) ? (n) : ((PLIANT_MUTANT(1) == !(list[i] < n)) ? list[i] : 0));",
                  "{ (void)PLIANT_MUTANT(2);\n    int sum"):
        check(failures, piece in planted, f"no {piece}")
    crossing = [dict(outer), {**outer, "start": whole[0] + 5, "end": whole[1] + 5}]
    check(failures, [edit["kind"] for edit in plan.separate(crossing)] == ["value", "alone"], "crossing mutants")


def run():
    failures = []
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "src"))
        with open(os.path.join(root, "src", "a.c"), "w", encoding="ascii") as file:
            file.write(FILE)
        sources = source.Sources(root)
        check_sources(sources, failures)
        check_planting(sources, failures)
    for literal, new in STEPS.items():
        check(failures, syntax.step(literal) == new, f"a step from {literal} is {syntax.step(literal)}")
    for failure in failures:
        print(f"mutants: self-test: {failure}")
    return 1 if failures else 0
