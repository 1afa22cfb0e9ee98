"""Bodies of Blender's objects, and their states frame by frame."""
from __future__ import annotations

import numpy
import pliant

from .ways import Quiet, find_way

# A face attribute that tells, while frames are gone through, which faces of the object's own mesh
# the faces behind its modifiers come from.
ORIGIN = "pliant_origin"


class CheckError(Exception):
    """What is wrong, in a sentence."""


def make_body(obj, context):
    """A body of an object: an object of one of the classes below."""
    way = find_way(obj)
    return (Evaluated if way.kind == "meshes" else Direct)(obj, way, context)


def _read(collection, name, kind, columns=1):
    values = numpy.empty(len(collection) * columns, kind)
    collection.foreach_get(name, values)
    return values.reshape(-1, columns) if columns > 1 else values


def _triangles(mesh):
    """Triangles, and the face of each."""
    mesh.calc_loop_triangles()
    return (_read(mesh.loop_triangles, "vertices", numpy.int32, 3),
            _read(mesh.loop_triangles, "polygon_index", numpy.int32))


def _rows(matrices):
    """What set_transforms() takes, of 4 x 4 matrices."""
    return numpy.ascontiguousarray(numpy.asarray(matrices)[:, :3], numpy.float32)


class Direct:
    """Moved by its transform, its shape keys and the bones of an armature: no vertex is evaluated
    but where triangles may touch."""

    def __init__(self, obj, way, context) -> None:
        self.object, self.way = obj, way
        mesh = obj.data
        keys = mesh.shape_keys
        triangles, self.faces = _triangles(mesh)
        self.face_count = len(mesh.polygons)
        self.body = None
        if len(triangles) == 0:
            return
        positions = _read(keys.reference_key.data if keys else mesh.vertices, "co", "f4", 3)
        settings = {"joint_count": 1}
        self.keys = []
        if keys is not None:
            settings.update(self._read_keys(obj, keys))
        if way.kind == "bones":
            settings.update(self._read_weights(obj, way.modifier.object))
        shape = pliant.Shape(positions, triangles, context=context, **settings)
        self.body = pliant.Body(shape, user=obj.name)
        self.quiet = Quiet(obj, way)

    def _read_keys(self, obj, keys):
        modes = []
        for number, block in enumerate(keys.key_blocks):
            if block == keys.reference_key:
                continue
            field = (_read(block.data, "co", "f4", 3).astype("f8") -
                     _read(block.relative_key.data, "co", "f4", 3))
            group = obj.vertex_groups.get(block.vertex_group) if block.vertex_group else None
            if group is not None:
                weights = [next((g.weight for g in vertex.groups if g.group == group.index), 0.0)
                           for vertex in obj.data.vertices]
                field *= numpy.array(weights)[:, None]
            modes.append(field)
            self.keys.append(number)
        return {"modes": numpy.array(modes, "f4")} if modes else {}

    def _read_weights(self, obj, armature):
        """Which bones move a vertex, and how much; the last joint moves those that none does."""
        bones = armature.data.bones
        names = [group.name for group in obj.vertex_groups
                 if group.name in bones and bones[group.name].use_deform]
        rows = armature.pose.bones.keys()
        self.rows = numpy.array([rows.index(name) for name in names], int)
        self.into_rest = numpy.linalg.inv(
            numpy.array([bones[name].matrix_local for name in names], "f8").reshape(-1, 4, 4))
        joints = numpy.full(len(obj.vertex_groups), -1)
        joints[[obj.vertex_groups[name].index for name in names]] = range(len(names))
        count = len(obj.data.vertices)
        given = [(vertex.index, g.group, g.weight) for vertex in obj.data.vertices
                 for g in vertex.groups if g.group < len(joints)]
        vertices, groups, weights = (numpy.array(given, "f8").reshape(-1, 3).T if given
                                     else numpy.zeros((3, 0)))
        vertices, numbers = vertices.astype(int), joints[groups.astype(int)]
        moved = (numbers >= 0) & (weights > 0.0)
        moved &= numpy.bincount(vertices[moved], weights[moved], count)[vertices] > 1e-4  # as Blender
        others = numpy.setdiff1d(numpy.arange(count), vertices[moved])
        vertices = numpy.concatenate([vertices[moved], others])
        order = numpy.argsort(vertices, kind="stable")
        numbers = numpy.concatenate([numbers[moved], numpy.full(len(others), len(names))])[order]
        weights = numpy.concatenate([weights[moved], numpy.ones(len(others))])[order]
        return {"joint_count": len(names) + 1, "influence_joints": numbers.astype("u4"),
                "influence_weights": weights.astype("f4"),
                "influence_offsets": numpy.searchsorted(
                    vertices[order], numpy.arange(count + 1)).astype("u4")}

    def update(self, depsgraph):
        """Sets the body to the current frame. Returns it, or None where it has no triangles."""
        if self.body is None:
            return None
        world = numpy.array(self.object.evaluated_get(depsgraph).matrix_world, "f8")
        state = {"transforms": _rows([world])}
        if self.keys:
            blocks = self.object.data.shape_keys.evaluated_get(depsgraph).key_blocks
            state["coordinates"] = numpy.array(
                [0.0 if blocks[number].mute else blocks[number].value for number in self.keys], "f4")
        if self.way.kind == "bones":
            state["transforms"] = self._pose(depsgraph, world)
        self.body.set_state(**state)
        return self.body

    def _pose(self, depsgraph, world):
        armature = self.way.modifier.object.evaluated_get(depsgraph)
        place = numpy.array(armature.matrix_world, "f8")
        if numpy.linalg.det(place[:3, :3]) == 0.0:
            raise CheckError(f"the armature {armature.name} has a scale of 0")
        pose = armature.pose.bones
        moved = _read(pose, "matrix", "f4", 16).reshape(-1, 4, 4).transpose(0, 2, 1)[self.rows]
        matrices = place @ moved @ self.into_rest @ numpy.linalg.inv(place) @ world
        return _rows([*matrices, world])

    def restore(self) -> None:
        if self.body is not None:
            self.quiet.restore()


