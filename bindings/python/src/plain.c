/* Functions that need no object: exact tests of triangles, standing and moving, and attaching. */
#include "query.h"

#include <math.h>

static bool read_triangle(PyObject *value, const char *name, pliant_triangle *triangle)
{
    return pl_read_floats(value, name, triangle->corner[0], 9);
}

static bool read_two(PyObject *const *found, pliant_triangle *a, pliant_triangle *b)
{
    return read_triangle(found[0], "a", a) && read_triangle(found[1], "b", b);
}

static PyObject *orient3d(PyObject *module, PyObject *const *values, Py_ssize_t count,
                          PyObject *given)
{
    (void)module;
    static const char *const names[] = {"a", "b", "c", "d", NULL};
    const pl_args args = {"orient3d", values, count, given};
    PyObject *found[4];
    float points[4][3];
    if (!pl_parse(&args, names, found, NULL, NULL, NULL)) {
        return NULL;
    }
    for (int i = 0; i < 4; i++) {
        if (!pl_read_floats(found[i], names[i], points[i], 3)) {
            return NULL;
        }
    }
    return PyLong_FromLong(pliant_orient3d(points[0], points[1], points[2], points[3]));
}

static const char *const two_names[] = {"a", "b", NULL};

static PyObject *triangle_overlap(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                  PyObject *given)
{
    (void)module;
    const pl_args args = {"triangle_overlap", values, count, given};
    PyObject *found[2];
    pliant_triangle a, b;
    return pl_parse(&args, two_names, found, NULL, NULL, NULL) && read_two(found, &a, &b)
               ? PyBool_FromLong(pliant_triangle_overlap(&a, &b))
               : NULL;
}

static PyObject *triangle_intersect(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                    PyObject *given)
{
    (void)module;
    const pl_args args = {"triangle_intersect", values, count, given};
    PyObject *found[2];
    pliant_triangle a, b;
    pliant_segment segment = {0};
    if (!pl_parse(&args, two_names, found, NULL, NULL, NULL) || !read_two(found, &a, &b)) {
        return NULL;
    }
    pliant_triangle_intersect(&a, &b, &segment);
    return pl_make_tuple(&pl_struct_pliant_segment, &segment);
}

static PyObject *triangle_separate(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                   PyObject *given)
{
    (void)module;
    static const char *const names[] = {"a", "b", "?enough", "*towards", NULL};
    const pl_args args = {"triangle_separate", values, count, given};
    PyObject *found[4];
    pliant_triangle a, b;
    float enough = 0.0f, hint[3];
    pliant_separation separation = {0};
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) || !read_two(found, &a, &b) ||
        (found[2] != NULL && !pl_read_float(found[2], "enough", &enough)) ||
        (found[3] != NULL && !pl_read_floats(found[3], "towards", hint, 3))) {
        return NULL;
    }
    if (found[3] != NULL) {
        pliant_triangle_separate_towards(&a, &b, hint, &separation);
    } else {
        pliant_triangle_separate(&a, &b, enough, &separation);
    }
    return pl_make_tuple(&pl_struct_pliant_separation, &separation);
}

static PyObject *triangle_raycast(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                  PyObject *given)
{
    (void)module;
    static const char *const names[] = {"triangle", "origin", "direction", "?t_max", NULL};
    const pl_args args = {"triangle_raycast", values, count, given};
    PyObject *found[4];
    pliant_triangle triangle;
    float origin[3], direction[3], most = INFINITY;
    double t = 0.0;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !read_triangle(found[0], "triangle", &triangle) ||
        !pl_read_floats(found[1], "origin", origin, 3) ||
        !pl_read_floats(found[2], "direction", direction, 3) ||
        (found[3] != NULL && !pl_read_float(found[3], "t_max", &most))) {
        return NULL;
    }
    if (!pliant_triangle_raycast(&triangle, origin, direction, most, &t)) {
        Py_RETURN_NONE;
    }
    return PyFloat_FromDouble(t);
}

