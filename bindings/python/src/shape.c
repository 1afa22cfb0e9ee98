/* Shapes: made of arrays, written to and read from blocks. A shape never changes: no call about it
   waits for another. */
#include "core.h"

PyTypeObject *pl_shape_type;

typedef struct pl_shape {
    pl_object base;
    pliant_body *keeper; /* of the shape of a torn body, which is not ours to destroy; or NULL */
} pl_shape;

/* Sizes of a definition, and its arrays: modes are dense, (modes, vertices, 3), or have entries. */
enum { VERTICES = 1, FACES, MODES, ENTRIES, INFLUENCES, SLOTS, SIZE_COUNT };
enum {
    POSITIONS,
    TRIANGLES,
    GROUPS,
    DENSE,
    MODE_OFFSETS,
    MODE_VERTICES,
    INFLUENCE_OFFSETS,
    INFLUENCE_JOINTS,
    INFLUENCE_WEIGHTS,
    SLOT_JOINTS,
    SLOT_WEIGHTS,
    CONTEXT,
    SPARSE = CONTEXT,
    PART_COUNT,
    COPY = PART_COUNT,
    NAME_COUNT
};

#define AT(member) offsetof(pliant_shape_def, member)

static const pl_part parts[PART_COUNT] = {
    {"positions", "f4", VERTICES, 0, 0, 3, POSITIONS, AT(positions), AT(position_stride),
     AT(vertex_count)},
    {"triangles", "u4 i4 u2", FACES, 0, 0, 3, TRIANGLES, AT(triangles), AT(triangle_stride),
     AT(triangle_count)},
    {"groups", "u2", FACES, 0, 0, 0, GROUPS, AT(groups), 0, 0},
    {"modes", "f4", MODES, 0, VERTICES, 3, DENSE, AT(modes), AT(mode_stride), AT(mode_count)},
    {"mode_offsets", "u4 i4", MODES, 1, 0, 0, MODE_VERTICES, AT(mode_offsets), 0, AT(mode_count)},
    {"mode_vertices", "u4 i4", ENTRIES, 0, 0, 0, SPARSE, AT(mode_vertices), 0, 0},
    {"influence_offsets", "u4 i4", VERTICES, 1, 0, 0, INFLUENCE_JOINTS, AT(influence_offsets), 0,
     0},
    {"influence_joints", "u4 i4", INFLUENCES, 0, 0, 0, INFLUENCE_WEIGHTS, AT(influence_joints), 0,
     0},
    {"influence_weights", "f4", INFLUENCES, 0, 0, 0, INFLUENCE_OFFSETS, AT(influence_weights), 0,
     0},
    {"slot_joints", "u2 u1 u4", VERTICES, 0, SLOTS, 1, SLOT_WEIGHTS, AT(slot_joints),
     AT(slot_joint_stride), 0},
    {"slot_weights", "f4 u1 u2", VERTICES, 0, SLOTS, 1, SLOT_JOINTS, AT(slot_weights),
     AT(slot_weight_stride), 0},
    {"modes", "f4", ENTRIES, 0, 0, 3, MODE_OFFSETS, AT(modes), AT(mode_vertex_stride), 0}};

static const char *const names[] = {"positions",
                                    "triangles",
                                    "*groups",
                                    "*modes",
                                    "*mode_offsets",
                                    "*mode_vertices",
                                    "*influence_offsets",
                                    "*influence_joints",
                                    "*influence_weights",
                                    "*slot_joints",
                                    "*slot_weights",
                                    "*context",
                                    "!copy",
                                    NULL};

/* The last offset is the length of a list. */
static bool check_offsets(const char *name, const uint32_t *offsets, uint64_t count,
                          uint64_t length)
{
    if (offsets != NULL && offsets[count] > length) {
        PyErr_Format(PyExc_ValueError, "%s ends with %u, but there are %llu", name, offsets[count],
                     (unsigned long long)length);
        return false;
    }
    return true;
}

