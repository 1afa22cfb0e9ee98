"""Arrays of all types, strides and kinds: borrowed, refused with a sentence, or converted."""
from __future__ import annotations

import array

import numpy
import pliant
import pytest
from conftest import make_sphere
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

POSITIONS, TRIANGLES = make_sphere(4)
SHAPE = pliant.Shape(POSITIONS, TRIANGLES)


class Interface:
    def __init__(self, values):
        self.values = values
        self.__array_interface__ = values.__array_interface__


class Dlpack:
    def __init__(self, values, device=None):
        self.values, self.device = values, device

    def __dlpack__(self, **options):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.device or self.values.__dlpack_device__()


@pytest.mark.parametrize("wrap", [lambda x: x, memoryview, Interface, Dlpack])
def test_borrowed_without_a_copy(wrap):
    body = pliant.Body(SHAPE)
    moved = POSITIONS + numpy.float32(1)
    body.share_positions(wrap(moved))
    assert (body.evaluate() == moved).all()
    moved[0] = 7
    body.share_positions(wrap(moved))
    assert (body.evaluate([0], copy=True) == 7).all()


def test_a_body_holds_on_to_what_it_borrows():
    body = pliant.Body(SHAPE)
    data = array.array("f", POSITIONS.ravel().tolist())
    body.share_positions(memoryview(data).cast("B").cast("f", POSITIONS.shape))
    with pytest.raises(BufferError):
        data.append(1.0)
    body.begin_step()
    body.set_positions(POSITIONS)
    with pytest.raises(BufferError):  # the start of the step
        data.append(1.0)
    body.end_step()
    data.append(1.0)
    values = POSITIONS.copy()
    pliant_body = pliant.Body(SHAPE)
    pliant_body.share_positions(values)
    expected = values.copy()
    del values
    numpy.random.default_rng(1).random(100000)
    assert (pliant_body.evaluate() == expected).all()


def test_rows_with_gaps_and_read_only():
    body = pliant.Body(SHAPE)
    wide = numpy.zeros((len(POSITIONS), 8), numpy.float32)
    wide[:, 2:5] = POSITIONS + numpy.float32(2)
    wide.flags.writeable = False
    body.share_positions(wide[:, 2:5])
    assert (body.evaluate() == wide[:, 2:5]).all()
    body.set_positions(wide[:, 2:5])
    assert (body.evaluate() == wide[:, 2:5]).all()


def test_another_device():
    body = pliant.Body(SHAPE)
    with pytest.raises(TypeError, match="another device"):
        body.share_positions(Dlpack(POSITIONS, (2, 0)))


