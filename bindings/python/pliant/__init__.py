"""Which triangles of deforming bodies touch, exactly.

    import numpy, pliant
    shape = pliant.Shape(positions, triangles)      # (n, 3) float32 and (m, 3) uint32
    a, b = pliant.Body(shape), pliant.Body(shape)
    b.share_positions(moved)                        # borrowed, nothing is copied
    contacts = pliant.collide(a, b)
    contacts.pairs                                  # (k, 2): a triangle of a, one of b

What there is:

    Shape     what never changes: the mesh, its modes and joints; Shape.from_mesh(mesh) takes
              what has .vertices and .faces (trimesh), or .points and .regular_faces (pyvista)
    Body      a shape and its state: positions, coordinates of modes, transforms of joints
    Query     questions about one or two bodies: collide, raycast, find_within, find_features,
              measure_distances, find_meetings, find_free_time, ...
    Contours  curves along which surfaces cross, and what lies inside
    Volume    how much closed bodies overlap, with a range that holds for certain
    Scene     many bodies at once, by all workers of a Context
    load()    characters and meshes from files: bodies, clips and poses
    check()   what `pliant check` finds in a file, as objects

With a mesh of trimesh or pyvista, whose positions are float64:

    body = pliant.Body(pliant.Shape.from_mesh(mesh, copy=True))

    which faces touch           collide(a, b).pairs, with segments=True their .points too
    faces that cut each other   collide_self(body).pairs
    many meshes at once         Scene().add(body), then collide()
    a mesh that moves           body.share_positions(x), or Shape(..., joint_count=1) and
                                body.set_transforms(matrices[:, :3]): nothing is built anew
    rays                        Query().raycast_many(body, make_rays(origins, directions))
    signed distances            measure_distances(body, points)["distance"]
    closest points              Query().find_closest_points(body, points)
    faces within a distance     find_within(a, b, distance).pairs
    is_watertight               body.shape.is_closed
    boolean intersections       Contours().find(a, b), Volume().intersect(a, b).volume

Enums (pliant.CollideMode, pliant.Touch, ...) and named tuples (pliant.Stats, pliant.Box, ...) are
those of the C library; options also take the names of an enum, as texts.

Functions such as pliant.collide() use a query of their own for each thread. Answers own their
arrays, which are numpy's. Arrays of other types than float32 are refused, not rounded, unless
copy=True. Every call that computes lets other threads run; what two threads must not do at the
same time raises BusyError. Errors are pliant.Error, with a sentence that names what is wrong.
"""
from __future__ import annotations

import threading as _threading

from . import _core
from ._arrays import make_rays
from ._core import (
    ArgumentError, Asset, Body, BusyError, Context, Contours, DataError, Error, NotFiniteError,
    OutOfMemoryError, Pose, Query, RangeError, Scene, StateError, TooLargeError, Volume,
    asset_version, attach_vertices, compute_joint_transform, default_context, draw_contacts, fit,
    moving_edge_meet, moving_point_meet, moving_triangle_meet, orient3d, replay,
    triangle_compare_hits, triangle_find_closest_point, triangle_intersect,
    triangle_measure_distance, triangle_overlap, triangle_raycast, triangle_separate, version,
    write_glb)
from ._core import (
    AssetBody, AssetMesh, AssetState, Contacts, ContourSet, Features, Fit, Meetings, Proximities,
    ProxyContacts, RayHits, SceneContacts, SceneFeatures, SceneMeetings, SceneProximities,
    SceneProxyContacts, SceneRayHits, SceneTriangles, SceneVolumes, VolumeMeasure)
from . import _answers as _answers
from ._files import Model, Record, Report, check, load
from ._shape import Shape

TYPE_CHECKING = False  # what types are for, without importing typing
if TYPE_CHECKING:
    from typing import Any

    import numpy as _numpy
    from numpy.typing import ArrayLike, NDArray

    from ._types import *

__version__ = _core.VERSION

NO_TRIANGLE = NO_REGION = 0xFFFFFFFF
"""The triangle, or region, of an answer that says "none"."""

_queries = _threading.local()


def _query_of(body: Body) -> Query:
    """A query of this thread, in the context of a body."""
    query: Query | None = getattr(_queries, "query", None)
    if query is None or query.context is not body.context:
        query = _queries.query = Query(body.context)
    return query


def collide(a: Body, b: Body, **options: Any) -> Contacts:
    """Which triangles of two bodies touch, exactly; options are those of Query.collide()."""
    return _query_of(a).collide(a, b, **options)


def collide_self(body: Body, **options: Any) -> Contacts:
    """Which triangles of one body touch each other; options are those of Query.collide_self()."""
    return _query_of(body).collide_self(body, **options)


def find_within(a: Body, b: Body, distance: float, **options: Any) -> Proximities:
    """Which triangles of two bodies are within a distance; see Query.find_within()."""
    return _query_of(a).find_within(a, b, distance, **options)


def find_meetings(a: Body, b: Body, **options: Any) -> Meetings:
    """Which triangles meet while both move, and when; see Query.find_meetings()."""
    return _query_of(a).find_meetings(a, b, **options)


def measure_distances(body: Body, points: ArrayLike, **options: Any) -> NDArray[_numpy.void]:
    """The signed distances of points to a body; see Query.measure_distances()."""
    return _query_of(body).measure_distances(body, points, **options)


__all__ = [
    "ArgumentError", "Asset", "AssetBody", "AssetMesh", "AssetState", "Body", "BusyError",
    "Contacts", "Context", "ContourSet", "Contours", "DataError", "Error", "Features", "Fit",
    "Meetings", "Model", "NO_REGION", "NO_TRIANGLE", "NotFiniteError", "OutOfMemoryError", "Pose",
    "Proximities", "ProxyContacts", "Query", "RangeError", "RayHits", "Record", "Report", "Scene",
    "SceneContacts", "SceneFeatures", "SceneMeetings", "SceneProximities", "SceneProxyContacts",
    "SceneRayHits", "SceneTriangles", "SceneVolumes", "Shape", "StateError", "TooLargeError",
    "Volume", "VolumeMeasure", "asset_version", "attach_vertices", "check", "collide",
    "collide_self", "compute_joint_transform", "default_context", "draw_contacts", "find_meetings",
    "find_within", "fit", "load", "make_rays", "measure_distances", "moving_edge_meet",
    "moving_point_meet", "moving_triangle_meet", "orient3d", "replay",
    "triangle_compare_hits", "triangle_find_closest_point", "triangle_intersect",
    "triangle_measure_distance", "triangle_overlap", "triangle_raycast", "triangle_separate",
    "version", "write_glb",
]


def __getattr__(name: str) -> Any:
    """Enums and named tuples are made when one is first needed."""
    if not name.startswith("_"):  # importing _types itself looks for it here first
        from . import _types
        if name in _types.__all__:
            return getattr(_types, name)
    raise AttributeError(f"module 'pliant' has no attribute {name!r}")


def __dir__() -> list[str]:
    from . import _types
    return sorted([*globals(), *_types.__all__])
