"""docs/methods/james-2004.md: its tables."""
import math

from blocks import block, like_for_like, note_list, table
from results import count, figure, number, times

PAGE = "docs/methods/james-2004.md"


@block(PAGE, "curtain")
def curtain(r):
    heads = ["the paper", "the same two methods here, scalar", "over ours: scalar",
             "with vertices many at once", "with spheres many at once too"]

    def layered(what, end, scalar=None, paper="-"):
        some = f"vs_layered_{end}" if end != "simple" else None
        return (what, paper, f"layered_over_bd_{end}" if scalar else None, scalar, some,
                f"vs_layered_wide_{end}")
    return like_for_like(r, "bd-curtain", "layered spheres' time over BD-Tree's, and over ours", [
        layered("the ball one sphere (chosen)", "simple", "vs_layered_scalar_simple", "2,250x"),
        layered("a ball of 1,280 triangles", "1x", "vs_layered_scalar_1x"),
        layered("the same, mesh four times as fine", "4x"),
        layered("the same, 16 times as fine", "16x"),
        layered("the ball pushing the curtain", "pushed_1x"),
        layered("the same, mesh four times as fine", "pushed_4x"),
        layered("the same, 16 times as fine", "pushed_16x"),
    ], heads) + "\n\n" + like_for_like(r, "bd-curtain", "the curtain, all frames", [
        ("sphere tests, BD-Tree over layered, the ball one sphere", "3,890 / 2,150 = 1.81x",
         "tests_bd_over_layered_simple", None),
        ("the same, a ball of 1,280 triangles", "-", "tests_bd_over_layered", None),
        ("BD-Tree's time over ours, the ball one sphere", "-", None, "vs_bd_tree_simple"),
        ("the same, a ball of 1,280 triangles", "-", None, "vs_bd_tree_1x"),
        ("radius of a BD sphere over that at rest, mean", None, "bd_over_rest_radius", None),
        ("radius of a BD sphere over the layered one, mean", "-", "bd_over_layered_radius", None),
    ], ["the paper", "the same two methods here, scalar", "over ours with vectors"])


@block(PAGE, "curtain-methods")
def curtain_methods(r):
    methods = ["layered spheres, scalar", "layered spheres", "layered spheres, many at once",
               "BD-Tree, plain C", "boxes, bottom-up", "ours, auto", "ours, boxes", "ours, spheres",
               "ours, auto, coherent"]
    texts = []
    for title, ending in (("the paper's motion", ""), ("pushed", ", pushed")):
        def cell(size, method, key, end=ending):
            return r.cell("bd-curtain", f"{size}{end}: {method}", key, maybe=True)
        texts.append(table(
            [f"{title}, all frames", "the mesh, ms", "four times as fine, ms", "16 times as fine, ms",
             "the mesh, over ours", "four times as fine, over ours", "16 times as fine, over ours",
             "tests, the mesh"],
            [[method] + [form(cell(size, method, key)) for key, form in (("total_ms", number),
                                                                         ("over_ours", times))
                         for size in ("1x", "4x", "16x")] + [count(cell("1x", method, "tests"))]
             for method in methods]))
    simple = table(
        ["the ball one sphere, all frames", "the mesh, ms", "over ours", "tests"],
        [[method] + [form(r.cell("bd-curtain", f"simple ball: {method}", key)) for key, form in
                     (("total_ms", number), ("over_ours", times), ("tests", count))]
         for method in methods if method != "boxes, bottom-up"])
    return "\n\n".join([simple, *texts, note_list(r, "bd-curtain", ".")])


@block(PAGE, "bridge")
def bridge(r):
    heads = ["the paper", "here, largest frame", "about the mean of vertices", "all frames",
             "affine spheres"]
    radii = [(f"{kind}, deformed, {words}", None, f"{start}_{key}_radius",
              f"{start}_{key}_about_mean", f"{start}_{key}_all_frames",
              f"affine_{key}_radius" if start == "bd" else None)
             for kind, start in (("layered", "layered"), ("bounded", "bd"))
             for words, key in (("mean", "mean"), ("largest", "max"))]
    rest = [(f"layered, undeformed, {words}", None, f"layered_{key}_rest", None, None, None)
            for words, key in (("mean", "mean"), ("largest", "max"))]
    claim = [(f"layered over bounded, {words} (the claim: above 1)", None, f"figure_6_{key}", None,
              None, f"figure_6_{key}_affine")
             for words, key in (("mean", "mean"), ("largest", "max"))]
    return like_for_like(r, "bd-bridge", "radius over undeformed wrapped", rest + radii + claim,
                         heads)


