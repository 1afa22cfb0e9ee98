"""libs/mpi/README.md: the crowd over MPI, from the file that scripts/bench pack-mpi makes."""
import json
import pathlib
import statistics

from blocks import block, table
from results import Missing, count

PAGE = "libs/mpi/README.md"
FILE = pathlib.Path(__file__).resolve().parents[2] / "libs/mpi/lab/intel-16.json"


def median(key, **where):
    """The median over the runs that are as `where` says; by default without their variants."""
    where = {"one_process": False, "worst_start": False, "less_loaded": False, **where}
    found = [run[key] for run in json.loads(FILE.read_text(encoding="utf-8"))["runs"]
             if run["done"] and all(run[name] == value for name, value in where.items())]
    if not found:
        raise Missing(f"{FILE.name}: there is no run with {where}")
    return statistics.median(found) if not isinstance(found[0], list) else found[0]


def step(**where):
    value = median("step_ms", **where)
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


@block(PAGE, "crowd-mpi")
def crowd(_):
    rows = []
    for kind, bodies, what in (("stars", 10000, "10,000 stars, 10 modes, 18,000 triangles"),
                               ("fish", 100000, "100,000 fish, 3 modes, 24,776 triangles"),
                               ("balls", 1000000, "1,000,000 balls, rigid, 20 triangles")):
        ranks = {"kind": kind, "bodies": bodies, "ranks": 16}
        alone = {"kind": kind, "bodies": bodies, "threads": 16, "one_process": True}
        first = step(kind=kind, bodies=bodies, ranks=1) if kind == "stars" else ""
        rows.append([what, first, step(**ranks), step(**alone), count(median("rank_mib_most", **ranks)),
                     count(median("rank_mib_most", **alone))])
    return table(["bodies", "1 rank, ms", "16 ranks, ms", "one process, 16 workers, ms", "most MiB of a rank",
                  "MiB of one process"], rows)


def uneven(key):
    """How far from even 16 ranks were, ten steps after a start with all bodies on one."""
    return lambda _: median(key, kind="stars", bodies=10000, ranks=16, worst_start=True)[10]


VALUES = {
    "mpi-uneven-work": uneven("imbalance_by_work"),
    "mpi-uneven-time": uneven("imbalance_by_time"),
    **{f"mpi-wait-{ranks}": lambda _, ranks=ranks: 1e3 * median("mean_wait_ms", kind="stars", bodies=64,
                                                              ranks=ranks) for ranks in (2, 4, 8, 16)},
}
