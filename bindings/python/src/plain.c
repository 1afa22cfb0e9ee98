/* Functions that need no object: exact tests of triangles, standing and moving, and attaching. */
#include "core.h"

#include <math.h>

static bool read_two(PyObject *const *found, pliant_triangle *a, pliant_triangle *b)
{
    return pl_read_finite(found[0], "a", a->corner[0], 9) &&
           pl_read_finite(found[1], "b", b->corner[0], 9);
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
        (found[3] != NULL && !pl_read_finite(found[3], "towards", hint, 3))) {
        return NULL;
    }
    if (isnan(enough)) {
        return pl_raise_text(PLIANT_ERROR_NOT_FINITE, "enough is nan");
    }
    if (found[3] != NULL) {
        pliant_triangle_separate_towards(&a, &b, hint, &separation);
    } else {
        pliant_triangle_separate(&a, &b, enough, &separation);
    }
    return pl_make_tuple(&pl_struct_pliant_separation, &separation);
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
        !pl_read_finite(found[2], "origin", origin, 3) ||
        !pl_read_finite(found[3], "direction", direction, 3)) {
        return NULL;
    }
    if (!pliant_triangle_raycast(&a, origin, direction, INFINITY, &t) ||
        !pliant_triangle_raycast(&b, origin, direction, INFINITY, &t)) {
        PyErr_SetString(PyExc_ValueError, "the ray must meet both triangles, a and b");
        return NULL;
    }
    return PyLong_FromLong(pliant_triangle_compare_hits(&a, &b, origin, direction));
}

/* Points are (start, end): 6 numbers each. */
static bool read_moving(PyObject *value, const char *name, pliant_moving_triangle *triangle)
{
    _Static_assert(sizeof(pliant_moving_triangle) == 18 * sizeof(float), "points are packed");
    return pl_read_finite(value, name, triangle->corner[0].start, 18);
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
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) || !read_moving(found[0], "a", &a) ||
        !read_moving(found[1], "b", &b) ||
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

#define AT(member) offsetof(pliant_attach_def, member)

/* Sizes: 1 vertices, 2 joints. */
static const pl_part attach_parts[3] = {
    {"positions", "f4", 1, 0, 0, 3, 0, AT(positions), AT(position_stride), AT(vertex_count)},
    {"joint_positions", "f4", 2, 0, 0, 3, 1, AT(joint_positions), AT(joint_stride),
     AT(joint_count)},
    {"joint_radii", "f4", 2, 0, 0, 0, 2, AT(joint_radii), 0, 0}};

static PyObject *attach_vertices(PyObject *module, PyObject *const *values, Py_ssize_t count,
                                 PyObject *given)
{
    (void)module;
    static const char *const names[] = {"positions",          "joint_positions", "joint_radii",
                                        "!attach_to_nearest", "!copy",           NULL};
    const pl_args args = {"attach_vertices", values, count, given};
    PyObject *found[5], *answer = NULL;
    pl_array arrays[3] = {{0}};
    uint64_t sizes[3] = {0, PL_UNKNOWN, PL_UNKNOWN};
    pliant_attach_def def = pliant_attach_def_default();
    if (pl_parse(&args, names, found, NULL, NULL, NULL) &&
        pl_read_parts(attach_parts, 3, found, found[4] != NULL, sizes, arrays, &def)) {
        def.attach_to_nearest = found[3] != NULL;
        answer = attach_arrays(&def);
    }
    for (int i = 0; i < 3; i++) {
        pl_array_free(&arrays[i]);
    }
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
    PL_METHOD(
        "triangle_separate", triangle_separate,
        "triangle_separate(a, b, enough=0.0, *, towards=None)\n--\n\nThe shortest way to part "
        "two triangles that touch: a Separation. With `towards`, not against that direction."),
    PL_METHOD("triangle_compare_hits", triangle_compare_hits,
              "triangle_compare_hits(a, b, origin, direction)\n--\n\nWhich of two triangles a ray "
              "meets first, exactly: -1 a, 1 b, 0 both at once."),
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
    return PyModule_AddFunctions(module, functions) == 0;
}