/* The highest joint that is named, and one more. */
static uint32_t count_joints(const uint32_t *joints, uint64_t count)
{
    uint32_t most = 0;
    for (uint64_t i = 0; i < count; i++) {
        most = joints[i] >= most && joints[i] < UINT16_MAX + 1u ? joints[i] + 1 : most;
    }
    return most;
}

static bool read_arrays(PyObject *const *given, pl_array *arrays, pliant_shape_def *def)
{
    uint64_t sizes[SIZE_COUNT];
    memset(sizes, 0xff, sizeof sizes);
    PyObject *found[PART_COUNT];
    memcpy(found, given, sizeof found);
    bool sparse = found[MODE_OFFSETS] != NULL || found[MODE_VERTICES] != NULL;
    found[SPARSE] = sparse ? found[DENSE] : NULL;
    found[DENSE] = sparse ? NULL : found[DENSE];
    if (!pl_read_parts(parts, PART_COUNT, found, given[COPY] != NULL, sizes, arrays, def) ||
        !check_offsets("mode_offsets", def->mode_offsets, sizes[MODES], sizes[ENTRIES]) ||
        !check_offsets("influence_offsets", def->influence_offsets, sizes[VERTICES],
                       sizes[INFLUENCES])) {
        return false;
    }
    static const pliant_number joint_types[] = {PLIANT_NUMBER_UINT16, PLIANT_NUMBER_UINT8,
                                                PLIANT_NUMBER_UINT32},
                               weight_types[] = {PLIANT_NUMBER_FLOAT32, PLIANT_NUMBER_UINT8,
                                                 PLIANT_NUMBER_UINT16};
    if (arrays[TRIANGLES].type == 2) {
        def->triangles = NULL;
        def->triangles16 = arrays[TRIANGLES].data;
    }
    if (def->influence_joints != NULL && def->joint_count == 0) {
        def->joint_count = count_joints(def->influence_joints, sizes[INFLUENCES]);
    }
    def->slot_count = sizes[SLOTS] == PL_UNKNOWN ? 0 : (uint32_t)sizes[SLOTS];
    def->slot_joint_type = joint_types[arrays[SLOT_JOINTS].type];
    def->slot_weight_type = weight_types[arrays[SLOT_WEIGHTS].type];
    return true;
}

static PyObject *wrap(PyTypeObject *type, pl_context *context, pliant_shape *shape)
{
    pl_object *object = pl_object_new(type, context, NULL);
    if (object == NULL) {
        pliant_shape_destroy(shape);
        return NULL;
    }
    object->handle = shape;
    return (PyObject *)object;
}

PyObject *pl_shape_of_body(PyTypeObject *type, pl_context *context, pliant_body *keeper)
{
    pl_shape *shape = (pl_shape *)pl_object_new(type, context, NULL);
    if (shape == NULL) {
        pliant_body_destroy(keeper);
        return NULL;
    }
    shape->keeper = keeper;
    shape->base.handle = (void *)(uintptr_t)pliant_body_get_shape(keeper);
    return (PyObject *)shape;
}

/* Without the interpreter's lock: building a large tree takes a while. */
static PyObject *create(PyTypeObject *type, pl_context *context, const pliant_shape_def *def)
{
    pliant_shape *shape = NULL;
    pliant_context *of = PL_HANDLE(pliant_context, context);
    PyThreadState *thread = PyEval_SaveThread();
    pliant_result result = pliant_shape_create(of, def, &shape);
    PyEval_RestoreThread(thread);
    if (result != PLIANT_OK) {
        return pl_raise(result);
    }
    PyObject *made = wrap(type, context, shape);
    if (made != NULL) {
        pl_context_flush(context);
        if (PyErr_Occurred() != NULL) {
            Py_CLEAR(made);
        }
    }
    return made;
}