REFUSED = {
    "reversed": (POSITIONS[::-1], "runs backwards"),
    "repeated": (numpy.broadcast_to(POSITIONS[:1], POSITIONS.shape), "stride is 0"),
    "columns": (numpy.asfortranarray(POSITIONS), "gaps between the numbers"),
    "reversed columns": (POSITIONS[:, ::-1], "gaps between the numbers"),
    "repeated columns": (numpy.broadcast_to(POSITIONS[:, :1], POSITIONS.shape), "gaps"),
    "double": (POSITIONS.astype(float), r"astype\(numpy.float32\)"),
    "half": (POSITIONS.astype(numpy.float16), "float16"),
    "whole": (POSITIONS.astype(numpy.int32), "int32"),
    "other order": (POSITIONS.astype(">f4"), "other byte order"),
    "list": (POSITIONS.tolist(), "no array"),
    "unaligned": (numpy.frombuffer(b"x" + POSITIONS.tobytes(), numpy.uint8)[1:].view(
        numpy.float32).reshape(-1, 3), "aligned"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_unless_copied(name):
    values, sentence = REFUSED[name]
    body = pliant.Body(SHAPE)
    for give in (body.set_positions, body.share_positions):
        with pytest.raises(TypeError, match=sentence):
            give(values)
        give(values, copy=True)
        assert (body.evaluate() == numpy.asarray(values, numpy.float32)).all()


@pytest.mark.parametrize("values", [None, 3, "text", b"1234", object(), POSITIONS.astype(complex),
                                    POSITIONS.astype(object), numpy.array("x"),
                                    POSITIONS[:, :2], POSITIONS[:-1], POSITIONS.ravel(),
                                    POSITIONS[None], numpy.zeros((0, 3), "f4"),
                                    numpy.zeros((2,) * 9, "f4")])
def test_never_taken(values):
    body = pliant.Body(SHAPE)
    for copy in (False, True):
        with pytest.raises((TypeError, ValueError)):
            body.set_positions(values, copy=copy)
    assert (body.evaluate() == POSITIONS).all()


def test_masked_arrays_are_refused():
    """A mask would be lost, whether a number is masked or not."""
    body = pliant.Body(pliant.Shape(POSITIONS, TRIANGLES))
    for mask in (False, POSITIONS > 0):
        masked = numpy.ma.masked_array(POSITIONS, mask=mask)
        for copy in (False, True):
            with pytest.raises(TypeError, match="positions is a masked array"):
                pliant.Shape(masked, TRIANGLES, copy=copy)
            with pytest.raises(TypeError, match="positions is a masked array"):
                body.set_positions(masked, copy=copy)
        with pytest.raises(TypeError, match="origins is a masked array"):
            pliant.make_rays(masked, POSITIONS)
    with pytest.raises(TypeError, match="triangles is a masked array"):
        pliant.Shape(POSITIONS, numpy.ma.masked_array(TRIANGLES))
    with pytest.raises(TypeError, match="box is a masked array"):
        pliant.Query().overlap_box(body, numpy.ma.masked_array(numpy.float32([0, 0, 0, 1, 1, 1])))
    body.set_positions(numpy.ma.masked_array(POSITIONS).data)
    assert (body.evaluate() == POSITIONS).all()


def test_indices():
    for kind in (numpy.uint32, numpy.int32, numpy.uint16):
        assert (pliant.Shape(POSITIONS, TRIANGLES.astype(kind)).triangles == TRIANGLES).all()
    for kind in (numpy.int64, numpy.uint64, numpy.int16, numpy.uint8):
        with pytest.raises(TypeError, match="uint32"):
            pliant.Shape(POSITIONS, TRIANGLES.astype(kind))
        assert (pliant.Shape(POSITIONS, TRIANGLES.astype(kind), copy=True).triangles
                == TRIANGLES).all()
    wrong = TRIANGLES.astype(numpy.int32)
    wrong[3, 1] = -1
    with pytest.raises(pliant.RangeError, match="triangles has -1 in row 3"):
        pliant.Shape(POSITIONS, wrong)
    with pytest.raises(pliant.RangeError, match="vertices has -7 in row 1"):
        pliant.Body(pliant.Shape(POSITIONS, TRIANGLES)).evaluate(numpy.int32([0, -7]))
    with pytest.raises(TypeError, match="triangle must be a whole number, 0 or more, not -2"):
        pliant.Shape(POSITIONS, TRIANGLES).get_triangle(-2)
    with pytest.raises(ValueError, match="triangles has -1, which does not fit"):
        pliant.Shape(POSITIONS, wrong.astype(numpy.int64), copy=True)
    with pytest.raises(TypeError, match="whole numbers"):
        pliant.Shape(POSITIONS, TRIANGLES.astype(float), copy=True)


def test_meshes_of_other_packages():
    class Trimesh:
        vertices, faces = POSITIONS.astype(float), TRIANGLES.astype(numpy.int64)

    class Pyvista:
        points, regular_faces = POSITIONS, TRIANGLES.astype(numpy.int64)

    with pytest.raises(TypeError, match="copy=True"):
        pliant.Shape.from_mesh(Trimesh())
    for mesh in (Trimesh(), Pyvista(), (POSITIONS, TRIANGLES)):
        shape = pliant.Shape.from_mesh(mesh, copy=True)
        assert type(shape) is pliant.Shape and shape.write() == SHAPE.write()
    with pytest.raises(TypeError, match=".vertices"):
        pliant.Shape.from_mesh(42)


@given(st.integers(-40, 40), st.integers(-16, 16), st.integers(0, 60), st.integers(0, 4),
       st.sampled_from(["f4", "f8", "u4", ">f4", "f2"]), st.booleans())
def test_nothing_is_read_out_of_bounds(row, column, rows, columns, kind, copy):
    """Any view of memory is read as numpy reads it, or refused."""
    size = numpy.dtype(kind).itemsize
    memory = numpy.arange(8192, dtype=numpy.uint8)
    memory = (memory % 64).astype(numpy.uint8)
    base = memory[4096:4096 + size].view(kind)
    view = as_strided(base, (rows, columns), (row * 2, column * 2), writeable=False)
    expected = numpy.array(view, numpy.float32)
    triangles = numpy.zeros((1, 3), numpy.uint32)
    try:
        shape = pliant.Shape(view, triangles, copy=copy)
    except (TypeError, ValueError):
        return
    assert columns == 3 and rows > 0
    assert (pliant.Body(shape).evaluate() == expected).all()


@given(st.sampled_from([float("nan"), float("inf"), -float("inf"), 3.4e38, 1e-45, -0.0]),
       st.integers(0, len(POSITIONS) - 1), st.integers(0, 2))
def test_odd_numbers(number, vertex, axis):
    moved = POSITIONS.copy()
    moved[vertex, axis] = number
    body = pliant.Body(SHAPE)
    if numpy.isfinite(moved).all():
        body.set_positions(moved)
        assert len(pliant.collide(body, pliant.Body(SHAPE))) > 0
        return
    with pytest.raises(pliant.NotFiniteError, match=f"vertex {vertex}"):
        body.set_positions(moved)
    body.share_positions(moved)
    try:  # found when it is read
        pliant.collide_self(body)
    except pliant.NotFiniteError:
        with pytest.raises(pliant.StateError):
            pliant.collide_self(body)
    body.set_positions(POSITIONS)
    assert len(pliant.collide(body, pliant.Body(SHAPE))) > 0


def test_huge_arrays():
    one = numpy.zeros((1, 3), numpy.float32)
    huge = as_strided(one, (2**33, 3), (0, 4), writeable=False)
    with pytest.raises((TypeError, ValueError)):
        pliant.Shape(huge, TRIANGLES)
    rows = as_strided(numpy.zeros(3, numpy.uint32), (2**32, 3), (0, 4), writeable=False)
    with pytest.raises((TypeError, ValueError)):
        pliant.Shape(POSITIONS, rows)
    with pytest.raises(pliant.Error):
        pliant.Shape(POSITIONS, numpy.zeros((0, 3), numpy.uint32))


def test_queries_take_arrays_in_the_same_way():
    query, body = pliant.Query(), pliant.Body(SHAPE)
    points = numpy.zeros((3, 3))
    for ask in (query.find_closest_points, query.measure_distances):
        with pytest.raises(TypeError, match="points.astype"):
            ask(body, points)
        assert len(ask(body, points, copy=True)) == 3
        assert len(ask(body, numpy.zeros((0, 3), "f4"))) == 0
    wide = numpy.zeros((3, 9), numpy.float32)
    with pytest.raises(TypeError, match="gaps"):
        query.raycast_many(body, wide[:, :7])
    assert len(query.raycast_many(body, wide[:, :7], copy=True)) == 3
