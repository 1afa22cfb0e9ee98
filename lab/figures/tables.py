"""What the documentation shows of the results: one function per block of a page. README.md,
benchmarks.md and figures.md are here, the pages of docs/methods in files of their own names.

To add a row, add it to a list below; to add a table, write a function under @block and put the lines
<!-- begin NAME --> and <!-- end NAME --> into the page. A figure that is not in the results file is an
error, unless it is asked for with `maybe`. `r` is the main machine's results (results.py).
"""
import math
import statistics

import cuda
import heidelberger  # noqa: F401  registers its blocks, as the next four do
import james  # noqa: F401
import larsson
import mpi
import nearest
import steinemann
from blocks import BLOCKS, all_rows, block, note_list, rows_and_notes, table
from results import Missing, count, figure, number, times

MAIN = "amd-2"  # the file of lab/results, without .json, that pages show, where there are several
MACHINES = {}  # all of them by name; scripts/figures sets it

METHODS = "docs/methods/"
# Pages that are filled. On all others of docs/ every number that claims something is an exception, but
# for the dated log of what was tried, whose figures are those of its days.
PAGES = ["README.md", "docs/benchmarks.md", "docs/figures.md", "docs/performance.md",
         "docs/guide/pipeline.md", METHODS + "heidelberger-2003.md", METHODS + "james-2004.md",
         METHODS + "larsson-2001.md", METHODS + "steinemann-2007.md", "docs/guide/choosing.md",
         "docs/guide/queries.md", "docs/guide/volumes.md", mpi.PAGE, cuda.PAGE]
LOGS = ["docs/tried.md"]
IMAGES = {
    "docs/images/larsson-figure-3a.svg": larsson.draw_all_pairs,
    "docs/images/larsson-figure-3b.svg": larsson.draw_first_pair,
    "docs/images/steinemann-figure-5.svg": steinemann.draw,
    "docs/images/steinemann-figure-5.csv": steinemann.csv,
}


# Numbers of sentences that are not a single key: <!--=NAME-->.
def speedups(r):
    ratios = r.experiment("workers")["ratios"]
    found = [value for key, value in ratios.items() if key.startswith("speedup_2")
             and "over" not in key and value is not None]
    if not found and not r.draft:
        raise Missing("workers has no speedup_2")
    return found or [math.nan]


def worst_automatic_choice(r):
    """By how many percent our automatic update was slower than our best fixed one, at worst."""
    found = [experiment["ratios"]["auto_over_best"] for experiment in r.experiments.values()
             if "auto_over_best" in experiment["ratios"]]
    return max(100 * (max(found) - 1), 0) if found else r.ratio("larsson-1", "auto_over_best")


def tree_order_less(r, triangles):
    """By how many percent vertices in the tree's order make an update shorter."""
    name = f"free, {triangles} triangles"
    return 100 * (1 - r.cell("memory", name + ", tree order", "update_us") /
                  r.cell("memory", name, "update_us"))


SETS = {"plain": "plain C", "baseline": "SSE2", "avx2": "AVX2", "avx512": "AVX-512"}
VALUES = {
    "instruction-set": lambda r: SETS[r.about("isa")],
    "least-speedup": lambda r: min(speedups(r)),
    "greatest-speedup": lambda r: max(speedups(r)),
    "worst-automatic-choice": worst_automatic_choice,
    "undecided-in-10000": lambda r: 10000 * r.ratio("exact-triangle", "undecided_share"),
    "layered-tests-over-paper": lambda r: r.cell("bd-curtain", "1x: layered spheres", "tests") / 2150,
    "tree-order-less-327680": lambda r: tree_order_less(r, 327680),
    "tree-order-less-1310720": lambda r: tree_order_less(r, 1310720),
    "range-over-sampled": lambda r: statistics.median(
        row["range_ms"] / row["sampled_ms"] for row in r.rows("ldi-resolution")
        if row["method"].endswith(" 128 x 128 rays")),
    "larsson-mean-of-steps": larsson.mean_of_steps,
    "larsson-last-tenth": larsson.last_tenth,
    "larsson-worst-least": lambda r: min(larsson.worst_over_first(r)),
    "larsson-worst-greatest": lambda r: max(larsson.worst_over_first(r)),
    "ring-query-growth": steinemann.query_growth,
    **mpi.VALUES,
    **cuda.VALUES,
}