class Evaluated:
    """Moved by the meshes that Blender evaluates. While faces stay the same, so do triangles: which
    diagonal cuts a face is decided once."""

    def __init__(self, obj, way, context) -> None:
        self.object, self.way, self.context = obj, way, context
        self.body = self.faces = self.topology = None
        self.face_count = 0
        self.tagged = False
        mesh = obj.data
        if obj.type == "MESH":
            self.face_count = len(mesh.polygons)
            if mesh.library is None and self.face_count > 0:
                if ORIGIN in mesh.attributes:
                    mesh.attributes.remove(mesh.attributes[ORIGIN])
                tag = mesh.attributes.new(ORIGIN, "INT", "FACE")
                tag.data.foreach_set("value", numpy.arange(self.face_count, dtype=numpy.int32))
                self.tagged = True

    def update(self, depsgraph):
        """As above; a new body where faces have changed."""
        evaluated = self.object.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        if mesh is None:
            self.body = self.topology = None
            return None
        try:
            positions = _read(mesh.vertices, "co", "f4", 3)
            topology = (len(positions), _read(mesh.loops, "vertex_index", numpy.int32).tobytes(),
                        _read(mesh.polygons, "loop_total", numpy.int32).tobytes())
            if topology != self.topology:
                self._make(mesh, positions)
                self.topology = topology
        finally:
            evaluated.to_mesh_clear()
        if self.body is not None:
            self.body.set_state(positions=positions, shares_positions=True,
                                transforms=_rows([evaluated.matrix_world]))
        return self.body

    def _make(self, mesh, positions):
        triangles, faces = _triangles(mesh)
        self.body = None
        if len(triangles) == 0:
            return
        origin = mesh.attributes.get(ORIGIN)
        if origin is not None and origin.domain == "FACE":
            self.faces = _read(origin.data, "value", numpy.int32)[faces]
        else:  # the modifiers make faces that come from none
            self.faces = None
        shape = pliant.Shape(positions, triangles, joint_count=1, context=self.context)
        self.body = pliant.Body(shape, user=self.object.name)

    def restore(self) -> None:
        mesh = self.object.data
        if self.tagged and ORIGIN in mesh.attributes:
            mesh.attributes.remove(mesh.attributes[ORIGIN])
        self.tagged = False
