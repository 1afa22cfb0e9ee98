"""How the body of an object can be moved: by its transform, shape keys and bones, where these say
everything, or by meshes that Blender evaluates."""
from __future__ import annotations

from typing import NamedTuple

import bpy

# What Blender can make a mesh of.
TYPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


class Way(NamedTuple):
    """The kind is "transform", "shape keys", "bones" or "meshes"; why says what asks for meshes."""

    kind: str
    why: str = ""
    modifier: object = None


def find_way(obj) -> Way:
    """The cheapest way that gives the positions that Blender would."""
    why = _asks_for_meshes(obj)
    if why:
        return Way("meshes", why)
    modifiers = [m for m in obj.modifiers if m.show_viewport]
    if modifiers:
        return Way("bones", modifier=modifiers[0])
    return Way("shape keys" if obj.data.shape_keys else "transform")


def _asks_for_meshes(obj) -> str:
    if obj.type != "MESH":
        return "it is no mesh"
    if obj.parent is not None and obj.parent_type in ("ARMATURE", "LATTICE", "CURVE"):
        return f"its parent {obj.parent.name} deforms it"
    if any(path.startswith("modifiers[") for path in animated_paths(obj)):
        return "settings of its modifiers are animated"
    if any(path.startswith("vertices[") for path in animated_paths(obj.data)):
        return "its vertices are animated one by one"
    keys = obj.data.shape_keys
    if keys is not None:
        if not keys.use_relative:
            return "its shape keys are absolute"
        if obj.show_only_shape_key:
            return "one of its shape keys is locked"
        if any("].data[" in path for path in animated_paths(keys)):
            return "points of its shape keys are animated one by one"
    modifiers = [m for m in obj.modifiers if m.show_viewport]
    if not modifiers:
        return ""
    if len(modifiers) > 1 or modifiers[0].type != "ARMATURE":
        other = next(m for m in modifiers if m.type != "ARMATURE" or m is not modifiers[0])
        return f"it has the modifier {other.name}"
    return _asks_more_than_bones(obj, modifiers[0])


def _asks_more_than_bones(obj, modifier) -> str:
    armature = modifier.object
    if armature is None or armature.type != "ARMATURE":
        return f"the modifier {modifier.name} has no armature"
    for setting, what in (("use_deform_preserve_volume", "preserves volume"),
                          ("use_bone_envelopes", "uses envelopes"),
                          ("use_multi_modifier", "blends with another one"),
                          ("vertex_group", "is limited to a vertex group")):
        if getattr(modifier, setting):
            return f"the modifier {modifier.name} {what}"
    if not modifier.use_vertex_groups:
        return f"the modifier {modifier.name} uses no vertex groups"
    names = {group.name for group in obj.vertex_groups}
    for bone in armature.data.bones:
        if bone.name not in names or not bone.use_deform:
            continue
        if bone.bbone_segments > 1:
            return f"the bone {bone.name} bends"
        if bone.use_envelope_multiply:
            return f"the bone {bone.name} multiplies weights by its envelope"
    return ""


def animated_paths(block):
    """The paths of all properties of a data-block that actions or drivers set."""
    animation = block.animation_data
    if animation is None:
        return
    actions = [animation.action]
    actions += [strip.action for track in animation.nla_tracks for strip in track.strips]
    for action in actions:
        if action is not None:
            for curve in _curves(action):
                yield curve.data_path
    for driver in animation.drivers:
        yield driver.data_path


def _curves(action):
    for layer in getattr(action, "layers", ()):  # Blender 4.4 and later
        for strip in layer.strips:
            for bag in getattr(strip, "channelbags", ()):
                yield from bag.fcurves
    yield from getattr(action, "fcurves", ())


class Quiet:
    """Keeps Blender from evaluating the vertices of an object while frames are gone through, unless
    something else may depend on them. restore() undoes it."""

    def __init__(self, obj, way: Way) -> None:
        self.changed = []
        if way.kind not in ("bones", "shape keys") or _is_needed_by_others(obj):
            return
        if way.modifier is not None:
            self._set(way.modifier, "show_viewport", False)
        if obj.data.shape_keys is not None:  # the basis is copied, no key is added to it
            self._set(obj, "active_shape_key_index", 0)
            self._set(obj, "show_only_shape_key", True)

    def _set(self, owner, name, value):
        self.changed.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    def restore(self) -> None:
        for owner, name, value in reversed(self.changed):
            setattr(owner, name, value)
        self.changed = []


def _is_needed_by_others(obj) -> bool:
    """Whether anything refers to an object, or to a collection that has it, but scenes and
    collections: a modifier, a constraint, a driver, a node."""
    if obj.rigid_body is not None or (obj.field is not None and obj.field.type != "NONE"):
        return True
    holders = (bpy.types.Scene, bpy.types.Collection, bpy.types.WindowManager, bpy.types.Screen,
               bpy.types.WorkSpace)
    asked = [obj, *obj.users_collection]
    for users in bpy.data.user_map(subset=asked).values():
        if any(not isinstance(user, holders) and user != obj for user in users):
            return True
    return False
