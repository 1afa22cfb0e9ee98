"""Memory that goes away, objects that were never made, functions that meddle, threads that collide."""
from __future__ import annotations

import copy
import gc
import os
import pickle
import random
import threading
import weakref

import numpy
import pliant
import pytest
from conftest import SCALE

POINTS = numpy.float32([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]])
FACES = numpy.uint32([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
SEED = int(os.environ.get("PLIANT_TEST_SEED", "1"))


@pytest.fixture(name="shape")
def make_shape():
    return pliant.Shape(POINTS, FACES)


def make_scene(shape, count):
    scene, bodies = pliant.Scene(), [pliant.Body(shape) for _ in range(count)]
    return scene, bodies, [scene.add(body) for body in bodies]


def test_shared_memory_stays(shape):
    body, other = pliant.Body(shape), pliant.Body(shape)
    expected = pliant.collide(body, other).pairs.tolist()
    memory = bytearray(POINTS.tobytes())
    body.share_positions(memoryview(memory).cast("f", [4, 3]))
    with pytest.raises(BufferError):
        memory.extend(bytes(100000))
    assert pliant.collide(body, other).pairs.tolist() == expected
    array = POINTS.copy()
    alive = weakref.ref(array)
    body.share_positions(array)
    del array
    gc.collect()
    assert alive() is not None and pliant.collide(body, other).pairs.tolist() == expected
    body.set_positions(POINTS)
    gc.collect()
    assert alive() is None


def test_answers_stay(shape):
    body, other = pliant.Body(shape), pliant.Body(shape)
    pairs = pliant.collide(body, other).pairs
    expected = pairs.tolist()
    for _ in range(50):
        other.set_positions(POINTS + numpy.float32(9))
        pliant.collide(body, other)
    assert len(expected) > 0 and pairs.tolist() == expected


def test_objects_that_were_not_made(shape):
    class Unmade(pliant.Body):
        def __new__(cls, *arguments):
            return object.__new__(cls)

    class Own(pliant.Body):
        def __init__(self, *arguments):
            self.me = self

    for make in (lambda: Unmade(shape), lambda: pliant.Body.__new__(pliant.Body)):
        with pytest.raises(TypeError):
            make()
    body = Own(shape)
    alive = weakref.ref(body)
    del body
    gc.collect()
    assert alive() is None


def test_what_has_a_state_is_not_copied(shape):
    for thing in (pliant.Body(shape), pliant.Scene(), pliant.Context()):
        for make in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                make(thing)


@pytest.mark.parametrize("interface", [
    {"shape": (-1, 3)}, {"shape": (2**62, 3)}, {"shape": (4, 3), "data": None},
    {"shape": (4, 3), "data": (0, True)}, {"shape": (4, 3), "typestr": "<f0"}])
def test_arrays_that_lie(interface):
    class Liar:
        __array_interface__ = {"version": 3, "typestr": "<f4", "data": (POINTS.ctypes.data, True),
                               **interface}

    with pytest.raises((TypeError, ValueError, pliant.Error)):
        pliant.Shape(Liar(), FACES)


@pytest.mark.parametrize("deed, allowed", [
    (lambda scene, bodies, ids: scene.collide(), False),
    (lambda scene, bodies, ids: bodies[0].set_positions(POINTS), False),
    (lambda scene, bodies, ids: bodies[0].share_positions(POINTS), False),
    (lambda scene, bodies, ids: bodies[0].tear(removed=numpy.uint32([0])), False),
    (lambda scene, bodies, ids: scene.remove(ids[0]), False),
    (lambda scene, bodies, ids: scene.add(pliant.Body(bodies[0].shape)), False),
    (lambda scene, bodies, ids: bodies.clear(), True),
    (lambda scene, bodies, ids: gc.collect(), True)])
def test_filters_that_meddle(shape, deed, allowed):
    scene, bodies, ids = make_scene(shape, 6)
    expected = scene.collide().pairs.tolist()
    refused = []

    def meddle(one, two):
        try:
            deed(scene, bodies, ids)
        except pliant.StateError as error:
            refused.append(str(error))
        return True

    assert scene.collide(filter=meddle).pairs.tolist() == expected
    assert len(refused) == (0 if allowed else 15)
    assert all("under way" in sentence for sentence in refused)


@pytest.mark.parametrize("kind", [KeyError, SystemExit, KeyboardInterrupt])
def test_filters_that_raise(shape, kind):
    scene, _, _ = make_scene(shape, 6)
    expected = scene.collide().pairs.tolist()

    def stop(one, two):
        raise kind("from a filter")

    with pytest.raises(kind, match="from a filter"):
        scene.collide(filter=stop)
    assert scene.collide().pairs.tolist() == expected


def test_threads_on_the_same_objects(shape):
    scene, bodies, _ = make_scene(shape, 20)
    others = []

    def work(seed):
        choose = random.Random(seed)
        for _ in range(max(50, int(150 * min(SCALE, 4.0)))):
            body, other = choose.sample(bodies, 2)
            deed = choose.choice([
                scene.collide, scene.find_meetings, body.begin_step,
                lambda: body.set_positions(POINTS + numpy.float32(choose.random())),
                lambda: body.share_positions(POINTS + numpy.float32(1)),
                lambda: pliant.collide(body, other)])
            try:
                deed()
            except (pliant.BusyError, pliant.StateError):
                pass
            except Exception as error:  # noqa: BLE001
                others.append(error)

    threads = [threading.Thread(target=work, args=(10 * SEED + k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert others == []
    expected = len(pliant.collide(pliant.Body(shape), pliant.Body(shape)))
    for body in bodies:
        body.set_positions(POINTS)
    assert len(scene.collide()) == expected * 20 * 19 // 2


def test_failed_calls_leave_nothing():
    context = pliant.Context()

    def use():
        shape = pliant.Shape(POINTS, FACES, context=context)
        body, other, scene = pliant.Body(shape), pliant.Body(shape), pliant.Scene(context)
        scene.add(body)
        scene.add(other)
        for call in (
                scene.collide, lambda: body.tear(removed=numpy.uint32([0])),
                lambda: body.set_positions(POINTS[:2]),
                lambda: pliant.Shape(POINTS, numpy.uint32([[0, 1, 9]]), context=context),
                lambda: scene.collide(nonsense=1),
                lambda: scene.measure_distances(numpy.float32([[1, 2, numpy.nan]])),
                body.begin_step, scene.find_meetings):
            try:
                call()
            except Exception:  # noqa: BLE001
                pass

    use()
    gc.collect()
    bytes_before, objects_before = context.bytes_allocated, len(gc.get_objects())
    for _ in range(max(20, int(200 * min(SCALE, 4.0)))):
        use()
    gc.collect()
    assert context.bytes_allocated == bytes_before
    assert len(gc.get_objects()) <= objects_before + 2
