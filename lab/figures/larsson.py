"""docs/methods/larsson-2001.md: its tables, and figure 3 of the paper.

The paper prints its curves as a picture only. What its text and its table 1 give is drawn beside
ours, as single points; no curve is invented.
"""
from blocks import block, table
from charts import Chart, Panel, Style
from results import count, number

PAGE = "docs/methods/larsson-2001.md"
ONE = {"triangles": 20480, "first_only": 0}
FIRST = {"triangles": 20480, "first_only": 1}
CROWD = {"triangles": 5120, "first_only": 0}


def total(r, method, where):
    return r.cell("larsson-1", method, "total_ms", **where)


def first_contact(r):
    """The first step with a pair; None without one."""
    steps, pairs = r.series("larsson-1", "step"), r.series("larsson-1", "pairs")
    return next((step for step, found in zip(steps, pairs) if found > 0), None)


@block(PAGE, "experiment-1")
def claims(r):
    van_den_bergen = total(r, "van den Bergen", ONE)
    pairs = r.series("larsson-1", "pairs")
    rows = [
        ("step of the first contact", "60", count(first_contact(r))),
        ("pairs at step 200", "3,760", count(pairs[-1] if pairs else None)),
        ("van den Bergen's time over hybrid's", "about 5",
         number(van_den_bergen / total(r, "ours, hybrid", ONE))),
        ("hybrid over the better of top-down and bottom-up, worst tenth", '"performs best"',
         number(r.ratio("larsson-1", "hybrid_tenth_worst"))),
        ("van den Bergen, binary over 8-ary", "1.1 to 1.2",
         number(van_den_bergen / total(r, "van den Bergen, 8-ary", ONE))),
        ("initial-shape tree over connectivity tree", "1.0 to 1.1",
         number(total(r, "initial shape, 8-ary", ONE) / total(r, "connectivity, 8-ary", ONE))),
    ]
    return table(["experiment 1", "the paper", "here"], rows)


def times_table(r, title, methods, unit, where):
    """Update, query and total of some methods, and the total over that of `unit`."""
    over = total(r, unit, where)
    return table(
        [title, "update, ms", "query, ms", "total, ms", f"over {unit}"],
        [[method] + [number(r.cell("larsson-1", method, key, **where))
                     for key in ("update_ms", "query_ms", "total_ms")] +
         [number(total(r, method, where) / over)] for method in methods])


@block(PAGE, "all-pairs")
def all_pairs(r):
    return times_table(r, "all pairs", [
        "van den Bergen", "van den Bergen, 8-ary", "plain bottom-up", "ours, bottom-up",
        "ours, top-down", "ours, hybrid", "ours, auto", "ours, auto, vertices in tree order",
        "ours, auto, positions copied"], "ours, auto", ONE)


@block(PAGE, "first-pair")
def first_pair(r):
    return times_table(r, "first pair", [
        "van den Bergen", "van den Bergen, 8-ary", "plain bottom-up", "ours, bottom-up, no memory",
        "ours, top-down, no memory", "ours, hybrid, no memory", "ours, auto, no memory",
        "ours, auto, witness memory"], "ours, auto, witness memory", FIRST)


