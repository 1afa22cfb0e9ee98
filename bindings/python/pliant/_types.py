"""Enums and named tuples, as the headers of Pliant have them.

Made by bindings/python/generate.py from interface/api.json.
"""
from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class AssetMotion(IntEnum):
    """pliant_asset_motion of C; options also take the names, in small letters."""

    STILL = 0
    RIGID = 1
    DEFORMING = 2
    FRAMES = 3


class Isa(IntEnum):
    """pliant_isa of C; options also take the names, in small letters."""

    BEST = 0
    PLAIN = 1
    BASELINE = 2
    AVX2 = 3
    AVX512 = 4


class LogLevel(IntEnum):
    """pliant_log_level of C; options also take the names, in small letters."""

    INFO = 0
    WARNING = 1


class Stage(IntEnum):
    """pliant_stage of C; options also take the names, in small letters."""

    SCENE_BOUNDS = 0
    SCENE_BROAD = 1
    SCENE_FILTER = 2
    SCENE_NARROW = 3
    SCENE_COLLECT = 4
    SCENE_SORT = 5
    QUERY_UPDATE = 6
    QUERY_TRAVERSE = 7
    QUERY_SORT = 8
    VOLUME_IMAGE = 9
    VOLUME_QUERY = 10
    SHAPE_MESH = 11
    SHAPE_TREE = 12
    SHAPE_LAYOUT = 13
    SHAPE_MODEL = 14


class Update(IntEnum):
    """pliant_update of C; options also take the names, in small letters."""

    AUTO = 0
    BOTTOM_UP = 1
    TOP_DOWN = 2
    HYBRID = 3
    FRONT = 4


class Rebuild(IntEnum):
    """pliant_rebuild of C; options also take the names, in small letters."""

    NEVER = 0
    AUTO = 1


class ContourEnd(IntEnum):
    """pliant_contour_end of C; options also take the names, in small letters."""

    CLOSED = 0
    BORDER = 1
    VERTEX = 2
    BRANCH = 3
    CONTACT = 4


class SideRule(IntEnum):
    """pliant_side_rule of C; options also take the names, in small letters."""

    AUTO = 0
    INSIDE = 1
    SURFACE = 2


class DrawKind(IntEnum):
    """pliant_draw_kind of C; options also take the names, in small letters."""

    SURFACE = 0
    NODE = 1
    CLUSTER = 2
    BODY_BOX = 3
    LOOSE_BOX = 4
    PAIR = 5
    TOUCHING_TRIANGLE = 6
    SEGMENT = 7
    CONTACT = 8


class MeetingKind(IntEnum):
    """pliant_meeting_kind of C; options also take the names, in small letters."""

    NONE = 0
    START = 1
    VERTEX_FACE = 2
    FACE_VERTEX = 3
    EDGE_EDGE = 4
    END = 5


class CollideMode(IntEnum):
    """pliant_collide_mode of C; options also take the names, in small letters."""

    ALL = 0
    FIRST = 1


class Neighbours(IntEnum):
    """pliant_neighbours of C; options also take the names, in small letters."""

    BEYOND_SHARED = 0
    ALL = 1
    SKIP = 2


class SeparationSide(IntEnum):
    """pliant_separation_side of C; options also take the names, in small letters."""

    SHORTEST = 0
    FRONT_OF_A = 1
    FRONT_OF_B = 2


class FeatureKind(IntEnum):
    """pliant_feature_kind of C; options also take the names, in small letters."""

    VERTEX_FACE = 0
    FACE_VERTEX = 1
    EDGE_EDGE = 2


class RecordingChunk(IntEnum):
    """pliant_recording_chunk of C; options also take the names, in small letters."""

    SCENE = 1
    SHAPE = 2
    REMOVAL = 3
    MEMBER = 4
    STATE = 5
    QUESTION = 6
    FILTER = 7
    ANSWER = 8
    END = 9
    STEP = 10


