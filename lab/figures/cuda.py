"""libs/cuda/README.md: contacts on a GPU, from the file that scripts/cuda-test makes."""
import json
import pathlib

from blocks import block, table
from results import Missing, count

PAGE = "libs/cuda/README.md"
FILE = pathlib.Path(__file__).resolve().parents[2] / "libs/cuda/lab/nvidia-h200.json"

WHAT = (
    ("cuda-cloth 92020 8 skip", "cloth in eight layers, `SKIP`"),
    ("cuda-cloth 92020 8 beyond", "the same, `BEYOND_SHARED`"),
    ("cuda-cloth 999698 8 skip", "cloth in eight layers, `SKIP`"),
    ("cuda-cloth 999698 8 beyond", "the same, `BEYOND_SHARED`"),
    ("cuda-cloth 999698 24 skip", "cloth in 24 layers, `SKIP`"),
    ("cuda-cloth 999698 24 beyond", "the same, `BEYOND_SHARED`"),
    ("cuda-fold 92020 2 skip", "cloth folded exactly onto itself, `SKIP`"),
    ("cuda-spheres", "two bumpy spheres"),
    ("cuda-crowd 1000", "1,000 balls with 10 modes, far apart"),
    ("cuda-crowd 10000", "10,000 balls with 10 modes, far apart"),
    ("cuda-crowd 1000 close", "1,000 balls with 10 modes, close together"),
    ("cuda-ring figures", "six figures that hang from a ring, 115 nodes each"),
    ("cuda-ring people", "200 dressed people who walk, skinned"),
)


def result(name):
    for one in json.loads(FILE.read_text(encoding="utf-8"))["experiments"]["results"]:
        if one["name"] == name:
            return one
    raise Missing(f"{FILE.name}: there is no experiment {name}")


def ms(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


@block(PAGE, "cuda-times")
def times(_):
    rows = []
    for name, what in WHAT:
        one = result(name)
        rows.append([what, count(one["triangles"]), count(one["contacts"]), ms(one["device_ms"]),
                     ms(one["counted_ms"]), ms(one["core_ms"]),
                     f"{one['core_ms'] / one['device_ms']:.1f}x"])
    return table(["scene", "triangles", "contacts", "on the device, ms", "until counted, ms",
                  "16 workers, ms", "ratio"], rows)


def value(name, key):
    return lambda _: result(name)[key]


def bytes_each(name):
    return lambda _: result(name)["device_bytes"] / result(name)["triangles"]


VALUES = {
    "cuda-tests-skip": value("cuda-cloth 999698 8 skip", "tests"),
    "cuda-tests-beyond": value("cuda-cloth 999698 8 beyond", "tests"),
    "cuda-undecided-fold": value("cuda-fold 92020 2 skip", "undecided"),
    "cuda-bytes-skip": bytes_each("cuda-cloth 999698 8 skip"),
    "cuda-bytes-beyond": bytes_each("cuda-cloth 999698 8 beyond"),
}
