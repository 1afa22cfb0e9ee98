"""Goes through the frames of a scene, and notes what touches."""
from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy
import pliant

from .bodies import CheckError, make_body
from .ways import TYPES


@dataclass
class Span:
    """Frames in a row in which two objects touch, or one touches itself."""

    a: str
    b: str
    first: int
    last: int
    worst: int  # the frame with most pairs of triangles,
    pairs: int  # and how many these are


@dataclass
class Touches:
    """Of the faces of a mesh: in how many frames each touches, and since when."""

    count: numpy.ndarray
    since: numpy.ndarray
    frame: numpy.ndarray = field(repr=False)  # those of the current frame


class Check:
    """A check of some objects. go() is a generator, which leaves the scene as it was found also when
    it is closed in the middle."""

    def __init__(self, scene, view_layer, objects, *, self_contact=False, only_new=False, step=1):
        self.scene, self.view_layer = scene, view_layer
        self.objects = [obj for obj in objects if obj.type in TYPES]
        self.self_contact, self.only_new = self_contact, only_new
        self.frames = range(scene.frame_start, scene.frame_end + 1, step)
        self.spans: list[Span] = []
        self.meshes: dict[object, Touches] = {}  # by mesh, which several objects may have
        self.notes: list[str] = []
        self.ways: dict[str, object] = {}

    def go(self):
        """Yields how many frames are done."""
        if not self.objects:
            raise CheckError("select an object that has faces")
        before = self.scene.frame_current, self.scene.frame_subframe
        context = pliant.Context(workers=min(os.cpu_count() or 1, 64))
        self.bodies = []
        try:
            for obj in self.objects:
                body = make_body(obj, context)
                self.bodies.append(body)
                self.ways[obj.name] = body.way
                if body.face_count > 0 and obj.data not in self.meshes:
                    self.meshes[obj.data] = Touches(
                        numpy.zeros(body.face_count, numpy.int32),
                        numpy.zeros(body.face_count, numpy.int32),
                        numpy.zeros(body.face_count, bool))
            yield from self._go_through(pliant.Scene(context))
        finally:
            for body in self.bodies:
                body.restore()
            self.scene.frame_set(before[0], subframe=before[1])

    def _go_through(self, scene):
        members = [None] * len(self.bodies)
        known, latest, lost = {}, {}, set()
        for number, frame in enumerate(self.frames):
            self.scene.frame_set(frame)
            self.view_layer.update()
            depsgraph = self.view_layer.depsgraph
            by_index = {}
            for i, body in enumerate(self.bodies):
                try:
                    current = None if body.object.hide_viewport else body.update(depsgraph)
                except (CheckError, pliant.Error) as error:
                    raise CheckError(f"{body.object.name}, frame {frame}: {error}") from None
                if members[i] is not None and members[i] is not current:
                    scene.remove(members[i])
                    known = {pair: seen for pair, seen in known.items() if i not in pair}
                if current is not None and current.scene is None:
                    scene.add(current, self_contact=self.self_contact)
                members[i] = current
                if current is not None:
                    by_index[scene.find_id(current).index] = i
            found = self._collide(scene, by_index)
            if self.only_new and number == 0:
                known = {pair: _numbers(triangles) for pair, triangles in found.items()}
            now = {}
            for pair, triangles in found.items():
                if self.only_new and pair in known:
                    triangles = triangles[~numpy.isin(_numbers(triangles), known[pair])]
                if len(triangles) > 0:
                    now[pair] = self._extend(latest.get(pair), pair, frame, len(triangles))
                    for side in range(2):
                        self._mark(self.bodies[pair[side]], triangles[:, side], lost)
            latest = now
            for touches in self.meshes.values():
                touches.since[touches.frame & (touches.count == 0)] = frame
                touches.count += touches.frame
                touches.frame[:] = False
            yield number + 1
        self.notes += sorted(lost)

    def _collide(self, scene, by_index):
        """Pairs of triangles, by numbers of objects."""
        contacts = scene.collide(neighbours="skip")
        found = {}
        for pair in contacts.bodies:
            a, b = by_index[int(pair["a"]["index"])], by_index[int(pair["b"]["index"])]
            first, count = int(pair["first"]), int(pair["count"])
            triangles = contacts.pairs[first:first + count]
            found[min(a, b), max(a, b)] = triangles if a <= b else triangles[:, ::-1]
        return found

    def _extend(self, span, pair, frame, count):
        if span is None:
            names = [self.bodies[i].object.name for i in pair]
            span = Span(*names, frame, frame, frame, 0)
            self.spans.append(span)
        span.last = frame
        if count > span.pairs:
            span.worst, span.pairs = frame, count
        return span

    def _mark(self, body, triangles, lost):
        if body.object.data not in self.meshes:
            return
        if body.faces is None:
            lost.add(f"{body.object.name}: its modifiers make faces anew, so that its own are not "
                     "marked")
            return
        faces = body.faces[triangles]
        touches = self.meshes[body.object.data]
        touches.frame[faces[(faces >= 0) & (faces < len(touches.frame))]] = True


def _numbers(triangles):
    return triangles[:, 0].astype(numpy.uint64) << numpy.uint64(32) | triangles[:, 1]
