"""Exceptions of functions of the caller's reach the caller, and the call ends."""
from __future__ import annotations

import os
import struct
import subprocess
import sys
import textwrap
import threading

import numpy
import pliant
import pytest
from conftest import ROOT, make_sphere

CHARACTER = str(ROOT / "examples/character.gltf")
RAISED = [KeyError("mine"), KeyboardInterrupt(), SystemExit(3), GeneratorExit()]


@pytest.fixture(autouse=True)
def nothing_is_printed(monkeypatch):
    """No exception is ignored."""
    ignored = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    yield
    assert not ignored


def raising(error, after=0):
    """A function that raises from its call number `after` on, and the list of its calls."""
    calls = []

    def function(*given):
        calls.append(given)
        if len(calls) > after:
            raise error from cause

    cause = ValueError("cause")
    return function, calls, cause


def raises(error, cause, call):
    with pytest.raises(type(error)) as raised:
        call()
    assert raised.value is error and error.__cause__ is cause


@pytest.mark.parametrize("error", RAISED, ids=repr)
@pytest.mark.parametrize("threads", [1, 3])
def test_progress_ends_a_check(error, threads):
    after = 2 if threads == 1 else 0  # other threads may take most of the frames
    progress, calls, cause = raising(error, after)
    raises(error, cause, lambda: pliant.check(CHARACTER, fps=2000, volume=True, threads=threads,
                                              progress=progress))
    assert len(calls) == after + 1 and calls[0][1] == 2001


def test_what_progress_returns_does_not_matter():
    done = []
    report = pliant.check(CHARACTER, fps=60, threads=1,
                          progress=lambda *given: done.append(given) or False)
    assert done == [(i, 61) for i in range(1, 62)] and report.has_failed


@pytest.mark.parametrize("with_progress", [False, True])
def test_an_interrupt_ends_a_check_early(with_progress):
    """In a process of its own: a signal after the first frames, of far more."""
    program = textwrap.dedent(f"""
        import os, signal, threading, time, pliant
        begun = threading.Event()
        killed = []
        def interrupt():
            begun.wait(20)
            killed.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        seen = []
        def progress(done, count):
            seen.append(done)
            begun.set()
        if not {with_progress}:
            threading.Timer(0.2, begun.set).start()
        try:
            pliant.check({CHARACTER!r}, threads=1, fps=10000, contours=True, volume=True,
                         progress=progress if {with_progress} else None)
            print("finished")
        except KeyboardInterrupt:
            print("interrupted after", len(seen), time.process_time() - killed[0])
    """)
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(pliant.__file__))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env=environment, timeout=60)
    assert done.stdout.startswith("interrupted after") and done.stderr == "", done.stderr
    frames, seconds = done.stdout.split()[-2:]
    assert int(frames) < 4000 and float(seconds) < 0.5  # all frames take five seconds


class Numbers:
    """A truth value, a number or a sequence that raises when it is read."""

    dtype = "bool"

    def __init__(self, error):
        self.error = error

    def fail(self, *given):
        raise self.error

    item = __iter__ = __index__ = __float__ = fail


@pytest.mark.parametrize("error", [KeyError("mine"), KeyboardInterrupt()], ids=repr)
def test_values_reach_the_caller(error):
    scene = make_scene()
    body, query = scene.bodies[0], pliant.Query(scene.context)
    calls = [lambda: query.collide(body, scene.bodies[1], groups_a=Numbers(error)),
             lambda: query.advance_bodies(Numbers(error)), lambda: scene.collide(budget_nodes=Numbers(error)),
             lambda: query.advance_bodies([body], groups=Numbers(error)),
             lambda: query.find_within(body, scene.bodies[1], Numbers(error)),
             lambda: scene.get_boxes(Numbers(error))]
    if isinstance(error, KeyboardInterrupt):
        calls.append(lambda: scene.collide(segments=Numbers(error)))
    for call in calls:
        with pytest.raises(type(error)) as raised:
            call()
        assert raised.value is error
    assert len(scene.collide()) > 0


def test_none_is_as_if_left_out():
    scene = make_scene()
    expected = scene.collide()
    for options in ({"segments": None}, {"filter": None, "callback": None}, {"mode": None, "budget_nodes": None}):
        assert (scene.collide(**options).pairs == expected.pairs).all()
    shape = pliant.Shape(*make_sphere(4), weld=None, groups=None, partition=None, leaf_size=None, context=None)
    assert pliant.Shape(*make_sphere(4)).write() == shape.write()


class Files:
    """Files in memory; a call of one kind raises."""

    def __init__(self, error=None, cause=None, which="", after=0):
        self.bytes = (ROOT / "examples/press.0.obj").read_bytes()
        self.error, self.cause, self.which, self.left = error, cause, which, after
        self.calls = 0

    def fail(self, which):
        self.calls += 1
        if which == self.which and self.error is not None:
            self.left -= 1
            if self.left < 0:
                raise self.error from self.cause

    def size(self, path):
        self.fail("size")
        return len(self.bytes) if path.startswith("press") else None

    def read(self, path, offset, count):
        self.fail("read")
        return self.bytes[offset:offset + count]