static PyObject *triangle_compare_hits(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                       PyObject *given)
{
    (void)module;
    static const char *const names[] = {"a", "b", "origin", "direction", NULL};
    const pl_args args = {"triangle_compare_hits", values, count, given};
    PyObject *found[4];
    pliant_triangle a, b;
    float origin[3], direction[3];
    double t = 0.0;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) || !read_two(found, &a, &b) ||
        !pl_read_floats(found[2], "origin", origin, 3) ||
        !pl_read_floats(found[3], "direction", direction, 3)) {
        return NULL;
    }
    if (!pliant_triangle_raycast(&a, origin, direction, INFINITY, &t) ||
        !pliant_triangle_raycast(&b, origin, direction, INFINITY, &t)) {
        PyErr_SetString(PyExc_ValueError, "the ray must meet both triangles");
        return NULL;
    }
    return PyLong_FromLong(pliant_triangle_compare_hits(&a, &b, origin, direction));
}

static PyObject *triangle_find_closest_point(PyObject *module, PyObject *const *values,
                                             Py_ssize_t count, PyObject *given)
{
    (void)module;
    static const char *const names[] = {"triangle", "point", NULL};
    const pl_args args = {"triangle_find_closest_point", values, count, given};
    PyObject *found[2];
    pliant_triangle triangle;
    float point[3];
    double closest[3] = {0};
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !read_triangle(found[0], "triangle", &triangle) ||
        !pl_read_floats(found[1], "point", point, 3)) {
        return NULL;
    }
    double distance = pliant_triangle_find_closest_point(&triangle, point, closest);
    return Py_BuildValue("(d(ddd))", distance, closest[0], closest[1], closest[2]);
}

static PyObject *triangle_measure_distance(PyObject *module, PyObject *const *values,
                                           Py_ssize_t count, PyObject *given)
{
    (void)module;
    const pl_args args = {"triangle_measure_distance", values, count, given};
    PyObject *found[2];
    pliant_triangle a, b;
    pliant_gap gap = {0};
    if (!pl_parse(&args, two_names, found, NULL, NULL, NULL) || !read_two(found, &a, &b)) {
        return NULL;
    }
    pliant_triangle_measure_distance(&a, &b, &gap);
    return pl_make_tuple(&pl_struct_pliant_gap, &gap);
}

/* -------------------------------------------------------------------------------- moving ones */

/* Points are (start, end): 6 numbers each. */
static bool read_moving(PyObject *value, const char *name, pliant_moving_point *points, int count)
{
    _Static_assert(sizeof(pliant_moving_point) == 6 * sizeof(float), "points are packed");
    return pl_read_floats(value, name, points->start, 6 * (size_t)count);
}

static PyObject *meeting_time(bool meets, const pliant_meeting_time *time)
{
    return meets ? pl_make_tuple(&pl_struct_pliant_meeting_time, time) : Py_NewRef(Py_None);
}

static PyObject *moving_point_meet(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                   PyObject *given)
{
    (void)module;
    static const char *const names[] = {"vertex", "face", NULL};
    const pl_args args = {"moving_point_meet", values, count, given};
    PyObject *found[2];
    pliant_moving_point vertex;
    pliant_moving_triangle face;
    pliant_meeting_time time = {0};
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !read_moving(found[0], "vertex", &vertex, 1) ||
        !read_moving(found[1], "face", face.corner, 3)) {
        return NULL;
    }
    return meeting_time(pliant_moving_point_meet(&vertex, &face, &time), &time);
}

static PyObject *moving_edge_meet(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                  PyObject *given)
{
    (void)module;
    const pl_args args = {"moving_edge_meet", values, count, given};
    PyObject *found[2];
    pliant_moving_edge a, b;
    pliant_meeting_time time = {0};
    if (!pl_parse(&args, two_names, found, NULL, NULL, NULL) ||
        !read_moving(found[0], "a", a.end, 2) || !read_moving(found[1], "b", b.end, 2)) {
        return NULL;
    }
    return meeting_time(pliant_moving_edge_meet(&a, &b, &time), &time);
}

