"""docs/methods/larsson-2001.md: its tables, and figure 3 of the paper.

The paper prints its curves as a picture only. What its text and its table 1 give is drawn beside
ours, as single points; no curve is invented.
"""
import math
import statistics

from blocks import block, like_for_like, table
from charts import Chart, Panel, Style
from results import count, figure, number, times as factor

PAGE = "docs/methods/larsson-2001.md"
ONE = {"triangles": 20480, "first_only": 0}
FIRST = {"triangles": 20480, "first_only": 1}
LARSSON = ["Larsson, hybrid, 8-ary", "Larsson, top-down, 8-ary", "Larsson, bottom-up, 8-ary"]
FIRST_HEADS = ["the paper", "the same two methods here, scalar", "ours with vectors"]
CROWD = {"triangles": 5120, "first_only": 0}


def total(r, method, where):
    return r.cell("larsson-1", method, "total_ms", **where)


def first_contact(r):
    """The first step with a pair; None without one."""
    steps, pairs = r.series("larsson-1", "step"), r.series("larsson-1", "pairs")
    return next((step for step, found in zip(steps, pairs) if found > 0), None)


def by_step(r, method):
    return r.series("larsson-1", f"all pairs, {method}, ms")


def mean_of_steps(r):
    """The mean over the steps of van den Bergen's time over that of Larsson's hybrid."""
    quotients = [rival / ours for rival, ours in zip(by_step(r, "van den Bergen"), by_step(r, LARSSON[0]))]
    return statistics.mean(quotients) if quotients else math.nan


