"""Every parameter of every described call, given values that it cannot have: an exception that names it,
and objects that answer as before. The table is made from interface/queries.toml and the headers."""
from __future__ import annotations

import math
import sys

import numpy
import pliant
import pytest
from conftest import ROOT, make_sphere

sys.path.insert(0, str(ROOT / "interface"))
import calls  # noqa: E402
import described  # noqa: E402
import headers  # noqa: E402
import python_methods  # noqa: E402
import python_types  # noqa: E402

OWNERS = {"pliant_asset": "asset", "pliant_asset_pose": "pose", "pliant_context": "context", "pliant_contours": "contours",
          "pliant_query": "query", "pliant_scene": "scene", "pliant_shape": "shape",
          "pliant_volume": "volume"}
NUMBERED = {"asset_get_mesh", "asset_get_body", "asset_get_clip", "shape_get_triangle", "shape_get_group",
            "asset_pose_sample"}
NAN, HUGE = math.nan, 2**70
ALLOWED = {("triangle_raycast", "t_max", "-1.0"), ("sample", "time", "-1.0")}  # no ray; the first moment
POSITIONS, TRIANGLES = make_sphere(4)


def read_description():
    items = headers.read(ROOT / "include/pliant")
    path = ROOT / "interface/queries.toml"
    queries, results = described.read(path, items)
    api = python_types.Interface(items, results, {})
    called = calls.Calls(items, queries, results, *described.read_calls(path))
    return api, python_methods.Methods(api, called.all).all


API, METHODS = read_description()
METHODS = [method for method in METHODS if method.parameters]


class World:
    """Objects that every call can be made of."""

    def __init__(self):
        self.context = pliant.Context()
        self.shape = pliant.Shape(POSITIONS, TRIANGLES, context=self.context, proxy_triangles=8)
        self.a, self.b = pliant.Body(self.shape), pliant.Body(self.shape)
        self.b.set_positions(POSITIONS + numpy.float32([1.25, 0.125, 0.25]))
        for body in (self.a, self.b):
            body.begin_step()
        self.query, self.contours = pliant.Query(self.context), pliant.Contours(self.context)
        self.volume, self.scene = pliant.Volume(self.context), pliant.Scene(self.context)
        for i in range(2):
            member = pliant.Body(self.shape)
            member.set_positions(POSITIONS + numpy.float32([0.5 * i, 0, 0]))
            member.begin_step()
            self.scene.add(member)
        modal = pliant.Shape(POSITIONS, TRIANGLES, modes=POSITIONS[None], context=self.context)
        self.modal = pliant.Body(modal)
        rigid = pliant.Shape(POSITIONS, TRIANGLES, joint_count=1, context=self.context)
        self.rigid = pliant.Body(rigid)
        self.gone, self.foreign = pliant.Body(self.shape), pliant.Body(pliant.Shape(POSITIONS, TRIANGLES))
        self.gone.destroy()
        self.foreign_scene = pliant.Scene(pliant.Context())
        self.asset = pliant.Asset(str(ROOT / "examples/character.gltf"))
        self.pose = pliant.Pose(self.asset)

    def owner_of(self, method):
        if not method.call.owner:
            return pliant
        if method.call.owner == "pliant_body":
            moved = {"set_coordinates": self.modal, "set_update": self.a, "set_positions": self.a}
            return moved.get(method.name, self.rigid)
        return getattr(self, OWNERS[method.call.owner])

    def value_of(self, method, one):
        """A value that the parameter may have."""
        if one.kind == "BODY":
            return self.b if one.name == "b" else self.a
        if one.kind == "FOUND":
            return self.scene.collide() if method.call.owner else self.query.collide(self.a, self.b)
        rows = {"rays": [[0, 0, 5, 0, 0, -1, 9]], "points": [[0, 0, 3]], "coordinates": [0.5],
                "positions": POSITIONS, "transforms": numpy.eye(4)[None, :3], "matrices": numpy.eye(4)[None]}
        numbers = {"origin": [0, 0, 5], "direction": [0, 0, -1], "point": [0, 0, 3], "box": [[0] * 3, [1] * 3],
                   "matrix": numpy.eye(4)}
        return {"BODIES": [self.a, self.b], "SCENE": self.scene, "DRAWER": Drawer(), "FUNCTION": print_nothing,
                "ENUM": 0, "UINT32": 0, "DOUBLE": 0.5, "BOOL": False,
                "ARRAY": numpy.float32(rows.get(one.name, [])),
                "FLOAT": 0.125 if one.numbers == 1 else
                numpy.float32(numbers.get(one.name, numpy.arange(one.numbers) % 7))}[one.kind]


class Drawer:
    def draw_triangle(self, item, corners):
        pass


