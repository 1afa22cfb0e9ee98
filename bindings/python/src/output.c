/* Writing bodies as a GLB file, from dictionaries of arrays. */
#include "core.h"

/* Arrays of a body, in the order of `keys`. */
enum {
    POSITIONS,
    TRIANGLES,
    MODES,
    COORDINATES,
    JOINTS,
    WEIGHTS,
    TRANSLATIONS,
    ROTATIONS,
    SCALES,
    INNER_ROTATIONS,
    ARRAY_COUNT
};

static const char *const keys[ARRAY_COUNT] = {
    "positions", "triangles",    "modes",     "coordinates", "joints",
    "weights",   "translations", "rotations", "scales",      "inner_rotations"};

typedef struct given_body {
    pl_array arrays[ARRAY_COUNT];
    uint64_t shapes[ARRAY_COUNT][3];
    PyObject *name;
} given_body;

bool pl_shape_3d(PyObject *array, const char *name, uint64_t shape[3])
{
    PyObject *tuple = PyObject_GetAttrString(array, "shape");
    bool read = tuple != NULL && PyTuple_Check(tuple) && PyTuple_Size(tuple) == 3;
    for (int i = 0; read && i < 3; i++) {
        shape[i] = PyLong_AsUnsignedLongLong(PyTuple_GetItem(tuple, i));
        read = PyErr_Occurred() == NULL && shape[i] < (uint64_t)1 << 30;
    }
    Py_XDECREF(tuple);
    if (!read) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be an array with three axes", name);
    }
    return read;
}

/* An array of three axes, packed; `last` numbers along the third. */
static bool read_three(PyObject *value, int which, const char *types, uint64_t last,
                       given_body *body)
{
    uint64_t *shape = body->shapes[which];
    if (!pl_shape_3d(value, keys[which], shape)) {
        return false;
    }
    uint64_t row = shape[1] * shape[2];
    const pl_wanted wanted = {types, (uint32_t)row, false};
    if (shape[2] != last || row > UINT32_MAX) {
        PyErr_Format(PyExc_ValueError, "the last axis of %s must be %u", keys[which],
                     (unsigned)last);
        return false;
    }
    if (!pl_array_read(value, keys[which], &wanted, false, &body->arrays[which])) {
        return false;
    }
    size_t number = types[1] == '2' ? 2 : 4;
    if (shape[0] > 1 && body->arrays[which].stride != row * number) {
        PyErr_Format(PyExc_ValueError, "%s has gaps between its rows", keys[which]);
        return false;
    }
    return true;
}

static bool wrong(const char *what)
{
    PyErr_SetString(PyExc_ValueError, what);
    return false;
}

static bool read_mesh(PyObject *dictionary, given_body *body, pliant_asset_output *output)
{
    static const pl_wanted triangles = {"u4 i4", 3, false};
    PyObject *positions = PyDict_GetItemString(dictionary, "positions");
    PyObject *corners = PyDict_GetItemString(dictionary, "triangles");
    if (positions == NULL || corners == NULL) {
        return wrong("a body to write needs positions and triangles");
    }
    if (!pl_array_read(positions, "positions", &pl_points, false, &body->arrays[POSITIONS]) ||
        !pl_array_read(corners, "triangles", &triangles, false, &body->arrays[TRIANGLES]) ||
        !pl_count32(&body->arrays[POSITIONS], "positions", &output->vertex_count) ||
        !pl_count32(&body->arrays[TRIANGLES], "triangles", &output->triangle_count)) {
        return false;
    }
    output->positions = body->arrays[POSITIONS].data;
    output->triangles = body->arrays[TRIANGLES].data;
    return (body->arrays[POSITIONS].stride == 12 && body->arrays[TRIANGLES].stride == 12) ||
           wrong("positions and triangles to write must have no gaps between their rows");
}

