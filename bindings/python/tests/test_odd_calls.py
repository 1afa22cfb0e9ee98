"""Every method and function with arguments that make no sense: exceptions, never anything worse."""
from __future__ import annotations

import itertools

import numpy
import pliant
from conftest import ROOT, make_sphere


def make_objects():
    shape = pliant.Shape(*make_sphere(4))
    a, b = pliant.Body(shape), pliant.Body(shape)
    scene = pliant.Scene()
    scene.add(b)
    asset = pliant.Asset(str(ROOT / "examples/press.0.obj"))
    return [pliant.Context(), shape, a, pliant.Query(), pliant.Contours(), scene, pliant.Volume(),
            asset, pliant.Pose(asset)]


def test_odd_arguments():
    objects = make_objects()
    odd = [None, -1, 2**70, float("nan"), "text", b"", [], (0, 0), {}, numpy.zeros((2, 3), "f4"),
           numpy.zeros(0), object(), *objects[1:6]]
    skipped = {"destroy", "fail_after"}  # these are meant to do harm
    calls = 0
    for thing in [*objects, pliant._core]:
        for name in dir(thing):
            if name.startswith("_") or name in skipped or name == "set_numpy":
                continue
            member = getattr(thing, name)
            if isinstance(member, type) or not callable(member):
                continue
            for count in range(4):
                choices = itertools.product(odd, repeat=count) if count < 2 else zip(
                    *[itertools.islice(itertools.cycle(odd), k, k + 20) for k in range(count)])
                for arguments in choices:
                    calls += 1
                    try:
                        member(*arguments)
                    except Exception:  # noqa: BLE001
                        pass
    assert calls > 1000
    assert len(pliant.collide(pliant.Body(objects[1]), pliant.Body(objects[1]))) > 0