def print_nothing(*given):
    return True


def array_misuses(one, value):
    width = one.numbers or 1
    kind = numpy.uint32 if "u4" in one.formats else numpy.float32
    shape = (2, width) if one.numbers else (2,)
    yield from (5, "text", object(), [[1.0]], numpy.zeros(shape, numpy.float64), numpy.zeros((2, width + 1), kind),
                numpy.zeros((2, width - 1), kind) if width > 1 else numpy.zeros((2, 2), kind),
                numpy.zeros(2 * width, kind) if one.numbers else numpy.zeros((), kind),
                numpy.ma.masked_array(numpy.zeros(shape, kind)))
    if kind == numpy.float32:
        wrong = numpy.array(value if len(value) else numpy.zeros(shape, kind))
        wrong[(0,) * wrong.ndim] = NAN
        yield wrong
    else:
        yield numpy.full(shape, 2**31, kind)
        yield numpy.full(shape, -1, numpy.int32)


def misuses(world, one, value):
    """Values that the parameter cannot have."""
    if one.kind == "ARRAY":
        return array_misuses(one, value)
    if one.kind == "FLOAT" and one.numbers > 1:
        short = numpy.zeros(one.numbers - 1, numpy.float32)
        wrong = numpy.float32(value).copy()
        wrong.flat[0] = NAN
        return [5, None, "text", object(), short, numpy.zeros(one.numbers + 1, numpy.float32), [],
                short.tolist(), ["a"] * one.numbers, numpy.zeros(one.numbers), [2.0**200] * one.numbers, wrong]
    scalars = {
        "FLOAT": ["text", NAN, 1e300, -1.0, object(), [], 1j],
        "DOUBLE": ["text", NAN, -1.0, object(), [], 1j]}
    return scalars.get(one.kind) or {
        "BODY": [5, None, "text", world.shape, world.query, [world.a], world.gone, world.foreign],
        "BODIES": [5, None, "text", world.a, [5], [world.a, None], [world.gone], [world.a, world.foreign]],
        "SCENE": [5, None, "text", world.a, world.foreign_scene],
        "FOUND": [5, None, "text", world.a, numpy.zeros(3), world.query.find_within(world.a, world.b, 0.1)],
        "DRAWER": [5, None, "text"],
        "FUNCTION": [5, "text", object()],
        "GROUPS": [5, 0.5, object(), [0.5], [-1], [65536], [HUGE], ["a"], [NAN], [None]],
        "STRUCT": [5, "text", [1, 2], [[0] * 3] * 3, object(), [[NAN] * 3] * 2],
        "TEXT": [5, object(), "zero\0", []],
        "GROUP_SETS": [5, object(), [], [[1]], [None] * 3, [5, 5], [[-1], None], [[0.5], None], [[65536], None]],
        "BOOL": ["text", 0.5, NAN, 2, -1, HUGE, object(), []],
        "ENUM": ["nothing", 99, -1, 0.5, NAN, HUGE, object(), []],
        "UINT32": ["text", 0.5, NAN, -1, HUGE, 2**32, object(), []],
        "UINT64": ["text", 0.5, NAN, -1, HUGE, object(), []]}[one.kind]


def call(world, method, **changed):
    """Calls a method; parameters that are not required are left out unless they are changed."""
    given = {one.name: world.value_of(method, one) for one in method.parameters[:method.required]}
    given.update(changed)
    return getattr(world.owner_of(method), method.name)(**given)


def plain(result):
    """A result, to compare it: a text."""
    if isinstance(result, numpy.ndarray):
        return result.tobytes()
    if isinstance(result, pliant._core.Answer):
        return [plain(getattr(result, name)) for name in dir(result)
                if not name.startswith(("_", "bodies_asked")) and name not in ("normals", "depths", "points", "page")
                and not callable(getattr(result, name))]
    return repr(result)


def names(one, error):
    """Returns true if a sentence names the parameter, or a row of it."""
    rows = {"matrices": "transform", "matrix": "transform", "positions": "vertex", "vertices": "vertex",
            "joint_positions": "joint", "joint_radii": "joint"}.get(one.name, one.name.removesuffix("s"))
    return one.name in str(error) or rows in str(error)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.call.function.removeprefix("pliant_"))