static PyObject *shape_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *found[NAME_COUNT];
    pl_array arrays[PART_COUNT] = {{0}};
    pl_scratch scratch = {.count = 0};
    pliant_shape_def def = pliant_shape_def_default();
    PyObject *made = NULL;
    if (pl_parse_new("Shape", args, keywords, names, found, &pl_struct_pliant_shape_def, &def,
                     &scratch)) {
        pl_context *context = pl_context_of(found[CONTEXT]);
        if (context != NULL && read_arrays(found, arrays, &def)) {
            made = create(type, context, &def);
        }
        PL_DECREF(context);
    }
    for (int i = 0; i < PART_COUNT; i++) {
        pl_array_free(&arrays[i]);
    }
    pl_scratch_free(&scratch);
    return made;
}

static void shape_free(PyObject *self)
{
    pl_shape *shape = (pl_shape *)self;
    if (shape->keeper != NULL) {
        pliant_body_destroy(shape->keeper);
    } else {
        pliant_shape_destroy(PL_HANDLE(pliant_shape, self));
    }
    pl_object_free((pl_object *)self);
}

/* ----------------------------------------------------------------------------------- getters */

#define SHAPE(self) PL_HANDLE(const pliant_shape, self)

static PyObject *get_triangles(PyObject *self, void *closure)
{
    (void)closure;
    uint32_t count = pliant_shape_get_triangle_count(SHAPE(self));
    const Py_ssize_t shape[2] = {(Py_ssize_t)count, 3};
    void *data = NULL;
    PyObject *array = pl_new_numbers("u4", shape, 2, &data);
    for (uint32_t i = 0; array != NULL && i < count; i++) {
        pliant_shape_get_triangle(SHAPE(self), i, (uint32_t *)data + 3 * (size_t)i);
    }
    return array;
}

static PyObject *get_groups(PyObject *self, void *closure)
{
    (void)closure;
    uint32_t count = pliant_shape_get_triangle_count(SHAPE(self));
    const Py_ssize_t shape[1] = {(Py_ssize_t)count};
    void *data = NULL;
    PyObject *array = pl_new_numbers("u2", shape, 1, &data);
    for (uint32_t i = 0; array != NULL && i < count; i++) {
        pliant_shape_get_group(SHAPE(self), i, (uint16_t *)data + i);
    }
    return array;
}

static PyObject *get_vertex_order(PyObject *self, void *closure)
{
    (void)closure;
    const Py_ssize_t shape[1] = {(Py_ssize_t)pliant_shape_get_vertex_count(SHAPE(self))};
    void *data = NULL;
    PyObject *array = pl_new_numbers("u4", shape, 1, &data);
    pliant_result result =
        array == NULL ? PLIANT_OK : pliant_shape_get_vertex_order(SHAPE(self), data);
    if (result != PLIANT_OK) {
        Py_CLEAR(array);
        pl_raise(result);
    }
    return array;
}

static PyObject *get_proxies(PyObject *self, void *closure)
{
    (void)closure;
    uint32_t count = 0;
    void *data = NULL;
    pliant_result result = pliant_shape_get_proxies(SHAPE(self), NULL, 0, &count);
    PyObject *array =
        result == PLIANT_OK ? pl_new_records(&pl_struct_pliant_proxy, count, &data) : NULL;
    if (array != NULL && count > 0) {
        result = pliant_shape_get_proxies(SHAPE(self), data, count, &count);
    }
    if (result != PLIANT_OK) {
        Py_CLEAR(array);
        pl_raise(result);
    }
    return array;
}

/* (id, leaves), a row of `proxies` too. */
static bool read_proxy(PyObject *value, pliant_proxy *proxy)
{
    PyObject *tuple = PySequence_Check(value) && !PyObject_CheckBuffer(value)
                          ? PySequence_Tuple(value)
                          : PyObject_CallMethod(value, "tolist", NULL);
    bool read = tuple != NULL && PyTuple_Check(tuple) && PyTuple_Size(tuple) == 2 &&
                pl_read_u32(PyTuple_GetItem(tuple, 0), "proxy", &proxy->id) &&
                pl_read_u32(PyTuple_GetItem(tuple, 1), "proxy", &proxy->leaves);
    Py_XDECREF(tuple);
    if (!read) {
        PyErr_Clear();
        PyErr_SetString(PyExc_TypeError, "a proxy is its id and its leaves: two numbers");
    }
    return read;
}

