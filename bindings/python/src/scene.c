/* Scenes: which bodies are in them and in which states; recordings. A scene keeps its bodies. */
#include "scene.h"

PyTypeObject *pl_scene_type;

bool pl_scene_begin(pl_call *call, PyObject *self)
{
    pl_call_begin(call, (pl_object *)self);
    return pl_call_use(call, (pl_object *)self, false);
}

static PyObject *scene_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"?context", NULL};
    PyObject *found[1];
    pl_scratch scratch = {.count = 0};
    pliant_scene_def def = pliant_scene_def_default();
    bool parsed = pl_parse_new("Scene", args, keywords, names, found, &pl_struct_pliant_scene_def,
                               &def, &scratch);
    pl_scratch_free(&scratch);
    pl_context *context = parsed ? pl_context_of(found[0]) : NULL;
    if (context == NULL) {
        return NULL;
    }
    pl_object *scene = pl_object_new(type, context, NULL);
    PL_DECREF(context);
    pliant_scene *made = NULL;
    pliant_result result =
        scene == NULL ? PLIANT_OK
                      : pliant_scene_create(PL_HANDLE(pliant_context, scene->context), &def, &made);
    if (result != PLIANT_OK) {
        Py_CLEAR(scene);
        pl_raise(result);
    }
    if (scene != NULL) {
        scene->handle = made;
    }
    return (PyObject *)scene;
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
    if (!pl_scene_begin(&call, self)) {
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
    if (pl_scene_begin(&call, self) && read_member(&args, names, found, &def, &scratch) &&
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
    if (!pl_scene_begin(&call, self) || !pl_read_id((pl_scene *)self, value, &id)) {
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
    pl_array arrays[3];
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
    bool ready = pl_scene_begin(&call, self);
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
        for (int k = 0; k < 3; k++) {
            pl_array_free(&given[i].arrays[k]);
        }
    }
    return answer;
}

static PyObject *set_states(PyObject *self, PyObject *const *values, Py_ssize_t count,
                            PyObject *keywords)
{
    static const char *const names[] = {"states", "*copy", NULL};
    const pl_args args = {"set_states", values, count, keywords};
    PyObject *found[2];
    pl_scratch scratch = {.count = 0};
    if (!pl_parse(&args, names, found, NULL, NULL, NULL)) {
        return NULL;
    }
    PyObject *list = PySequence_List(found[0]);
    PyObject *answer = list == NULL ? NULL : set_list(self, list, pl_flag(found[1]), &scratch);
    Py_XDECREF(list);
    pl_scratch_free(&scratch);
    return answer;
}

static PyObject *begin_step(PyObject *self, PyObject *unused)
{
    (void)unused;
    pl_scene *scene = (pl_scene *)self;
    pl_call call;
    if (!pl_scene_begin(&call, self)) {
        return pl_call_abort(&call);
    }
    PL_RUN(&call, pliant_scene_begin_step(SCENE(self)));
    for (uint32_t i = 0; call.result == PLIANT_OK && i < scene->capacity; i++) {
        pl_body *body = scene->members[i];
        if (body != NULL) {
            PL_SETREF(body->start, Py_XNewRef(body->positions));
            pl_body_changed(body);
        }
    }
    return pl_call_end(&call, Py_NewRef(Py_None));
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
    if (!pl_scene_begin(&call, self)) {
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

static PyObject *stop_recording(PyObject *self, PyObject *unused)
{
    (void)unused;
    pl_call call;
    if (!pl_scene_begin(&call, self)) {
        return pl_call_abort(&call);
    }
    PL_RUN(&call, pliant_scene_stop_recording(SCENE(self)));
    Py_CLEAR(((pl_scene *)self)->write);
    return pl_call_end(&call, Py_NewRef(Py_None));
}

static PyObject *is_recording(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(pliant_scene_is_recording(SCENE(self)));
}

/* ----------------------------------------------------------------------------------- drawing */

/* The arrays of an answer may have been written to. */
static bool are_ranges_right(const pliant_scene_contacts *contacts)
{
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *pair = &contacts->bodies[i];
        if (pair->first > contacts->count || pair->count > contacts->count - pair->first) {
            pl_raise_text(PLIANT_ERROR_RANGE, "a pair of bodies has pairs beyond the last");
            return false;
        }
    }
    return true;
}

static PyObject *draw(PyObject *self, const pl_args *args, const char *const *names,
                      bool has_contacts)
{
    PyObject *found[2];
    pliant_draw_options options = pliant_draw_options_default();
    const pliant_scene_contacts *contacts = NULL;
    pl_call call;
    if (!pl_parse(args, names, found, &pl_struct_pliant_draw_options, &options, NULL) ||
        (has_contacts &&
         ((contacts = pl_answer_data(found[0], &pl_struct_pliant_scene_contacts)) == NULL ||
          !are_ranges_right(contacts)))) {
        return NULL;
    }
    if (!pl_scene_begin(&call, self)) {
        return pl_call_abort(&call);
    }
    call.function = found[has_contacts ? 1 : 0];
    const pliant_drawer drawer = pl_make_drawer(&call);
    PL_RUN(&call, has_contacts
                      ? pliant_draw_scene_contacts(SCENE(self), contacts, &options, &drawer)
                      : pliant_draw_scene(SCENE(self), &options, &drawer));
    return pl_call_end(&call, Py_NewRef(Py_None));
}

static PyObject *draw_scene(PyObject *self, PyObject *const *values, Py_ssize_t count,
                            PyObject *given)
{
    static const char *const names[] = {"drawer", NULL};
    const pl_args args = {"draw", values, count, given};
    return draw(self, &args, names, false);
}

static PyObject *draw_contacts(PyObject *self, PyObject *const *values, Py_ssize_t count,
                               PyObject *given)
{
    static const char *const names[] = {"contacts", "drawer", NULL};
    const pl_args args = {"draw_contacts", values, count, given};
    return draw(self, &args, names, true);
}

/* ---------------------------------------------------------------------------------- the type */

static PyObject *get_stats(PyObject *self, void *closure)
{
    (void)closure;
    pl_call call;
    if (!pl_scene_begin(&call, self)) {
        return pl_call_abort(&call);
    }
    return pl_call_end(
        &call, pl_make_tuple(&pl_struct_pliant_scene_stats, pliant_scene_get_stats(SCENE(self))));
}

static PyObject *get_events(PyObject *self, void *closure)
{
    (void)closure;
    pl_call call;
    if (!pl_scene_begin(&call, self)) {
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

static PyObject *get_context(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((pl_object *)self)->context);
}

static PyGetSetDef attributes[] = {
    {"stats", get_stats, NULL, "What the latest question cost: a SceneStats.", NULL},
    {"events", get_events, NULL,
     "Which pairs of bodies began, go on and ended touching between the latest two calls of "
     "collide() with events=True: an array with the fields a, b and touch.",
     NULL},
    {"ids", get_ids, NULL, "The ids of all bodies, ascending.", NULL},
    {"bodies", get_bodies, NULL, "All bodies, ascending by their index.", NULL},
    {"is_recording", is_recording, NULL, "Whether questions are being recorded.", NULL},
    {"context", get_context, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static const PyMethodDef own_methods[] = {
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
    {"begin_step", begin_step, METH_NOARGS, "begin_step($self, /)\n--\n\nAll bodies begin a step."},
    {"record", record, METH_O,
     "record($self, write, /)\n--\n\nRecords bodies, states and questions from now on: "
     "write(bytes)."},
    {"stop_recording", stop_recording, METH_NOARGS,
     "stop_recording($self, /)\n--\n\nEnds a recording; fails if it ended before."},
    PL_METHOD("draw", draw_scene,
              "draw($self, drawer, *, " OPTIONS_pliant_draw_options
              ")\n--\n\nDraws all bodies by the methods of an object; see Query.draw_body()."),
    PL_METHOD("draw_contacts", draw_contacts,
              "draw_contacts($self, contacts, drawer, *, " OPTIONS_pliant_draw_options
              ")\n--\n\nDraws what collide() answered."),
};

#define OWN_COUNT (sizeof own_methods / sizeof own_methods[0])

static size_t add_methods(PyMethodDef *all, size_t at, const PyMethodDef *more)
{
    for (; more->ml_name != NULL; more++) {
        all[at++] = *more;
    }
    return at;
}

bool pl_add_scene(PyObject *module)
{
    static PyMethodDef methods[OWN_COUNT + 32];
    memcpy(methods, own_methods, sizeof own_methods);
    size_t at = add_methods(methods, OWN_COUNT, pl_scene_question_methods);
    add_methods(methods, at, pl_scene_select_methods);
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
    return pl_add_type(module, &spec, &pl_scene_type);
}
