"""The add-on in Blender without windows:

    blender --background --factory-startup --python-exit-code 1 --python tests/test_addon.py

Where PLIANT_ADDON is set, that archive is installed as a user would; else the folder is used.
"""
from __future__ import annotations

import math
import os
import pathlib
import sys
import types
import unittest

import addon_utils
import bpy
import numpy

HERE = pathlib.Path(__file__).resolve().parent
ARCHIVE = os.environ.get("PLIANT_ADDON")
if ARCHIVE:
    bpy.ops.preferences.addon_install(filepath=ARCHIVE, overwrite=True)
else:
    sys.path.insert(0, str(HERE.parent))
addon_utils.enable("pliant_check", default_set=True)
import pliant  # noqa: E402: the add-on may have brought it
import pliant_check  # noqa: E402
from pliant_check import bodies, checking, panel, results, ways  # noqa: E402


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon_utils.enable("pliant_check", default_set=True)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 11


def make_object(name, positions, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(map(float, p)) for p in positions], [], faces)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def make_tube(name, rings=13, around=12, height=4.0, radius=0.5):
    """A closed tube along z, of quads and two polygons."""
    points = [(radius * math.cos(2 * math.pi * j / around), radius * math.sin(2 * math.pi * j / around),
               height * i / (rings - 1)) for i in range(rings) for j in range(around)]
    faces = [(i * around + j, i * around + (j + 1) % around, (i + 1) * around + (j + 1) % around,
              (i + 1) * around + j) for i in range(rings - 1) for j in range(around)]
    faces += [tuple(reversed(range(around))), tuple((rings - 1) * around + j for j in range(around))]
    return make_object(name, points, faces)


def key(owner, path, values, index=-1):
    """Sets a property, or one of its numbers, in frames that follow each other."""
    for frame, value in values.items():
        if index >= 0:
            getattr(owner, path)[index] = value
        else:
            setattr(owner, path, value)
        owner.keyframe_insert(path, index=index, frame=frame)


def make_limb(name="limb", place=(0.0, 0.0, 0.0)):
    """A tube with three bones, whose weights do not add up to 1, and a ring that no bone moves."""
    tube = make_tube(name)
    data = bpy.data.armatures.new(name + " bones")
    armature = bpy.data.objects.new(name + " bones", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for i in range(3):
        bone = data.edit_bones.new(f"bone {i}")
        bone.head, bone.tail = (0, 0.01 * i, 4 / 3 * i), (0, 0.01 * (i + 1), 4 / 3 * (i + 1))
        bone.parent, parent = parent, bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for i in range(3):
        group = tube.vertex_groups.new(name=f"bone {i}")
        for vertex in tube.data.vertices:
            weight = max(0.0, 1.0 - abs(vertex.co.z - (4 / 3 * i + 2 / 3)) / 1.5)
            if weight > 0.0 and vertex.co.z > 0.1:
                group.add([vertex.index], 0.7 * weight, "REPLACE")
    tube.vertex_groups.new(name="no bone").add([0, 1, 2, 50], 1.0, "REPLACE")
    modifier = tube.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    armature.location, armature.scale = place, (1.0, 1.2, 0.9)
    armature.rotation_euler = (0.1, 0.2, 0.3)
    tube.location = (place[0] + 0.05, place[1] - 0.02, place[2])
    for i, bone in enumerate(armature.pose.bones):
        bone.rotation_mode = "XYZ"
        key(bone, "rotation_euler", {1: 0.0, 11: 0.5 + 0.2 * i}, 0)
    key(armature, "location", {1: place[0], 11: place[0] + 0.5}, 0)
    return tube, armature


def add_keys(obj):
    """Shape keys: one relative to another, one within a vertex group, one that is muted."""
    obj.shape_key_add(name="Basis")
    random = numpy.random.default_rng(3)
    for name in ("one", "two", "three", "four"):
        block = obj.shape_key_add(name=name)
        for point in block.data:
            point.co = [c + 0.1 * r for c, r in zip(point.co, random.standard_normal(3))]
    blocks = obj.data.shape_keys.key_blocks
    blocks["two"].relative_key = blocks["one"]
    blocks["three"].vertex_group = "some"
    obj.vertex_groups.new(name="some").add(range(0, len(obj.data.vertices), 3), 0.6, "REPLACE")
    blocks["four"].mute = True
    for i, name in enumerate(("one", "two", "three", "four")):
        key(blocks[name], "value", {1: 0.1 * i, 11: 1.0 - 0.1 * i})


def select(*objects):
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0] if objects else None


