"""Answers: against triangles compared one by one, and against each other."""
from __future__ import annotations

import math
import pickle

import numpy
import pliant
import pytest
from conftest import ROOT, brute_force, make_sphere


def test_pairs_are_those_of_brute_force(two):
    a, b = two
    contacts = pliant.collide(a, b)
    assert contacts.complete and len(contacts) > 10
    assert contacts.pairs.dtype == numpy.uint32 and contacts.pairs.shape == (len(contacts), 2)
    assert [tuple(p) for p in contacts.pairs.tolist()] == brute_force(pliant, a, b)


def test_answers_own_their_memory(two):
    a, b = two
    query = pliant.Query(a.context)
    pairs = query.collide(a, b).pairs
    kept = pairs.copy()
    b.set_positions(b.evaluate() + numpy.float32(10))
    assert len(query.collide(a, b)) == 0
    assert (pairs == kept).all() and pairs.base is not None


def test_what_is_written_to_an_answer_harms_nobody(two):
    """Arrays may be written to; the pointers behind them cannot be reached."""
    a, b = two
    contacts = pliant.collide(a, b)
    count = len(contacts)
    memoryview(contacts)[:] = bytes([255]) * len(memoryview(contacts))
    assert len(contacts) == count and (contacts.pairs == 0xFFFFFFFF).all()
    with pytest.raises(pliant.RangeError):
        pliant.draw_contacts(a, b, contacts, Drawer())
    model = pliant.load(str(ROOT / "examples/press.0.obj"))
    with pytest.raises(TypeError):
        memoryview(model.asset.get_mesh(0))[0] = 1


def test_segments_separations_and_batches(two):
    a, b = two
    query = pliant.Query(a.context)
    contacts = query.collide(a, b, segments=True, separations=True)
    plain = query.collide(a, b)
    assert plain.segments is None and plain.separations is None
    assert (contacts.pairs == plain.pairs).all()
    assert contacts.normals.shape == (len(contacts), 3) and (contacts.depths >= 0).all()
    for (i, j), segment in list(zip(contacts.pairs, contacts.segments))[:20]:
        found = pliant.triangle_intersect(a.evaluate(a.shape.triangles[i]),
                                          b.evaluate(b.shape.triangles[j]))
        assert found.common == segment["common"] and found.p == tuple(segment["p"])
    batches = []
    answer = query.collide(a, b, callback=batches.append)
    assert answer.count == len(plain) and answer.pairs is None
    together = sorted(tuple(p) for batch in batches for p in batch.pairs.tolist())
    assert together == [tuple(p) for p in plain.pairs.tolist()]
    with pytest.raises(ValueError, match="separations=True"):
        plain.normals


def test_exceptions_of_callbacks_come_out(two):
    a, b = two
    query = pliant.Query(a.context)

    def fail(batch):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        query.collide(a, b, callback=fail)
    assert len(query.collide(a, b)) > 0
    with pytest.raises(pliant.StateError):
        query.collide(a, b, callback=lambda batch: b.set_positions(b.evaluate()))
    with pytest.raises(pliant.StateError):
        query.collide(a, b, callback=lambda batch: query.collide(a, b))


def test_modes_and_first_and_budgets(two):
    a, b = two
    query = pliant.Query(a.context)
    assert len(query.collide(a, b, mode="first")) == 1
    assert len(query.collide(a, b, mode=pliant.CollideMode.FIRST)) == 1
    assert not query.collide(a, b, budget_nodes=1).complete
    with pytest.raises(ValueError, match='there are "all", "first"'):
        query.collide(a, b, mode="last")
    with pytest.raises(TypeError, match="no argument 'speed'"):
        query.collide(a, b, speed=3)