class RecordedQuestion(IntEnum):
    """pliant_recorded_question of C; options also take the names, in small letters."""

    COLLIDE = 1
    COLLIDE_PROXIES = 2
    FIND_WITHIN = 3
    FIND_FEATURES = 4
    INTERSECT_VOLUMES = 5
    RAYCAST = 6
    RAYCAST_ANY = 7
    RAYCAST_ALL = 8
    FIND_CLOSEST_POINTS = 9
    MEASURE_DISTANCES = 10
    OVERLAP_BOX = 11
    FIND_MEETINGS = 12
    FIND_FREE_TIME = 13


class RecordedState(IntEnum):
    """pliant_recorded_state of C; options also take the names, in small letters."""

    POSITIONS = 1
    BORROWED = 2
    COORDINATES = 4
    TRANSFORMS = 8
    WORLD = 32
    NO_WORLD = 64
    INVALID = 16


class RecordedStep(IntEnum):
    """pliant_recorded_step of C; options also take the names, in small letters."""

    BEGINS = 1
    INVALID = 2


class RecordedMember(IntEnum):
    """pliant_recorded_member of C; options also take the names, in small letters."""

    SELF = 1
    PROXIES = 2
    LOOSE_BOX = 4
    COHERENT = 8
    STATIC = 32
    REBUILD = 64
    NEW = 16


class Broad(IntEnum):
    """pliant_broad of C; options also take the names, in small letters."""

    AUTO = 0
    ALL_PAIRS = 1
    SWEEP = 2
    GRID = 3
    SORT = 4
    TREE = 5


class Touch(IntEnum):
    """pliant_touch of C; options also take the names, in small letters."""

    BEGAN = 0
    ONGOING = 1
    ENDED = 2


class Partition(IntEnum):
    """pliant_partition of C; options also take the names, in small letters."""

    BALANCED = 0
    SHAPE_CENTRE = 1
    SHAPE_MEAN = 2
    CONNECTIVITY = 3
    COVARIANCE = 4


class Islands(IntEnum):
    """pliant_islands of C; options also take the names, in small letters."""

    AUTO = 0
    NEVER = 1
    ALWAYS = 2


class BoundKind(IntEnum):
    """pliant_bound_kind of C; options also take the names, in small letters."""

    AUTO = 0
    BOX = 1
    SPHERE = 2
    AFFINE = 3


class SphereCentre(IntEnum):
    """pliant_sphere_centre of C; options also take the names, in small letters."""

    MEAN = 0
    MID_RANGE = 1
    SMALLEST = 2


class Number(IntEnum):
    """pliant_number of C; options also take the names, in small letters."""

    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    FLOAT32 = 3


class Skinning(IntEnum):
    """pliant_skinning of C; options also take the names, in small letters."""

    LINEAR = 0
    DUAL_QUATERNION = 1


class Common(IntEnum):
    """pliant_common of C; options also take the names, in small letters."""

    NOTHING = 0
    POINT = 1
    SEGMENT = 2
    AREA = 3


class Feature(IntEnum):
    """pliant_feature of C; options also take the names, in small letters."""

    VERTEX = 0
    EDGE = 1
    FACE = 2


class AssetCounts(NamedTuple):
    """pliant_asset_counts of C.

    shapes
    bodies: several bodies may have one shape
    clips
    notes: sentences about what is odd in the files
    """

    shapes: int
    bodies: int
    clips: int
    notes: int


class AssetClip(NamedTuple):
    """pliant_asset_clip of C.

    name
    duration: seconds, from 0 to its last key
    frame_count: moments stored in the file, if it stores whole frames; else 0
    key_count: different times of keys at most: those of its longest channel; or 0
    key_step: seconds: the longest step that leads to the time of every key; 0 where there is
    none of at least a thousandth of a second
    missing_frames: numbers between these that have no file
    """

    name: str
    duration: float
    frame_count: int
    key_count: int
    key_step: float
    missing_frames: int