for page, name in (("docs/figures.md", "machine"), ("docs/benchmarks.md", "peers-machine"),
                   *((page, "machine") for page in PAGES if page.startswith(METHODS))):
    BLOCKS[page, name] = lambda r: r.sentence()


# ------------------------------------------------------------------- README

@block("README.md", "speed")
def speed(r):
    scenes = [
        ("two spheres of 20,480 triangles", "peers-spheres", "ours, auto, 20480", "_20480"),
        ("two spheres of 327,680 triangles", "peers-spheres", "ours, auto, 327680", "_327680"),
        ("a crowd of 27 spheres of 5,120 triangles", "peers-27", "ours, auto", ""),
        ("six figures of 45,682 vertices moved by 115 joints each, small contact", "peers-ring",
         "ours, auto, small contact", "_small"),
        ("a cloth of 92,230 triangles with itself, rule `SKIP`", "peers-self", "ours, auto, over a ball",
         "_ball"),
    ]
    rows = [[title, number(r.cell(experiment, method, "total_ms")),
             nearest.ratio(ending, experiment), times(r.ratio(experiment, "vs_embree_refit" + ending)),
             times(r.ratio(experiment, "vs_fcl_collide" + ending, maybe=experiment == "peers-self")),
             times(r.ratio(experiment, "vs_cgal" + ending))]
            for title, experiment, method, ending in scenes]
    rows += [["the same, the default rule", number(row["total_ms"]), "-", "-", "-", "-"]
             for row in default_rule(r) if row["method"].endswith("over a ball")]
    return table(["motion", "ours, ms", "a plain tree, refit, over ours", "Embree 3, refit, over ours", "FCL, `collide()`, over ours",
                  "CGAL, exact, over ours"], rows) + "\n\n" + rules(r) + " " + nearest.source()


def default_rule(r):
    """Rows of a body with itself under the default rule for neighbours, which older files lack."""
    rows = r.experiments.get("peers-self", {"rows": ()})["rows"]
    return [row for row in rows if row["method"].startswith("ours") and "default rule" in row["method"]]


def rules(r):
    """The rule for triangles that share vertices, of the times of a body with itself."""
    words = ("The cloth is asked with `PLIANT_NEIGHBOURS_SKIP`, which leaves out triangles that share a "
             "vertex, as the other libraries do. ")
    if default_rule(r):
        return words + ("The default rule, `PLIANT_NEIGHBOURS_BEYOND_SHARED`, also tests these beyond what "
                        "they share. It has a row of its own and no rival.")
    return words + ("The default rule, `PLIANT_NEIGHBOURS_BEYOND_SHARED`, also tests these beyond what they "
                    "share. It takes longer; these results are older than its row.")


