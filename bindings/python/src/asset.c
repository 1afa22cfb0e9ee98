/* Assets: files, their poses, and modes fitted to frames. */
#include "core.h"

PyTypeObject *pl_asset_type, *pl_pose_type;

#define ASSET(self) PL_HANDLE(const pliant_asset, self)
#define POSE(self)  PL_HANDLE(pliant_asset_pose, self)

typedef struct pl_asset {
    pl_object base;
    PyObject *files; /* where files come from, if not from the file system */
} pl_asset;

/* ------------------------------------------------------------------- files of the caller's own */

/* Assets are read by the thread of the call, without the interpreter's lock. An exception of
   a file's function stays this thread's until the call has ended, and no other function is called.
 */
static bool file_size(void *user, const char *path, uint64_t *size)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *returned =
        PyErr_Occurred() != NULL ? NULL : PyObject_CallMethod(user, "size", "s", path);
    bool told = returned != NULL && returned != Py_None && pl_read_u64(returned, "size", size);
    Py_XDECREF(returned);
    PyGILState_Release(state);
    return told;
}

static bool file_read(void *user, const char *path, uint64_t offset, void *buffer, uint64_t count)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *returned = PyErr_Occurred() != NULL ? NULL
                                                  : PyObject_CallMethod(user, "read", "sKK", path,
                                                                        (unsigned long long)offset,
                                                                        (unsigned long long)count);
    Py_buffer view;
    bool read = returned != NULL && PyObject_GetBuffer(returned, &view, PyBUF_SIMPLE) == 0;
    if (read) {
        read = (uint64_t)view.len == count;
        if (read) {
            memcpy(buffer, view.buf, (size_t)count);
        }
        PyBuffer_Release(&view);
    }
    Py_XDECREF(returned);
    PyGILState_Release(state);
    return read;
}

/* Paths as bytes of UTF-8, which live as long as `list`. */
static const char **read_paths(PyObject *list, pl_scratch *scratch)
{
    Py_ssize_t count = PyList_Size(list);
    const char **paths = pl_scratch_allocate(scratch, (size_t)count * sizeof *paths);
    for (Py_ssize_t i = 0; paths != NULL && i < count; i++) {
        PyObject *path = PyOS_FSPath(PyList_GetItem(list, i));
        PyObject *bytes = path == NULL            ? NULL
                          : PyUnicode_Check(path) ? PyUnicode_EncodeFSDefault(path)
                                                  : Py_NewRef(path);
        Py_XDECREF(path);
        if (bytes == NULL || PyList_SetItem(list, i, bytes) < 0) {
            return NULL;
        }
        paths[i] = PyBytes_AsString(bytes);
        if (paths[i] != NULL && strlen(paths[i]) != (size_t)PyBytes_Size(bytes)) {
            PyErr_SetString(PyExc_ValueError, "a path has a zero in it");
            return NULL;
        }
    }
    return paths;
}

static PyObject *load(PyTypeObject *type, PyObject *list, PyObject *clips, PyObject *context,
                      PyObject *files, pliant_asset_def *def)
{
    pl_scratch scratch = {.count = 0};
    pl_context *of = pl_context_of(context);
    pl_asset *asset = of == NULL ? NULL : (pl_asset *)pl_object_new(type, of, NULL);
    PL_DECREF(of);
    def->paths = asset == NULL ? NULL : read_paths(list, &scratch);
    def->path_count = (uint32_t)PyList_Size(list);
    def->clip_path_count = clips == NULL ? 0 : (uint32_t)PyList_Size(clips);
    def->clip_paths =
        def->paths == NULL || def->clip_path_count == 0 ? NULL : read_paths(clips, &scratch);
    bool read = def->paths != NULL && (def->clip_path_count == 0 || def->clip_paths != NULL);
    pliant_asset *made = NULL;
    if (asset != NULL && read) {
        if (files != NULL) {
            asset->files = Py_NewRef(files);
            def->files = (pliant_files){file_size, file_read, files};
        }
        pl_call call;
        pl_call_begin(&call, &asset->base);
        PL_RUN(&call, pliant_asset_load(PL_HANDLE(pliant_context, of), def, &made));
        asset->base.handle = made;
        if (call.result != PLIANT_OK && PyErr_Occurred() == NULL) {
            pl_raise(call.result);
        }
    }
    pl_scratch_free(&scratch);
    if (PyErr_Occurred() != NULL) {
        Py_CLEAR(asset);
    }
    return (PyObject *)asset;
}

