"""docs/methods/steinemann-2007.md: its tables, and figure 5 of the paper.

The paper prints its curves as a picture only; the two numbers that its text gives are drawn as single
points.
"""
import statistics

from blocks import block, like_for_like, table, times
from charts import Chart, Panel, Style
from results import count, figure, number, times as factor

PAGE = "docs/methods/steinemann-2007.md"


@block(PAGE, "table-1")
def table_1(r):
    vertices, nodes = (3500, 30000, 145000), (65, 225, 509)
    rows = [[method] + [" / ".join(number(r.cell("points-root", method, "us", vertices=v, nodes=n))
                                   for n in nodes) for v in vertices]
            for method in ("ours", "two largest", "all corners", "all of W", "accumulation")]
    rows.append(["the paper's", "15 / 35 / 90", "18 / 48 / 100", "18 / 46 / 100"])
    rows.append(["all vertices evaluated"] +
                [number(r.cell("points-root", "evaluate all vertices", "us", vertices=v, nodes=65))
                 for v in vertices])
    rows.append(["the same in the paper", "2,000", "17,200", "82,500"])
    return table(["a bound; 65 / 225 / 509 nodes", "3.5K vertices, us", "30K, us", "145K, us"], rows) + (
        "\n\nWith 145,000 vertices over with 3,500, at the worst number of nodes: "
        f"{factor(r.ratio('points-root', 'time_145k_over_3k5'))}. With 509 nodes over with 65: "
        f"{factor(r.ratio('points-root', 'time_509_over_65'))}; time grows as the nodes to the power "
        f"{number(r.ratio('points-root', 'nodes_exponent'))}.")


@block(PAGE, "tightness")
def tightness(r):
    def root(method, nodes, key):
        return factor(r.cell("points-tightness", method, key, nodes=nodes))
    rows = [[method] + [root(method, nodes, key) for nodes in (65, 509)
                        for key in ("root_mean", "root_max")]
            for method in ("ours", "exact maximum", "two largest", "all corners", "all of W",
                           "accumulation", "accumulation by components")]
    rows.append(["the paper's", "1.5x", "2.5x", "1.5x", "2.5x"])
    return table(["radius of the root over the smallest", "65 nodes, mean", "max",
                  "509 nodes, mean", "max"], rows) + "\n\n" + like_for_like(
        r, "points-tightness", "the root", [
            *((f"{words} over the smallest, {nodes} nodes{chosen}", None,
               f"two_largest_root_{key}_{nodes}", f"root_{key}_{nodes}")
              for nodes in (65, 509) for words, key, chosen in (
                  ("mean", "mean", " (the pull was chosen for it)"), ("largest", "max", ""))),
            ("accumulation over it, 509 nodes, largest (the pull was chosen for it)", None,
             "accumulation_over_paper_509_max", "accumulation_over_ours_509_max"),
            ("the same, mean", "-", None, "accumulation_over_ours_509_mean"),
            ("accumulation by components over it, 509 nodes, largest", "-", None,
             "components_over_ours_509_max"),
        ], ["the paper", "the paper's bound here", "ours"])


@block(PAGE, "levels")
def levels(r):
    variants = ["dual, 1 try", "dual, 2 tries", "dual, 3 tries", "dual, 4 tries", "dual, 6 tries",
                "dual, second largest", "exact maximum", "two largest"]
    def part(title, keys, ending, form):
        return table(
            [title, *(f"{nodes} nodes, level {level}{ending}" for nodes in (65, 509) for level in range(1, 5))],
            [[variant] + [" / ".join(
                form(r.cell("points-tightness", f"children of level {level}: {variant}", key, nodes=nodes))
                for key in keys) for nodes in (65, 509) for level in range(1, 5)] for variant in variants])
    return part("time of a node", ["us"], ", us", number) + "\n\n" + part(
        "radius over the smallest: mean / max", ["mean", "max"], "", factor)


def query_growth(r):
    """How much more scalar bottom-up's query takes with large contact than with small: mean of sizes."""
    def query(line):
        return r.cell("points-ring", "scalar binary bottom-up", "query_ms", **where(line))
    return statistics.mean(query(large) / query(small) for small, large in zip(RING[:4], RING[4:]))


# Lines of table 2: vertices, nodes, contact; then the paper's rival, method and ratio.
RING = [
    (2857, 115, "small", "37.1 / 2.12 / 39.3", "1.83 / 5.72 / 7.55", "5.2"),
    (2857, 550, "small", "37.1 / 2.12 / 39.3", "2.36 / 5.60 / 7.97", "4.9"),
    (45682, 115, "small", "575.7 / 5.89 / 581.6", "4.54 / 16.6 / 21.1", "27.5"),
    (45682, 550, "small", "575.7 / 5.89 / 581.6", "5.77 / 18.7 / 24.5", "23.7"),
    (2857, 115, "large", "37.9 / 2.48 / 40.4", "3.38 / 10.0 / 13.4", "3.0"),
    (2857, 550, "large", "37.9 / 2.48 / 40.4", "3.26 / 9.28 / 12.5", "3.2"),
    (45682, 115, "large", "569.7 / 8.84 / 578.6", "6.87 / 24.5 / 31.4", "18.4"),
    (45682, 550, "large", "569.7 / 8.84 / 578.6", "8.23 / 29.3 / 37.5", "15.4"),
]


def where(line):
    return {"vertices": line[0], "nodes": line[1], "large": int(line[2] == "large"), "first_only": 0}


def title(line):
    return f"{count(line[0])} v, {line[1]} n, {line[2]}{' (chosen)' if line[2] == 'large' else ''}"


