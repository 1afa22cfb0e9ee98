"""The nearest rival, a plain tree: README.md and docs/benchmarks.md, from files of its own."""
import pathlib

from blocks import block, table
from results import Machine, number, times

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "results/scenes"
FILES = ("amd-2-nearest", "intel-16-nearest")

# (motion, experiment, method, ending of keys)
MOTIONS = [
    *((f"two spheres of {count:,} triangles", "peers-spheres", f"ours, auto, {count}", f"_{count}")
      for count in (1280, 5120, 20480, 81920, 327680)),
    ("a crowd of 27 spheres of 5,120 triangles", "peers-27", "ours, auto", ""),
    ("six figures of 45,682 vertices, small contact", "peers-ring", "ours, auto, small contact", "_small"),
    ("the same, large contact", "peers-ring", "ours, auto, large contact", "_large"),
    ("first contact of two spheres of 20,480 triangles", "peers-first", "ours, auto, no memory", ""),
    ("a cloth over a ball, 92,230 triangles with itself, rule `SKIP`", "peers-self", "ours, auto, over a ball",
     "_ball"),
    ("a cloth rolled up, 92,450, the same", "peers-self", "ours, auto, rolled", "_rolled"),
]


def machines():
    return [Machine(FOLDER / f"{name}.json") for name in FILES]


def brand(machine):
    return machine.data["machine"]["cpu"].split(" ")[0].split("(")[0]


def ratio(ending, experiment):
    """The plain tree over ours on the main machine, for a row of another table."""
    return times(machines()[0].ratio(experiment, "vs_plain" + ending))


def source():
    """The sentence about the file behind ratio()."""
    main = machines()[0]
    return (f"The plain tree is of a later commit, {main.data['commit'][:12]} "
            f"({main.about('file')}).")


@block("docs/benchmarks.md", "nearest")
def nearest(_):
    found = machines()
    heads = ["motion"]
    for one in found:
        heads += [f"{brand(one)}: ours, ms", "plain tree over ours", "AVX2 at most"]
    rows = []
    for motion, experiment, method, ending in MOTIONS:
        row = [motion]
        for one in found:
            row += [number(one.cell(experiment, method, "total_ms")),
                    times(one.ratio(experiment, "vs_plain" + ending)),
                    times(one.ratio(experiment, f"vs_plain{ending}_avx2"))]
        rows.append(row)
    return table(heads, rows) + "\n\n" + " ".join(one.sentence() for one in found)


@block("docs/benchmarks.md", "default-rule")
def default_rule(_):
    rows = []
    for one in machines():
        for motion in ("over a ball", "rolled"):
            def cell(method):
                return one.cell("peers-self", f"ours, {method}, {motion}", "total_ms")
            rows.append([f"{brand(one)}, {motion}", number(cell("auto")),
                         number(cell("default rule")), times(cell("default rule") / cell("auto")),
                         number(cell("default rule, avx2"))])
    return table(["a cloth with itself", "`SKIP`, ms", "default rule, ms", "default over `SKIP`",
                  "default rule, AVX2 at most, ms"], rows)
