"""What a check leaves in the file: face attributes and timeline markers."""
from __future__ import annotations

import bpy

FRAMES = "pliant_frames"  # in how many frames a face touches,
SINCE = "pliant_since"  # and the first of them; only there does it mean something
MARKER = "pliant: "


def write_attributes(check) -> None:
    for mesh, touches in check.meshes.items():
        if mesh.library is not None:
            check.notes.append(f"{mesh.name}: the mesh is linked, so that its faces are not marked")
            continue
        for name, values in ((FRAMES, touches.count), (SINCE, touches.since)):
            if name in mesh.attributes:
                mesh.attributes.remove(mesh.attributes[name])
            mesh.attributes.new(name, "INT", "FACE").data.foreach_set("value", values)


def write_markers(scene, spans) -> None:
    clear_markers(scene)
    for span in spans:
        name = f"{span.a} x {span.b}" if span.a != span.b else f"{span.a} x itself"
        scene.timeline_markers.new(MARKER + name, frame=span.first)


def clear_markers(scene) -> None:
    for marker in [m for m in scene.timeline_markers if m.name.startswith(MARKER)]:
        scene.timeline_markers.remove(marker)


def clear_attributes() -> None:
    for mesh in bpy.data.meshes:
        if mesh.library is None:
            for name in (FRAMES, SINCE):
                if name in mesh.attributes:
                    mesh.attributes.remove(mesh.attributes[name])


def select_faces(obj) -> int:
    """Selects the faces that touch, for edit mode. Returns how many."""
    mesh = obj.data
    attribute = mesh.attributes.get(FRAMES)
    if attribute is None or len(attribute.data) != len(mesh.polygons):
        return 0
    counts = [0] * len(mesh.polygons)
    attribute.data.foreach_get("value", counts)
    chosen = [count > 0 for count in counts]
    vertices = {v for face, wanted in zip(mesh.polygons, chosen) if wanted for v in face.vertices}
    mesh.polygons.foreach_set("select", chosen)
    mesh.vertices.foreach_set("select", [i in vertices for i in range(len(mesh.vertices))])
    mesh.edges.foreach_set("select", [False] * len(mesh.edges))
    mesh.update()
    return sum(chosen)