static PyObject *get_proxy_triangles(PyObject *self, PyObject *value)
{
    pliant_proxy proxy;
    uint32_t count = 0;
    if (!read_proxy(value, &proxy)) {
        return NULL;
    }
    pliant_result result = pliant_shape_get_proxy_triangles(SHAPE(self), proxy, NULL, 0, &count);
    const Py_ssize_t shape[1] = {(Py_ssize_t)count};
    void *data = NULL;
    PyObject *array = result == PLIANT_OK ? pl_new_numbers("u4", shape, 1, &data) : NULL;
    if (array != NULL && count > 0) {
        result = pliant_shape_get_proxy_triangles(SHAPE(self), proxy, data, count, &count);
    }
    if (result != PLIANT_OK) {
        Py_CLEAR(array);
        pl_raise(result);
    }
    return array;
}

static PyObject *get_proxy_vertex(PyObject *self, PyObject *value)
{
    pliant_proxy proxy;
    uint32_t vertex = 0;
    if (!read_proxy(value, &proxy)) {
        return NULL;
    }
    pliant_result result = pliant_shape_get_proxy_vertex(SHAPE(self), proxy, &vertex);
    return result == PLIANT_OK ? PyLong_FromUnsignedLong(vertex) : pl_raise(result);
}

static PyObject *write_block(PyObject *self, PyObject *unused)
{
    (void)unused;
    uint64_t size = 0;
    pliant_result result = pliant_shape_write(SHAPE(self), NULL, 0, &size);
    PyObject *bytes =
        result == PLIANT_OK ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size) : NULL;
    if (bytes != NULL) {
        char *at = PyBytes_AsString(bytes);
        PyThreadState *thread = PyEval_SaveThread();
        result = pliant_shape_write(SHAPE(self), at, size, &size);
        PyEval_RestoreThread(thread);
    }
    if (result != PLIANT_OK) {
        Py_CLEAR(bytes);
        pl_raise(result);
    }
    return bytes;
}

/* Arguments of read() and borrow(): the block, and a reference to the context. */
static PyObject *parse_block(const char *function, PyObject *args, PyObject *keywords,
                             pl_context **context)
{
    static const char *const arguments[] = {"block", "*context", NULL};
    PyObject *found[2];
    pl_scratch scratch = {.count = 0};
    bool parsed = pl_parse_new(function, args, keywords, arguments, found, NULL, NULL, &scratch);
    pl_scratch_free(&scratch);
    *context = parsed ? pl_context_of(found[1]) : NULL;
    return *context == NULL ? NULL : found[0];
}

static PyObject *read_block(PyObject *type, PyObject *args, PyObject *keywords)
{
    pl_context *context = NULL;
    PyObject *block = parse_block("Shape.read", args, keywords, &context), *made = NULL;
    Py_buffer view;
    if (block != NULL && PyObject_GetBuffer(block, &view, PyBUF_SIMPLE) == 0) {
        pliant_shape *shape = NULL;
        PyThreadState *thread = PyEval_SaveThread();
        pliant_result result = pliant_shape_read(PL_HANDLE(pliant_context, context), view.buf,
                                                 (uint64_t)view.len, &shape);
        PyEval_RestoreThread(thread);
        made = result == PLIANT_OK ? wrap((PyTypeObject *)type, context, shape) : pl_raise(result);
        PyBuffer_Release(&view);
    }
    PL_DECREF(context);
    return made;
}

/* The last body of a borrowed block may end on any thread, and while Python itself is ending. */
static void release_view(void *user, const void *data, uint64_t size)
{
    (void)data;
    (void)size;
    Py_buffer *view = user;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *error[3]; /* of a function of the caller's that has ended the last body */
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    PyBuffer_Release(view);
    PyMem_Free(view);
    PyErr_Restore(error[0], error[1], error[2]);
    PyGILState_Release(state);
}