OVER_HEADS = ["the paper", "Steinemann's here, scalar", "ours in plain C", "ours with vectors",
              "vectorised bottom-up over ours", "Steinemann's over ours"]


@block(PAGE, "table-2")
def table_2(r):
    rows, milliseconds = [], []
    for line in RING:
        key = f"{line[2]}_{line[0]}_{line[1]}"
        rows.append((title(line), line[5] + "x", f"{key}_steinemann", f"{key}_plain", key, f"{key}_simd",
                     f"{key}_vs_steinemann", f"{key}_first"))
        milliseconds.append([title(line), *line[3:5]] + [
            times(r, "points-ring", method, **where(line))
            for method in ("scalar binary bottom-up", "vectorised bottom-up",
                           "Steinemann, front, binary", "ours, auto, plain", "ours, auto")])
    return like_for_like(r, "points-ring", "scalar binary bottom-up's time over", rows,
                         OVER_HEADS + ["first contact, ours"]) + "\n\n" + table(
        ["refit / query / total", "bottom-up, paper, ms", "theirs, paper, ms", "bottom-up, here, ms",
         "vectorised, ms", "Steinemann's, here, ms", "ours in plain C, ms", "ours, auto, ms"],
        milliseconds)


@block(PAGE, "strategies")
def strategies(r):
    names = ["bottom-up", "top-down", "hybrid", "front", "auto"]
    return table(
        ["all pairs", *(f"{name}, ms" for name in names), "pairs per step"],
        [[title(line)] + [number(r.cell("points-ring", f"ours, {name}", "total_ms", **where(line)))
                          for name in names] +
         [number(r.cell("points-ring", "ours, auto", "pairs", **where(line)))] for line in RING]) + (
        "\n\nOur automatic choice over our best fixed one, at worst: "
        f"{factor(r.ratio('points-ring', 'auto_over_best'))}.")


@block(PAGE, "fish")
def fish(r):
    methods = ["scalar binary bottom-up", "vectorised bottom-up", "Steinemann, front, binary",
               "ours, bottom-up", "ours, top-down",
               "ours, hybrid", "ours, front", "ours, auto", "ours, auto, plain"]
    rows = [[method, times(r, "points-fish", method, first_only=0),
             times(r, "points-fish", method, maybe=True, first_only=1),
             factor(r.cell("points-fish", method, "over_ours", first_only=0))] for method in methods]
    rows.append(["full bottom-up, the paper", "401.7 / 16.6 / 418.3", "-", "-"])
    rows.append(["theirs, the paper", "5.3 / 26.3 / 31.6", "-", "-"])
    over = like_for_like(r, "points-fish", "scalar binary bottom-up's time over", [
        ("24 fish", None, "steinemann", "ours_plain", "plain", "simd", "vs_steinemann")], OVER_HEADS)
    return over + "\n\n" + table(
        ["24 fish", "refit / query / total, ms", "first contact: the same, ms", "over ours, auto"], rows)


@block(PAGE, "idle")
def idle(r):
    rows = []
    for method in ("scalar binary bottom-up", "vectorised bottom-up", "ours, auto"):
        one = r.cell("points-idle", method, "total_ms", vertices=4568, first_only=0)
        ten = r.cell("points-idle", method, "total_ms", vertices=45682, first_only=0)
        rows.append([method, number(one), number(ten), factor(ten / one)])
    return table(["nothing touches", "4,568 vertices, ms", "45,682, ms", "ratio"], rows)


# ----------------------------------------------------------------- figure 5

STYLES = [
    (Style("ours, 65 nodes", "#0072b2", "c"), "ours, 65 nodes"),
    (Style("ours, 509", "#d55e00", "d"), "ours, 509 nodes"),
    (Style("all of W, 509", "#009e73", "s"), "all of W, 509 nodes"),
    (Style("accumulation, 65", "#333333", "t"), "accumulation, 65 nodes"),
    (Style("accumulation, 509", "#aa4499", "x"), "accumulation, 509 nodes"),
]
PAPER = Style("the paper", "#1b1f24", "c")


def draw(r):
    def panel(words, ending, left, right, at_root):
        lines = [(style, range(1, 65), r.series("points-tightness", f"{name}, {ending}"))
                 for style, name in STYLES]
        return Panel(words, left, right, lines,
                     points=[(PAPER, 1, at_root, f"paper: {at_root} at the root", True)])
    panels = [panel("Average over the run", "mean", 84, 440, 1.5),
              panel("Maximum", "max", 536, 892, 2.5)]
    most = max((len(values) for each in panels for _, _, values in each.lines), default=1)
    return Chart(
        "A pulled brain of 29,966 vertices: how much larger boxes are than they need be",
        "Steinemann, Otaduy & Gross 2007, figure 5. Radius (half a diagonal) over that of the smallest "
        "box; the formula in leaves too.",
        (most + 3) // 4 * 4, panels,
        ["The paper's curves exist as a picture only. Its text says that the root is at most 2.5 and "
         "on average 1.5 times the",
         "smallest, and up to 68 times tighter than by accumulation with 509 nodes. The leaves are "
         "single triangles."],
        step_title="level of a binary tree, the root being 1",
        time_title="radius over the smallest").svg()


def csv(r):
    """A line per level, a column per method, number of nodes and kind of mean."""
    series = r.experiment("points-tightness")["series"]
    lines = [",".join(["level"] + [f'"{name}"' for name in series])]
    for level in range(max((len(values) for values in series.values()), default=0)):
        lines.append(",".join([str(level + 1)] + [
            f"{values[level]:.6g}" if level < len(values) and values[level] is not None else ""
            for values in series.values()]))
    return "\n".join(lines) + "\n"