static bool read_modes(PyObject *dictionary, uint32_t frames, given_body *body,
                       pliant_asset_output *output)
{
    PyObject *modes = PyDict_GetItemString(dictionary, "modes");
    PyObject *coordinates = PyDict_GetItemString(dictionary, "coordinates");
    if (modes == NULL && coordinates == NULL) {
        return true;
    }
    if (modes == NULL || coordinates == NULL) {
        return wrong("modes and coordinates go together");
    }
    if (!read_three(modes, MODES, "f4", 3, body)) {
        return false;
    }
    if (body->shapes[MODES][1] != output->vertex_count) {
        return wrong("modes must be (modes, vertices, 3)");
    }
    output->mode_count = (uint32_t)body->shapes[MODES][0];
    const pl_wanted rows = {"f4", output->mode_count, false};
    if (!pl_array_read(coordinates, "coordinates", &rows, false, &body->arrays[COORDINATES])) {
        return false;
    }
    if (body->arrays[COORDINATES].count != frames ||
        body->arrays[COORDINATES].stride != 4 * (size_t)output->mode_count) {
        return wrong("coordinates must be (frames, modes) without gaps");
    }
    output->modes = body->arrays[MODES].data;
    output->coordinates = body->arrays[COORDINATES].data;
    return true;
}

static bool read_moves(PyObject *dictionary, uint32_t frames, given_body *body,
                       pliant_asset_output *output)
{
    static const uint64_t last[ARRAY_COUNT] = {
        [TRANSLATIONS] = 3, [ROTATIONS] = 4, [SCALES] = 3, [INNER_ROTATIONS] = 4};
    const float **to[ARRAY_COUNT] = {[TRANSLATIONS] = &output->translations,
                                     [ROTATIONS] = &output->rotations,
                                     [SCALES] = &output->scales,
                                     [INNER_ROTATIONS] = &output->inner_rotations};
    for (int which = TRANSLATIONS; which <= INNER_ROTATIONS; which++) {
        PyObject *value = PyDict_GetItemString(dictionary, keys[which]);
        if (value == NULL || value == Py_None) {
            continue;
        }
        if (!read_three(value, which, "f4", last[which], body)) {
            return false;
        }
        uint64_t joints = body->shapes[which][0];
        if (body->shapes[which][1] != frames || joints > UINT16_MAX ||
            (output->joint_count != 0 && joints != output->joint_count)) {
            return wrong("translations, rotations, scales and inner_rotations must be (joints, "
                         "frames, numbers)");
        }
        output->joint_count = (uint32_t)joints;
        *to[which] = body->arrays[which].data;
    }
    return output->joint_count == 0 ||
           (output->translations != NULL && output->rotations != NULL) ||
           wrong("bodies that joints move need translations and rotations");
}

static bool read_influences(PyObject *dictionary, given_body *body, pliant_asset_output *output)
{
    PyObject *joints = PyDict_GetItemString(dictionary, "joints");
    PyObject *weights = PyDict_GetItemString(dictionary, "weights");
    if (joints == NULL && weights == NULL) {
        return true;
    }
    if (joints == NULL || weights == NULL) {
        return wrong("joints and weights go together");
    }
    if (!read_three(joints, JOINTS, "u2", 4, body) ||
        !read_three(weights, WEIGHTS, "f4", 4, body)) {
        return false;
    }
    if (body->shapes[JOINTS][0] != body->shapes[WEIGHTS][0] ||
        body->shapes[JOINTS][1] != output->vertex_count ||
        body->shapes[WEIGHTS][1] != output->vertex_count) {
        return wrong("joints and weights must be (sets, vertices, 4)");
    }
    output->influence_sets = (uint32_t)body->shapes[JOINTS][0];
    output->joints = body->arrays[JOINTS].data;
    output->weights = body->arrays[WEIGHTS].data;
    return true;
}

