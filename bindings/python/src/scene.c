/* Scenes: which bodies are in them and in which states; recordings. A scene keeps its bodies. */
#include "core.h"

PyTypeObject *pl_scene_type;

#define SCENE(self) PL_HANDLE(pliant_scene, self)

static bool begin(pl_call *call, PyObject *self)
{
    pl_call_begin(call, (pl_object *)self);
    return pl_call_use(call, (pl_object *)self, false);
}

static PyObject *scene_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    pliant_scene_def def = pliant_scene_def_default();
    return pl_new_in_context(type, args, keywords, "Scene", &pl_struct_pliant_scene_def, &def,
                             pl_create_pliant_scene);
}

static void scene_free(PyObject *self)
{
    pl_scene *scene = (pl_scene *)self;
    PyObject *error[3]; /* an exception of the recording's end has no caller */
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    pliant_scene_destroy(SCENE(self));
    if (PyErr_Occurred() != NULL) {
        PyErr_WriteUnraisable(scene->write);
    }
    PyErr_Restore(error[0], error[1], error[2]);
    for (uint32_t i = 0; i < scene->capacity; i++) {
        if (scene->members[i] != NULL) {
            scene->members[i]->scene = NULL;
            PL_DECREF(scene->members[i]);
        }
    }
    PyMem_Free(scene->members);
    Py_CLEAR(scene->write);
    pl_object_free(&scene->base);
}

/* ----------------------------------------------------------------------------------- members */

bool pl_read_id(pl_scene *scene, PyObject *value, pliant_body_id *id)
{
    if (PyObject_TypeCheck(value, pl_body_type)) {
        if (((pl_object *)value)->handle == NULL) {
            pl_object_destroyed((pl_object *)value);
            return false;
        }
        if (!pliant_scene_find_id(SCENE(scene), PL_HANDLE(pliant_body, value), id)) {
            pl_raise_text(PLIANT_ERROR_ARGUMENT, "the body is not in this scene");
            return false;
        }
        return true;
    }
    PyObject *tuple = PySequence_Check(value) ? PySequence_Tuple(value) : NULL;
    bool read = tuple != NULL && PyTuple_Size(tuple) == 2 &&
                pl_read_u32(PyTuple_GetItem(tuple, 0), "index", &id->index) &&
                pl_read_u32(PyTuple_GetItem(tuple, 1), "generation", &id->generation);
    Py_XDECREF(tuple);
    if (!read && PyErr_Occurred() == NULL) {
        PyErr_SetString(PyExc_TypeError, "this must be a Body or a BodyId: index and generation");
    }
    return read;
}

static bool make_room(pl_scene *scene, uint32_t index)
{
    if (index < scene->capacity) {
        return true;
    }
    uint32_t capacity = index < 8 ? 16 : 2 * index;
    pl_body **members = PyMem_Realloc(scene->members, capacity * sizeof(pl_body *));
    if (members == NULL) {
        PyErr_NoMemory();
        return false;
    }
    memset(members + scene->capacity, 0, (capacity - scene->capacity) * sizeof(pl_body *));
    scene->members = members;
    scene->capacity = capacity;
    return true;
}

static bool read_member(const pl_args *args, const char *const *names, PyObject **found,
                        pliant_member_def *def, pl_scratch *scratch)
{
    *def = pliant_member_def_default();
    if (!pl_parse(args, names, found, &pl_struct_pliant_member_def, def, scratch)) {
        return false;
    }
    if (found[1] != NULL) {
        def->has_loose_box = true;
        return pl_read_box(found[1], "loose_box", &def->loose_box);
    }
    return true;
}