def test_misuse(method):
    world = World()
    expected = plain(call(world, method))
    wrong = []
    for one in method.parameters:
        known = world.value_of(method, one) if one.kind in ("ARRAY", "FLOAT") else None
        values = list(misuses(world, one, known))
        if one.kind == "UINT32" and method.call.function.removeprefix("pliant_") in NUMBERED:
            values += [1000, 2**31]
        for value in values:
            if (method.name, one.name, repr(value)) in ALLOWED:
                continue
            try:
                call(world, method, **{one.name: value})
                wrong.append((one.name, value, "no exception"))
            except (TypeError, ValueError, IndexError, pliant.Error) as error:
                if value is world.gone or isinstance(value, list) and world.gone in value:
                    continue  # named by what it is
                if not names(one, error):
                    wrong.append((one.name, value, error))
    assert not wrong, "\n".join(f"{name} = {value!r}: {error!r}" for name, value, error in wrong)
    assert plain(call(world, method)) == expected


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.call.function.removeprefix("pliant_"))
def test_names_and_counts(method):
    world = World()
    owner = world.owner_of(method)
    given = [world.value_of(method, one) for one in method.parameters[:method.required]]
    with pytest.raises(TypeError, match="has no argument 'nonsense'; there are: " + method.parameters[0].name):
        call(world, method, nonsense=1)
    with pytest.raises(TypeError, match="by their places"):
        getattr(owner, method.name)(*given, *[None] * (method.positional - method.required + 1))
    for i, one in enumerate(method.parameters[:method.required]):
        with pytest.raises(TypeError, match=f"needs '{one.name}'"):
            getattr(owner, method.name)(*given[:i])
        with pytest.raises(TypeError, match=f"'{one.name}' twice"):
            getattr(owner, method.name)(*given, **{one.name: given[i]})


ARRAYS = {
    "positions": POSITIONS, "triangles": TRIANGLES, "groups": numpy.zeros(len(TRIANGLES), numpy.uint16),
    "modes": numpy.stack([POSITIONS] * 2), "mode_offsets": numpy.uint32([0, 1, 2]),
    "mode_vertices": numpy.uint32([1, 2]),
    "influence_offsets": numpy.arange(len(POSITIONS) + 1, dtype=numpy.uint32),
    "influence_joints": numpy.zeros(len(POSITIONS), numpy.uint32),
    "influence_weights": numpy.ones(len(POSITIONS), numpy.float32),
    "slot_joints": numpy.zeros((len(POSITIONS), 2), numpy.uint16),
    "slot_weights": numpy.full((len(POSITIONS), 2), 0.5, numpy.float32)}
TOGETHER = [("positions", "triangles", "groups"), ("modes",), ("mode_offsets", "mode_vertices"),
            ("influence_offsets", "influence_joints", "influence_weights"), ("slot_joints", "slot_weights")]


