#!/usr/bin/python3
"""Two deforming meshes from numpy, step by step: pliant beside FCL with refit, through a shim that is
compiled here, and beside VTK's collision filter, where python3-vtk9 is installed.

    scripts/setup build python-peers
    PYTHONPATH=build/python lab/python/peers.py [--divisions 5] [--steps 200] [--json FILE]

Two spheres of 20 * 4^5 = 20,480 triangles, with bumps that travel over them, go into each other. VTK,
which takes most of a second for a step, is asked in every 20th only.

Times are processor time of the calling thread, which a busy machine disturbs little; steps of all are
interleaved, and the ratios are of medians. A time is printed only if FCL reports the same pairs, up to those that its float64 test sees otherwise.
"""
from __future__ import annotations

import argparse
import ctypes
import json
import pathlib
import platform
import statistics
import subprocess
import tempfile
import time

import numpy
import pliant


def make_sphere(divisions: int):
    """An icosahedron whose faces are cut into four, again and again: 20 * 4^divisions triangles."""
    golden = (1 + 5 ** 0.5) / 2
    ends = [(0, a, b * golden) for a in (-1, 1) for b in (-1, 1)]
    positions = numpy.array([p[k:] + p[:k] for k in range(3) for p in ends])
    near = numpy.linalg.norm(positions[:, None] - positions[None], axis=-1) < 2.1
    faces = [(i, j, k) for i in range(12) for j in range(i + 1, 12) for k in range(j + 1, 12)
             if near[i, j] and near[j, k] and near[i, k]]
    outward = [numpy.dot(positions[i], numpy.cross(positions[j], positions[k])) > 0
               for i, j, k in faces]
    faces = numpy.array([f if out else f[::-1] for f, out in zip(faces, outward)])
    for _ in range(divisions):
        edges = numpy.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        edges, middle = numpy.unique(edges, axis=0, return_inverse=True)
        middle = middle.reshape(-1, 3) + len(positions)
        positions = numpy.concatenate([positions, positions[edges].mean(axis=1)])
        (a, b, c), (ab, bc, ca) = faces.T, middle.T
        faces = numpy.concatenate([numpy.stack(f, -1) for f in (
            (a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    positions /= numpy.linalg.norm(positions, axis=1)[:, None]
    return positions, faces.astype(numpy.uint32)


def deform(rest, step: int, steps: int, side: int):
    """Bumps that travel over a sphere, which moves into the other one."""
    bumps = 1 + 0.05 * numpy.sin(12 * rest[:, 2] + 0.3 * step) * numpy.cos(
        9 * rest[:, 0] - 0.2 * step)
    moved = rest * bumps[:, None] + [side * (1.1 - 0.6 * step / steps), 0.05 * side, 0]
    return moved.astype(numpy.float32)


class Ours:
    name, every = "pliant", 1

    def __init__(self, rest, triangles):
        shape = pliant.Shape(rest.astype(numpy.float32), triangles)
        self.a, self.b, self.query = pliant.Body(shape), pliant.Body(shape), pliant.Query()

    def step(self, first, second):
        self.a.share_positions(first)
        self.b.share_positions(second)
        return self.query.collide(self.a, self.b).pairs


class Fcl:
    name, every = "FCL, refit", 1

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
    name, every = "VTK, vtkCollisionDetectionFilter", 20

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


def read_processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--divisions", type=int, default=5)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--json", help="where to write the figures")
    settings = parser.parse_args()
    rest, triangles = make_sphere(settings.divisions)
    peers = [Ours(rest, triangles)]
    for kind in (Fcl, Vtk):
        try:
            peers.append(kind(rest, triangles))
        except (ImportError, OSError, subprocess.CalledProcessError) as error:
            print(f"{kind.name}: left out: {type(error).__name__}")
    times = {peer.name: [] for peer in peers}
    pairs = {peer.name: 0 for peer in peers}
    steps = dict.fromkeys(pairs, 0)
    differing = 0
    for step in range(settings.steps):
        first, second = (deform(rest, step, settings.steps, side) for side in (-1, 1))
        answers = []
        for peer in peers:
            if step % peer.every != 0:
                continue
            steps[peer.name] += 1
            start = time.thread_time()
            found = peer.step(first, second)
            times[peer.name].append(time.thread_time() - start)
            pairs[peer.name] += len(found)
            answers.append(found)
        if len(peers) > 1 and isinstance(peers[1], Fcl):
            same = {tuple(p) for p in answers[0].tolist()} ^ {tuple(p) for p in answers[1].tolist()}
            differing += len(same)
    assert differing <= 1e-3 * pairs["pliant"], f"{differing} pairs differ"
    best = statistics.median(times["pliant"])
    print(f"{len(triangles)} triangles each, {settings.steps} steps, {differing} pairs differ")
    figures = {name: {"steps": steps[name], "pairs": pairs[name],
                      "milliseconds": round(1e3 * statistics.median(one), 4),
                      "times_ours": round(statistics.median(one) / best, 1)}
               for name, one in times.items()}
    for name, one in figures.items():
        print(f"{name:34} {one['milliseconds']:9.3f} ms  {one['times_ours']:7.1f} x  "
              f"{one['pairs']} pairs in {one['steps']} steps")
    if settings.json:
        pathlib.Path(settings.json).write_text(json.dumps(
            {"experiment": "python-peers", "triangles": len(triangles), "differing": differing,
             "pliant": pliant.version(), "python": platform.python_version(),
             "numpy": numpy.__version__, "machine": read_processor(), "peers": figures},
            indent=1) + "\n")


if __name__ == "__main__":
    main()