@block("docs/performance.md", "papers")
def papers(r):
    """The headline is the rival with vectors, the paper's own method in scalar C stands beside it."""
    rows = [
        ("two bumpy spheres of 20,480 triangles", "larsson-1", "all_vs_larsson",
         "gain_of_laziness"),
        ("27 bumpy spheres of 5,120", "larsson-3-spheres", "all_vs_larsson", "gain_of_laziness"),
        ("six figures, 45,682 vertices, 115 joints, small contact", "points-ring",
         "small_45682_115_vs_steinemann", "small_45682_115_simd"),
        ("24 fish with bones", "points-fish", "vs_steinemann", "simd"),
        ("a curtain and a ball, 12 modes", "bd-curtain", "vs_bd_tree_1x", "vs_layered_wide_1x"),
        ("3,601 chairs, 10 modes: their update over our whole step", "bd-chairs", None,
         "layered_wide_over_step"),
        ("1,000 bodies of 10 modes, about 1,000 pairs", "bd-crowd", None, "pairs_1000_modern"),
        ("the same, about 12 pairs", "bd-crowd", None, "pairs_12_modern"),
    ]
    return table(["motion", "everything updated, with vectors, over ours",
                  "the paper's method, scalar, over ours"],
                 [[what, times(r.ratio(experiment, modern)),
                   "-" if theirs is None else times(r.ratio(experiment, theirs))]
                  for what, experiment, theirs, modern in rows])


# ------------------------------------------------------------ every machine

def all_machines(r):
    """The main one first, then the others by name."""
    return [r] + [MACHINES[name] for name in sorted(MACHINES) if MACHINES[name] is not r]


def middle_half(r, name, key):
    found = r.quartiles(name, key) if r.has(name, key) else None
    return f"{number(found[0])} to {figure(key, found[1])}" if found else "-"


def machine_cells(r, machine, experiment, key, maybe=False):
    """A ratio and its quartiles; only the main machine must have it, unless `maybe`."""
    asked = machine.has(experiment, key) or (machine is r and not maybe)
    return [figure(key, machine.ratio(experiment, key) if asked else math.nan),
            middle_half(machine, experiment, key)]


@block(METHODS + "heidelberger-2003.md", "graphics")
def graphics(r):
    """Which OpenGL it was, and how much longer its faster way took than the processor."""
    return table(["machine", "drawn by", "pairs", "bodies"],
                 [[machine.title(), machine.data["machine"].get("renderer", "nobody"),
                   machine_cells(r, machine, "ldi-pairs", "cpu_vs_gl", maybe=True)[0],
                   machine_cells(r, machine, "ldi-objects", "cpu_vs_gl", maybe=True)[0]]
                  for machine in all_machines(r)], left=2)


# ----------------------------------------------------------- benchmarks.md

BENCHMARKS = "docs/benchmarks.md"
PEERS_HEADS = ["", "update, ms", "query, ms", "total, ms", "over ours", "pairs", "missing", "extra"]
PEERS_KEYS = ["update_ms", "query_ms", "total_ms", "over_ours", "pairs", "missing", "extra"]


def peers(experiment):
    def write(r):
        bests = "\n".join(f"- `{key}`: {figure(key, value)}"
                          for key, value in r.experiment(experiment)["ratios"].items()
                          if key.startswith("vs_best"))
        rule = ["", rules(r)] if experiment == "peers-self" else []
        return "\n".join([all_rows(r, experiment, PEERS_HEADS, PEERS_KEYS), "",
                          note_list(r, experiment), bests, *rule])
    return write


for name in ("peers-spheres", "peers-27", "peers-ring", "peers-first", "peers-self"):
    BLOCKS[BENCHMARKS, name] = peers(name)


@block(BENCHMARKS, "peers-overview")
def overview(r):
    """Libraries down, sizes across: their time over ours."""
    rows = [row for row in r.rows("peers-spheres") if not row["method"].startswith("ours")]
    sizes = list(dict.fromkeys(row["triangles"] for row in rows))
    over = {(row["method"].rpartition(",")[0], row["triangles"]): row["over_ours"] for row in rows}
    libraries = list(dict.fromkeys(name for name, _ in over))
    return table(["triangles each"] + [count(size) for size in sizes],
                 [[name] + [times(over.get((name, size))) for size in sizes] for name in libraries])