def run_check(*objects, **settings):
    select(*objects)
    check = checking.Check(bpy.context.scene, bpy.context.view_layer, objects, **settings)
    for _ in check.go():
        pass
    return check


def evaluated_positions(obj):
    bpy.context.view_layer.update()
    evaluated = obj.evaluated_get(bpy.context.view_layer.depsgraph)
    mesh = evaluated.to_mesh()
    positions = numpy.array([v.co for v in mesh.vertices]).reshape(-1, 3)
    evaluated.to_mesh_clear()
    world = numpy.array(evaluated.matrix_world)
    return positions @ world[:3, :3].T + world[:3, 3]


class Positions(unittest.TestCase):
    """Without a vertex evaluated, bodies are where Blender has them."""

    def setUp(self):
        clear()

    def compare(self, obj, kind, quiet=True):
        way = ways.find_way(obj)
        self.assertEqual(way.kind, kind, way.why)
        scene = bpy.context.scene
        expected = {}
        for frame in range(1, 12):
            scene.frame_set(frame)
            expected[frame] = evaluated_positions(obj)
        scene.frame_set(1)
        rest = numpy.array([v.co for v in obj.data.vertices])
        body = bodies.make_body(obj, pliant.Context())
        for frame in range(1, 12):
            scene.frame_set(frame)
            found = body.update(bpy.context.view_layer.depsgraph).evaluate()
            self.assertLess(abs(found - expected[frame]).max(), 1e-5)
            if quiet:  # Blender itself has not moved any
                mesh = obj.evaluated_get(bpy.context.view_layer.depsgraph).data
                self.assertLess(abs(numpy.array([v.co for v in mesh.vertices]) - rest).max(), 1e-6)
        body.restore()
        scene.frame_set(11)
        self.assertLess(abs(evaluated_positions(obj) - expected[11]).max(), 1e-6)

    def test_transforms(self):
        obj = make_tube("tube")
        key(obj, "rotation_euler", {1: 0.0, 11: 2.0}, 1)
        key(obj, "scale", {1: 1.0, 11: -0.5}, 0)
        self.compare(obj, "transform")

    def test_bones(self):
        tube, _ = make_limb()
        self.compare(tube, "bones")

    def test_shape_keys(self):
        obj = make_tube("tube")
        add_keys(obj)
        key(obj, "location", {1: 0.0, 11: 2.0}, 1)
        self.compare(obj, "shape keys")

    def test_bones_and_shape_keys(self):
        tube, _ = make_limb()
        add_keys(tube)
        self.compare(tube, "bones")

    def test_rest_position(self):
        tube, armature = make_limb()
        armature.data.pose_position = "REST"
        self.compare(tube, "bones")

    def test_a_bone_that_does_not_deform(self):
        tube, armature = make_limb()
        armature.data.bones["bone 1"].use_deform = False
        self.compare(tube, "bones")

    def test_evaluated(self):
        tube, _ = make_limb()
        tube.modifiers["Armature"].use_deform_preserve_volume = True
        self.compare(tube, "meshes", quiet=False)