PyObject *pl_list_paths(PyObject *value, const char *name)
{
    bool one = PyUnicode_Check(value) || PyBytes_Check(value) ||
               PyObject_HasAttrString(value, "__fspath__");
    PyObject *list = one ? Py_BuildValue("[O]", value) : PySequence_List(value);
    if (list == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError, "%s must be a path, or a sequence of paths, not %R", name,
                     value);
    }
    return list;
}

static PyObject *asset_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"paths", "*clip_paths", "*context", "*files", NULL};
    PyObject *found[4], *asset = NULL;
    pl_scratch scratch = {.count = 0};
    pliant_asset_def def = pliant_asset_def_default();
    if (pl_parse_new("Asset", args, keywords, names, found, &pl_struct_pliant_asset_def, &def,
                     &scratch)) {
        PyObject *list = pl_list_paths(found[0], "paths");
        PyObject *clips =
            list == NULL || found[1] == NULL ? NULL : pl_list_paths(found[1], "clip_paths");
        if (list != NULL && (clips != NULL || found[1] == NULL)) {
            asset = load(type, list, clips, found[2], found[3], &def);
        }
        Py_XDECREF(clips);
        Py_XDECREF(list);
    }
    pl_scratch_free(&scratch);
    return asset;
}

static void asset_free(PyObject *self)
{
    pliant_asset_destroy(PL_HANDLE(pliant_asset, self));
    Py_CLEAR(((pl_asset *)self)->files);
    pl_object_free((pl_object *)self);
}

/* ------------------------------------------------------------------------ what is in an asset */

static bool read_number(PyObject *value, const char *what, uint32_t count, uint32_t *number)
{
    if (!pl_read_u32(value, what, number)) {
        return false;
    }
    if (*number >= count) {
        PyErr_Format(PyExc_IndexError, "%s %u of %u", what, *number, count);
        return false;
    }
    return true;
}

static PyObject *get_notes(PyObject *self, void *closure)
{
    (void)closure;
    uint32_t count = pliant_asset_get_counts(ASSET(self)).notes;
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        const char *note = pliant_asset_get_note(ASSET(self), i);
        PyObject *text = PyUnicode_DecodeUTF8(note, (Py_ssize_t)strlen(note), "replace");
        if (text == NULL || PyList_Append(list, text) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    return list;
}

/* make_shape(number, type, **settings): `type` is the class of shapes. */
static PyObject *make_shape(PyObject *self, PyObject *const *values, Py_ssize_t count,
                            PyObject *given)
{
    static const char *const names[] = {"number", "?type", NULL};
    const pl_args args = {"make_shape", values, count, given};
    PyObject *found[2];
    uint32_t number = 0;
    pliant_shape_def def = pliant_shape_def_default();
    if (count < 1 || !pl_read_u32(values[0], "number", &number)) {
        if (PyErr_Occurred() == NULL) {
            PyErr_SetString(PyExc_TypeError, "make_shape() needs the number of a shape");
        }
        return NULL;
    }
    pliant_result result = pliant_asset_get_shape_def(ASSET(self), number, &def);
    if (result != PLIANT_OK) {
        return pl_raise(result);
    }
    if (!pl_parse(&args, names, found, &pl_struct_pliant_shape_def, &def, NULL)) {
        return NULL;
    }
    PyObject *type = found[1] == NULL ? (PyObject *)pl_shape_type : found[1];
    if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, pl_shape_type)) {
        PyErr_SetString(PyExc_TypeError, "type must be pliant.Shape, or a class of it");
        return NULL;
    }
    return pl_shape_of_def(type, ((pl_object *)self)->context, &def);
}

/* ------------------------------------------------------------------------------------- poses */