@block(PAGE, "tenths")
def tenths(r):
    ratios = r.series("larsson-1", "tenths, hybrid over better")

    def mean(strategy, tenth):
        times = r.series("larsson-1", f"all pairs, ours, {strategy}, ms")
        part = times[len(times) * tenth // 10:len(times) * (tenth + 1) // 10]
        return sum(part) / len(part) if part else None
    return table(
        ["steps", "top-down, ms", "bottom-up, ms", "hybrid, ms", "hybrid over the better"],
        [[f"{20 * tenth + 1} to {20 * tenth + 20}"] +
         [number(mean(strategy, tenth)) for strategy in ("top-down", "bottom-up", "hybrid")] +
         [number(ratio)] for tenth, ratio in enumerate(ratios)])


@block(PAGE, "experiment-2")
def sizes(r):
    columns = [("triangles", "triangles", count), ("first contact, ms", "first_ms", number),
               ("paper", "paper_first_ms", count), ("plain bottom-up", "rival_first_ms", number),
               ("worst step, ms", "worst_ms", number), ("paper", "paper_worst_ms", count),
               ("plain bottom-up", "rival_worst_ms", number), ("pairs there", "pairs", count),
               ("paper", "paper_pairs", count)]
    text = table([head for head, _, _ in columns],
                 [[form(row.get(key)) for _, key, form in columns] for row in r.rows("larsson-2")],
                 left=0)
    growths = "\n".join(
        f"{when}: time grows as triangles to the power {r.ratio('larsson-2', key):.2f} here, "
        f"{r.paper('larsson-2', key):.2f} in the paper."
        for key, when in (("growth_first", "At the first contact"),
                          ("growth_worst", "At the worst step")))
    return text + "\n\n" + growths


@block(PAGE, "trees")
def trees(r):
    return table(
        ["total, ms", "2-ary", "4-ary", "8-ary"],
        [[name] + [number(total(r, f"{name}, {arity}-ary", ONE)) for arity in (2, 4, 8)]
         for name in ("balanced", "initial shape", "connectivity")])


CROWDS = [("larsson-3-spheres", "Bumpy spheres"), ("larsson-3-arms", "Bodies with arms")]


@block(PAGE, "experiment-3")
def crowds(r):
    methods = ["van den Bergen", "van den Bergen, 8-ary", "plain bottom-up", "ours, bottom-up",
               "ours, top-down", "ours, hybrid", "ours, auto", "ours, auto, sweep and prune",
               "ours, auto, grid"]
    keys = ["update_ms", "query_ms", "total_ms", "over_ours"]
    text = table(
        ["", "spheres: update, ms", "query", "total", "over ours", "arms: update, ms", "query",
         "total", "over ours"],
        [[method] + [number(r.cell(experiment, method, key, **CROWD))
                     for experiment, _ in CROWDS for key in keys] for method in methods])
    notes = []
    for experiment, bodies in CROWDS:
        hybrid = (r.cell(experiment, "van den Bergen", "total_ms", **CROWD) /
                  r.cell(experiment, "ours, hybrid", "total_ms", **CROWD))
        notes.append(f"- {bodies}: van den Bergen's time over ours is "
                     f"{number(r.ratio(experiment, 'all_vs_van_den_bergen'))} here; over hybrid's "
                     f"{r.paper(experiment, 'all_vs_van_den_bergen'):.1f} in the paper, "
                     f"{number(hybrid)} here; {r.notes(experiment)[0]}.")
    return text + "\n\n" + "\n".join(notes)


# ----------------------------------------------------------------- figure 3

TOP_DOWN = Style("top-down", "#0072b2", "d")
BOTTOM_UP = Style("bottom-up", "#009e73", "s")
HYBRID = Style("hybrid", "#d55e00", "c")
RIVAL = Style("van den Bergen 1997", "#333333", "t")
REMEMBERED = Style("auto, witness memory", "#aa4499", "x", scattered=True)


def curves(r, named):
    steps = r.series("larsson-1", "step")
    return [(style, steps, r.series("larsson-1", name)) for style, name in named]


def marked_contact(r):
    step = first_contact(r)
    return None if step is None else (step, "first contact")


def draw_all_pairs(r):
    here = Panel("Here", 84, 540, curves(r, [
        (RIVAL, "all pairs, van den Bergen, ms"), (BOTTOM_UP, "all pairs, ours, bottom-up, ms"),
        (TOP_DOWN, "all pairs, ours, top-down, ms"), (HYBRID, "all pairs, ours, hybrid, ms")]),
        marked=marked_contact(r))
    paper = Panel("The paper, 550 MHz Pentium III", 644, 892, points=[
        (RIVAL, 200, 500, "about 500 ms", False), (HYBRID, 200, 98, "98 ms, table 1", False),
        (HYBRID, 60, 20, "20 ms", False)], marked=(60, "first contact"))
    return Chart(
        "Two bumpy spheres of 20,480 triangles, all pairs",
        "Larsson & Akenine-Möller 2001, figure 3a. One thread; equal heights are equal ratios.",
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