class Ways(unittest.TestCase):
    """What asks for evaluated meshes, and what is kept quiet."""

    def setUp(self):
        clear()

    def test_each_reason(self):
        tube, armature = make_limb()
        modifier, bone = tube.modifiers["Armature"], armature.data.bones["bone 1"]
        self.assertEqual(ways.find_way(tube).kind, "bones")
        cases = [(modifier, "use_deform_preserve_volume", True, "preserves volume"),
                 (modifier, "use_bone_envelopes", True, "envelopes"),
                 (modifier, "use_multi_modifier", True, "another"),
                 (modifier, "vertex_group", "bone 1", "vertex group"),
                 (modifier, "use_vertex_groups", False, "no vertex groups"),
                 (modifier, "object", None, "no armature"),
                 (bone, "bbone_segments", 3, "bends"),
                 (bone, "use_envelope_multiply", True, "envelope")]
        for owner, name, value, why in cases:
            before = getattr(owner, name)
            setattr(owner, name, value)
            way = ways.find_way(tube)
            self.assertEqual(way.kind, "meshes", name)
            self.assertIn(why, way.why)
            setattr(owner, name, before)
        self.assertEqual(ways.find_way(tube).kind, "bones")
        other = tube.modifiers.new("Smooth it", "SUBSURF")
        self.assertIn("Smooth it", ways.find_way(tube).why)
        other.show_viewport = False
        self.assertEqual(ways.find_way(tube).kind, "bones")
        modifier.keyframe_insert("show_viewport", frame=1)
        self.assertIn("animated", ways.find_way(tube).why)

    def test_reasons_of_shape_keys_and_parents(self):
        obj = make_tube("tube")
        add_keys(obj)
        keys = obj.data.shape_keys
        self.assertEqual(ways.find_way(obj).kind, "shape keys")
        keys.use_relative = False
        self.assertIn("absolute", ways.find_way(obj).why)
        keys.use_relative = True
        obj.show_only_shape_key = True
        self.assertIn("locked", ways.find_way(obj).why)
        obj.show_only_shape_key = False
        keys.key_blocks["one"].data[0].keyframe_insert("co", frame=1)
        self.assertIn("one by one", ways.find_way(obj).why)
        plain, armature = make_tube("plain"), make_limb()[1]
        plain.data.vertices[0].keyframe_insert("co", frame=1)
        self.assertIn("one by one", ways.find_way(plain).why)
        child = make_tube("child")
        child.parent, child.parent_type = armature, "ARMATURE"
        self.assertIn("deforms it", ways.find_way(child).why)

    def test_what_others_need_is_left_alone(self):
        tube, _ = make_limb()
        quiet = ways.Quiet(tube, ways.find_way(tube))
        self.assertFalse(tube.modifiers["Armature"].show_viewport)
        quiet.restore()
        self.assertTrue(tube.modifiers["Armature"].show_viewport)
        follower = make_tube("follower")
        follower.modifiers.new("wrap", "SHRINKWRAP").target = tube
        ways.Quiet(tube, ways.find_way(tube))
        self.assertTrue(tube.modifiers["Armature"].show_viewport)
        follower.modifiers.clear()
        group = bpy.data.collections.new("cutters")
        bpy.context.scene.collection.children.link(group)
        group.objects.link(tube)
        cut = follower.modifiers.new("cut", "BOOLEAN")
        cut.operand_type, cut.collection = "COLLECTION", group
        ways.Quiet(tube, ways.find_way(tube))
        self.assertTrue(tube.modifiers["Armature"].show_viewport)


def make_crossing():
    """A tube that goes through another one, which stands still: they touch from some frame to
    another."""
    still, moving = make_tube("still"), make_tube("moving")
    moving.rotation_euler = (math.pi / 2, 0, 0)
    moving.location = (0, 2, 2)
    key(moving, "location", {1: -2.0, 11: 2.0}, 0)
    for curve in moving.animation_data.action.fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    return still, moving