def last_tenth(r):
    """The share of the last tenth of the steps in the time of Larsson's hybrid."""
    times = by_step(r, LARSSON[0])
    return sum(times[len(times) * 9 // 10:]) / sum(times) if times else math.nan


def worst_over_first(r):
    """Larsson's time at the worst step over that at the first contact, size by size."""
    return [row["worst_ms"] / row["first_ms"] for row in r.rows("larsson-2")
            if row["method"].startswith("Larsson")] or [math.nan]


@block(PAGE, "experiment-1")
def claims(r):
    pairs = r.series("larsson-1", "pairs")
    connectivity = (total(r, "initial shape, 8-ary", ONE) / total(r, "connectivity, 8-ary", ONE))
    return like_for_like(r, "larsson-1", "experiment 1", [
        ("step of the first contact (chosen)", "60", count(first_contact(r)), None, None),
        ("pairs at step 200 (chosen)", "3,760", count(pairs[-1] if pairs else None), None, None),
        ("van den Bergen's time over Larsson's hybrid; over ours", "about 5x", "larsson_vs_van_den_bergen",
         "all_vs_van_den_bergen_plain", "all_vs_van_den_bergen"),
        ("Larsson's hybrid over ours", "-", None, "all_vs_larsson_plain", "all_vs_larsson"),
        ("hybrid over the better of top-down and bottom-up, worst tenth", '"performs best"',
         "larsson_hybrid_tenth_worst", None, "hybrid_tenth_worst"),
        ("van den Bergen, binary over 8-ary", "1.1 to 1.2x", "van_den_bergen_binary_over_8", None,
         None),
        ("initial-shape tree over connectivity tree", "1.0 to 1.1x", None, None,
         factor(connectivity)),
    ])


@block(PAGE, "gains")
def gains(r):
    return gains_table(r, "scalar binary bottom-up over ours")


def gains_table(r, title):
    """What layout, vectors and laziness give each; the last column is their product."""
    keys = ["gain_of_layout", "gain_of_vectors", "gain_of_laziness", "all_vs_bottom_up"]
    return table([title, "layout", "vectors", "laziness", "together"],
                 [[what] + [factor(r.ratio(experiment, key)) for key in keys]
                  for what, experiment in (("two spheres of 20,480 triangles", "larsson-1"),
                                           ("27 spheres of 5,120", "larsson-3-spheres"),
                                           ("27 bodies with arms of 5,120", "larsson-3-arms"))])


def times_table(r, title, methods, unit, where):
    """Update, query and total of some methods, and the total over that of `unit`."""
    over = total(r, unit, where)
    return table(
        [title, "update, ms", "query, ms", "total, ms", f"over {unit}"],
        [[method] + [number(r.cell("larsson-1", method, key, **where))
                     for key in ("update_ms", "query_ms", "total_ms")] +
         [factor(total(r, method, where) / over)] for method in methods])


@block(PAGE, "all-pairs")
def all_pairs(r):
    return times_table(r, "all pairs", [
        "van den Bergen", "van den Bergen, 8-ary", *LARSSON, "scalar binary bottom-up",
        "modern bottom-up, plain C", "modern bottom-up", "ours, bottom-up", "ours, top-down",
        "ours, hybrid", "ours, auto", "ours, auto, vertices in tree order",
        "ours, auto, positions copied", "ours, auto, plain"], "ours, auto", ONE)


@block(PAGE, "first-pair")
def first_pair(r):
    return like_for_like(r, "larsson-1", "first pair", [
        ("van den Bergen's time over Larsson's hybrid", "about 5x", "first_larsson_vs_van_den_bergen", None),
        ("Larsson's hybrid over ours, without memory", "-", None, "first_vs_larsson"),
        ("scalar binary bottom-up over ours, without memory", "-", None,
         "first_vs_bottom_up_no_memory"),
    ], FIRST_HEADS) + "\n\n" + times_table(r, "first pair", [
        "van den Bergen", "van den Bergen, 8-ary", *LARSSON, "scalar binary bottom-up",
        "ours, bottom-up, no memory", "ours, top-down, no memory", "ours, hybrid, no memory",
        "ours, auto, no memory", "ours, auto, witness memory"], "ours, auto, witness memory", FIRST)


@block(PAGE, "tenths")
def tenths(r):
    def times(method, tenth):
        all_times = r.series("larsson-1", f"all pairs, {method}, ms")
        part = all_times[len(all_times) * tenth // 10:len(all_times) * (tenth + 1) // 10]
        return sum(part) / len(part) if part else math.nan

    def three(methods, tenth):
        top_down, bottom_up, hybrid = (times(method, tenth) for method in methods)
        return [number(value) for value in (top_down, bottom_up, hybrid)] + [
            factor(hybrid / min(top_down, bottom_up))]
    theirs = ["Larsson, top-down, 8-ary", "Larsson, bottom-up, 8-ary", "Larsson, hybrid, 8-ary"]
    ours = ["ours, top-down", "ours, bottom-up", "ours, hybrid"]
    return table(
        ["steps", "Larsson, scalar: top-down, ms", "bottom-up, ms", "hybrid, ms", "hybrid over the better",
         "ours with vectors: top-down, ms", "bottom-up, ms", "hybrid, ms", "hybrid over the better"],
        [[f"{20 * tenth + 1} to {20 * tenth + 20}"] + three(theirs, tenth) + three(ours, tenth)
         for tenth in range(10)])


MOTIONS = [("the first motion", "", ""), ("bumps as fine as the mesh", "fine bumps: ", "_fine")]


def sizes_table(r, start):
    """Times and pairs by size; the rows of Larsson's method stand beside ours."""
    mine, theirs = f"{start}ours, auto, ", f"{start}Larsson, hybrid, 8-ary, "
    rows = []
    for row in r.rows("larsson-2"):
        if row["method"].startswith(mine):
            rival = theirs + row["method"][len(mine):]
            cells = [count(row["triangles"])]
            for when in ("first", "worst"):
                cells += [count(row[f"paper_{when}_ms"]),
                          number(r.cell("larsson-2", rival, f"{when}_ms")),
                          number(row[f"rival_{when}_ms"]), number(row[f"{when}_ms"])]
            rows.append(cells + [count(row["paper_pairs"]), count(row["pairs"])])
    return table(["triangles", "first contact: paper, ms", "Larsson, here, ms", "scalar bottom-up, ms",
                  "ours, ms", "worst step: paper, ms", "Larsson, here, ms", "scalar bottom-up, ms", "ours, ms",
                  "pairs there: paper", "here"], rows, left=0)


@block(PAGE, "experiment-2")
def sizes(r):
    rows = []
    for motion, _, end in MOTIONS:
        rows += [(f"time at the first contact, {motion}", None, f"growth_first{end}_larsson",
                  f"growth_first{end}"),
                 (f"time at the worst step, {motion}", None, f"growth_worst{end}_larsson",
                  f"growth_worst{end}"),
                 (f"pairs at the worst step, {motion}",
                  number(r.paper("larsson-2", f"growth_pairs{end}")), f"growth_pairs{end}",
                  f"growth_pairs{end}")]
    powers = like_for_like(r, "larsson-2", "the power of the triangles that it grows as", rows,
                           ["the paper", "Larsson, here, scalar", "ours with vectors"])
    tables = [f"{motion[0].upper()}{motion[1:]}:\n\n{sizes_table(r, start)}"
              for motion, start, _ in MOTIONS]
    return "\n\n".join([*tables, powers])


@block(PAGE, "trees")
def trees(r):
    text = table(
        ["tree", "2-ary, ms", "4-ary, ms", "8-ary, ms"],
        [[name] + [number(total(r, f"{name}, {arity}-ary", ONE)) for arity in (2, 4, 8)]
         for name in ("balanced", "initial shape", "connectivity")])
    over = table(
        ["time over that of the 8-ary tree, scalar, one triangle per leaf", "2-ary", "4-ary"],
        [["Larsson, hybrid"] + [factor(r.ratio("larsson-1", key))
                                for key in ("larsson_binary_over_8", "larsson_4_over_8")],
         ["van den Bergen", factor(r.ratio("larsson-1", "van_den_bergen_binary_over_8")), "-"]])
    return text + "\n\n" + over


CROWDS = [("larsson-3-spheres", "Bumpy spheres"), ("larsson-3-arms", "Bodies with arms")]


@block(PAGE, "experiment-3")
def crowds(r):
    methods = ["van den Bergen", "van den Bergen, 8-ary", "Larsson, hybrid, 8-ary",
               "scalar binary bottom-up", "modern bottom-up, plain C", "modern bottom-up",
               "ours, bottom-up", "ours, top-down", "ours, hybrid", "ours, auto",
               "ours, auto, sweep and prune", "ours, auto, grid", "ours, auto, plain"]
    keys = ["update_ms", "query_ms", "total_ms", "over_ours"]
    claims_of = [like_for_like(r, experiment, bodies, [
        ("van den Bergen's time over Larsson's hybrid; over ours", None, "larsson_vs_van_den_bergen",
         "all_vs_van_den_bergen_plain", "all_vs_van_den_bergen"),
        ("Larsson's hybrid over ours", "-", None, "all_vs_larsson_plain", "all_vs_larsson"),
        ("modern bottom-up, the same kernels without laziness, over ours", "-", None, None,
         "gain_of_laziness")]) for experiment, bodies in CROWDS]
    text = table(
        ["", "spheres: update, ms", "query, ms", "total, ms", "over ours", "arms: update, ms", "query, ms",
         "total, ms", "over ours"],
        [[method] + [(factor if key == "over_ours" else number)(r.cell(experiment, method, key, **CROWD))
                     for experiment, _ in CROWDS for key in keys] for method in methods])
    notes = [f"- {bodies}: {note}." for experiment, bodies in CROWDS
             for note in r.notes(experiment)[:1]]
    return "\n\n".join([*claims_of, text, "\n".join(notes)])


# ----------------------------------------------------------------- figure 3

TOP_DOWN = Style("top-down", "#0072b2", "d")
BOTTOM_UP = Style("bottom-up", "#009e73", "s")
HYBRID = Style("hybrid", "#d55e00", "c")
RIVAL = Style("van den Bergen 1997", "#333333", "t")
THEIRS = Style("Larsson's hybrid, scalar", "#8c510a", "x")
REMEMBERED = Style("auto, witness memory", "#aa4499", "x", scattered=True)


def curves(r, named):
    steps = r.series("larsson-1", "step")
    return [(style, steps, r.series("larsson-1", name)) for style, name in named]


def marked_contact(r):
    step = first_contact(r)
    return None if step is None else (step, "first contact")


def draw_all_pairs(r):
    here = Panel("Here", 84, 540, curves(r, [
        (RIVAL, "all pairs, van den Bergen, ms"), (THEIRS, "all pairs, Larsson, hybrid, 8-ary, ms"),
        (BOTTOM_UP, "all pairs, ours, bottom-up, ms"),
        (TOP_DOWN, "all pairs, ours, top-down, ms"), (HYBRID, "all pairs, ours, hybrid, ms")]),
        marked=marked_contact(r))
    paper = Panel("The paper, 550 MHz Pentium III", 644, 892, points=[
        (RIVAL, 200, 500, "about 500 ms", False), (THEIRS, 200, 98, "98 ms, table 1", False),
        (THEIRS, 60, 20, "20 ms", False)], marked=(60, "first contact"))
    return Chart(
        "Two bumpy spheres of 20,480 triangles, all pairs",
        "Larsson & Akenine-Möller 2001, figure 3a. One thread; equal heights are equal ratios. "
        "Without a name: ours.",
        200, [here, paper],
        ["The paper's curves exist as a picture only. Hollow marks are all that its text and table 1 "
         "tell: van den Bergen's",
         "method takes about 0.5 s at step 200, hybrid update about five times less, and 20 ms at the "
         "first contact, step 60."]).svg()


def draw_first_pair(r):
    here = Panel("Here", 84, 892, curves(r, [
        (RIVAL, "first pair, van den Bergen, ms"),
        (BOTTOM_UP, "first pair, ours, bottom-up, no memory, ms"),
        (TOP_DOWN, "first pair, ours, top-down, no memory, ms"),
        (HYBRID, "first pair, ours, hybrid, no memory, ms"),
        (REMEMBERED, "first pair, ours, auto, witness memory, ms")]),
        marked=marked_contact(r), text_at_top=True)
    return Chart(
        "Two bumpy spheres of 20,480 triangles, first pair",
        "Larsson & Akenine-Möller 2001, figure 3b. One thread; lines ask through a fresh query in "
        "every step.",
        200, [here],
        ["Crosses, one per step: one query is kept and remembers the last pair, which is ours and "
         "not in the paper.",
         "The paper's curves exist as a picture only, whose axis ends at 0.2 s. Its text says that "
         "hybrid update does best in simple",
         "and hard cases alike, and is about five times faster than van den Bergen's method; it "
         "gives no times for this figure."]).svg()