def test_groups(sphere, context):
    positions, triangles = sphere
    groups = (numpy.arange(len(triangles)) % 3).astype(numpy.uint16)
    shape = pliant.Shape(positions, triangles, groups=groups, context=context)
    a, b = pliant.Body(shape), pliant.Body(shape)
    b.set_positions(positions + numpy.float32([1.25, 0, 0.25]))
    every = pliant.collide(a, b).pairs
    some = pliant.collide(a, b, groups_a=[1], groups_b={0, 2}).pairs
    expected = [p for p in every.tolist() if groups[p[0]] == 1 and groups[p[1]] != 1]
    assert some.tolist() == expected and len(expected) > 0
    assert len(pliant.collide(a, b, groups_a=[])) == 0
    assert (shape.groups == groups).all() and shape.get_group(4) == 1


def test_within_and_closest(two):
    a, b = two
    query = pliant.Query(a.context)
    b.set_positions(b.evaluate() + numpy.float32([1, 0, 0]))
    assert len(query.collide(a, b)) == 0
    near = query.find_within(a, b, 0.4)
    assert len(near) > 0 and (near.pairs["gap"]["distance"] <= 0.4 + 1e-9).all()
    one = near.pairs[0]
    gap = pliant.triangle_measure_distance(a.evaluate(a.shape.triangles[one["a"]]),
                                           b.evaluate(b.shape.triangles[one["b"]]))
    assert gap.distance == one["gap"]["distance"]
    points = numpy.float32([[0, 0, 3], [0, 0, 0], [0.1, 0.2, 2]])
    many = query.find_closest_points(a, points)
    assert [c["distance"] for c in many] == [query.find_closest_point(a, p).distance
                                              for p in points]
    signed = query.measure_distances(a, points)
    assert signed["side"].tolist() == [1, -1, 1] and signed["winding"].tolist() == [0, 1, 0]
    assert math.isinf(query.measure_distances(a, points, max_distance=0.5)[0]["distance"])


def test_rays_and_boxes(two):
    a, _ = two
    query = pliant.Query(a.context)
    rays = pliant.make_rays([[0.1, 0.2, 5], [4, 4, 4]], [0, 0, -1])
    hits = query.raycast_many(a, rays)
    assert hits[0]["triangle"] != pliant.NO_TRIANGLE and hits[1]["triangle"] == pliant.NO_TRIANGLE
    assert query.raycast(a, rays[0, :3], rays[0, 3:6]).t == hits[0]["t"]
    every = query.raycast_all(a, rays)
    assert every.starts.tolist() == [0, 2, 2] and len(every.hits) == 2
    assert len(query.overlap_box(a, ((-2, -2, -2), (2, 2, 2)))) == a.shape.triangle_count
    assert len(query.overlap_box(a, ((5, 5, 5), (6, 6, 6)))) == 0


def test_steps(context):
    sphere = make_sphere(4)
    shape = pliant.Shape(*sphere, context=context)
    a, b = pliant.Body(shape), pliant.Body(shape)
    query = pliant.Query(context)
    start = sphere[0] + numpy.float32([3, 0, 0])
    b.set_positions(start)
    a.begin_step()
    b.begin_step()
    b.set_positions(start - numpy.float32([6, 0, 0]))
    assert len(query.collide(a, b)) == 0
    meetings = query.find_meetings(a, b)
    assert len(meetings) > 0 and meetings.times.shape == (len(meetings), 2)
    assert (numpy.diff(meetings.times[:, 0]) >= -1e-12).all()
    free = query.find_free_time(a, b)
    assert 0 < free.time <= meetings.times[0, 1] and free.complete
    first = query.find_meetings(a, b, mode="first")
    assert len(first) == 1 and tuple(first.pairs[0]) == tuple(free.pair)
    advance = query.advance_bodies([a, b])
    assert 0 < advance.time <= free.time and len(query.collide(a, b)) == 0
    a.end_step()
    b.end_step()