@block(BENCHMARKS, "peers-avx2")
def avx2(r):
    scenes = [
        ("two spheres of 1,280 triangles", "peers-spheres", "_1280"),
        ("two spheres of 5,120", "peers-spheres", "_5120"),
        ("two spheres of 20,480", "peers-spheres", "_20480"),
        ("two spheres of 81,920", "peers-spheres", "_81920"),
        ("two spheres of 327,680", "peers-spheres", "_327680"),
        ("27 spheres", "peers-27", ""),
        ("six figures on a ring, small contact", "peers-ring", "_small"),
        ("six figures on a ring, large contact", "peers-ring", "_large"),
        ("first contact", "peers-first", ""),
        ("a cloth over a ball, against itself", "peers-self", "_ball"),
        ("a rolled cloth, against itself", "peers-self", "_rolled"),
    ]
    if r.data["machine"]["isa"] != "avx512":
        return "This machine has nothing above AVX2: the tables above are with AVX2."
    rows = []
    for title, experiment, ending in scenes:
        cells, share = [title], math.nan
        for key in ("vs_embree_refit", "vs_fcl_collide", "vs_cgal"):
            maybe = experiment == "peers-self" and key == "vs_fcl_collide"
            best = r.ratio(experiment, key + ending, maybe)
            least = r.ratio(experiment, key + ending + "_avx2", maybe)
            cells += [times(best), times(least)]
            share = least / best if math.isnan(share) else share
        rows.append(cells + [f"{100 * share:.0f}"])
    return table(["time over ours", "Embree, refit", "ours with AVX2", "FCL, collide()", "ours with AVX2",
                  "CGAL, exact", "ours with AVX2", "share left, %"], rows)


@block(BENCHMARKS, "peers-machines")
def peers_machines(r):
    """One rival on every machine that has a results file."""
    scenes = [
        ("two spheres of 20,480 triangles", "peers-spheres", "vs_embree_refit_20480"),
        ("two spheres of 81,920", "peers-spheres", "vs_embree_refit_81920"),
        ("two spheres of 327,680", "peers-spheres", "vs_embree_refit_327680"),
        ("27 spheres", "peers-27", "vs_embree_refit"),
        ("six figures on a ring, small contact", "peers-ring", "vs_embree_refit_small"),
        ("six figures on a ring, large contact", "peers-ring", "vs_embree_refit_large"),
        ("first contact", "peers-first", "vs_embree_refit"),
        ("a cloth over a ball, against itself", "peers-self", "vs_embree_refit_ball"),
        ("a rolled cloth, against itself", "peers-self", "vs_embree_refit_rolled"),
    ]
    heads = ["Embree, refit, over ours"]
    for machine in all_machines(r):
        heads += [machine.title(), "quartiles"]
    return table(heads, [[title] + [cell for machine in all_machines(r)
                                    for cell in machine_cells(r, machine, experiment, key)]
                         for title, experiment, key in scenes])


def list_ratios(r, name):
    experiment = r.experiment(name)
    return "\n".join(f"- `{key}` {value:.2f}: {experiment['meanings'][key]}"
                     for key, value in experiment["ratios"].items())


@block(BENCHMARKS, "growth")
def growth(r):
    return "\n".join([all_rows(
        r, "growth",
        ["", "triangles", "bodies", "pairs", "ms per step", "ns per triangle", "ns per pair",
         "nodes compared", "clusters refreshed", "triangles tested", "vertices read", "MB"],
        ["triangles", "bodies", "pairs", "total_ms", "ns_per_triangle", "ns_per_pair", "nodes",
         "clusters", "tests", "vertices", "megabytes"]), "", list_ratios(r, "growth")])


# -------------------------------------------------------------- figures.md

FIGURES = "docs/figures.md"


