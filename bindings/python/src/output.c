/* Writing bodies as a GLB file, from dictionaries of arrays. */
#include "core.h"

/* Sizes that arrays of a body share, and its arrays. */
enum { FRAMES = 1, VERTICES, FACES, MODES, JOINTS, SETS, SIZE_COUNT };
enum {
    POSITIONS,
    TRIANGLES,
    FIELDS,
    COORDINATES,
    TRANSLATIONS,
    ROTATIONS,
    SCALES,
    INNER,
    NAMED,
    WEIGHTS,
    PART_COUNT
};

#define AT(member) offsetof(pliant_asset_output, member)

static const pl_part parts[PART_COUNT] = {
    {"positions", "f4", VERTICES, 0, 0, 3, TRIANGLES, AT(positions), 0, AT(vertex_count)},
    {"triangles", "u4 i4", FACES, 0, 0, 3, POSITIONS, AT(triangles), 0, AT(triangle_count)},
    {"modes", "f4", MODES, 0, VERTICES, 3, COORDINATES, AT(modes), 0, AT(mode_count)},
    {"coordinates", "f4", FRAMES, 0, MODES, 1, FIELDS, AT(coordinates), 0, 0},
    {"translations", "f4", JOINTS, 0, FRAMES, 3, ROTATIONS, AT(translations), 0, AT(joint_count)},
    {"rotations", "f4", JOINTS, 0, FRAMES, 4, TRANSLATIONS, AT(rotations), 0, 0},
    {"scales", "f4", JOINTS, 0, FRAMES, 3, TRANSLATIONS, AT(scales), 0, 0},
    {"inner_rotations", "f4", JOINTS, 0, FRAMES, 4, TRANSLATIONS, AT(inner_rotations), 0, 0},
    {"joints", "u2", SETS, 0, VERTICES, 4, WEIGHTS, AT(joints), 0, AT(influence_sets)},
    {"weights", "f4", SETS, 0, VERTICES, 4, NAMED, AT(weights), 0, 0}};

typedef struct given_body {
    pl_array arrays[PART_COUNT];
    PyObject *name;
} given_body;

static PyObject *entry(PyObject *dictionary, const char *name)
{
    PyObject *value = PyDict_GetItemString(dictionary, name);
    return value == Py_None ? NULL : value;
}

static bool read_parts(PyObject *dictionary, uint32_t frames, pl_array *arrays,
                       pliant_asset_output *output)
{
    PyObject *found[PART_COUNT];
    uint64_t sizes[SIZE_COUNT];
    memset(sizes, 0xff, sizeof sizes);
    sizes[FRAMES] = frames;
    for (int i = 0; i < PART_COUNT; i++) {
        found[i] = entry(dictionary, parts[i].name);
        if (i <= TRIANGLES && found[i] == NULL) {
            PyErr_Format(PyExc_ValueError, "a body to write needs %s", parts[i].name);
            return false;
        }
    }
    return pl_read_parts(parts, PART_COUNT, found, false, sizes, arrays, output);
}

static bool read_body(PyObject *dictionary, uint32_t frames, given_body *body,
                      pliant_asset_output *output)
{
    *output = (pliant_asset_output){.name = "body"};
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
           read_parts(dictionary, frames, body->arrays, output);
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