def test_kinds_of_bodies(context):
    positions, triangles = make_sphere(6)
    count = len(positions)
    modes = numpy.zeros((2, count, 3), numpy.float32)
    modes[0, :, 0], modes[1, :, 2] = positions[:, 0], 1
    modal = pliant.Body(pliant.Shape(positions, triangles, modes=modes, context=context))
    modal.set_coordinates(numpy.float32([0.5, 2]))
    expected = positions.copy()
    expected[:, 0] *= numpy.float32(1.5)
    expected[:, 2] += 2
    assert numpy.allclose(modal.evaluate(), expected, atol=1e-6)

    rigid = pliant.Body(pliant.Shape(positions, triangles, joint_count=1, context=context))
    matrix = numpy.eye(4, dtype=numpy.float32)
    matrix[:3, 3] = 1, 2, 3
    rigid.set_transforms(matrix[None, :3])
    assert numpy.allclose(rigid.evaluate(), positions + [1, 2, 3])
    rigid.set_matrices(numpy.ascontiguousarray(matrix.T)[None])
    assert numpy.allclose(rigid.evaluate(), positions + [1, 2, 3])
    rigid.set_world([[1, 0, 0, 10], [0, 1, 0, 0], [0, 0, 1, 0]])
    assert numpy.allclose(rigid.evaluate(), positions + [11, 2, 3])
    rigid.set_world(None)

    offsets = numpy.arange(count + 1, dtype=numpy.uint32)
    joints = (positions[:, 2] > 0).astype(numpy.uint32)
    skinned = pliant.Shape(positions, triangles, influence_offsets=offsets,
                           influence_joints=joints, influence_weights=numpy.ones(count, "f4"),
                           context=context)
    slots = pliant.Shape(positions, triangles, joint_count=2,
                         slot_joints=joints.astype(numpy.uint8)[:, None],
                         slot_weights=numpy.full((count, 1), 255, numpy.uint8), context=context)
    both = numpy.stack([numpy.eye(4, dtype=numpy.float32), matrix])[:, :3]
    for shape in (skinned, slots):
        assert shape.joint_count == 2
        body = pliant.Body(shape)
        body.set_transforms(both)
        moved = positions + joints[:, None] * numpy.float32([1, 2, 3])
        assert numpy.allclose(body.evaluate(), moved)
    sparse = pliant.Shape(positions, triangles, modes=numpy.float32([[0, 0, 1]]),
                          mode_offsets=numpy.uint32([0, 1]), mode_vertices=numpy.uint32([3]),
                          context=context)
    body = pliant.Body(sparse)
    body.set_coordinates(numpy.float32([2]))
    assert numpy.allclose((body.evaluate() - positions)[3], [0, 0, 2])


def test_contours_and_volumes(two):
    a, b = two
    contours = pliant.Contours(a.context)
    found = contours.find(a, b, gradients=True)
    assert len(found) == 1 and found.length > 0
    assert found.vertex_regions[0].shape == (a.shape.vertex_count,)
    assert found.gradients[1].shape == (b.shape.vertex_count, 3)
    again = contours.find(a, b, pairs=pliant.collide(a, b).pairs)
    assert again.length == found.length and contours.stats.pairs == found.pair_count
    volume = pliant.Volume(a.context)
    common = volume.intersect(a, b, gradients=True, spans=True)
    assert common.least <= common.volume <= common.most
    assert len(common.spans) > 0 and len(common.vertices[0]) > 0
    whole = volume.measure_body(a)
    assert 3.5 < whole.volume < 4 * math.pi / 3
    answers, sampling = volume.locate_points(a, numpy.float32([[0, 0, 0], [2, 2, 2]]))
    assert answers["winding"].tolist() == [1, 0] and sampling.error > 0


def test_proxies(context):
    positions, triangles = make_sphere(10)
    shape = pliant.Shape(positions, triangles, proxy_triangles=16, context=context)
    a, b = pliant.Body(shape), pliant.Body(shape)
    b.set_positions(positions + numpy.float32([1.25, 0.5, 0]))
    found = pliant.Query(context).collide_proxies(a, b)
    assert len(found.contacts) > 0 and found.complete
    proxies = shape.proxies
    listed = sorted(t for p in proxies for t in shape.get_proxy_triangles(p).tolist())
    assert listed == list(range(len(triangles)))
    assert 0 <= shape.get_proxy_vertex(proxies[0]) < len(positions)