static bool read_body(PyObject *dictionary, uint32_t frames, given_body *body,
                      pliant_asset_output *output)
{
    *output = (pliant_asset_output){.name = "body"};
    if (!PyDict_Check(dictionary)) {
        PyErr_SetString(PyExc_TypeError, "each body to write is a dictionary");
        return false;
    }
    PyObject *name = PyDict_GetItemString(dictionary, "name");
    if (name != NULL) {
        body->name = PyUnicode_AsUTF8String(name);
        if (body->name == NULL) {
            return false;
        }
        output->name = PyBytes_AsString(body->name);
    }
    PyObject *error = PyDict_GetItemString(dictionary, "error");
    return (error == NULL || pl_read_float(error, "error", &output->error)) &&
           read_mesh(dictionary, body, output) && read_modes(dictionary, frames, body, output) &&
           read_moves(dictionary, frames, body, output) &&
           read_influences(dictionary, body, output);
}

static PyObject *write_bytes(const pliant_asset_output *outputs, uint32_t count, uint32_t frames,
                             double rate)
{
    uint64_t size = 0;
    pliant_result result = pliant_asset_output_write(outputs, count, frames, rate, NULL, 0, &size);
    PyObject *bytes =
        result == PLIANT_OK ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size) : NULL;
    if (bytes != NULL) {
        char *at = PyBytes_AsString(bytes);
        PyThreadState *thread = PyEval_SaveThread();
        result = pliant_asset_output_write(outputs, count, frames, rate, at, size, &size);
        PyEval_RestoreThread(thread);
    }
    if (result != PLIANT_OK) {
        Py_CLEAR(bytes);
        pl_raise(result);
    }
    return bytes;
}

static PyObject *write_list(PyObject *list, uint32_t frames, double rate, pl_scratch *scratch)
{
    Py_ssize_t count = PyList_Size(list);
    given_body *bodies = pl_scratch_allocate(scratch, (size_t)count * sizeof *bodies);
    pliant_asset_output *outputs = pl_scratch_allocate(scratch, (size_t)count * sizeof *outputs);
    if (bodies == NULL || outputs == NULL) {
        return NULL;
    }
    memset(bodies, 0, (size_t)count * sizeof *bodies);
    bool read = true;
    for (Py_ssize_t i = 0; read && i < count; i++) {
        read = read_body(PyList_GetItem(list, i), frames, &bodies[i], &outputs[i]);
    }
    PyObject *bytes = read ? write_bytes(outputs, (uint32_t)count, frames, rate) : NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        for (int k = 0; k < ARRAY_COUNT; k++) {
            pl_array_free(&bodies[i].arrays[k]);
        }
        Py_XDECREF(bodies[i].name);
    }
    return bytes;
}

static PyObject *write_glb(PyObject *module, PyObject *const *values, Py_ssize_t count,
                           PyObject *given)
{
    (void)module;
    static const char *const names[] = {"bodies", "?frame_count", "?frames_per_second", NULL};
    const pl_args args = {"write_glb", values, count, given};
    PyObject *found[3];
    uint32_t frames = 1;
    double rate = 30.0;
    pl_scratch scratch = {.count = 0};
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        (found[1] != NULL && !pl_read_u32(found[1], "frame_count", &frames))) {
        return NULL;
    }
    if (found[2] != NULL) {
        rate = PyFloat_AsDouble(found[2]);
        if (rate == -1.0 && PyErr_Occurred() != NULL) {
            return NULL;
        }
    }
    PyObject *list = PySequence_List(found[0]);
    PyObject *bytes = list == NULL ? NULL : write_list(list, frames, rate, &scratch);
    Py_XDECREF(list);
    pl_scratch_free(&scratch);
    return bytes;
}

PyMethodDef pl_output_functions[] = {
    PL_METHOD(
        "write_glb", write_glb,
        "write_glb(bodies, frame_count=1, frames_per_second=30.0)\n--\n\nBodies as the bytes "
        "of a GLB file. Each is a dictionary: name, positions (n, 3), triangles (m, 3) uint32, "
        "modes (k, n, 3) with coordinates (frames, k), error; translations (joints, frames, "
        "3), rotations (joints, frames, 4), scales, inner_rotations; joints (sets, n, 4) "
        "uint16 with weights (sets, n, 4)."),
    {NULL, NULL, 0, NULL}};