@pytest.mark.parametrize("together", TOGETHER, ids=", ".join)
def test_misuse_of_the_arrays_of_shapes(together):
    """Wrong types, too short, too long, of other dimensions, without the others: named, or one of the others."""
    given = {name: ARRAYS[name] for name in ("positions", "triangles", *together)}
    if "mode_offsets" in together:
        given["modes"] = POSITIONS[:2]
    if "slot_joints" in together:
        given["joint_count"] = 1
    expected = pliant.Shape(**given).write()
    wrong = []
    for name in together:
        value = ARRAYS[name]
        flat = value.ravel()
        values = [5, "text", object(), value[:-1].copy(), numpy.concatenate([value, value[:1]]), flat[: len(flat) // 2],
                  value.astype(complex), value.astype(numpy.int8), value[..., None, None, None], value[:0],
                  numpy.ma.masked_array(value), value.astype(value.dtype.newbyteorder())]
        if value.ndim == 2:
            values += [value[:, :1].copy(), numpy.concatenate([value, value], axis=1), flat]
        if name in ("positions", "modes", "triangles", "mode_offsets"):  # another number of them is as good
            values = [one for one in values if not isinstance(one, numpy.ndarray) or one.dtype != value.dtype or
                      one.shape[1:] != value.shape[1:] or name == "positions" and len(one) < len(value)]
        if len(together) > 1 and name != "groups":
            values.append(None)
        for one in values:
            for copy in (False, True):
                if copy and isinstance(one, numpy.ndarray) and one.shape == value.shape and one.dtype.kind != "c":
                    continue
                try:
                    pliant.Shape(**{**given, name: one, "copy": copy})
                    wrong.append((name, one, "no exception"))
                except (TypeError, ValueError, pliant.Error) as error:
                    if not any(other in str(error) for other in (*together, "modes")) and "vert" not in str(error):
                        wrong.append((name, one, error))
    assert not wrong, "\n".join(f"{name} = {getattr(value, 'shape', '')} {getattr(value, 'dtype', value)}: {error!r}"
                                for name, value, error in wrong)
    assert pliant.Shape(**given).write() == expected


DEFINITIONS = {
    "pliant_shape_def": lambda world, **given: pliant.Shape(POSITIONS, TRIANGLES, context=world.context, **given),
    "pliant_body_def": lambda world, **given: pliant.Body(world.shape, **given),
    "pliant_scene_def": lambda world, **given: pliant.Scene(world.context, **given),
    "pliant_member_def": lambda world, **given: world.scene.add(pliant.Body(world.shape), **given),
    "pliant_asset_def": lambda world, **given: pliant.Asset(str(ROOT / "examples/press.0.obj"), **given)}


@pytest.mark.parametrize("struct", DEFINITIONS)
def test_misuse_of_definitions(struct):
    world = World()
    expected = plain(world.scene.collide())
    wrong = []
    for field in API.fields(struct):
        one = python_methods.Parameter(field["name"], field["kind"], "", "")
        for value in misuses(world, one, None):
            try:
                DEFINITIONS[struct](world, **{one.name: value})
                wrong.append((one.name, value, "no exception"))
            except (TypeError, ValueError, pliant.Error) as error:
                if not names(one, error):
                    wrong.append((one.name, value, error))
    assert not wrong, "\n".join(f"{name} = {value!r}: {error!r}" for name, value, error in wrong)
    assert plain(world.scene.collide()) == expected


# Calls that are written by hand: how they are made, and their arrays with the numbers per row.
BY_HAND = {
    "set_state": (lambda world, **given: world.a.set_state(**given), {"positions": 3}),
    "set_state_modal": (lambda world, **given: world.modal.set_state(**given), {"coordinates": 0}),
    "set_state_rigid": (lambda world, **given: world.rigid.set_state(**given), {"transforms": 12}),
    "set_states": (lambda world, **given: world.scene.set_states([(world.scene.bodies[0], given)]), {"positions": 3}),
    "tear": (lambda world, **given: pliant.Body(world.shape).tear(**given), {"removed": 0, "split": 0, "corners": 2}),
    "evaluate": (lambda world, **given: world.a.evaluate(**given), {"vertices": 0}),
    "attach_vertices": (
        lambda world, **given: pliant.attach_vertices(**{"positions": POSITIONS, "joint_positions": POSITIONS[:2],
                                                         "joint_radii": numpy.float32([9, 9]), **given}),
        {"positions": 3, "joint_positions": 3, "joint_radii": 0})}


@pytest.mark.parametrize("name", BY_HAND)
def test_misuse_of_arrays(name):
    world = World()
    make, arrays = BY_HAND[name]
    expected = plain(world.scene.collide()), plain(world.query.collide(world.a, world.b))
    wrong = []
    for array, numbers in arrays.items():
        is_index = array in ("removed", "split", "corners", "vertices")
        one = python_methods.Parameter(array, "ARRAY", "", "", numbers=numbers,
                                       formats="u4 i4" if is_index else "f4")
        value = numpy.zeros((2, numbers) if numbers else 2, numpy.uint32 if is_index else numpy.float32)
        for bad in array_misuses(one, value):
            try:
                make(world, **{array: bad})
                wrong.append((array, bad, "no exception"))
            except (TypeError, ValueError, pliant.Error) as error:
                if not names(one, error):
                    wrong.append((array, bad, error))
    assert not wrong, "\n".join(f"{name} = {value!r}: {error!r}" for name, value, error in wrong)
    assert expected == (plain(world.scene.collide()), plain(world.query.collide(world.a, world.b)))


FLAT, MOVING = numpy.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), numpy.zeros((3, 2, 3), numpy.float32)
PLAIN = {
    "triangle_separate": {"a": FLAT, "b": FLAT, "towards": FLAT[1], "enough": 0.5},
    "triangle_compare_hits": {"a": FLAT, "b": FLAT, "origin": numpy.float32([0.25, 0.25, 1]),
                              "direction": numpy.float32([0, 0, -1])},
    "moving_triangle_meet": {"a": MOVING, "b": MOVING, "distance": 0.5},
    "compute_joint_transform": {"reference": FLAT[0], "displacement": FLAT[0], "gradient": FLAT}}


@pytest.mark.parametrize("name", PLAIN)
def test_misuse_of_numbers(name):
    given, wrong = PLAIN[name], []
    expected = plain(getattr(pliant, name)(**given))
    for parameter, value in given.items():
        one = python_methods.Parameter(parameter, "FLOAT", "", "", numbers=numpy.size(value))
        for bad in misuses(None, one, value):
            if bad is None and parameter in ("towards", "distance", "enough") or parameter == "enough" and bad == -1.0:
                continue
            try:
                getattr(pliant, name)(**{**given, parameter: bad})
                wrong.append((parameter, bad, "no exception"))
            except (TypeError, ValueError, pliant.Error) as error:
                if not names(one, error):
                    wrong.append((parameter, bad, error))
    assert not wrong, "\n".join(f"{name} = {value!r}: {error!r}" for name, value, error in wrong)
    assert plain(getattr(pliant, name)(**given)) == expected
