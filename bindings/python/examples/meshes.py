"""Meshes of the examples, as arrays."""
import numpy


def make_torus(around=48, across=24, radius=1.0, thickness=0.4):
    u, v = numpy.meshgrid(numpy.arange(around), numpy.arange(across), indexing="ij")
    a, b = 2 * numpy.pi * u / around, 2 * numpy.pi * v / across
    ring = radius + thickness * numpy.cos(b)
    positions = numpy.stack([ring * numpy.cos(a), ring * numpy.sin(a),
                             thickness * numpy.sin(b)], axis=-1)
    here = u * across + v
    right, up = (u + 1) % around * across + v, u * across + (v + 1) % across
    both = (u + 1) % around * across + (v + 1) % across
    triangles = numpy.concatenate([numpy.stack([here, right, up], -1).reshape(-1, 3),
                                   numpy.stack([right, both, up], -1).reshape(-1, 3)])
    return positions.reshape(-1, 3).astype(numpy.float32), triangles.astype(numpy.uint32)
