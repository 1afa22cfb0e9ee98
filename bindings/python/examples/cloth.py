"""A cloth that falls over a ball and onto itself, in numpy: position-based dynamics, with what is
close found by pliant in every step, and the way of each step cut short before anything passes
through."""
import sys

import numpy
import pliant
from meshes import make_torus

SIZE, THICKNESS, STEP = 20, 0.04, 1 / 60
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 60


def make_cloth(size):
    u, v = numpy.meshgrid(numpy.linspace(-1, 1, size), numpy.linspace(-1, 1, size), indexing="ij")
    positions = numpy.stack([u, v, 0.75 + 0.02 * numpy.sin(9 * u) * numpy.cos(7 * v)], -1)
    here = (numpy.arange(size - 1)[:, None] * size + numpy.arange(size - 1)).ravel()
    triangles = numpy.concatenate([numpy.stack([here, here + size, here + 1], -1),
                                   numpy.stack([here + 1, here + size, here + size + 1], -1)])
    return positions.reshape(-1, 3).astype(numpy.float32), triangles.astype(numpy.uint32)


def keep_lengths(x, edges, lengths):
    """Moves the ends of edges so that they are as long as at rest."""
    way = x[edges[:, 1]] - x[edges[:, 0]]
    now = numpy.linalg.norm(way, axis=1, keepdims=True)
    move = 0.25 * way * (1 - lengths[:, None] / numpy.maximum(now, 1e-9))
    numpy.add.at(x, edges[:, 0], move)
    numpy.add.at(x, edges[:, 1], -move)


def push_apart(x, pairs, sides):
    """Moves vertices of features that are close: `sides` are those of the pair that are ours."""
    missing = numpy.maximum(THICKNESS - pairs["distance"], 0)
    for k in range(4):
        first = k < numpy.choose(pairs["kind"], [1, 3, 2])
        ours = first if sides == "a" else numpy.ones(len(pairs), bool)
        push = numpy.where(first, -0.5, 0.5) * missing * pairs["weights"][:, k]
        numpy.add.at(x, pairs["vertices"][ours, k], (push[:, None] * pairs["direction"])[ours])


positions, triangles = make_cloth(SIZE)
edges = numpy.unique(numpy.sort(numpy.concatenate(
    [triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1), axis=0)
lengths = numpy.linalg.norm(positions[edges[:, 1]] - positions[edges[:, 0]], axis=1)
cloth = pliant.Body(pliant.Shape(positions, triangles))
ring = pliant.Body(pliant.Shape(*make_torus(32, 16, 0.6, 0.2)))
query = pliant.Query()
x, velocity = positions.astype(float), numpy.zeros(positions.shape)
for step in range(steps):
    velocity[:, 2] -= 9.81 * STEP
    goal = x + STEP * velocity
    with_ring = query.find_features(cloth, ring, THICKNESS).pairs
    with_itself = query.find_features_self(cloth, THICKNESS).pairs
    for _ in range(10):
        keep_lengths(goal, edges, lengths)
    push_apart(goal, with_ring, "a")
    push_apart(goal, with_itself, "both")
    cloth.begin_step()
    cloth.set_positions(goal.astype(numpy.float32))
    query.advance_bodies([cloth, ring])
    after = cloth.evaluate().astype(float)
    velocity, x = 0.98 * (after - x) / STEP, after
touching = len(query.collide(cloth, ring)), len(query.collide_self(cloth))
print(f"After {steps} steps the cloth hangs {x[:, 2].min():.2f} low; pairs that touch: {touching}")
assert touching == (0, 0)
