"""Bodies written as GLB files: read again they are as before; entries that contradict are named."""
from __future__ import annotations

import numpy
import pliant
import pytest
from conftest import make_sphere

POSITIONS, TRIANGLES = make_sphere(4)
COUNT, FRAMES = len(POSITIONS), 3
MODES = numpy.stack([POSITIONS, POSITIONS[:, ::-1]]).astype(numpy.float32)
COORDINATES = numpy.float32([[0, 0], [0.5, 0.25], [1, -1]])
MOVES = numpy.zeros((2, FRAMES, 3), numpy.float32)
MOVES[1, :, 0] = [0, 1, 2]
TURNS = numpy.zeros((2, FRAMES, 4), numpy.float32)
TURNS[..., 3] = 1
JOINTS = numpy.zeros((1, COUNT, 4), numpy.uint16)
JOINTS[0, ::2, 0] = 1
WEIGHTS = numpy.zeros((1, COUNT, 4), numpy.float32)
WEIGHTS[..., 0] = 1


def body(**more):
    return {"positions": POSITIONS, "triangles": TRIANGLES, **more}


class Memory:
    def __init__(self, data):
        self.data = data

    def size(self, path):
        return len(self.data)

    def read(self, path, offset, count):
        return self.data[offset:offset + count]


def read(bodies, frames=FRAMES):
    return pliant.load("memory.glb", files=Memory(pliant.write_glb(bodies, frames, 10.0)))


def test_modes_and_joints_are_read_again():
    model = read([body(name="modal", modes=MODES, coordinates=COORDINATES),
                  body(name="skin", joints=JOINTS, weights=WEIGHTS, translations=MOVES, rotations=TURNS),
                  body(name="rigid", translations=MOVES[1:], rotations=TURNS[1:], scales=MOVES[1:] + 1),
                  body()])
    assert model.names == ["modal", "skin", "rigid", "body"]
    for frame in range(FRAMES):
        model.sample(0, frame / 10)
        modal, skin, rigid, still = (one.evaluate() for one in model.bodies)
        moved = POSITIONS + numpy.tensordot(COORDINATES[frame], MODES, 1)
        assert numpy.allclose(modal, moved, atol=1e-5)
        expected = POSITIONS.copy()
        expected[::2, 0] += frame
        assert numpy.allclose(skin, expected, atol=1e-5)
        assert numpy.allclose(rigid, POSITIONS * [1 + frame, 1, 1] + [frame, 0, 0], atol=1e-5)
        assert (still == POSITIONS).all()


@pytest.mark.parametrize("given, sentence", [
    ({"positions": None}, "positions"), ({"triangles": None}, "triangles"),
    ({"positions": POSITIONS[:, :2]}, "positions"), ({"positions": POSITIONS.astype(float)}, "positions"),
    ({"positions": POSITIONS[::2]}, "gaps|triangle"), ({"triangles": TRIANGLES[:, :2]}, "triangles"),
    ({"modes": MODES}, "coordinates"), ({"coordinates": COORDINATES}, "modes"),
    ({"modes": MODES[:, :5].copy(), "coordinates": COORDINATES}, "modes"),
    ({"modes": numpy.swapaxes(MODES, 1, 2).copy(), "coordinates": COORDINATES}, "modes"),
    ({"modes": MODES, "coordinates": COORDINATES[:2]}, "coordinates"),
    ({"modes": MODES, "coordinates": COORDINATES.T.copy()}, "coordinates"),
    ({"modes": 5, "coordinates": COORDINATES}, "modes"),
    ({"joints": JOINTS}, "weights"), ({"weights": WEIGHTS}, "joints"),
    ({"joints": JOINTS, "weights": WEIGHTS[:, :5].copy()}, "weights"),
    ({"joints": JOINTS[:0], "weights": WEIGHTS}, "weights"),
    ({"joints": JOINTS, "weights": numpy.tile(WEIGHTS, (2, 1, 1))}, "weights"),
    ({"joints": JOINTS.astype(numpy.uint32), "weights": WEIGHTS}, "joints"),
    ({"translations": MOVES}, "rotations"), ({"rotations": TURNS}, "translations"),
    ({"scales": MOVES}, "translations"), ({"inner_rotations": TURNS}, "translations"),
    ({"translations": MOVES, "rotations": TURNS[:1]}, "rotations"),
    ({"translations": MOVES[:, :2].copy(), "rotations": TURNS}, "translations"),
    ({"translations": MOVES, "rotations": TURNS, "scales": MOVES[:1]}, "scales"),
    ({"translations": MOVES, "rotations": TURNS, "inner_rotations": MOVES}, "inner_rotations"),
    ({"error": "text"}, "error"), ({"name": 5}, "name")])
def test_entries_that_contradict(given, sentence):
    with pytest.raises((TypeError, ValueError, pliant.Error), match=sentence):
        pliant.write_glb([body(**given)], FRAMES)
    assert len(read([body()])) == 1


def test_what_is_no_body():
    for bodies in (5, [5], [None], {"positions": POSITIONS}):
        with pytest.raises((TypeError, ValueError)):
            pliant.write_glb(bodies)
    with pytest.raises(TypeError, match="frame_count"):
        pliant.write_glb([body()], 0.5)
    with pytest.raises(TypeError, match="frames_per_second"):
        pliant.write_glb([body()], 1, "text")
