/* Writing bodies as a GLB file, from dictionaries of arrays. */
#include "core.h"

/* Sizes that arrays of a body share. */
typedef enum size_kind { ONE, FRAMES, VERTICES, FACES, MODES, JOINTS, SETS, SIZE_COUNT } size_kind;

/* An array: rows by `rows`, each of `middle` times `last` numbers. */
typedef struct part {
    const char *name, *types;
    size_kind rows, middle;
    uint32_t last;
    const char *partner; /* that must be there too */
    size_t offset;       /* of its pointer in pliant_asset_output */
} part;

#define AT(member) offsetof(pliant_asset_output, member)
#define PART_COUNT 10
#define UNKNOWN    UINT64_MAX

static const part parts[PART_COUNT] = {
    {"positions", "f4", VERTICES, ONE, 3, "triangles", AT(positions)},
    {"triangles", "u4 i4", FACES, ONE, 3, "positions", AT(triangles)},
    {"modes", "f4", MODES, VERTICES, 3, "coordinates", AT(modes)},
    {"coordinates", "f4", FRAMES, MODES, 1, "modes", AT(coordinates)},
    {"translations", "f4", JOINTS, FRAMES, 3, "rotations", AT(translations)},
    {"rotations", "f4", JOINTS, FRAMES, 4, "translations", AT(rotations)},
    {"scales", "f4", JOINTS, FRAMES, 3, "translations", AT(scales)},
    {"inner_rotations", "f4", JOINTS, FRAMES, 4, "translations", AT(inner_rotations)},
    {"joints", "u2", SETS, VERTICES, 4, "weights", AT(joints)},
    {"weights", "f4", SETS, VERTICES, 4, "joints", AT(weights)}};

typedef struct given_body {
    pl_array arrays[PART_COUNT];
    uint64_t sizes[SIZE_COUNT];
    PyObject *name;
} given_body;

static PyObject *entry(PyObject *dictionary, const char *name)
{
    PyObject *value = PyDict_GetItemString(dictionary, name);
    return value == Py_None ? NULL : value;
}

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

/* The first array with a size says it, the others must agree. */
static bool read_part(const part *of, PyObject *value, given_body *body, pl_array *array)
{
    uint64_t columns = of->middle == ONE ? of->last : body->sizes[of->middle] * of->last;
    uint64_t *rows = &body->sizes[of->rows], most = of->rows == JOINTS ? UINT16_MAX : UINT32_MAX;
    uint64_t shape[3] = {0, body->sizes[of->middle], of->last};
    if (of->last > 1 && of->middle != ONE && !pl_shape_3d(value, of->name, shape)) {
        return false;
    }
    const pl_wanted wanted = {of->types, (uint32_t)columns, true};
    if (columns > UINT32_MAX || shape[1] != body->sizes[of->middle] || shape[2] != of->last) {
        PyErr_Format(PyExc_ValueError, "%s has rows of %llu times %llu numbers, not %llu times %u",
                     of->name, (unsigned long long)shape[1], (unsigned long long)shape[2],
                     (unsigned long long)body->sizes[of->middle], of->last);
        return false;
    }
    if (!pl_array_read(value, of->name, &wanted, false, array)) {
        return false;
    }
    if ((*rows != UNKNOWN && array->count != *rows) || array->count > most) {
        PyErr_Format(PyExc_ValueError, "%s has %llu rows, not %llu", of->name,
                     (unsigned long long)array->count,
                     (unsigned long long)(*rows != UNKNOWN ? *rows : most));
        return false;
    }
    *rows = array->count;
    return true;
}

static bool read_parts(PyObject *dictionary, given_body *body, pliant_asset_output *output)
{
    for (int i = 0; i < PART_COUNT; i++) {
        PyObject *value = entry(dictionary, parts[i].name);
        if (i < 2 ? value == NULL : value != NULL && entry(dictionary, parts[i].partner) == NULL) {
            PyErr_Format(PyExc_ValueError, "a body to write needs %s",
                         i < 2 ? parts[i].name : parts[i].partner);
            return false;
        }
        if (value != NULL) {
            if (!read_part(&parts[i], value, body, &body->arrays[i])) {
                return false;
            }
            memcpy((char *)output + parts[i].offset, &body->arrays[i].data, sizeof(void *));
        }
    }
    uint32_t *const counts[SIZE_COUNT] = {[VERTICES] = &output->vertex_count,
                                          [FACES] = &output->triangle_count,
                                          [MODES] = &output->mode_count,
                                          [JOINTS] = &output->joint_count,
                                          [SETS] = &output->influence_sets};
    for (int i = VERTICES; i < SIZE_COUNT; i++) {
        *counts[i] = body->sizes[i] == UNKNOWN ? 0 : (uint32_t)body->sizes[i];
    }
    return true;
}

static bool read_body(PyObject *dictionary, uint32_t frames, given_body *body,
                      pliant_asset_output *output)
{
    *output = (pliant_asset_output){.name = "body"};
    for (int i = 0; i < SIZE_COUNT; i++) {
        body->sizes[i] = i == ONE ? 1 : i == FRAMES ? frames : UNKNOWN;
    }
    if (!PyDict_Check(dictionary)) {
        PyErr_SetString(PyExc_TypeError, "bodies: each body to write is a dictionary");
        return false;
    }
    PyObject *name = entry(dictionary, "name"), *error = entry(dictionary, "error");
    if (name != NULL) {
        body->name = PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL;
        if (body->name == NULL) {
            PyErr_Format(PyExc_TypeError, "name must be a text, not %R", name);
            return false;
        }
        output->name = PyBytes_AsString(body->name);
    }
    return (error == NULL || pl_read_float(error, "error", &output->error)) &&
           read_parts(dictionary, body, output);
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
        for (int k = 0; k < PART_COUNT; k++) {
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
        (found[1] != NULL && !pl_read_u32(found[1], "frame_count", &frames)) ||
        (found[2] != NULL && !pl_read_double(found[2], "frames_per_second", &rate))) {
        return NULL;
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