static PyObject *moving_triangle_meet(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                      PyObject *given)
{
    (void)module;
    static const char *const names[] = {"a", "b", "*distance", NULL};
    const pl_args args = {"moving_triangle_meet", values, count, given};
    PyObject *found[3];
    pliant_moving_triangle a, b;
    pliant_meeting meeting = {0};
    float distance = 0.0f;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !read_moving(found[0], "a", a.corner, 3) || !read_moving(found[1], "b", b.corner, 3) ||
        (found[2] != NULL && !pl_read_float(found[2], "distance", &distance))) {
        return NULL;
    }
    if (!(distance >= 0.0f && distance < INFINITY)) {
        PyErr_SetString(PyExc_ValueError, "distance must be 0 or more, and finite");
        return NULL;
    }
    bool meets = found[2] == NULL ? pliant_moving_triangle_meet(&a, &b, &meeting)
                                  : pliant_moving_triangle_approach(&a, &b, distance, &meeting);
    return meets ? pl_make_tuple(&pl_struct_pliant_meeting, &meeting) : Py_NewRef(Py_None);
}

/* --------------------------------------------------------------------------------- attaching */

static PyObject *attach_arrays(const pliant_attach_def *def)
{
    uint64_t count = 0;
    pliant_result result = pliant_attach_vertices(def, NULL, NULL, NULL, 0, &count);
    if (result != PLIANT_OK) {
        return pl_raise(result);
    }
    const Py_ssize_t offsets_shape[1] = {(Py_ssize_t)def->vertex_count + 1},
                     list_shape[1] = {(Py_ssize_t)count};
    void *offsets = NULL, *joints = NULL, *weights = NULL;
    PyObject *arrays[3] = {pl_new_numbers("u4", offsets_shape, 1, &offsets),
                           pl_new_numbers("u4", list_shape, 1, &joints),
                           pl_new_numbers("f4", list_shape, 1, &weights)};
    PyObject *all = NULL;
    if (arrays[0] != NULL && arrays[1] != NULL && arrays[2] != NULL) {
        PyThreadState *thread = PyEval_SaveThread();
        result = pliant_attach_vertices(def, offsets, joints, weights, count, &count);
        PyEval_RestoreThread(thread);
        all = result == PLIANT_OK ? PyTuple_Pack(3, arrays[0], arrays[1], arrays[2])
                                  : pl_raise(result);
    }
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(arrays[i]);
    }
    return all;
}

static PyObject *attach_vertices(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                 PyObject *given)
{
    (void)module;
    static const char *const names[] = {"positions",          "joint_positions", "joint_radii",
                                        "*attach_to_nearest", "*copy",           NULL};
    const pl_args args = {"attach_vertices", values, count, given};
    PyObject *found[5], *answer = NULL;
    pl_array positions = {0}, joints = {0}, radii = {0};
    pliant_attach_def def = pliant_attach_def_default();
    if (!pl_parse(&args, names, found, NULL, NULL, NULL)) {
        return NULL;
    }
    bool copy = pl_flag(found[4]);
    if (pl_array_read(found[0], "positions", &pl_points, copy, &positions) &&
        pl_array_read(found[1], "joint_positions", &pl_points, copy, &joints) &&
        pl_array_read(found[2], "joint_radii", &pl_list_f32, copy, &radii) &&
        pl_count32(&positions, "positions", &def.vertex_count) &&
        pl_count32(&joints, "joint_positions", &def.joint_count)) {
        if (radii.count != joints.count) {
            PyErr_SetString(PyExc_ValueError, "joint_radii must have a number for each joint");
        } else {
            def.positions = positions.data;
            def.position_stride = positions.stride;
            def.joint_positions = joints.data;
            def.joint_stride = joints.stride;
            def.joint_radii = radii.data;
            def.attach_to_nearest = pl_flag(found[3]);
            answer = attach_arrays(&def);
        }
    }
    pl_array_free(&positions);
    pl_array_free(&joints);
    pl_array_free(&radii);
    return answer;
}