@block(FIGURES, "automatic")
def automatic(r):
    """A column for each machine, the main one first, with the quartiles of its runs. Files may be of
    different commits: what one of them has, the others may lack."""
    machines = all_machines(r)
    names = list(dict.fromkeys(name for machine in machines for name in machine.experiments
                               if machine.has(name, "auto_over_best")))
    heads = ["automatic over the best fixed update"]
    for machine in machines:
        heads += [machine.title(), "quartiles"]
    about = "\n".join(f"- {machine.name}: {machine.sentence()}" for machine in machines)
    return table(heads, [[f"`{name}`"] + [cell for machine in machines
                                          for cell in machine_cells(r, machine, name,
                                                                    "auto_over_best", maybe=True)]
                         for name in names]) + "\n\n" + about


GOALS = [
    ("two spheres: over van den Bergen", 15, "larsson-1", ["all_vs_van_den_bergen"]),
    ("27 spheres: over scalar binary bottom-up", 8, "larsson-3-spheres", ["all_vs_bottom_up"]),
    ("two spheres of 20,480 and more: over Embree, refit, the least", 10, "peers-spheres",
     ["vs_embree_refit_20480", "vs_embree_refit_81920", "vs_embree_refit_327680"]),
    ("27 bodies: over Embree, refit", 9, "peers-27", ["vs_embree_refit"]),
    ("the ring, small contact: over Embree, refit", 50, "peers-ring", ["vs_embree_refit_small"]),
    ("volumes: all triangles over culled ones", 5, "ldi-pairs", ["culled_vs_all"]),
]


@block("docs/performance.md", "goals")
def goals(r):
    """Every machine has three columns, of the key with the lowest median: least and median of its runs,
    and whether these reach the goal."""
    machines = all_machines(r)
    heads = ["with vectors", "goal"]
    for machine in machines:
        heads += [f"{machine.title()}: least", "median", "reached"]
    rows = []
    for what, goal, experiment, keys in GOALS:
        cells = [what, f"{goal}x"]
        for machine in machines:
            here = [key for key in keys if machine is r or machine.has(experiment, key)]
            if len(here) < len(keys):
                cells += ["-", "-", "-"]
                continue
            lowest = min(here, key=lambda key, of=machine, name=experiment: of.ratio(name, key))
            value, runs = machine.ratio(experiment, lowest), machine.runs_of(experiment, lowest)
            least = min((run for run in runs if run is not None), default=math.nan)
            cells += [times(least) if len(runs) > 1 else "-", times(value),
                      "-" if math.isnan(value) else "no" if value < goal else "in the median" if least < goal
                      else "yes" if len(runs) > 1 else "in one run"]
        rows.append(cells)
    return table(heads, rows)


rows_and_notes(FIGURES, "building", "build",
               ["tree", "triangles", "ms", "bytes per triangle", "levels", "clusters filled",
                "vertices read twice"],
               ["triangles", "total_ms", "bytes_per_triangle", "levels", "cluster_fill",
                "boundary_share"], notes=False)
rows_and_notes(FIGURES, "workers", "workers",
               ["", "pairs", "one worker, ms", "two workers, ms", "speed-up", "plain loop's",
                "share of it", "handover, ns"],
               ["pairs", "one_ms", "two_ms", "speedup", "control", "over_control", "handover_ns"],
               only="speedup")


@block(FIGURES, "broad")
def broad(r):
    heads = ["", "pairs", "all pairs, us", "sweep and prune, us", "grid, us", "sort and sweep, us",
             "tree, us", "median, us", "mean, us", "ray, ns", "box, ns"]
    keys = ["pairs", "all_pairs_us", "sweep_us", "grid_us", "sort_us", "tree_us", "median_us", "mean_us",
            "ray_ns", "box_ns"]
    return "\n\n".join([all_rows(r, "broad", heads, keys), note_list(r, "broad"),
                        list_ratios(r, "broad")])


rows_and_notes(FIGURES, "memory", "memory",
               ["", "kB touched", "update, us", "GB/s", "`memcpy()`, GB/s", "share of it",
                "reading, GB/s", "share of it"],
               ["touched_kb", "update_us", "update_gb_per_s", "copy_gb_per_s", "over_copy",
                "read_gb_per_s", "over_read"])
