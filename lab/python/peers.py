#!/usr/bin/python3
"""Two deforming meshes from numpy, step by step: pliant beside FCL with refit, through a shim that is
compiled here, and beside VTK's collision filter, where python3-vtk9 is installed.

    PYTHONPATH=build/python lab/python/peers.py [--triangles 20480] [--steps 200]

Steps of all are interleaved, so that a busy machine slows all of them; the ratios are of medians. A
time is printed only if FCL reports the same pairs, up to those that its float64 test sees otherwise.
"""
from __future__ import annotations

import argparse
import ctypes
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy
import pliant


def make_sphere(triangles: int):
    rings = max(3, round((triangles / 4) ** 0.5))
    around = 2 * rings
    rows, columns = numpy.arange(1, rings) * numpy.pi / rings, numpy.arange(around) * numpy.pi / rings
    ring = numpy.stack([numpy.outer(numpy.sin(rows), numpy.cos(columns)),
                        numpy.outer(numpy.sin(rows), numpy.sin(columns)),
                        numpy.outer(numpy.cos(rows), numpy.ones(around))], -1).reshape(-1, 3)
    positions = numpy.concatenate([[[0, 0, 1]], ring, [[0, 0, -1]]])
    last = len(positions) - 1
    j = numpy.arange(around)
    k = (j + 1) % around
    faces = [numpy.stack([0 * j, 1 + j, 1 + k], -1),
             numpy.stack([0 * j + last, last - around + k, last - around + j], -1)]
    for i in range(rings - 2):
        a, b = 1 + i * around + j, 1 + i * around + k
        faces += [numpy.stack([a, a + around, b], -1), numpy.stack([b, a + around, b + around], -1)]
    return positions, numpy.concatenate(faces).astype(numpy.uint32)


def deform(rest, step: int, steps: int, side: int):
    """Bumps that travel over a sphere, which moves into the other one."""
    bumps = 1 + 0.05 * numpy.sin(12 * rest[:, 2] + 0.3 * step) * numpy.cos(
        9 * rest[:, 0] - 0.2 * step)
    moved = rest * bumps[:, None] + [side * (1.1 - 0.6 * step / steps), 0.05 * side, 0]
    return moved.astype(numpy.float32)


class Ours:
    name = "pliant"

    def __init__(self, rest, triangles):
        shape = pliant.Shape(rest.astype(numpy.float32), triangles)
        self.a, self.b, self.query = pliant.Body(shape), pliant.Body(shape), pliant.Query()

    def step(self, first, second):
        self.a.share_positions(first)
        self.b.share_positions(second)
        return self.query.collide(self.a, self.b).pairs


class Fcl:
    name = "FCL, refit"

    def __init__(self, rest, triangles):
        source = pathlib.Path(__file__).with_name("fcl_shim.cpp")
        self.folder = tempfile.TemporaryDirectory()
        library = self.folder.name + "/shim.so"
        flags = subprocess.run(["pkg-config", "--cflags", "eigen3"], capture_output=True,
                               text=True).stdout.split()
        subprocess.run(["g++", "-O3", "-DNDEBUG", "-shared", "-fPIC", *flags, str(source),
                        "-lfcl", "-lccd", "-o", library], check=True, capture_output=True)
        self.shim = ctypes.CDLL(library)
        self.shim.shim_create.restype = ctypes.c_void_p
        self.shim.shim_collide.restype = ctypes.c_size_t
        floats = rest.astype(numpy.float32)
        self.models = [ctypes.c_void_p(self.shim.shim_create(
            floats.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(floats)),
            triangles.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(len(triangles))))
            for _ in range(2)]
        self.room = numpy.empty((1 << 20, 2), numpy.uint32)

    def step(self, first, second):
        for model, positions in zip(self.models, (first, second)):
            self.shim.shim_update(model, positions.ctypes.data_as(ctypes.c_void_p))
        count = self.shim.shim_collide(*self.models, self.room.ctypes.data_as(ctypes.c_void_p),
                                       ctypes.c_size_t(len(self.room)))
        return self.room[:count]


class Vtk:
    name = "VTK, vtkCollisionDetectionFilter"

    def __init__(self, rest, triangles):
        from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
        from vtkmodules.vtkCommonCore import vtkPoints
        from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
        from vtkmodules.vtkCommonMath import vtkMatrix4x4
        from vtkmodules.vtkFiltersModeling import vtkCollisionDetectionFilter
        self.to_vtk = numpy_to_vtk
        cells = numpy.insert(triangles.astype(numpy.int64), 0, 3, axis=1).ravel()
        self.filter, self.points, self.meshes = vtkCollisionDetectionFilter(), [], []
        for side in range(2):
            polys, mesh, points = vtkCellArray(), vtkPolyData(), vtkPoints()
            polys.SetCells(len(triangles), numpy_to_vtkIdTypeArray(cells, deep=True))
            points.SetData(numpy_to_vtk(rest.astype(numpy.float32), deep=True))
            mesh.SetPoints(points)
            mesh.SetPolys(polys)
            self.filter.SetInputData(side, mesh)
            self.filter.SetMatrix(side, vtkMatrix4x4())
            self.points.append(points)
            self.meshes.append(mesh)
        self.filter.SetCollisionModeToAllContacts()

    def step(self, first, second):
        for points, mesh, positions in zip(self.points, self.meshes, (first, second)):
            points.SetData(self.to_vtk(positions))
            points.Modified()
            mesh.Modified()
        self.filter.Update()
        return range(self.filter.GetNumberOfContacts())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--triangles", type=int, default=20480)
    parser.add_argument("--steps", type=int, default=200)
    settings = parser.parse_args()
    rest, triangles = make_sphere(settings.triangles)
    peers = [Ours(rest, triangles)]
    for kind in (Fcl, Vtk):
        try:
            peers.append(kind(rest, triangles))
        except (ImportError, OSError, subprocess.CalledProcessError) as error:
            print(f"{kind.name}: left out: {type(error).__name__}")
    times = {peer.name: [] for peer in peers}
    pairs = {peer.name: 0 for peer in peers}
    differing = 0
    for step in range(settings.steps):
        first, second = (deform(rest, step, settings.steps, side) for side in (-1, 1))
        answers = []
        for peer in peers:
            start = time.perf_counter()
            found = peer.step(first, second)
            times[peer.name].append(time.perf_counter() - start)
            pairs[peer.name] += len(found)
            answers.append(found)
        if len(peers) > 1 and isinstance(peers[1], Fcl):
            same = {tuple(p) for p in answers[0].tolist()} ^ {tuple(p) for p in answers[1].tolist()}
            differing += len(same)
    assert differing <= 1e-3 * pairs["pliant"], f"{differing} pairs differ"
    best = statistics.median(times["pliant"])
    print(f"{len(triangles)} triangles each, {settings.steps} steps, {differing} pairs differ")
    for name, one in times.items():
        median = statistics.median(one)
        print(f"{name:34} {1e3 * median:9.3f} ms  {median / best:7.1f} x  {pairs[name]} pairs")


if __name__ == "__main__":
    main()