class Checks(unittest.TestCase):
    """What a check finds and leaves in the file."""

    def setUp(self):
        clear()

    def test_crossing(self):
        still, moving = make_crossing()
        scene = bpy.context.scene
        scene.frame_set(5)
        select(still, moving)
        self.assertEqual(bpy.ops.pliant.check(), {"FINISHED"})
        settings = scene.pliant_check
        self.assertEqual(scene.frame_current, 5)
        self.assertEqual(len(settings.spans), 1)
        span = settings.spans[0]
        # It moves by 0.4 a frame; the axes, 1 apart when the surfaces meet, are so from 4 on.
        self.assertEqual((span.a, span.b, span.first, span.last),
                         ("still", "moving", 4, 8) if span.a == "still" else
                         ("moving", "still", 4, 8))
        self.assertTrue(4 <= span.worst <= 8 and span.pairs > 0)
        self.assertEqual([(m.name, m.frame) for m in scene.timeline_markers],
                         [(f"pliant: {span.a} x {span.b}", 4)])
        for obj in (still, moving):
            counts = [v.value for v in obj.data.attributes[results.FRAMES].data]
            since = [v.value for v in obj.data.attributes[results.SINCE].data]
            self.assertEqual(len(counts), len(obj.data.polygons))
            self.assertTrue(0 < sum(c > 0 for c in counts) < len(counts) and max(counts) <= 5)
            self.assertTrue(all(4 <= s <= 8 for s, c in zip(since, counts) if c))
            self.assertTrue(all(obj.data.polygons[i].center.z > 0.5
                                for i, c in enumerate(counts) if c))
        self.assertEqual(bpy.ops.pliant.jump(index=0, frame=span.worst), {"FINISHED"})
        self.assertEqual(scene.frame_current, span.worst)
        self.assertEqual(bpy.ops.pliant.select_faces(), {"FINISHED"})
        self.assertEqual([p.select for p in still.data.polygons],
                         [v.value > 0 for v in still.data.attributes[results.FRAMES].data])
        self.assertEqual(bpy.ops.pliant.check(), {"FINISHED"})  # nothing is there twice
        self.assertEqual((len(settings.spans), len(scene.timeline_markers)), (1, 1))
        bpy.ops.pliant.clear()
        self.assertEqual((len(settings.spans), len(scene.timeline_markers)), (0, 0))
        self.assertNotIn(results.FRAMES, still.data.attributes)

    def test_frames_are_those_of_pliant(self):
        """Pairs are what pliant.collide() finds for Blender's own meshes."""
        tube, _ = make_limb()
        wall = make_tube("wall")
        wall.location = (0.3, -1.2, 1.5)
        check = run_check(tube, wall)
        frames = {f for span in check.spans for f in range(span.first, span.last + 1)}
        touching = set()
        for frame in range(1, 12):
            bpy.context.scene.frame_set(frame)
            made = []
            for obj in (tube, wall):
                obj.data.calc_loop_triangles()
                triangles = numpy.array([t.vertices for t in obj.data.loop_triangles], "u4")
                made.append(pliant.Body(pliant.Shape(
                    evaluated_positions(obj).astype("f4"), triangles)))
            if len(pliant.collide(*made)) > 0:
                touching.add(frame)
        self.assertEqual(frames, touching)
        self.assertTrue(0 < len(touching) < 11)

    def test_bones_and_meshes_find_the_same(self):
        first, _ = make_limb("first")
        second, _ = make_limb("second", (0.9, 0.6, 0.2))
        direct = run_check(first, second, self_contact=True)
        self.assertEqual({way.kind for way in direct.ways.values()}, {"bones"})
        for obj in (first, second):
            obj.modifiers.new("nothing", "SMOOTH").factor = 0.0
        meshes = run_check(first, second, self_contact=True)
        self.assertEqual({way.kind for way in meshes.ways.values()}, {"meshes"})
        self.assertTrue(direct.spans)
        self.assertEqual([(s.a, s.b, s.first, s.last) for s in direct.spans],
                         [(s.a, s.b, s.first, s.last) for s in meshes.spans])
        for mesh, touches in direct.meshes.items():
            self.assertEqual(touches.count.tolist(), meshes.meshes[mesh].count.tolist())
        self.assertNotIn(bodies.ORIGIN, first.data.attributes)

    def test_no_mesh_is_asked_for(self):
        first, _ = make_limb("first")
        second, _ = make_limb("second", (0.9, 0.6, 0.2))
        before = bodies.Evaluated.update
        bodies.Evaluated.update = None
        try:
            self.assertTrue(run_check(first, second).spans)
        finally:
            bodies.Evaluated.update = before

    def test_modifiers_that_make_faces(self):
        still, moving = make_crossing()
        plain = run_check(still, moving)
        still.modifiers.new("finer", "SUBSURF").levels = 1
        still.modifiers["finer"].subdivision_type = "SIMPLE"
        finer = run_check(still, moving)
        self.assertEqual(finer.ways["still"].kind, "meshes")
        self.assertEqual([(s.first, s.last) for s in finer.spans],
                         [(s.first, s.last) for s in plain.spans])
        counts = finer.meshes[still.data].count
        self.assertEqual(len(counts), len(still.data.polygons))
        self.assertEqual((counts > 0).tolist(), (plain.meshes[still.data].count > 0).tolist())
        still.modifiers.clear()
        still.modifiers.new("anew", "REMESH")
        check = run_check(still, moving)
        self.assertTrue(check.spans)
        self.assertTrue(any("still" in note for note in check.notes)
                        or (check.meshes[still.data].count > 0).any())

    def test_faces_that_come_and_go(self):
        still, moving = make_crossing()
        array = still.modifiers.new("row", "ARRAY")
        array.relative_offset_displace = (2.0, 0.0, 0.0)
        array.count = 1
        key(array, "count", {1: 1, 6: 1, 7: 2})
        for curve in still.animation_data.action.fcurves:
            for point in curve.keyframe_points:
                point.interpolation = "CONSTANT"
        check = run_check(still, moving)
        self.assertEqual([(s.first, s.last) for s in check.spans], [(4, 11)])
        build = moving.modifiers.new("build", "BUILD")
        build.frame_start, build.frame_duration = 5, 1
        check = run_check(still, moving)
        self.assertTrue(check.spans and check.spans[0].first >= 5)

    def test_hidden_objects_take_no_part(self):
        still, moving = make_crossing()
        key(still, "hide_viewport", {1: False, 6: True, 7: False})
        check = run_check(still, moving)
        self.assertEqual([(s.first, s.last) for s in check.spans], [(4, 5), (7, 8)])

    def test_only_what_is_new(self):
        still, moving = make_crossing()
        bpy.context.scene.frame_start = 5
        check = run_check(still, moving, only_new=True)
        self.assertTrue(check.spans and check.spans[0].first == 6)
        still.select_set(True)
        for curve in moving.animation_data.action.fcurves:
            curve.mute = True
        moving.location.x = 0.4
        self.assertEqual(run_check(still, moving, only_new=True).spans, [])
        self.assertEqual(len(run_check(still, moving).spans), 1)

    def test_self_contact_and_steps(self):
        tube, armature = make_limb()
        for bone in armature.pose.bones:
            key(bone, "rotation_euler", {1: 0.0, 11: 2.6}, 0)
        self.assertEqual(run_check(tube).spans, [])
        check = run_check(tube, self_contact=True, step=2)
        self.assertTrue(check.spans and check.spans[-1].a == check.spans[-1].b == "limb")
        self.assertTrue(all(s.first % 2 == 1 for s in check.spans))

    def test_curves_and_texts(self):
        still, _ = make_crossing()
        text = bpy.data.objects.new("text", bpy.data.curves.new("text", "FONT"))
        text.data.body, text.data.extrude = "Pliant", 0.2
        bpy.context.scene.collection.objects.link(text)
        text.location = (-0.5, 0.0, 1.9)
        check = run_check(still, text)
        self.assertEqual([(s.first, s.last) for s in check.spans], [(1, 11)])

    def test_objects_that_share_a_mesh(self):
        still, moving = make_crossing()
        moving.data = still.data
        check = run_check(still, moving)
        self.assertEqual(len(check.meshes), 1)
        self.assertEqual(int(check.meshes[still.data].count.max()) <= 5, True)

    def test_nothing_to_check(self):
        empty = bpy.data.objects.new("empty", None)
        bpy.context.scene.collection.objects.link(empty)
        points = make_object("points", [(0, 0, 0), (1, 0, 0)], [])
        with self.assertRaisesRegex(bodies.CheckError, "select"):
            run_check(empty)
        self.assertEqual(run_check(points).spans, [])
        select(empty)
        self.assertFalse(bpy.ops.pliant.check.poll())

    def test_what_is_wrong_is_said_and_all_is_restored(self):
        tube, armature = make_limb()
        add_keys(tube)
        key(armature, "scale", {1: 1.0, 5: 1.0, 6: 0.0}, 2)
        tube.active_shape_key_index = 2
        bpy.context.scene.frame_set(3)
        with self.assertRaisesRegex(bodies.CheckError, "limb, frame .*scale of 0"):
            run_check(tube)
        self.assertEqual(bpy.context.scene.frame_current, 3)
        self.assertTrue(tube.modifiers["Armature"].show_viewport)
        self.assertFalse(tube.show_only_shape_key)
        self.assertEqual(tube.active_shape_key_index, 2)
        huge = make_tube("huge")
        huge.scale = (1e38, 1e38, 1e38)
        huge.data.vertices[5].co.x = 1e30
        select(huge)
        with self.assertRaisesRegex(RuntimeError, "huge, frame 1"):
            bpy.ops.pliant.check()

    def test_ended_in_the_middle(self):
        tube, _ = make_limb()
        check = checking.Check(bpy.context.scene, bpy.context.view_layer, [tube])
        steps = check.go()
        self.assertEqual([next(steps), next(steps)], [1, 2])
        self.assertFalse(tube.modifiers["Armature"].show_viewport)
        steps.close()
        self.assertTrue(tube.modifiers["Armature"].show_viewport)