static PyObject *pose_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"asset", NULL};
    PyObject *found[1];
    pl_scratch scratch = {.count = 0};
    bool parsed = pl_parse_new("Pose", args, keywords, names, found, NULL, NULL, &scratch);
    pl_scratch_free(&scratch);
    if (!parsed) {
        return NULL;
    }
    if (!PyObject_TypeCheck(found[0], pl_asset_type)) {
        PyErr_SetString(PyExc_TypeError, "asset must be a pliant.Asset");
        return NULL;
    }
    pl_object *pose = pl_object_new(type, ((pl_object *)found[0])->context, found[0]);
    pliant_asset_pose *made = NULL;
    pliant_result result = PLIANT_OK;
    if (pose != NULL) {
        PyThreadState *thread = PyEval_SaveThread();
        result = pliant_asset_pose_create(ASSET(found[0]), &made);
        PyEval_RestoreThread(thread);
        pose->handle = made;
    }
    if (result != PLIANT_OK && PyErr_Occurred() == NULL) {
        pl_raise(result);
    }
    if (PyErr_Occurred() != NULL) {
        Py_CLEAR(pose);
    }
    return (PyObject *)pose;
}

static void pose_free(PyObject *self)
{
    pliant_asset_pose_destroy(POSE(self));
    pl_object_free((pl_object *)self);
}

static bool read_body_number(PyObject *self, PyObject *value, uint32_t *body)
{
    pliant_asset_counts counts = pliant_asset_get_counts(ASSET(((pl_object *)self)->parent));
    return read_number(value, "body", counts.bodies, body);
}

static PyObject *get_state(PyObject *self, PyObject *value)
{
    uint32_t body = 0;
    pl_call call;
    pl_call_begin(&call, (pl_object *)self);
    if (!read_body_number(self, value, &body) || !pl_call_use(&call, (pl_object *)self, false)) {
        return pl_call_abort(&call);
    }
    pliant_asset_state state = pliant_asset_pose_get_state(POSE(self), body);
    return pl_call_end(&call, pl_answer_new(&pl_struct_pliant_asset_state, &state, NULL));
}

static PyObject *apply(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *given)
{
    static const char *const names[] = {"number", "body", NULL};
    const pl_args args = {"apply", values, count, given};
    PyObject *found[2];
    uint32_t number = 0;
    pl_call call;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !read_body_number(self, found[0], &number) || !pl_is_body(found[1], "body")) {
        return NULL;
    }
    pl_call_begin(&call, (pl_object *)self);
    if (!pl_call_use(&call, (pl_object *)self, false) ||
        !pl_call_use_body(&call, found[1], false)) {
        return pl_call_abort(&call);
    }
    PL_RUN(&call, pliant_asset_pose_apply(POSE(self), number, PL_HANDLE(pliant_body, found[1])));
    pl_body_changed((pl_body *)found[1]);
    return pl_call_end(&call, Py_NewRef(Py_None));
}

static PyObject *evaluate(PyObject *self, PyObject *value)
{
    uint32_t body = 0;
    pl_call call;
    if (!read_body_number(self, value, &body)) {
        return NULL;
    }
    const pliant_asset *asset = ASSET(((pl_object *)self)->parent);
    const pliant_asset_mesh *mesh =
        pliant_asset_get_mesh(asset, pliant_asset_get_body(asset, body)->shape);
    const Py_ssize_t shape[2] = {(Py_ssize_t)mesh->vertex_count, 3};
    void *data = NULL;
    PyObject *positions = pl_new_numbers("f4", shape, 2, &data);
    pl_call_begin(&call, (pl_object *)self);
    if (positions == NULL || !pl_call_use(&call, (pl_object *)self, false)) {
        Py_XDECREF(positions);
        return pl_call_abort(&call);
    }
    PL_RUN(&call, pliant_asset_pose_evaluate(POSE(self), body, data));
    return pl_call_end(&call, positions);
}

static PyObject *get_asset(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(((pl_object *)self)->parent);
}

/* --------------------------------------------------------------------------------------- fit */

#define AT(member) offsetof(pliant_fit_def, member)

/* Sizes: 1 frames, 2 vertices. */
static const pl_part fit_parts[2] = {
    {"frames", "f4", 1, 0, 2, 3, 0, AT(frames), 0, AT(frame_count)},
    {"rest", "f4", 2, 0, 0, 3, 1, AT(rest), 0, 0}};

