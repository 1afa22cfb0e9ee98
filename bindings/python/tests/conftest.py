"""What the tests share: meshes, and how much to do."""
from __future__ import annotations

import os
import pathlib
import sys

import numpy
import pytest
from hypothesis import settings

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCALE = float(os.environ.get("PLIANT_TEST_SCALE", "1"))

settings.register_profile("pliant", max_examples=max(5, int(60 * min(SCALE, 1.0))), deadline=None,
                          derandomize=True, database=None)
settings.load_profile("pliant")
sys.path.insert(0, str(pathlib.Path(__file__).parent))


def make_sphere(rings: int = 8, radius: float = 1.0):
    """A closed sphere: positions and triangles."""
    around = 2 * rings
    rows = numpy.arange(1, rings) * numpy.pi / rings
    columns = numpy.arange(around) * numpy.pi / rings
    ring = numpy.stack([numpy.outer(numpy.sin(rows), numpy.cos(columns)),
                        numpy.outer(numpy.sin(rows), numpy.sin(columns)),
                        numpy.outer(numpy.cos(rows), numpy.ones(around))], axis=-1).reshape(-1, 3)
    positions = numpy.concatenate([[[0, 0, 1]], ring, [[0, 0, -1]]]) * radius
    last = len(positions) - 1
    triangles = []
    for j in range(around):
        k = (j + 1) % around
        triangles.append((0, 1 + j, 1 + k))
        triangles.append((last, last - around + k, last - around + j))
        for i in range(rings - 2):
            a, b = 1 + i * around + j, 1 + i * around + k
            triangles += [(a, a + around, b), (b, a + around, b + around)]
    return positions.astype(numpy.float32), numpy.array(triangles, numpy.uint32)


def brute_force(pliant, a, b):
    """All pairs of triangles of two bodies that touch, one by one."""
    first, second = a.evaluate()[a.shape.triangles], b.evaluate()[b.shape.triangles]
    low, high = first.min(axis=1), first.max(axis=1)
    pairs = []
    for j, corners in enumerate(second):
        near = numpy.flatnonzero(((low <= corners.max(axis=0)) &
                                  (high >= corners.min(axis=0))).all(axis=1))
        pairs += [(i, j) for i in near if pliant.triangle_overlap(first[i], corners)]
    return sorted(pairs)


@pytest.fixture
def sphere():
    return make_sphere()


@pytest.fixture
def context():
    import pliant
    return pliant.Context()


@pytest.fixture
def two(sphere, context):
    """Two spheres that touch."""
    import pliant
    shape = pliant.Shape(*sphere, context=context)
    a, b = pliant.Body(shape), pliant.Body(shape)
    b.set_positions(sphere[0] + numpy.float32([1.25, 0.125, 0.25]))
    return a, b