static PyObject *add(PyObject *self, PyObject *const *values, Py_ssize_t count, PyObject *given)
{
    static const char *const names[] = {"body", "*loose_box", NULL};
    const pl_args args = {"add", values, count, given};
    PyObject *found[2], *answer = NULL;
    pl_scratch scratch = {.count = 0};
    pl_scene *scene = (pl_scene *)self;
    pliant_member_def def;
    pliant_body_id id = {0};
    pl_call call;
    pl_call_begin(&call, (pl_object *)self);
    if (!read_member(&args, names, found, &def, &scratch) || !pl_is_body(found[0], "body") ||
        !pl_call_use(&call, (pl_object *)self, false) ||
        !pl_call_use_body(&call, found[0], false) ||
        !make_room(scene, pliant_scene_get_body_count(SCENE(self)))) {
        pl_call_abort(&call);
    } else {
        call.result = pliant_scene_add(SCENE(self), PL_HANDLE(pliant_body, found[0]), &def, &id);
        if (call.result == PLIANT_OK && make_room(scene, id.index)) {
            answer = pl_make_tuple(&pl_struct_pliant_body_id, &id);
        }
        answer = pl_call_end(&call, answer); /* before it counts as the scene's */
        if (answer != NULL) {
            pl_body *body = (pl_body *)Py_NewRef(found[0]);
            body->scene = scene;
            scene->members[id.index] = body;
        }
    }
    pl_scratch_free(&scratch);
    return answer;
}

static PyObject *remove_member(PyObject *self, PyObject *value)
{
    pl_scene *scene = (pl_scene *)self;
    pliant_body_id id;
    pl_call call;
    if (!begin(&call, self)) {
        return pl_call_abort(&call);
    }
    if (!pl_read_id(scene, value, &id)) {
        return pl_call_abort(&call);
    }
    call.result = pliant_scene_remove(SCENE(self), id);
    pl_body *gone = NULL;
    if (call.result == PLIANT_OK) {
        gone = scene->members[id.index];
        scene->members[id.index] = NULL;
        gone->scene = NULL;
    }
    PyObject *answer = pl_call_end(&call, Py_NewRef(Py_None));
    PL_DECREF(gone);
    return answer;
}

static PyObject *set_member(PyObject *self, PyObject *const *values, Py_ssize_t count,
                            PyObject *given)
{
    static const char *const names[] = {"body", "*loose_box", NULL};
    const pl_args args = {"set_member", values, count, given};
    PyObject *found[2], *answer = NULL;
    pl_scratch scratch = {.count = 0};
    pliant_member_def def;
    pliant_body_id id;
    pl_call call;
    if (begin(&call, self) && read_member(&args, names, found, &def, &scratch) &&
        pl_read_id((pl_scene *)self, found[0], &id)) {
        call.result = pliant_scene_set_member(SCENE(self), id, &def);
        answer = pl_call_end(&call, Py_NewRef(Py_None));
    } else {
        pl_call_abort(&call);
    }
    pl_scratch_free(&scratch);
    return answer;
}

static PyObject *get_member(PyObject *self, PyObject *value)
{
    pliant_member_def def = pliant_member_def_default();
    pliant_body_id id;
    pl_call call;
    if (!begin(&call, self) || !pl_read_id((pl_scene *)self, value, &id)) {
        return pl_call_abort(&call);
    }
    call.result = pliant_scene_get_member(SCENE(self), id, &def);
    return pl_call_end(
        &call, call.result == PLIANT_OK ? pl_make_tuple(&pl_struct_pliant_member_def, &def) : NULL);
}

static PyObject *get_body(PyObject *self, PyObject *value)
{
    pl_scene *scene = (pl_scene *)self;
    pliant_body_id id;
    if (SCENE(self) == NULL) {
        return pl_object_destroyed(&scene->base);
    }
    if (!pl_read_id(scene, value, &id)) {
        return NULL;
    }
    if (pliant_scene_get_body(SCENE(self), id) == NULL || id.index >= scene->capacity ||
        scene->members[id.index] == NULL) {
        Py_RETURN_NONE;
    }
    return Py_NewRef((PyObject *)scene->members[id.index]);
}

static PyObject *find_id(PyObject *self, PyObject *body)
{
    pliant_body_id id;
    if (!pl_is_body(body, "body")) {
        return NULL;
    }
    if (!pliant_scene_find_id(SCENE(self), PL_HANDLE(pliant_body, body), &id)) {
        Py_RETURN_NONE;
    }
    return pl_make_tuple(&pl_struct_pliant_body_id, &id);
}