static PyObject *fit(PyObject *module, PyObject *const *values, Py_ssize_t count, PyObject *given)
{
    (void)module;
    static const char *const names[] = {"frames",   "?rest", "?mode_count",
                                        "*context", "!copy", NULL};
    const pl_args args = {"fit", values, count, given};
    PyObject *found[5], *answer = NULL;
    pl_array arrays[2] = {{0}};
    uint64_t sizes[3] = {0, PL_UNKNOWN, PL_UNKNOWN};
    pliant_fit_def def = pliant_fit_def_default();
    bool read = pl_parse(&args, names, found, NULL, NULL, NULL) &&
                (found[2] == NULL || pl_read_u32(found[2], "mode_count", &def.mode_count)) &&
                pl_read_parts(fit_parts, 2, found, found[4] != NULL, sizes, arrays, &def);
    pl_context *context = read ? pl_context_of(found[3]) : NULL;
    if (context != NULL) {
        def.vertex_count = (uint32_t)sizes[2];
        const pliant_fit *made = NULL;
        PyThreadState *thread = PyEval_SaveThread();
        pliant_result result = pliant_fit_create(PL_HANDLE(pliant_context, context), &def, &made);
        PyEval_RestoreThread(thread);
        answer = result == PLIANT_OK ? pl_answer_new(&pl_struct_pliant_fit, made, NULL)
                                     : pl_raise(result);
        pliant_fit_destroy(made);
        PL_DECREF(context);
    }
    pl_array_free(&arrays[0]);
    pl_array_free(&arrays[1]);
    return answer;
}

static PyGetSetDef asset_attributes[] = {
    {"notes", get_notes, NULL, "Sentences about what is odd in the files.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef asset_methods[] = {
    PL_METHOD("make_shape", make_shape,
              "make_shape($self, number, type=None, *, " PLAIN_pliant_shape_def
              ")\n--\n\nA Shape of the mesh of a shape, with settings as those of Shape()."),
    {NULL, NULL, 0, NULL}};

static PyGetSetDef pose_attributes[] = {{"asset", get_asset, NULL, NULL, NULL},
                                        {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef pose_methods[] = {
    {"get_state", get_state, METH_O,
     "get_state($self, body, /)\n--\n\nCoordinates, transforms or positions: an AssetState."},
    PL_METHOD(
        "apply", apply,
        "apply($self, number, body)\n--\n\nSets the state of a Body made from the shape of the "
        "asset's body of that number."),
    {"evaluate", evaluate, METH_O,
     "evaluate($self, body, /)\n--\n\nAll vertices of a body: (n, 3), a new array."},
    {NULL, NULL, 0, NULL}};

bool pl_add_asset(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc, "Asset(paths, *, " OPTIONS_pliant_asset_def
                    ", context=None, files=None)\n--\n\nContents of files: scenes, meshes, "
                    "sequences of meshes (\"cloth.####.ply\") and vertex caches.\n\npaths: one, or "
                    "a list. files: an object with size(path) and "
                    "read(path, offset, count), in place of the file system."},
        {Py_tp_new, asset_new},
        {Py_tp_dealloc, asset_free},
        {Py_tp_getset, asset_attributes},
        {Py_tp_methods, asset_methods},
        {0, NULL}};
    static PyType_Spec spec = {"pliant._core.Asset", sizeof(pl_asset), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    static PyType_Slot pose_slots[] = {
        {Py_tp_doc, "Pose(asset)\n--\n\nOne moment of an asset, at first the rest pose."},
        {Py_tp_new, pose_new},
        {Py_tp_dealloc, pose_free},
        {Py_tp_getset, pose_attributes},
        {Py_tp_methods, pose_methods},
        {0, NULL}};
    static PyType_Spec pose_spec = {"pliant._core.Pose", sizeof(pl_object), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, pose_slots};
    static PyMethodDef functions[] = {
        PL_METHOD("fit", fit,
                  "fit(frames, rest=None, mode_count=10, *, context=None, copy=False)\n--\n\nModes "
                  "that describe frames of positions, (frames, vertices, 3) float32, as well as so "
                  "many can: a Fit. Needs a library that was built with LAPACK."),
        {NULL, NULL, 0, NULL}};
    return pl_add_type(module, &spec, &pl_asset_type) &&
           pl_add_members(pl_asset_type, pl_methods_pliant_asset, pl_attributes_pliant_asset) &&
           pl_add_type(module, &pose_spec, &pl_pose_type) &&
           pl_add_members(pl_pose_type, pl_methods_pliant_asset_pose,
                          pl_attributes_pliant_asset_pose) &&
           PyModule_AddFunctions(module, functions) == 0 &&
           PyModule_AddFunctions(module, pl_output_functions) == 0;
}