static PyObject *borrow_view(PyTypeObject *type, pl_context *context, PyObject *block)
{
    Py_buffer *view = PyMem_Malloc(sizeof *view);
    if (view == NULL) {
        return PyErr_NoMemory();
    }
    if (PyObject_GetBuffer(block, view, PyBUF_SIMPLE) < 0) {
        PyMem_Free(view);
        return NULL;
    }
    pliant_shape *shape = NULL;
    PyThreadState *thread = PyEval_SaveThread();
    pliant_result result = pliant_shape_borrow(PL_HANDLE(pliant_context, context), view->buf,
                                               (uint64_t)view->len, release_view, view, &shape);
    PyEval_RestoreThread(thread);
    if (result == PLIANT_OK) {
        return wrap(type, context, shape);
    }
    PyBuffer_Release(view);
    PyMem_Free(view);
    return pl_raise(result);
}

static PyObject *borrow_block(PyObject *type, PyObject *args, PyObject *keywords)
{
    pl_context *context = NULL;
    PyObject *block = parse_block("Shape.borrow", args, keywords, &context);
    PyObject *made = block == NULL ? NULL : borrow_view((PyTypeObject *)type, context, block);
    PL_DECREF(context);
    return made;
}

/* Of files: see asset.c. */
PyObject *pl_shape_of_def(PyObject *type, pl_context *context, const pliant_shape_def *def)
{
    return create((PyTypeObject *)type, context, def);
}

static PyGetSetDef attributes[] = {
    {"triangles", get_triangles, NULL, "Vertices of all triangles: (n, 3), a new array.", NULL},
    {"groups", get_groups, NULL, "Groups of all triangles: (n,), a new array.", NULL},
    {"vertex_order", get_vertex_order, NULL, "The order in which the tree reads vertices.", NULL},
    {"proxies", get_proxies, NULL, "All proxies: an array with the fields id and leaves.", NULL},
    {"user", pl_get_user, pl_set_user, "Yours.", NULL},
    {"context", pl_get_context, NULL, "Its context.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"get_proxy_triangles", get_proxy_triangles, METH_O,
     "get_proxy_triangles($self, proxy, /)\n--\n\nThe triangles of a proxy, (id, leaves)."},
    {"get_proxy_vertex", get_proxy_vertex, METH_O,
     "get_proxy_vertex($self, proxy, /)\n--\n\nThe vertex nearest to the middle of a proxy."},
    {"write", write_block, METH_NOARGS,
     "write($self, /)\n--\n\nThe shape as one block of bytes, which Shape.read() reads."},
    {"read", (PyCFunction)(void (*)(void))read_block, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "read($type, block, *, context=None)\n--\n\nA shape from a block, which is checked and "
     "copied."},
    {"borrow", (PyCFunction)(void (*)(void))borrow_block, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "borrow($type, block, *, context=None)\n--\n\nA shape from a block that stays where it is, a "
     "memory-mapped file for example. It begins at a multiple of 64 bytes, and must not change."},
    {NULL, NULL, 0, NULL}};

bool pl_add_shape(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc,
         "Shape(positions, triangles, *, " OPTIONS_pliant_shape_def
         ", context=None, copy=False)\n--\n\nWhat never changes about a body: the mesh at rest, "
         "how "
         "it deforms, and a tree over its triangles.\n\npositions: (n, 3) float32. triangles: (m, "
         "3) uint32, int32 or uint16. Both are copied.\ngroups: (m,) uint16.\nmodes: (k, n, 3) "
         "float32; or, of some vertices only, (e, 3) with mode_offsets (k + 1,) and mode_vertices "
         "(e,).\ninfluence_offsets (n + 1,), influence_joints, influence_weights: how much each "
         "joint moves each vertex; or tables slot_joints and slot_weights (n, slots).\njoint_count "
         "1 without influences: one transform moves the whole body.\ncopy: convert arrays of other "
         "types, rounding positions to float32."},
        {Py_tp_new, shape_new},
        {Py_tp_dealloc, shape_free},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    static PyType_Spec spec = {"pliant._core.Shape", sizeof(pl_shape), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return pl_add_type(module, &spec, &pl_shape_type) &&
           pl_add_members(pl_shape_type, pl_methods_pliant_shape, pl_attributes_pliant_shape);
}