static PyObject *get_ids(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *list = PyList_New(0);
    for (pliant_body_id id = {0}; list != NULL && pliant_scene_find_next(SCENE(self), &id);) {
        PyObject *made = pl_make_tuple(&pl_struct_pliant_body_id, &id);
        if (made == NULL || PyList_Append(list, made) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(made);
    }
    return list;
}

static PyObject *get_bodies(PyObject *self, void *closure)
{
    (void)closure;
    pl_scene *scene = (pl_scene *)self;
    PyObject *list = PyList_New(0);
    for (uint32_t i = 0; list != NULL && i < scene->capacity; i++) {
        if (scene->members[i] != NULL && PyList_Append(list, (PyObject *)scene->members[i]) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static Py_ssize_t scene_length(PyObject *self)
{
    return (Py_ssize_t)pliant_scene_get_body_count(SCENE(self));
}

/* ------------------------------------------------------------------------------------ states */

/* One of the states that are set together. */
typedef struct given_state {
    pl_body *body;
    pl_array arrays[4];
    float world[12];
} given_state;

static bool read_one(pl_scene *scene, PyObject *item, bool copy, given_state *given,
                     pliant_scene_state *state)
{
    static const char *const names[] = {
        "positions", "shares_positions", "coordinates", "transforms", "world", NULL};
    if (!PyTuple_Check(item) || PyTuple_Size(item) != 2 ||
        !PyDict_Check(PyTuple_GetItem(item, 1))) {
        PyErr_SetString(PyExc_TypeError,
                        "each state is (body, {\"positions\": ...}): a tuple with a dictionary");
        return false;
    }
    if (!pl_read_id(scene, PyTuple_GetItem(item, 0), &state->body)) {
        return false;
    }
    if (pliant_scene_get_body(SCENE(scene), state->body) == NULL) {
        pl_raise_text(PLIANT_ERROR_ARGUMENT, "a state is for a body that is not in the scene");
        return false;
    }
    given->body = scene->members[state->body.index];
    PyObject *dictionary = PyTuple_GetItem(item, 1), *found[5], *key = NULL, *value = NULL;
    for (int i = 0; i < 5; i++) {
        found[i] = PyDict_GetItemString(dictionary, names[i]);
        found[i] = found[i] == Py_None ? NULL : found[i];
    }
    Py_ssize_t at = 0;
    while (PyDict_Next(dictionary, &at, &key, &value)) {
        bool known = false;
        for (int i = 0; i < 5 && PyUnicode_Check(key); i++) {
            known = known || PyUnicode_CompareWithASCIIString(key, names[i]) == 0;
        }
        if (!known) {
            PyErr_Format(PyExc_TypeError, "a state has no %R", key);
            return false;
        }
    }
    return pl_read_state((PyObject *)given->body, found, copy, given->arrays, &state->state,
                         given->world);
}

static PyObject *set_list(PyObject *self, PyObject *list, bool copy, pl_scratch *scratch)
{
    pl_scene *scene = (pl_scene *)self;
    Py_ssize_t count = PyList_Size(list);
    given_state *given = pl_scratch_allocate(scratch, (size_t)count * sizeof *given);
    pliant_scene_state *states = pl_scratch_allocate(scratch, (size_t)count * sizeof *states);
    if (given == NULL || states == NULL) {
        return NULL;
    }
    memset(given, 0, (size_t)count * sizeof *given);
    pl_call call;
    bool ready = begin(&call, self);
    for (Py_ssize_t i = 0; ready && i < count; i++) {
        ready = read_one(scene, PyList_GetItem(list, i), copy, &given[i], &states[i]);
    }
    PyObject *answer = NULL;
    if (ready) {
        PL_RUN(&call, pliant_scene_set_states(SCENE(self), states, (uint32_t)count));
        for (Py_ssize_t i = 0; call.result == PLIANT_OK && i < count; i++) {
            pl_body_adopt(given[i].body, &states[i].state, &given[i].arrays[0]);
        }
        answer = pl_call_end(&call, Py_NewRef(Py_None));
    } else {
        pl_call_abort(&call);
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        for (int k = 0; k < 4; k++) {
            pl_array_free(&given[i].arrays[k]);
        }
    }
    return answer;
}

static PyObject *set_states(PyObject *self, PyObject *const *values, Py_ssize_t count,
                            PyObject *keywords)
{
    static const char *const names[] = {"states", "!copy", NULL};
    const pl_args args = {"set_states", values, count, keywords};
    PyObject *found[2];
    pl_scratch scratch = {.count = 0};
    if (!pl_parse(&args, names, found, NULL, NULL, NULL)) {
        return NULL;
    }
    PyObject *list = PySequence_List(found[0]);
    PyObject *answer = list == NULL ? NULL : set_list(self, list, found[1] != NULL, &scratch);
    Py_XDECREF(list);
    pl_scratch_free(&scratch);
    return answer;
}

void pl_after_scene_begin_step(PyObject *self, bool done)
{
    pl_scene *scene = (pl_scene *)self;
    for (uint32_t i = 0; i < scene->capacity; i++) {
        if (scene->members[i] != NULL) {
            pl_after_body_begin_step((PyObject *)scene->members[i], done);
        }
    }
}

/* -------------------------------------------------------------------------------- recordings */

/* On the thread that asks the scene, which has let the interpreter's lock go. An exception stays
   this thread's: the call that wrote raises it. */
static bool write_recording(void *user, const void *bytes, uint64_t size)
{
    pl_scene *scene = user;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *returned = scene->write == NULL || PyErr_Occurred() != NULL
                             ? NULL
                             : PyObject_CallFunction(scene->write, "y#", bytes, (Py_ssize_t)size);
    bool written = returned != NULL;
    Py_XDECREF(returned);
    PyGILState_Release(state);
    return written;
}

static PyObject *record(PyObject *self, PyObject *write)
{
    pl_scene *scene = (pl_scene *)self;
    pl_call call;
    if (!PyCallable_Check(write)) {
        PyErr_SetString(PyExc_TypeError, "write must be a function of bytes");
        return NULL;
    }
    if (!begin(&call, self)) {
        return pl_call_abort(&call);
    }
    if (pliant_scene_is_recording(SCENE(self))) {
        pl_call_abort(&call);
        return pl_raise_text(PLIANT_ERROR_STATE, "the scene is being recorded already");
    }
    PL_SETREF(scene->write, Py_NewRef(write));
    pliant_recording_options options = pliant_recording_options_default();
    options.write = write_recording;
    options.write_user = scene;
    PL_RUN(&call, pliant_scene_record(SCENE(self), &options));
    return pl_call_end(&call, Py_NewRef(Py_None));
}

void pl_after_scene_stop_recording(PyObject *self, bool done)
{
    (void)done;
    Py_CLEAR(((pl_scene *)self)->write);
}

static PyObject *get_boxes(PyObject *self, PyObject *const *values, Py_ssize_t count,
                           PyObject *given)
{
    static const char *const names[] = {"?bodies", NULL};
    const pl_args args = {"get_boxes", values, count, given};
    PyObject *found[1], *list = NULL, *array = NULL;
    pl_scratch scratch = {.count = 0};
    void *boxes = NULL;
    pl_call call;
    pl_call_begin(&call, (pl_object *)self);
    if (!pl_parse(&args, names, found, NULL, NULL, NULL) ||
        !pl_call_use(&call, (pl_object *)self, false)) {
        return pl_call_abort(&call);
    }
    list = found[0] != NULL ? PySequence_List(found[0]) : PyObject_GetAttrString(self, "bodies");
    Py_ssize_t wanted = list != NULL ? PyList_Size(list) : 0;
    pliant_body_id *ids =
        list == NULL ? NULL
                     : pl_scratch_allocate(&scratch, ((size_t)wanted + 1) * sizeof(pliant_body_id));
    bool read = ids != NULL;
    for (Py_ssize_t i = 0; read && i < wanted; i++) {
        read = pl_read_id((pl_scene *)self, PyList_GetItem(list, i), &ids[i]);
    }
    const Py_ssize_t shape[3] = {wanted, 2, 3};
    array = read ? pl_new_numbers("f4", shape, 3, &boxes) : NULL;
    if (array != NULL) {
        PL_RUN(&call, pliant_scene_get_boxes(SCENE(self), ids, (uint32_t)wanted, boxes));
        array = pl_call_end(&call, array);
    } else {
        pl_call_abort(&call);
    }
    Py_XDECREF(list);
    pl_scratch_free(&scratch);
    return array;
}

/* ---------------------------------------------------------------------------------- the type */

static PyObject *get_events(PyObject *self, void *closure)
{
    (void)closure;
    pl_call call;
    if (!begin(&call, self)) {
        return pl_call_abort(&call);
    }
    uint32_t count = 0;
    const pliant_scene_event *events = pliant_scene_get_events(SCENE(self), &count);
    void *data = NULL;
    PyObject *array = pl_new_records(&pl_struct_pliant_scene_event, count, &data);
    if (array != NULL && count > 0) {
        memcpy(data, events, count * sizeof *events);
    }
    return pl_call_end(&call, array);
}

static PyGetSetDef attributes[] = {
    {"events", get_events, NULL,
     "Which pairs of bodies began, go on and ended touching between the latest two calls of "
     "collide() with events=True: an array with the fields a, b and touch.",
     NULL},
    {"ids", get_ids, NULL, "The ids of all bodies, ascending.", NULL},
    {"bodies", get_bodies, NULL, "All bodies, ascending by their index.", NULL},
    {"context", pl_get_context, NULL, "Its context.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    PL_METHOD("add", add,
              "add($self, body, *, " OPTIONS_pliant_member_def
              ")\n--\n\nPuts a body in, and keeps it: its BodyId."),
    {"remove", remove_member, METH_O, "remove($self, body, /)\n--\n\nTakes a body out."},
    PL_METHOD("set_member", set_member,
              "set_member($self, body, *, " OPTIONS_pliant_member_def
              ")\n--\n\nChanges how a body takes part; what is left out is the default."),
    {"get_member", get_member, METH_O,
     "get_member($self, body, /)\n--\n\nHow a body takes part: a MemberDef."},
    {"get_body", get_body, METH_O,
     "get_body($self, id, /)\n--\n\nThe body that an id names, or None."},
    {"find_id", find_id, METH_O, "find_id($self, body, /)\n--\n\nThe id of a body, or None."},
    PL_METHOD(
        "set_states", set_states,
        "set_states($self, states, *, copy=False)\n--\n\nSets the states of many bodies, all "
        "or none, by all workers: a list of (body, {\"positions\": ...}), with the keywords of "
        "Body.set_state()."),
    {"record", record, METH_O,
     "record($self, write, /)\n--\n\nRecords bodies, states and questions from now on: "
     "write(bytes)."},
    PL_METHOD("get_boxes", get_boxes,
              "get_boxes($self, bodies=None)\n--\n\nThe boxes of some bodies, or of all, as the "
              "broad phase has them: (n, 2, 3), lower and upper corners."),
    {NULL, NULL, 0, NULL}};

bool pl_add_scene(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_doc,
                                   "Scene(context=None, *, " OPTIONS_pliant_scene_def
                                   ")\n--\n\nMany bodies at once, by all workers of the context."},
                                  {Py_tp_new, scene_new},
                                  {Py_tp_dealloc, scene_free},
                                  {Py_tp_getset, attributes},
                                  {Py_tp_methods, methods},
                                  {Py_sq_length, scene_length},
                                  {0, NULL}};
    static PyType_Spec spec = {"pliant._core.Scene", sizeof(pl_scene), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return pl_add_type(module, &spec, &pl_scene_type) &&
           pl_add_members(pl_scene_type, pl_methods_pliant_scene, pl_attributes_pliant_scene);
}
