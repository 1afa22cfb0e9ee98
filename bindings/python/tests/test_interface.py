"""The interface: nothing of C is forgotten, help is there."""
from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys

import numpy
import pliant
from conftest import ROOT, make_sphere


def test_every_function_of_c_is_listed():
    listed = {}
    for line in (ROOT / "docs/python-functions.md").read_text().splitlines():
        match = re.match(r"\| `(pliant_\w+)` \| (.*?) \| (.*) \|$", line)
        if match:
            assert match[1] not in listed
            listed[match[1]] = match[2], match[3]
    functions = {f["name"] for f in json.loads((ROOT / "interface/api.json").read_text())["functions"]}
    assert functions - set(listed) == set(), "docs/python-functions.md lacks these"
    assert set(listed) - functions == set(), "there are no such functions"
    for name, (place, why) in listed.items():
        if place == "not there":
            assert why, name
            continue
        thing = pliant
        path = re.fullmatch(r"`pliant\.([\w.]+)(\(\))?`", place)
        for part in path[1].split("."):
            thing = getattr(thing, part)
        assert not path[2] or callable(thing), place


def test_everything_public_says_what_it_is():
    for name in dir(pliant):
        if name.startswith("_") or name in ("annotations", "TYPE_CHECKING"):
            continue
        thing = getattr(pliant, name)
        if not isinstance(thing, (int, type(inspect))):
            assert thing.__doc__, name
    for kind in (pliant.Context, pliant.Shape, pliant.Body, pliant.Query, pliant.Contours,
                 pliant.Scene, pliant.Volume, pliant.Asset, pliant.Pose):
        for name, member in vars(kind).items():
            if callable(member) and not name.startswith("_"):
                assert member.__doc__, (kind, name)
        for name in dir(kind):
            member = getattr(kind, name)
            if inspect.ismethoddescriptor(member) and not name.startswith("_"):
                inspect.signature(member)


def test_help_leads_who_knows_trimesh():
    """What the table in help(pliant) writes does what it says, with a mesh as trimesh has them."""
    positions, triangles = make_sphere(6)

    class Mesh:
        vertices, faces = positions.astype(float), triangles.astype(numpy.int64)

    table = pliant.__doc__.split("float64:")[1].split("Enums")[0]
    body = pliant.Body(pliant.Shape.from_mesh(Mesh(), copy=True))
    other = pliant.Body(body.shape)
    other.set_positions(positions + numpy.float32([1.25, 0.125, 0.25]))
    scene = pliant.Scene()
    scene.add(body)
    scene.add(other)
    origins, directions = numpy.float32([[0, 0, 5]]), numpy.float32([[0, 0, -1]])
    names = {"a": body, "b": other, "body": body, "points": origins, "distance": 0.25,
             "origins": origins, "directions": directions, "Scene": lambda: scene,
             **{name: getattr(pliant, name) for name in pliant.__all__ if name != "Scene"}}
    expressions = re.findall(r"(?:body|[\w]+)(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?"
                             r"(?:\.\w+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|\[[^\]]*\])+", table)
    tried = 0
    for expression in expressions:
        if expression.startswith(("pliant.Body", "body.s", "matrices", "body.set", "Shape")):
            continue
        if expression.startswith("Scene"):
            continue
        assert eval(expression, names) is not None, expression
        tried += 1
    assert tried >= 7, expressions
    assert body.shape.is_closed and len(scene.collide()) > 0
    rigid = pliant.Body(pliant.Shape(positions, triangles, joint_count=1))
    rigid.set_transforms(numpy.eye(4, dtype=numpy.float32)[None][:, :3])


def test_errors_are_of_two_families():
    for name in ("ArgumentError", "RangeError", "NotFiniteError", "TooLargeError", "DataError"):
        assert issubclass(getattr(pliant, name), (pliant.Error, ValueError))
    assert issubclass(pliant.OutOfMemoryError, MemoryError)
    assert issubclass(pliant.BusyError, pliant.StateError)
    assert pliant.__version__ in pliant.version()


def test_each_kind_of_name_comes_first():
    """In a fresh interpreter, where nobody has needed an enum or a tuple before."""
    for code in ("pliant.Touch.BEGAN", "pliant.Stats", "dir(pliant)", "hasattr(pliant, '_nobody')",
                 "hasattr(pliant, 'Nobody')", "pliant.Query().stats", "help(pliant.Contacts)"):
        subprocess.run([sys.executable, "-c", f"import pliant; {code}"], check=True,
                       stdout=subprocess.DEVNULL, timeout=60)


def test_importing_is_quick():
    """At most 30 ms beyond numpy's own, or three tenths of that where the machine is busy."""
    code = ("import time; t = time.perf_counter(); import numpy; u = time.perf_counter(); "
            "import pliant; print(u - t, time.perf_counter() - u)")
    times = [tuple(map(float, subprocess.run([sys.executable, "-c", code], capture_output=True,
                                             text=True, check=True).stdout.split()))
             for _ in range(4)]
    assert any(ours < max(0.030, 0.3 * numpys) for numpys, ours in times), times