class Box(NamedTuple):
    """pliant_box of C.

    lower
    upper
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]


class BodyQuality(NamedTuple):
    """pliant_body_quality of C.

    nodes: whose children's bounds were made in this state, as far as they are measured: those
    above islands are not
    growth: the sizes of these bounds over what they were when the tree was cut; 1 where none
    was made
    body_growth: the size of the body's own bounds over what it was then; 1 where these were not
    made yet
    decay: growth over body_growth where that is more than 1: how much larger bounds are than if
    everything had grown alike. From 1.5 on AUTO sees a loss
    rebuilds: how often a new tree was taken into use since the body was made
    sorts: how often the tree above its islands was sorted anew
    """

    nodes: int
    growth: float
    body_growth: float
    decay: float
    rebuilds: int
    sorts: int


class BodyMemory(NamedTuple):
    """pliant_body_memory of C.

    positions: its copy of the positions, if it has one
    bounds: everything else: itself and the pages of refreshed nodes
    """

    positions: int
    bounds: int


class Pair(NamedTuple):
    """pliant_pair of C.

    a
    b
    """

    a: int
    b: int


class MeetingTime(NamedTuple):
    """pliant_meeting_time of C.

    low
    high
    """

    low: float
    high: float


class Meeting(NamedTuple):
    """pliant_meeting of C.

    kind
    a
    b: which corner or edge; 0 for a triangle
    time
    """

    kind: MeetingKind
    a: int
    b: int
    time: MeetingTime


class FreeTime(NamedTuple):
    """pliant_free_time of C.

    time: nothing meets from 0 up to this time, this time included: 1 if nothing meets in the
    step, else the largest float32 below the first contact, exactly; with a distance, below the
    time of the first meeting
    touches: something touches, or is within the distance, at time 0; `time` is then 0
    complete: false: a budget was spent. Nothing is known then: `time` is 0
    pair: what meets first: these triangles,
    meeting: then and with these features; kind NONE if nothing meets
    """

    time: float
    touches: bool
    complete: bool
    pair: Pair
    meeting: Meeting


class Advance(NamedTuple):
    """pliant_advance of C.

    time: they are where they would be at this time, rounded to float32
    a
    b: of which of the bodies something meets first; equal: of one
    path: what it is, on the way that was asked for; kind NONE if nothing. Not `complete`: a
    budget was spent before a time above 0 was proved free; `time` is then 0, and all that moved
    is at its start
    """

    time: float
    a: int
    b: int
    path: FreeTime


class ContourFeature(NamedTuple):
    """pliant_contour_feature of C.

    kind
    index: the vertex; the lower and the higher vertex of the edge; the triangle. A vertex and a
    triangle are there twice
    """

    kind: Feature
    index: tuple[int, ...]  # type: ignore[assignment]


class ContourPoint(NamedTuple):
    """pliant_contour_point of C.

    point
    a
    b: of the first and of the second body; within one body in no particular order
    """

    point: tuple[float, ...]
    a: ContourFeature
    b: ContourFeature


class ContourSegment(NamedTuple):
    """pliant_contour_segment of C.

    a
    b
    pair: which of the touching pairs that is, in ascending order
    """

    a: int
    b: int
    pair: int


class Contour(NamedTuple):
    """pliant_contour of C.

    first_point
    first_segment: in the arrays of the set
    point_count
    segment_count
    length
    begin
    end
    generic: at every point an edge passes through a face, or, within one body, two triangles
    share a vertex; no segment lies along an edge
    """

    first_point: int
    first_segment: int
    point_count: int
    segment_count: int
    length: float
    begin: ContourEnd
    end: ContourEnd
    generic: bool


class ContourTouch(NamedTuple):
    """pliant_contour_touch of C.

    a
    b
    pair: as above
    common: a point, an area, or a segment of two triangles that lie in one plane or one of
    which has no area
    """

    a: int
    b: int
    pair: int
    common: Common


class Region(NamedTuple):
    """pliant_region of C.

    body: 0: of the first body; 1: of the second
    vertex_count: welded ones once; vertices on a contour are in no region
    triangle_count: whole ones
    piece_count: pieces of triangles that are cut
    inside
    guess
    area
    depth: of those inside: the largest distance to the other body, over the vertices and the
    midpoints of pieces of cut edges; 0 without these, and within one body
    deepest: the point with that distance
    """

    body: int
    vertex_count: int
    triangle_count: int
    piece_count: int
    inside: bool
    guess: bool
    area: float
    depth: float
    deepest: tuple[float, ...]


class RegionPiece(NamedTuple):
    """pliant_region_piece of C.

    body
    triangle
    region
    corner_count
    first_corner: its outline, counterclockwise seen against the triangle's normal; holes are
    pieces of their own, and their area is left out
    area
    """

    body: int
    triangle: int
    region: int
    corner_count: int
    first_corner: int
    area: float


class ContourStats(NamedTuple):
    """pliant_contour_stats of C.

    pairs: touching pairs
    nodes: different points of contours
    winding_tests: vertices located exactly, each by a ray through the other body
    distances: points whose distance to the other body was computed
    bytes: held by the object
    seconds_collide: finding the pairs
    seconds_join: contours and gradients
    seconds_regions: cutting and locating
    seconds_depths
    """

    pairs: int
    nodes: int
    winding_tests: int
    distances: int
    bytes: int
    seconds_collide: float
    seconds_join: float
    seconds_regions: float
    seconds_depths: float


class SurfacePoint(NamedTuple):
    """pliant_surface_point of C.

    point
    feature
    index: which vertex, or which edge: edge i goes from corner i to the next; 0 for a face
    """

    point: tuple[float, ...]
    feature: Feature
    index: int  # type: ignore[assignment]


class Closest(NamedTuple):
    """pliant_closest of C.

    found: false: nothing within the distance asked for; the rest is void
    triangle: PLIANT_NO_TRIANGLE if nothing was found
    distance: 0 if and only if the given point lies on the surface, exactly
    at: the closest point, on that triangle
    weights: of the triangle's corners, which sum to 1 and give that point; 0 exactly for
    corners that it does not depend on
    normal: of the triangle, by the order of its corners: of length 1, or 0 if it is degenerate
    group: of the triangle
    """

    found: bool
    triangle: int
    distance: float
    at: SurfacePoint
    weights: tuple[float, ...]
    normal: tuple[float, ...]
    group: int


class SignedDistance(NamedTuple):
    """pliant_signed_distance of C.

    distance: closest.distance with the sign of `side`; where nothing was found within
    max_distance: +infinity, or -infinity inside
    side: 1 outside, -1 inside, 0 on the surface, exactly. Without an inside (flag BY_SURFACE):
    0 also where that cannot be told
    winding: how often the surface goes around the point; 0 on the surface and where the side is
    BY_SURFACE
    flags: 0, or PLIANT_DISTANCE_BY_SURFACE and PLIANT_DISTANCE_UNCLOSED
    direction: of length 1, out of the inside: point minus closest point outside, the reverse
    inside, the angle-weighted normal on the surface; 0 where nothing was found or normals
    cancel
    closest: as pliant_find_closest_point() gives it
    """

    distance: float
    side: int
    winding: int
    flags: int
    direction: tuple[float, ...]
    closest: Closest


class DrawItem(NamedTuple):
    """pliant_draw_item of C.

    kind
    colour: a suggestion by kind, 0xrrggbb; bounds fade with their level
    body: index in its scene; of two the lower; UINT32_MAX: in no scene
    triangle: of that body, or PLIANT_NO_TRIANGLE
    level: of a bound: 0 is the root
    refreshed_below: of a bound: what lies below is known too
    """

    kind: DrawKind
    colour: int
    body: int
    triangle: int
    level: int
    refreshed_below: bool


class Proxy(NamedTuple):
    """pliant_proxy of C.

    id: of a proxy: its first leaf. Of a triangle: its number
    leaves: how many numbers of leaves a proxy takes; 0: it is a triangle
    """

    id: int
    leaves: int


class ProxyContact(NamedTuple):
    """pliant_proxy_contact of C.

    a
    b
    point: between the two: amid the overlap of spheres, or on the triangle
    normal: of length 1, from b towards a
    depth: how far the two overlap along the normal, 0 or more
    flags: 0 or PLIANT_PROXY_COARSE
    """

    a: Proxy
    b: Proxy
    point: tuple[float, ...]
    normal: tuple[float, ...]
    depth: float
    flags: int


class Stats(NamedTuple):
    """pliant_stats of C.

    nodes_refreshed: inner nodes: the bounds of all children of one node; not what is computed
    in passing where proxies that are spheres meet
    clusters_refreshed: clusters: their vertices, leaves and triangles
    vertices_read: vertex positions read to refresh the above
    nodes_tested: pairs of nodes or clusters whose children were compared; in a question about
    one body: nodes and clusters opened
    triangle_tests: pairs of triangles given to the exact test; triangles tested against a ray,
    a point or a box
    feature_tests: pairs of features measured in double
    exact_fallbacks: signs that needed more than double precision, and times that had to be
    compared exactly to sort meetings; not counted for rays
    lines: lines followed through a body because the side of a point did not follow from that of
    another
    pairs: pairs, hits, triangles or closest points reported
    bytes: held by the query and the pages of the bodies asked about
    bound_sizes: the sides of the bounds of refreshed nodes' children together, each body's in
    2^-20 of its own bounds when its tree was cut;
    bound_sizes_at_cut: and what they were then: pliant_body_get_quality()
    seconds_update: the eager part of the update
    seconds_traverse: traversal with refreshes on demand and triangle tests
    seconds_sort: putting the result in order
    """

    nodes_refreshed: int
    clusters_refreshed: int
    vertices_read: int
    nodes_tested: int
    triangle_tests: int
    feature_tests: int
    exact_fallbacks: int
    lines: int
    pairs: int
    bytes: int
    bound_sizes: int
    bound_sizes_at_cut: int
    seconds_update: float
    seconds_traverse: float
    seconds_sort: float


class RayHit(NamedTuple):
    """pliant_ray_hit of C.

    t: the parameter, correctly rounded; infinite if there is no hit
    point: origin + t * direction, computed in double and rounded; 0 without a hit
    triangle: PLIANT_NO_TRIANGLE: the ray meets no triangle, and what follows is 0
    weights: of the triangle's corners, which sum to 1 and give the point, computed in double; 0
    to 1 up to its rounding
    normal: of the triangle, by the order of its corners: of length 1, or 0 if it is degenerate
    group: of the triangle
    """

    t: float
    point: tuple[float, ...]
    triangle: int
    weights: tuple[float, ...]
    normal: tuple[float, ...]
    group: int


class Gap(NamedTuple):
    """pliant_gap of C.

    distance
    a
    b
    """

    distance: float
    a: SurfacePoint
    b: SurfacePoint


class Proximity(NamedTuple):
    """pliant_proximity of C.

    a
    b
    gap
    """

    a: int
    b: int
    gap: Gap


class FeaturePair(NamedTuple):
    """pliant_feature_pair of C.

    kind
    a
    b: the features; within one body edges have a < b
    vertices: of a, then of b: 1 and 3, 3 and 1, or 2 and 2; welded: the lowest
    weights: 0 to 1; those of each feature add up to 1, up to rounding
    direction: from the point of a to that of b, length 1. At distance 0: the normal of the
    face, or of both edges; 0 if there is none
    distance: 0 if and only if the features share a point, exactly
    """

    kind: FeatureKind
    a: int
    b: int
    vertices: tuple[int, ...]
    weights: tuple[float, ...]
    direction: tuple[float, ...]
    distance: float


class Bound(NamedTuple):
    """pliant_bound of C.

    box
    level: 0: the whole body; 1: a child of the root; ...
    triangle_count: triangles below
    is_cluster: the bound of a cluster: nothing lies below it here
    refreshed_below: what lies below has been refreshed in the current state
    """

    box: Box
    level: int
    triangle_count: int
    is_cluster: bool
    refreshed_below: bool


class BodyId(NamedTuple):
    """pliant_body_id of C.

    index
    generation: never 0
    """

    index: int  # type: ignore[assignment]
    generation: int


class MemberDef(NamedTuple):
    """pliant_member_def of C.

    category: default 1
    mask: default all ones. Two bodies are compared if each one's category has a bit in the
    other's mask
    self_contact: also look at the body with itself; default false
    is_static: it is never compared with other static bodies; it may move all the same; default
    false
    groups: contacts, distances, features and what meets in a step: only triangles of these
    groups take part; bits NULL (the default): all of them. The scene keeps a copy
    proxies: pliant_scene_collide_proxies(): it takes part as proxies, which its shape must
    have, not with its triangles; default false
    has_loose_box: default false
    loose_box: you vouch that every state of the body, and its shape's error, stays inside this
    box, whose sides may be infinite as those of pliant_overlap_box(). While it meets no other
    body's, the body is not read at all, not even for its bounds; where the body is read and is
    not inside, the call fails
    """

    category: int
    mask: int
    self_contact: bool
    is_static: bool
    groups: tuple[int, ...] | None
    proxies: bool
    has_loose_box: bool
    loose_box: Box


class ScenePair(NamedTuple):
    """pliant_scene_pair of C.

    a
    b: a.index <= b.index
    first
    count: of pliant_scene_contacts.pairs; count is at least 1
    complete: false: its budget was spent, and there may be more
    """

    a: BodyId
    b: BodyId
    first: int
    count: int  # type: ignore[assignment]
    complete: bool


class SceneEvent(NamedTuple):
    """pliant_scene_event of C.

    a
    b: a.index <= b.index; equal: a body with itself
    touch
    """

    a: BodyId
    b: BodyId
    touch: Touch


class SceneStats(NamedTuple):
    """pliant_scene_stats of C.

    narrow: over all pairs; seconds_update is the time for all bodies' bounds
    bodies_updated: whose bounds were asked for in a new state
    pairs_broad: body pairs whose boxes meet
    pairs_narrow: body pairs compared, after filters; bodies with `self` included
    pairs_touching: of these, or within the distance
    seconds_broad
    seconds_narrow
    seconds_collect: gathering and sorting the results
    """

    narrow: Stats
    bodies_updated: int
    pairs_broad: int
    pairs_narrow: int
    pairs_touching: int
    seconds_broad: float
    seconds_narrow: float
    seconds_collect: float


class SceneFreeTime(NamedTuple):
    """pliant_scene_free_time of C.

    a
    b: of which bodies something meets first, a.index <= b.index; generations 0 if nothing meets
    path: when, and what of them
    """

    a: BodyId
    b: BodyId
    path: FreeTime


class SceneAdvance(NamedTuple):
    """pliant_scene_advance of C.

    time: they are where they would be at this time, rounded to float32
    path: what meets first on the way that was asked for; if its `path` is not complete, as in
    pliant_advance
    """

    time: float
    path: SceneFreeTime


class SceneRayHit(NamedTuple):
    """pliant_scene_ray_hit of C.

    body: generation 0: the ray meets nobody
    hit
    """

    body: BodyId
    hit: RayHit


class SceneClosest(NamedTuple):
    """pliant_scene_closest of C.

    body: generation 0: nothing within the distance asked for
    closest
    """

    body: BodyId
    closest: Closest


class SceneSignedDistance(NamedTuple):
    """pliant_scene_signed_distance of C.

    body: generation 0: inside of nobody, and nothing within max_distance; the distance is then
    +infinity and the side 1
    distance: to that body
    """

    body: BodyId
    distance: SignedDistance


class SceneRange(NamedTuple):
    """pliant_scene_range of C.

    body
    first
    count: count is at least 1
    """

    body: BodyId
    first: int
    count: int  # type: ignore[assignment]


class ShapeQuality(NamedTuple):
    """pliant_shape_quality of C.

    node_count: inner nodes
    cluster_count: clusters of up to arity * leaf_size triangles
    levels: from the root's children down to single triangles
    component_count: connected pieces of the mesh after welding
    welded_vertex_count: distinct vertices after welding, unused ones included
    unused_vertex_count: vertices that no triangle uses
    degenerate_triangle_count: triangles whose rest corners lie on one line, exactly
    duplicate_triangle_count: triangles with the same welded vertices as an earlier one
    open_edge_count: welded edges that keep the mesh from being closed
    cluster_fill: mean triangles per cluster over arity * leaf_size
    boundary_share: vertices that clusters read in common, per vertex used
    area_ratio: sum of the areas of all boxes at rest, over the root's
    """

    node_count: int
    cluster_count: int
    levels: int
    component_count: int
    welded_vertex_count: int
    unused_vertex_count: int
    degenerate_triangle_count: int
    duplicate_triangle_count: int
    open_edge_count: int
    cluster_fill: float
    boundary_share: float
    area_ratio: float


class Segment(NamedTuple):
    """pliant_segment of C.

    p
    q
    common
    """

    p: tuple[float, ...]
    q: tuple[float, ...]
    common: Common


class Separation(NamedTuple):
    """pliant_separation of C.

    normal: of length 1; 0 where two segments on one line, or points, have no direction
    depth: at least 0
    """

    normal: tuple[float, ...]
    depth: float


class VolumeGrid(NamedTuple):
    """pliant_volume_grid of C.

    axis
    columns
    rows
    origin: the lower corner of pixel (0, 0), along columns and rows
    pixel: size of a pixel, along columns and rows
    depth: from where to where rays run
    """

    axis: int
    columns: int
    rows: int
    origin: tuple[float, ...]
    pixel: tuple[float, ...]
    depth: tuple[float, ...]


class VolumeSpan(NamedTuple):
    """pliant_volume_span of C.

    column
    row
    lower
    upper: along the grid's axis
    """

    column: int
    row: int
    lower: float
    upper: float


class VolumeVertex(NamedTuple):
    """pliant_volume_vertex of C.

    vertex
    depth
    area
    gradient: of the volume with respect to the vertex's position
    """

    vertex: int
    depth: float
    area: float
    gradient: tuple[float, ...]


class VolumePoint(NamedTuple):
    """pliant_volume_point of C.

    winding: 0: outside
    depth: from the point along the rays' direction to the nearer end of the piece of the ray
    that is inside; negative: against it; 0 outside
    """

    winding: int
    depth: float


class VolumeSampling(NamedTuple):
    """pliant_volume_sampling of C.

    grid: over the body's box, whatever the points are
    own_frame: the grid is that of the body's own frame, before its transform
    direction: of the rays in the world, of length 1
    error: winding numbers of points farther from the surface are right
    """

    grid: VolumeGrid
    own_frame: bool
    direction: tuple[float, ...]
    error: float


class VolumeStats(NamedTuple):
    """pliant_volume_stats of C.

    clusters_refreshed
    vertices_read: to bring bodies up to date, as in pliant_stats
    triangles: given to the rasteriser
    fragments: crossings of rays and surfaces
    images: made; images used again are not counted
    depth_complexity: the most crossings on a ray, of each body; with `cull`, of the rays that
    were looked at
    seconds_image: boxes, the region and the images: stages 1 and 2
    seconds_query: everything else: stage 3
    """

    clusters_refreshed: int
    vertices_read: int
    triangles: int
    fragments: int
    images: int
    depth_complexity: tuple[int, ...]
    seconds_image: float
    seconds_query: float


__all__ = [
    "Advance",
    "AssetClip",
    "AssetCounts",
    "AssetMotion",
    "BodyId",
    "BodyMemory",
    "BodyQuality",
    "Bound",
    "BoundKind",
    "Box",
    "Broad",
    "Closest",
    "CollideMode",
    "Common",
    "Contour",
    "ContourEnd",
    "ContourFeature",
    "ContourPoint",
    "ContourSegment",
    "ContourStats",
    "ContourTouch",
    "DrawItem",
    "DrawKind",
    "Feature",
    "FeatureKind",
    "FeaturePair",
    "FreeTime",
    "Gap",
    "Isa",
    "Islands",
    "LogLevel",
    "Meeting",
    "MeetingKind",
    "MeetingTime",
    "MemberDef",
    "Neighbours",
    "Number",
    "Pair",
    "Partition",
    "Proximity",
    "Proxy",
    "ProxyContact",
    "RayHit",
    "Rebuild",
    "RecordedMember",
    "RecordedQuestion",
    "RecordedState",
    "RecordedStep",
    "RecordingChunk",
    "Region",
    "RegionPiece",
    "SceneAdvance",
    "SceneClosest",
    "SceneEvent",
    "SceneFreeTime",
    "ScenePair",
    "SceneRange",
    "SceneRayHit",
    "SceneSignedDistance",
    "SceneStats",
    "Segment",
    "Separation",
    "SeparationSide",
    "ShapeQuality",
    "SideRule",
    "SignedDistance",
    "Skinning",
    "SphereCentre",
    "Stage",
    "Stats",
    "SurfacePoint",
    "Touch",
    "Update",
    "VolumeGrid",
    "VolumePoint",
    "VolumeSampling",
    "VolumeSpan",
    "VolumeStats",
    "VolumeVertex",
]
