"""Memory: what is made is given back, with every call that fails as well."""
from __future__ import annotations

import gc
import sys

import numpy
import pliant
import pytest
from conftest import SCALE, make_sphere

POSITIONS, TRIANGLES = make_sphere(6)
MOVED = POSITIONS + numpy.float32([1.25, 0.25, 0])


def use_everything(context):
    """One of each object, and questions of each kind."""
    shape = pliant.Shape(POSITIONS, TRIANGLES, context=context, proxy_triangles=8)
    a, b = pliant.Body(shape), pliant.Body(shape)
    b.share_positions(MOVED)
    query = pliant.Query(context)
    query.collide(a, b, segments=True, separations=True).pairs
    query.collide_self(a)
    query.find_within(a, b, 0.125)
    query.find_features(a, b, 0.125)
    query.measure_distances(a, MOVED)
    query.collide_proxies(a, b)
    flat = pliant.Shape(POSITIONS, TRIANGLES[:4], context=context)
    c, d = pliant.Body(flat), pliant.Body(flat)
    c.share_positions(MOVED)
    c.begin_step()
    c.set_positions(POSITIONS - numpy.float32(0.5))
    query.find_meetings(c, d)
    pliant.Contours(context).find(a, b, gradients=True)
    pliant.Volume(context).intersect(a, b, gradients=True, resolution=16)
    scene = pliant.Scene(context)
    scene.add(a, self_contact=True)
    scene.add(b)
    scene.collide(events=True, segments=True)
    scene.find_features(0.125)
    scene.raycast(pliant.make_rays([0, 0, 5], [0, 0, -1]))
    recorded = []
    scene.record(recorded.append)
    scene.collide()
    scene.stop_recording()
    pliant.Shape.read(shape.write(), context=context)
    return b"".join(recorded)


def test_all_is_given_back():
    context = pliant.Context()
    use_everything(context)
    gc.collect()
    after = context.bytes_allocated, context.blocks_allocated
    for _ in range(5):
        use_everything(context)
    gc.collect()
    assert (context.bytes_allocated, context.blocks_allocated) == after
    assert context.bytes_allocated < 200000  # the context, and pages for the next body


def test_python_objects_do_not_leak():
    context = pliant.Context()
    use_everything(context)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(20):
        use_everything(context)
    gc.collect()
    assert sys.getallocatedblocks() - before < 200


def test_references_are_balanced():
    shape = pliant.Shape(POSITIONS, TRIANGLES)
    a, b = pliant.Body(shape), pliant.Body(shape)
    moved = MOVED.copy()
    query = pliant.Query()
    counted = [shape, a, b, moved, query, pliant.Contacts, pliant.Body, pliant.Shape]
    before = [sys.getrefcount(x) for x in counted]
    for _ in range(50):
        b.share_positions(moved)
        query.collide(a, b).pairs
        with pytest.raises(TypeError):
            query.collide(a, 3)
        with pytest.raises(pliant.Error):
            query.collide(a, a)
    b.set_positions(moved)
    gc.collect()
    assert [sys.getrefcount(x) for x in counted] == before


def test_without_memory():
    """Every call that finds no memory raises, leaks nothing, and works the next time."""
    context = pliant.Context()
    use_everything(context)
    gc.collect()
    after = context.blocks_allocated
    step = max(1, int(7 / max(SCALE, 0.05)))
    failures = 0
    for allowed in range(0, 2000, step):
        context.fail_after(allowed)
        try:
            use_everything(context)
            context.fail_after(-1)
            break
        except pliant.OutOfMemoryError as error:
            assert isinstance(error, MemoryError)
            failures += 1
        finally:
            context.fail_after(-1)
        gc.collect()
        assert abs(context.blocks_allocated - after) <= 4  # pages that are kept for the next body
    assert failures > 0
    use_everything(context)


def test_recordings_play_again():
    recording = use_everything(pliant.Context())
    questions = pliant.replay(recording)
    assert [q["verdict"] for q in questions] == ["same"] and questions[0]["name"] == "collide"
    assert questions[0]["field"] is None
    with pytest.raises(pliant.DataError):
        pliant.replay(recording[:50] + b"x" + recording[51:])


def use_scene(context):
    shape = pliant.Shape(POSITIONS, TRIANGLES, context=context)
    scene = pliant.Scene(context)
    bodies = [pliant.Body(shape) for _ in range(10)]
    for body in bodies:
        scene.add(body)
    assert bodies[3].scene is scene
    kept = bodies[0]
    del bodies, body
    assert len(scene) == 10 and len(scene.collide(mode="first")) > 0
    del scene
    assert kept.scene is None
    kept.set_positions(MOVED)


def test_scenes_keep_their_bodies():
    context = pliant.Context()
    use_scene(context)
    after = context.blocks_allocated
    use_scene(context)
    assert context.blocks_allocated == after