def test_blocks_and_pickle(sphere, two, tmp_path):
    shape = two[0].shape
    block = shape.write()
    assert pliant.Shape.read(block).write() == block
    assert pickle.loads(pickle.dumps(shape)).write() == block
    aligned = numpy.zeros(len(block) + 64, numpy.uint8)
    at = -aligned.ctypes.data % 64
    aligned[at:at + len(block)] = numpy.frombuffer(block, numpy.uint8)
    borrowed = pliant.Shape.borrow(aligned[at:at + len(block)])
    borrowed.validate()
    body = pliant.Body(borrowed)
    del borrowed
    assert len(pliant.collide(body, pliant.Body(pliant.Shape(*sphere)))) > 0
    with pytest.raises(pliant.DataError):
        pliant.Shape.read(block[:100])
    with pytest.raises(pliant.ArgumentError):
        pliant.Shape.borrow(aligned[at + 4:])


def test_plain_functions():
    assert pliant.orient3d((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)) == 1
    a = numpy.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert pliant.triangle_overlap(a, a + numpy.float32(0.25)) is False
    assert pliant.triangle_raycast(a, (0.25, 0.25, 1), (0, 0, -1)) == 1.0
    assert pliant.triangle_raycast(a, (5, 5, 1), (0, 0, -1)) is None
    assert pliant.triangle_find_closest_point(a, (0, 0, 2)) == (2.0, (0.0, 0.0, 0.0))
    up = [[c, c + numpy.float32([0, 0, 2])] for c in a]
    still = [[c + numpy.float32([0, 0, 1])] * 2 for c in a]
    meeting = pliant.moving_triangle_meet(up, still)
    assert meeting.time.low <= 0.5 <= meeting.time.high
    assert pliant.moving_triangle_meet(up, still, distance=0.5).time.low < 0.5
    assert pliant.moving_point_meet(up[0], still).low <= 0.5
    assert pliant.moving_edge_meet(up[:2], still[:2]) is not None
    offsets, joints, weights = pliant.attach_vertices(a, a[:2], numpy.float32([2, 2]))
    assert offsets.tolist() == [0, 2, 4, 6] and numpy.allclose(weights[:2].sum(), 1)
    transform = pliant.compute_joint_transform((0, 0, 0), (1, 2, 3), [[0] * 3] * 3)
    assert transform[:, 3].tolist() == [1, 2, 3]
    with pytest.raises(TypeError, match="float32"):
        pliant.triangle_overlap(a.astype(float), a)


class Drawer:
    def __init__(self):
        self.drawn = []

    def draw_triangle(self, item, corners):
        self.drawn.append((item.kind, corners))


def test_bounds_and_drawing(two):
    a, b = two
    query = pliant.Query(a.context)
    bounds = []
    query.visit_bounds(a, lambda bound: bounds.append(bound), refresh=True)
    assert bounds[0].level == 0 and bounds[0].triangle_count == a.shape.triangle_count

    drawer = Drawer()
    query.draw_body(a, drawer)
    assert len(drawer.drawn) == a.shape.triangle_count
    drawer = Drawer()
    pliant.draw_contacts(a, b, query.collide(a, b), drawer)
    assert {kind for kind, _ in drawer.drawn} == {pliant.DrawKind.TOUCHING_TRIANGLE}


def test_a_page_of_contacts(two, tmp_path):
    contacts = pliant.collide(*two)
    path = contacts.show(str(tmp_path / "contacts.html"))
    assert "<html" in open(path).read()[:200].lower()
    assert contacts._repr_html_().startswith("<iframe")