@pytest.mark.parametrize("error", [*RAISED, FileNotFoundError("gone")], ids=repr)
@pytest.mark.parametrize("which", ["size", "read"])
def test_files_reach_the_caller(error, which):
    cause = ValueError("cause")
    files = Files(error, cause, which)
    raises(error, cause, lambda: pliant.load("press.0.obj", files=files))
    assert len(pliant.load("press.0.obj", files=Files())) == 2


def test_files_that_are_not_there_or_of_other_types():
    with pytest.raises(pliant.DataError, match="nowhere.obj"):
        pliant.load("nowhere.obj", files=Files())
    with pytest.raises(AttributeError, match="size"):
        pliant.load("press.0.obj", files=5)
    files = Files()
    files.size = lambda path: 3.5
    with pytest.raises(TypeError, match="size must be a whole number, 0 or more, not 3.5"):
        pliant.load("press.0.obj", files=files)
    files = Files()
    files.read = lambda path, offset, count: "text"
    with pytest.raises(TypeError):
        pliant.load("press.0.obj", files=files)


def test_files_of_poses_reach_the_caller():
    """Frames of a vertex cache are read when poses are sampled."""
    positions = numpy.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    mesh = "".join(f"v {x} {y} {z}\n" for x, y, z in positions) + "f 1 2 3\nf 1 2 4\n"
    cache = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, 4, 0.0, 1.0, 5)
    cache += b"".join((positions + i).astype("<f4").tobytes() for i in range(5))

    class Cache(Files):
        def size(self, path):
            self.fail("size")
            return len(cache) if path.endswith("pc2") else len(mesh)

        def read(self, path, offset, count):
            self.fail("read")
            return (cache if path.endswith("pc2") else mesh.encode())[offset:offset + count]

    files = Cache()
    model = pliant.load(["a.obj", "a.pc2"], files=files)
    model.sample(0, 1 / 30)
    assert (model.bodies[0].evaluate() == positions + 1).all()
    error, cause = KeyboardInterrupt(), ValueError("cause")
    files.error, files.cause, files.which = error, cause, "read"
    raises(error, cause, lambda: model.sample(0, 2 / 30))
    assert (model.bodies[0].evaluate() == positions + 1).all()
    files.error = None
    model.sample(0, 2 / 30)
    assert (model.bodies[0].evaluate() == positions + 2).all()


def make_scene(count=3):
    context = pliant.Context()
    positions, triangles = make_sphere(6)
    shape = pliant.Shape(positions, triangles, context=context)
    scene = pliant.Scene(context=context)
    for i in range(count):
        body = pliant.Body(shape)
        body.set_positions(positions + numpy.float32([0.5 * i, 0, 0]))
        scene.add(body)
    return scene


def end_recording(scene):
    """A recording that has failed stays one until it is stopped."""
    assert not scene.is_recording
    with pytest.raises(pliant.StateError, match="write took no more"):
        scene.stop_recording()


@pytest.mark.parametrize("error", RAISED, ids=repr)
def test_recordings_reach_the_caller(error):
    scene = make_scene()
    expected = scene.collide()
    write, calls, cause = raising(error)
    raises(error, cause, lambda: [scene.record(write), scene.collide(), scene.stop_recording()])
    assert len(calls) == 1 and not scene.is_recording  # it has not begun
    assert (scene.collide().pairs == expected.pairs).all()
    # Later, in the middle of a question, and while a filter is there.
    for after in range(1, 12):
        write, calls, cause = raising(error, after)
        filtered = []

        def ask():
            scene.record(write)
            for _ in range(40):
                scene.collide(filter=lambda a, b: filtered.append(a) or True)
                scene.raycast(numpy.float32([[0, 0, -5, 0, 0, 1, 10]]))
            scene.stop_recording()

        raises(error, cause, ask)
        assert len(calls) == after + 1
        end_recording(scene)
    assert (scene.collide().pairs == expected.pairs).all()


@pytest.mark.parametrize("error", RAISED, ids=repr)
def test_filters_and_batches_reach_the_caller(error):
    scene = make_scene()
    expected = scene.collide()
    for after in range(3):
        function, calls, cause = raising(error, after)
        raises(error, cause, lambda: scene.collide(filter=lambda a, b: function() is None))
        assert len(calls) == after + 1
    assert (scene.collide().pairs == expected.pairs).all()


def test_the_end_of_a_recording_is_told_where_nobody_can_catch_it(monkeypatch):
    """A scene that goes while it is recorded: Python's hook gets the exception, the program goes on."""
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told_of: told.append(told_of.exc_value))
    error = KeyError("mine")
    armed = []

    def write(data):
        if armed:
            raise error

    scene = make_scene()
    scene.record(write)
    scene.collide()
    armed.append(True)
    try:
        raise ValueError("other")
    except ValueError:
        del scene
    assert told in ([error], [])
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)


def test_other_threads_keep_their_exceptions():
    """Two threads load at once; the files of one raise."""
    errors, loaded = [], []

    def load(error):
        for _ in range(30):
            try:
                loaded.append(pliant.load("press.0.obj", files=Files(error, None, "read", 1)))
            except KeyError as raised:
                errors.append(raised)

    mine = KeyError("mine")
    threads = [threading.Thread(target=load, args=(error,)) for error in (mine, None, mine, None)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) + len(loaded) == 120 and len(loaded) >= 60
    assert all(error is mine for error in errors)