class Layout:
    """Takes down what a panel draws."""

    def __init__(self):
        self.said = []

    def __getattr__(self, name):
        def method(*values, **options):
            self.said.append((name, *values, options.get("text", "")))
            return self if name in ("row", "column", "split") else types.SimpleNamespace()
        return method


class Panel(unittest.TestCase):
    def setUp(self):
        clear()

    def draw(self):
        layout = Layout()
        panel.PLIANT_PT_panel.draw(types.SimpleNamespace(layout=layout), bpy.context)
        return layout.said

    def test_draws(self):
        still, moving = make_crossing()
        select(still, moving)
        self.assertIn(("operator", "pliant.check", ""), self.draw())
        self.assertIn(("label", "moving: by transform"), self.draw())
        bpy.ops.pliant.check()
        said = self.draw()
        self.assertTrue(any(s[0] == "template_list" for s in said))
        self.assertIn(("label", "2 objects, 11 frames: 1 contacts"), said)
        self.assertIn(("operator", "pliant.jump", "First: 4"), said)
        layout = Layout()
        settings = bpy.context.scene.pliant_check
        panel.PLIANT_UL_spans.draw_item(None, bpy.context, layout, settings, settings.spans[0], 0,
                                        settings, "index", 0)
        self.assertTrue({"4 - 8"} < {s[-1] for s in layout.said})

    def test_without_pliant(self):
        panel.problem = "there is no pliant"
        try:
            self.assertIn(("label", "there is no pliant"), self.draw())
            self.assertFalse(bpy.ops.pliant.check.poll())
        finally:
            panel.problem = ""

    def test_frame_by_frame_with_a_window(self):
        still, moving = make_crossing()
        select(still, moving)
        said = []
        window = types.SimpleNamespace(event_timer_remove=said.append, progress_end=lambda: None,
                                       progress_update=lambda done: None)
        context = types.SimpleNamespace(scene=bpy.context.scene, view_layer=bpy.context.view_layer,
                                        selected_objects=[still, moving], window_manager=window)
        members = {name: getattr(panel.PLIANT_OT_check, name)
                   for name in ("start", "advance", "modal", "end_modal", "show")}
        operator = type("Operator", (), {**members, "timer": 1,
                                         "report": lambda self, kind, text: said.append(text)})()
        operator.start(context)
        result, turns = {"RUNNING_MODAL"}, 0
        while result == {"RUNNING_MODAL"}:
            result = operator.modal(context, types.SimpleNamespace(type="TIMER"))
            turns += 1
        self.assertEqual((result, len(bpy.context.scene.pliant_check.spans)), ({"FINISHED"}, 1))
        operator.start(context)
        next(operator.steps)
        result = operator.modal(context, types.SimpleNamespace(type="ESC"))
        self.assertEqual((result, len(bpy.context.scene.pliant_check.spans)), ({"CANCELLED"}, 1))

    def test_again(self):
        addon_utils.disable("pliant_check")
        self.assertFalse(hasattr(bpy.types.Scene, "pliant_check"))
        addon_utils.enable("pliant_check")
        self.assertTrue(hasattr(bpy.types.Scene, "pliant_check"))


if ARCHIVE and not os.path.isdir("/usr/lib/python3/dist-packages/pliant"):
    assert "modules" in pliant.__file__, pliant.__file__
print("blender", bpy.app.version_string, "pliant", pliant.version(), pliant_check.bl_info["version"])
program = unittest.main(argv=["test_addon"], exit=False)
sys.exit(0 if program.result.wasSuccessful() else 1)