def numbered(r, experiment, name, first, last, key):
    """The numbers of rows called NAME NUMBER, up to the first that is not there."""
    for i in range(first, last):
        if math.isnan(r.cell(experiment, name.format(i), key, maybe=True)):
            return
        yield i


@block(PAGE, "bridge-levels")
def bridge_levels(r):
    keys = ["layered_rest", "layered", "layered_max", "bd", "bd_max", "bd_about_mean"]
    rows = [[f"{level}{words}"] +
            [count(r.cell("bd-bridge", f"level {level}{end}", key)) for key in ("spheres", "triangles")] +
            [times(r.cell("bd-bridge", f"level {level}{end}", key)) for key in keys]
            for level in numbered(r, "bd-bridge", "level {}", 1, 8, "spheres")
            for words, end in (("", ""), (", largest frame", ", largest frame"))]
    return table(["level", "spheres", "triangles", "layered, undeformed", "layered", "largest",
                  "bounded", "largest", "bounded, about the mean"], rows) + (
        "\n\n" + note_list(r, "bd-bridge", "."))


@block(PAGE, "fish")
def fish(r):
    columns = [("fish", "fish", count), ("steps", "steps", count),
               ("contacts a step", "contacts", count), ("a step, ms", "step_ms", number),
               ("library, MiB", "library_mib", number), ("process, MiB", "process_mib", number)]
    return table([head for head, _, _ in columns],
                 [[form(r.cell("bd-bridge", "fish on the bridge", key)) for _, key, form in columns]],
                 left=0) + ("\n\nBounds updated in a step over all bounds (figure 7): "
                            f"{number(r.ratio('bd-bridge', 'fish_share_updated'))}.")


@block(PAGE, "chairs")
def chairs(r):
    heads = ["the paper", "here, scalar, over ours in plain C", "over ours with vectors",
             "the rival with vectors too"]
    def ratio(key):
        return r.ratio("bd-chairs", key)
    return like_for_like(r, "bd-chairs", "3,601 chairs", [
        ("layered update of all chairs over our whole step", "3,601 x 55 ms / 2.1 s = 94.3x",
         "layered_scalar_over_plain_step", "layered_update_over_step", "layered_wide_over_step"),
        ("a step of deforming chairs over one of rigid ones", "2.1 s / 1.1 s = 1.91x", None,
         "deforming_over_rigid", None),
        ("rigid chairs with redundant updates over rigid ones", "10.9 h / 7.5 h = 1.45x", None,
         "redundant_over_rigid", None),
    ], heads) + "\n\n" + table(["one sphere from 10 modes", "ns"], [
        ["the paper", "750"], ["the same here, scalar", number(ratio("ns_per_bound_scalar"))],
        ["ours with vectors", number(ratio("ns_per_bound"))]]) + (
        f"\n\nContacts a step in the pile: the paper about 64,000, here {count(ratio('contacts_pile'))} "
        "(chosen: chairs start in few layers with much drag). Bounds updated in a step over all bounds, in the "
        f"pile (figure 7): {number(ratio('share_updated'))}. A chair that touches nobody takes "
        f"{count(ratio('bytes_per_idle_body'))} bytes.")


@block(PAGE, "chair-steps")
def chair_steps(r):
    columns = [("steps", count), ("step_ms", number), ("contacts", count), ("contacts_per_s", count),
               ("updated", number)]
    return table(
        ["", "steps", "a step, ms", "contacts a step", "contacts a second", "share updated",
         "the paper: ms, contacts a step, a second"],
        [[method + end] + [form(r.cell("bd-chairs", method + end, key)) for key, form in columns] +
         [paper if end else "-"]
         for method, paper in (("deforming", "2,100; 64,000; 30,000"), ("deforming, plain C", "-"),
                               ("rigid", "1,100; 44,000; 41,000"),
                               ("rigid, updated all the same", "-")) for end in ("", ", pile")]) + (
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
                     times(r.cell("bd-chairs", name, "paper", maybe=True)),
                     times(r.cell("bd-chairs", name, "growth"))])
    return table(["level", "spheres", "over the root's: the paper", "here"], rows, left=0)


@block(PAGE, "crowd")
def crowd(r):
    methods = ["evaluate all, modern bottom-up", "evaluate all, refit", "ours, auto", "ours, boxes",
               "ours, spheres", "ours, auto, coherent"]
    return table(
        ["a step", "dense, ms", "over ours", "sparse, ms", "over ours"],
        [[method] + [form(r.cell("bd-crowd", f"{variant}: {method}", key))
                     for variant in ("dense", "sparse")
                     for key, form in (("total_ms", number), ("over_ours", times))]
         for method in methods]) + "\n\n" + note_list(r, "bd-crowd", ".")
