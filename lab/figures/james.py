"""docs/methods/james-2004.md: its tables."""
import math

from blocks import block, note_list, table
from results import count, number

PAGE = "docs/methods/james-2004.md"


def claims(r, experiment, title, rows):
    """What, the paper's figure, ours."""
    return table([title, "the paper", "here"],
                 [[what, paper, number(r.ratio(experiment, key))] for what, key, paper in rows])


@block(PAGE, "curtain")
def curtain(r):
    return claims(r, "bd-curtain", "the curtain, all frames", [
        ("layered spheres' time over ours", "vs_layered_1x", "2,250"),
        ("the same, mesh four times as fine", "vs_layered_4x", "-"),
        ("the same, 16 times as fine", "vs_layered_16x", "-"),
        ("layered spheres merged many at once, time over ours", "vs_layered_wide_1x", "-"),
        ("the same, 16 times as fine", "vs_layered_wide_16x", "-"),
        ("the ball pushing the curtain: layered spheres' time over ours", "vs_layered_pushed_1x", "-"),
        ("the same, mesh four times as fine", "vs_layered_pushed_4x", "-"),
        ("the same, 16 times as fine", "vs_layered_pushed_16x", "-"),
        ("sphere tests, BD-Tree over layered", "tests_bd_over_layered", "3,890 / 2,150 = 1.81"),
        ("radius of a BD sphere over that at rest, mean", "bd_over_rest_radius", "1.51"),
        ("radius of a BD sphere over the layered one, mean", "bd_over_layered_radius", "-"),
        ("the paper's method in plain C over ours", "vs_bd_tree_1x", "-"),
    ])


@block(PAGE, "curtain-methods")
def curtain_methods(r):
    methods = ["layered spheres", "layered spheres, many at once", "BD-Tree, plain C",
               "boxes, bottom-up", "ours, auto", "ours, boxes", "ours, spheres",
               "ours, auto, coherent"]
    texts = []
    for title, ending in (("the paper's motion", ""), ("pushed", ", pushed")):
        def cell(size, method, key, end=ending):
            return r.cell("bd-curtain", f"{size}{end}: {method}", key, maybe=True)
        texts.append(table(
            [f"{title}, all frames, ms", "1x", "4x", "16x", "over ours, 1x", "4x", "16x",
             "tests, 1x"],
            [[method] + [number(cell(size, method, key)) for key in ("total_ms", "over_ours")
                         for size in ("1x", "4x", "16x")] + [count(cell("1x", method, "tests"))]
             for method in methods]))
    return "\n\n".join(texts + [note_list(r, "bd-curtain", ".")])


@block(PAGE, "bridge")
def bridge(r):
    return claims(r, "bd-bridge", "radius over undeformed wrapped", [
        ("layered, undeformed, mean", "layered_mean_rest", "1.31"),
        ("layered, undeformed, largest", "layered_max_rest", "1.77"),
        ("layered, deformed, mean", "layered_mean_radius", "1.31"),
        ("layered, deformed, largest", "layered_max_radius", "1.79"),
        ("bounded, deformed, mean", "bd_mean_radius", "1.25"),
        ("bounded, deformed, largest", "bd_max_radius", "1.56"),
    ])


def numbered(r, experiment, name, first, last, key):
    """The numbers of rows called NAME NUMBER, up to the first that is not there."""
    for i in range(first, last):
        if math.isnan(r.cell(experiment, name.format(i), key, maybe=True)):
            return
        yield i


@block(PAGE, "bridge-levels")
def bridge_levels(r):
    keys = ["layered_rest", "layered", "layered_max", "bd", "bd_max", "bd_about_mean"]
    rows = [[str(level)] +
            [count(r.cell("bd-bridge", f"level {level}", key)) for key in ("spheres", "triangles")] +
            [number(r.cell("bd-bridge", f"level {level}", key)) for key in keys]
            for level in numbered(r, "bd-bridge", "level {}", 1, 8, "spheres")]
    return table(["level", "spheres", "triangles", "layered, undeformed", "layered", "largest",
                  "bounded", "largest", "bounded, about the mean"], rows, left=0) + (
        "\n\n" + note_list(r, "bd-bridge", "."))


@block(PAGE, "fish")
def fish(r):
    columns = [("fish", "fish", count), ("steps", "steps", count),
               ("contacts a step", "contacts", count), ("a step, ms", "step_ms", number),
               ("library, MiB", "library_mib", number), ("process, MiB", "process_mib", number)]
    return table([head for head, _, _ in columns],
                 [[form(r.cell("bd-bridge", "fish on the bridge", key)) for _, key, form in columns]],
                 left=0)


@block(PAGE, "chairs")
def chairs(r):
    return claims(r, "bd-chairs", "3,601 chairs", [
        ("a step of deforming chairs over one of rigid ones", "deforming_over_rigid",
         "2.1 s / 1.1 s = 1.91"),
        ("rigid chairs with redundant updates over rigid ones", "redundant_over_rigid",
         "10.9 h / 7.5 h = 1.45"),
        ("layered update of all chairs over our whole step", "layered_update_over_step",
         "3,601 x 55 ms / 2.1 s = 94.3"),
        ("one sphere from 10 modes, ns", "ns_per_bound", "750"),
        ("memory of a chair that touches nobody, bytes", "bytes_per_idle_body", "-"),
    ])


@block(PAGE, "chair-steps")
def chair_steps(r):
    columns = [("steps", count), ("step_ms", number), ("contacts", count), ("contacts_per_s", count)]
    return table(
        ["", "steps", "a step, ms", "contacts a step", "contacts a second", "the paper"],
        [[method] + [form(r.cell("bd-chairs", method, key)) for key, form in columns] + [paper]
         for method, paper in (("deforming", "2,100 ms, 64,000, 30,000"),
                               ("rigid", "1,100 ms, 44,000, 41,000"),
                               ("rigid, updated all the same", "-"))]) + (
        "\n\n" + note_list(r, "bd-chairs", "."))


@block(PAGE, "bounds")
def bounds(r):
    return table(["bound", "ns"], [[kind, number(r.cell("bd-chairs", f"bound: {kind}", "ns"))]
                                   for kind in ("a sphere", "a box", "an affine box")])


@block(PAGE, "decay")
def decay(r):
    rows = []
    for level in numbered(r, "bd-chairs", "|dR| of level {}", 0, 19, "growth"):
        name = f"|dR| of level {level}"
        rows.append([str(level), count(r.cell("bd-chairs", name, "spheres")),
                     number(r.cell("bd-chairs", name, "paper", maybe=True)),
                     number(r.cell("bd-chairs", name, "growth"))])
    return table(["level", "spheres", "the paper", "here"], rows, left=0)


@block(PAGE, "crowd")
def crowd(r):
    methods = ["evaluate all, refit", "ours, auto", "ours, boxes", "ours, spheres",
               "ours, auto, coherent"]
    return table(
        ["a step, ms", "dense", "over ours", "sparse", "over ours"],
        [[method] + [number(r.cell("bd-crowd", f"{variant}: {method}", key))
                     for variant in ("dense", "sparse") for key in ("total_ms", "over_ours")]
         for method in methods]) + "\n\n" + note_list(r, "bd-crowd", ".")
