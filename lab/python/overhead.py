#!/usr/bin/python3
"""What Python adds to the calls of C: two share_positions(), a collide() and its pairs, beside the same
calls in C (overhead.c, compiled here), and importing pliant beside importing numpy.

    PYTHONPATH=build/python lab/python/overhead.py [--build build] [--most MICROSECONDS]

Times are processor time of the thread, the least of several runs, so that a busy machine disturbs
little. With --most, exit status 1 says that the calls take longer than that beyond C's.
"""
from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import pliant

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS, ROUNDS = 15, 20000


def time_c(build: pathlib.Path) -> tuple[float, int]:
    with tempfile.TemporaryDirectory() as folder:
        program = folder + "/overhead"
        source = pathlib.Path(__file__).with_name("overhead.c")
        subprocess.run(["cc", "-O3", "-DNDEBUG", "-I", str(ROOT / "include"), str(source),
                        str(build / "src/libpliant.a"), "-lm", "-pthread", "-o", program], check=True)
        words = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    return float(words[0]), int(words[1])


def time_python() -> tuple[float, int]:
    corners = numpy.float32([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]])
    faces = numpy.uint32([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    moved = corners + numpy.float32(1)
    shape = pliant.Shape(corners, faces)
    a, b, query = pliant.Body(shape), pliant.Body(shape), pliant.Query()
    least, pairs = 1e30, None
    for _ in range(RUNS):
        start = time.thread_time()
        for _ in range(ROUNDS):
            a.share_positions(corners)
            b.share_positions(moved)
            pairs = query.collide(a, b).pairs
        least = min(least, (time.thread_time() - start) / ROUNDS)
    assert pairs is not None
    return 1e6 * least, len(pairs)


def time_import(code: str) -> float:
    code = f"import time; t = time.process_time(); {code}; print(time.process_time() - t)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                    check=True).stdout) for _ in range(10))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--most", type=float)
    settings = parser.parse_args()
    ours, pairs = time_python()
    alone, same = time_c(settings.build)
    assert pairs == same > 0, (pairs, same)
    print(f"two share_positions, collide and result: {ours:.2f} us, in C {alone:.2f} us: "
          f"{ours - alone:.2f} us more")
    numpys = time_import("import numpy")
    both = time_import("import numpy, pliant")
    print(f"import: numpy {1e3 * numpys:.1f} ms, pliant {1e3 * (both - numpys):.1f} ms more")
    if settings.most is not None and ours - alone > settings.most:
        sys.exit(f"more than {settings.most} us")


if __name__ == "__main__":
    main()