static PyObject *compute_joint_transform(PyObject *module, PyObject *const *values,
                                         Py_ssize_t count, PyObject *given)
{
    (void)module;
    static const char *const names[] = {"reference", "displacement", "gradient", NULL};
    const pl_args args = {"compute_joint_transform", values, count, given};
    PyObject *found[3];
    float reference[3], displacement[3], gradient[9], transform[12];
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !pl_read_floats(found[0], "reference", reference, 3) ||
        !pl_read_floats(found[1], "displacement", displacement, 3) ||
        !pl_read_floats(found[2], "gradient", gradient, 9)) {
        return NULL;
    }
    pliant_result result =
        pliant_compute_joint_transform(reference, displacement, gradient, transform);
    if (result != PLIANT_OK) {
        return pl_raise(result);
    }
    const Py_ssize_t shape[2] = {3, 4};
    void *data = NULL;
    PyObject *array = pl_new_numbers("f4", shape, 2, &data);
    if (array != NULL) {
        memcpy(data, transform, sizeof transform);
    }
    return array;
}

static PyMethodDef functions[] = {
    PL_METHOD("orient3d", orient3d,
              "orient3d(a, b, c, d)\n--\n\nThe sign of the determinant |b-a, c-a, d-a|, exactly."),
    PL_METHOD("triangle_overlap", triangle_overlap,
              "triangle_overlap(a, b)\n--\n\nWhether two closed triangles, (3, 3), share a point, "
              "exactly."),
    PL_METHOD("triangle_intersect", triangle_intersect,
              "triangle_intersect(a, b)\n--\n\nWhat two triangles have in common: a Segment."),
    PL_METHOD(
        "triangle_separate", triangle_separate,
        "triangle_separate(a, b, enough=0.0, *, towards=None)\n--\n\nThe shortest way to part "
        "two triangles that touch: a Separation. With `towards`, not against that direction."),
    PL_METHOD(
        "triangle_raycast", triangle_raycast,
        "triangle_raycast(triangle, origin, direction, t_max=...)\n--\n\nThe parameter at which "
        "a ray meets a triangle, or None."),
    PL_METHOD("triangle_compare_hits", triangle_compare_hits,
              "triangle_compare_hits(a, b, origin, direction)\n--\n\nWhich of two triangles a ray "
              "meets first, exactly: -1 a, 1 b, 0 both at once."),
    PL_METHOD(
        "triangle_find_closest_point", triangle_find_closest_point,
        "triangle_find_closest_point(triangle, point)\n--\n\nThe distance, and the point of a "
        "triangle closest to a given one."),
    PL_METHOD(
        "triangle_measure_distance", triangle_measure_distance,
        "triangle_measure_distance(a, b)\n--\n\nHow far apart two triangles are, and where: a "
        "Gap."),
    PL_METHOD("moving_point_meet", moving_point_meet,
              "moving_point_meet(vertex, face)\n--\n\nWhen a moving vertex, (start, end), meets a "
              "moving triangle, three of these: a MeetingTime, or None."),
    PL_METHOD("moving_edge_meet", moving_edge_meet,
              "moving_edge_meet(a, b)\n--\n\nWhen two moving edges meet: a MeetingTime, or None."),
    PL_METHOD("moving_triangle_meet", moving_triangle_meet,
              "moving_triangle_meet(a, b, *, distance=None)\n--\n\nWhen two moving triangles meet, "
              "or come within a distance, and what of them: a Meeting, or None."),
    PL_METHOD(
        "attach_vertices", attach_vertices,
        "attach_vertices(positions, joint_positions, joint_radii, *, attach_to_nearest=False, "
        "copy=False)\n--\n\nInfluences of joints on vertices, as Shape() takes them: offsets, "
        "joints and weights."),
    PL_METHOD(
        "compute_joint_transform", compute_joint_transform,
        "compute_joint_transform(reference, displacement, gradient)\n--\n\nThe transform of a "
        "joint whose surroundings have been deformed: (3, 4)."),
    {NULL, NULL, 0, NULL}};

bool pl_add_plain(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) == 0 &&
           PyModule_AddFunctions(module, pl_draw_functions) == 0;
}
