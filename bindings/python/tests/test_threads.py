"""Threads: calls let others run, and what two must not do at the same time raises, never crashes."""
from __future__ import annotations

import os
import threading
import time

import numpy
import pliant
import pytest
from conftest import SCALE, make_sphere


def run_all(*functions):
    failures = []

    def guarded(function):
        try:
            function()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(f,)) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if failures:
        raise failures[0]


def make_pair(context=None, rings=24):
    positions, triangles = make_sphere(rings)
    shape = pliant.Shape(positions, triangles, context=context)
    a, b = pliant.Body(shape), pliant.Body(shape)
    b.set_positions(positions + numpy.float32([0.5, 0.25, 0.125]))
    return a, b


def test_misuse_raises_or_answers_rightly():
    """Two threads ask and set the same objects: each call answers as it should, or is refused."""
    a, b = make_pair()
    query = pliant.Query()
    expected = len(query.collide(a, b))
    moved = b.evaluate()
    outcomes = {"done": 0, "busy": 0}
    end = time.monotonic() + 1.0 * min(1.0, max(SCALE, 0.3))

    def ask():
        while time.monotonic() < end:
            try:
                assert len(query.collide(a, b)) == expected
                outcomes["done"] += 1
            except pliant.BusyError:
                outcomes["busy"] += 1

    def change():
        while time.monotonic() < end:
            try:
                b.set_positions(moved)
                b.share_positions(moved)
            except pliant.BusyError:
                outcomes["busy"] += 1

    run_all(ask, ask, change, change)
    assert outcomes["done"] > 0


def test_prepared_bodies_are_asked_by_many():
    a, b = make_pair()
    a.prepare()
    b.prepare()
    expected = pliant.collide(a, b).pairs.tolist()

    def ask():
        query = pliant.Query()
        for _ in range(5):
            assert query.collide(a, b).pairs.tolist() == expected

    run_all(ask, ask, ask)


def test_scenes_guard_their_bodies():
    context = pliant.Context(workers=2)
    a, b = make_pair(context)
    scene = pliant.Scene(context)
    scene.add(a)
    scene.add(b)
    inside, leave = threading.Event(), threading.Event()

    def hold(one, two):
        inside.set()
        leave.wait(10)
        return True

    thread = threading.Thread(target=lambda: scene.collide(filter=hold))
    thread.start()
    assert inside.wait(10)
    for misuse in (lambda: a.set_positions(a.evaluate()), lambda: scene.collide(),
                   lambda: scene.remove(a), lambda: pliant.collide(a, b), a.destroy,
                   lambda: a.evaluate()):
        with pytest.raises(pliant.BusyError, match="another thread"):
            misuse()
    leave.set()
    thread.join(10)
    assert len(scene.collide()) > 0


def test_functions_of_a_call_may_read():
    a, b = make_pair(rings=8)
    scene = pliant.Scene()
    scene.add(a)
    scene.add(b)
    read = []

    def look(one, two):
        read.append(scene.get_body(one).evaluate([0], copy=True))
        with pytest.raises(pliant.StateError):
            scene.remove(one)
        return True

    assert len(scene.collide(filter=look)) > 0 and len(read) == 1


def test_dead_bodies():
    a, b = make_pair(rings=6)
    scene = pliant.Scene()
    scene.add(a)
    a.destroy()
    assert len(scene) == 0
    for misuse in (lambda: pliant.collide(a, b), lambda: a.set_positions(b.evaluate()),
                   lambda: a.bounds, lambda: a.evaluate(), lambda: scene.add(a),
                   lambda: a.begin_step()):
        with pytest.raises(pliant.StateError, match="destroyed"):
            misuse()
    a.destroy()


def test_an_own_query_for_each_thread():
    pairs = [make_pair(rings=16) for _ in range(4)]
    expected = [pliant.collide(a, b).pairs.tolist() for a, b in pairs]

    def ask(k):
        for _ in range(10):
            assert pliant.collide(*pairs[k]).pairs.tolist() == expected[k]

    run_all(*[lambda k=k: ask(k) for k in range(4)])


def test_other_threads_run_meanwhile():
    """While one call computes, another thread counts: the interpreter's lock is not held."""
    context = pliant.Context()
    positions, triangles = make_sphere(300)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    pliant.Shape(positions, triangles, context=context)
    end = time.perf_counter()
    done.set()
    thread.join(10)
    assert end - start < 0.002 or sum(start < t < end for t in ticks) > 0


@pytest.mark.skipif(os.environ.get("PLIANT_TEST_SPEED") is None,
                    reason="PLIANT_TEST_SPEED asks for this: it needs two free cores")
def test_two_threads_are_nearly_twice_as_fast():
    pairs = [make_pair(rings=80) for _ in range(2)]

    def work(k, count=60):
        a, b = pairs[k]
        moved = b.evaluate()
        query = pliant.Query()
        for _ in range(count):
            b.share_positions(moved)
            query.collide(a, b)

    ratios = []
    for _ in range(5):
        start = time.perf_counter()
        work(0)
        work(1)
        middle = time.perf_counter()
        run_all(lambda: work(0), lambda: work(1))
        ratios.append((middle - start) / (time.perf_counter() - middle))
    assert max(ratios) >= 1.8, ratios
