/* Bodies: a shape and its state. A body holds on to the arrays that it borrows. */
#include "core.h"

PyTypeObject *pl_body_type;

#define BODY(self) PL_HANDLE(pliant_body, self)

void pl_body_changed(pl_body *body)
{
    body->prepared = false;
}

static PyObject *body_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"shape", "*user", NULL};
    PyObject *found[2];
    pl_scratch scratch = {.count = 0};
    pliant_body_def def = pliant_body_def_default();
    bool parsed = pl_parse_new("Body", args, keywords, names, found, &pl_struct_pliant_body_def,
                               &def, &scratch);
    pl_scratch_free(&scratch);
    if (!parsed) {
        return NULL;
    }
    if (!PyObject_TypeCheck(found[0], pl_shape_type)) {
        PyErr_SetString(PyExc_TypeError, "shape must be a pliant.Shape");
        return NULL;
    }
    pliant_body *made = NULL;
    pliant_result result = pliant_body_create(PL_HANDLE(const pliant_shape, found[0]), &def, &made);
    if (result != PLIANT_OK) {
        return pl_raise(result);
    }
    pl_body *body = (pl_body *)pl_object_new(type, ((pl_object *)found[0])->context, found[0]);
    if (body == NULL) {
        pliant_body_destroy(made);
        return NULL;
    }
    body->base.handle = made;
    body->base.user = Py_XNewRef(found[1]);
    return (PyObject *)body;
}

static void body_free(PyObject *self)
{
    pl_body *body = (pl_body *)self;
    pliant_body_destroy(BODY(self)); /* a scene that has it would keep it alive */
    Py_CLEAR(body->positions);
    Py_CLEAR(body->start);
    Py_CLEAR(body->torn);
    pl_object_free(&body->base);
}

/* ------------------------------------------------------------------------------------- state */

/* Whether a call may begin that gives the body a new state. */
static bool begin(pl_call *call, PyObject *self)
{
    pl_call_begin(call, (pl_object *)self);
    return pl_call_use(call, (pl_object *)self, false);
}

static PyObject *done(pl_call *call, PyObject *self)
{
    if (call->result == PLIANT_OK) {
        pl_body_changed((pl_body *)self);
    }
    return pl_call_end(call, Py_NewRef(Py_None));
}

static uint32_t vertex_count(PyObject *self)
{
    return pliant_shape_get_vertex_count(pliant_body_get_shape(BODY(self)));
}

bool pl_has_vertices(pl_object *body, uint64_t rows)
{
    if (body->handle == NULL) {
        pl_object_destroyed(body);
        return false;
    }
    uint32_t count = vertex_count((PyObject *)body);
    if (rows != count) {
        PyErr_Format(PyExc_ValueError, "positions has %llu rows, but the body has %u vertices",
                     (unsigned long long)rows, count);
    }
    return rows == count;
}

/* Positions of all vertices. */
static bool read_positions(PyObject *self, PyObject *object, bool copy, pl_array *array)
{
    if (!pl_array_read(object, "positions", &pl_points, copy, array)) {
        return false;
    }
    if (!pl_has_vertices((pl_object *)self, array->count)) {
        pl_array_free(array);
        return false;
    }
    return true;
}

void pl_after_body_set_positions(PyObject *self, bool done)
{
    if (done) {
        Py_CLEAR(((pl_body *)self)->positions);
    }
}

static PyObject *share_positions(PyObject *self, PyObject *const *values, Py_ssize_t count,
                                 PyObject *given)
{
    static const char *const names[] = {"positions", "!copy", NULL};
    const pl_args args = {"share_positions", values, count, given};
    PyObject *found[2] = {count == 1 ? values[0] : NULL, NULL};
    pl_array array;
    pl_call call;
    if (((count != 1 || given != NULL) && !pl_parse(&args, names, found, NULL, NULL, NULL)) ||
        !read_positions(self, found[0], found[1] != NULL, &array)) {
        return NULL;
    }
    if (!begin(&call, self)) {
        pl_array_free(&array);
        return pl_call_abort(&call);
    }
    pl_body *body = (pl_body *)self;
    /* Where a transform has to be known, all positions are read; else none. */
    if (body->base.parent != NULL &&
        pliant_shape_get_joint_count(pliant_body_get_shape(BODY(self))) == 0) {
        call.result = pliant_body_share_positions(BODY(self), array.data, array.stride);
    } else {
        PL_RUN(&call, pliant_body_share_positions(BODY(self), array.data, array.stride));
    }
    if (call.result != PLIANT_OK) {
        pl_array_free(&array);
    } else {
        PL_SETREF(body->positions, array.hold);
    }
    return done(&call, self);
}

static PyObject *set_world(PyObject *self, PyObject *rows)
{
    float numbers[12];
    pl_call call;
    if (rows != Py_None && !pl_read_floats(rows, "world", numbers, 12)) {
        return NULL;
    }
    if (!begin(&call, self)) {
        return pl_call_abort(&call);
    }
    PL_RUN(&call, pliant_body_set_world(BODY(self), rows == Py_None ? NULL : numbers));
    return done(&call, self);
}

/* A whole state, from keywords; also of a member of a scene. */
#define AT(member) offsetof(pliant_state, member)

/* Sizes have the numbers of the parts and 1. The second keyword is no array. */
static const pl_part state_parts[4] = {
    {"positions", "f4", 1, 0, 0, 3, 0, AT(positions), AT(position_stride), 0},
    {NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0},
    {"coordinates", "f4", 3, 0, 0, 0, 2, AT(coordinates), 0, AT(coordinate_count)},
    {"transforms", "f4", 4, 0, 0, 12, 3, AT(transforms), AT(transform_stride),
     AT(transform_count)}};

bool pl_read_state(PyObject *body, PyObject *const *found, bool copy, pl_array *arrays,
                   pliant_state *state, float *world)
{
    *state = (pliant_state){.shares_positions = found[1] != NULL};
    PyObject *parts[4] = {found[0], NULL, found[2], found[3]};
    uint64_t sizes[5];
    memset(sizes, 0xff, sizeof sizes);
    if (!pl_read_parts(state_parts, 4, parts, copy, sizes, arrays, state) ||
        (found[0] != NULL && !pl_has_vertices((pl_object *)body, arrays[0].count)) ||
        (found[4] != NULL && !pl_read_floats(found[4], "world", world, 12))) {
        return false;
    }
    state->world = found[4] != NULL ? world : NULL;
    return true;
}

/* What a body holds on to after a state was set. */
void pl_body_adopt(pl_body *body, const pliant_state *state, pl_array *positions)
{
    if (state->positions != NULL) {
        PL_SETREF(body->positions, state->shares_positions ? positions->hold : NULL);
        if (state->shares_positions) {
            positions->hold = NULL;
        }
    }
    pl_body_changed(body);
}

static PyObject *set_state(PyObject *self, PyObject *const *values, Py_ssize_t count,
                           PyObject *given)
{
    static const char *const names[] = {
        "*positions", "!shares_positions", "*coordinates", "*transforms", "*world", "!copy", NULL};
    const pl_args args = {"set_state", values, count, given};
    PyObject *found[6], *answer = NULL;
    pl_array arrays[4] = {{0}};
    pliant_state state;
    float world[12];
    pl_call call;
    if (pl_parse(&args, names, found, NULL, NULL, NULL) &&
        pl_read_state(self, found, found[5] != NULL, arrays, &state, world)) {
        if (begin(&call, self)) {
            PL_RUN(&call, pliant_body_set_state(BODY(self), &state));
            if (call.result == PLIANT_OK) {
                pl_body_adopt((pl_body *)self, &state, &arrays[0]);
            }
            answer = done(&call, self);
        } else {
            pl_call_abort(&call);
        }
    }
    for (int i = 0; i < 4; i++) {
        pl_array_free(&arrays[i]);
    }
    return answer;
}

void pl_after_body_begin_step(PyObject *self, bool done)
{
    pl_body *body = (pl_body *)self;
    if (done) {
        PL_SETREF(body->start, Py_XNewRef(body->positions));
    }
}

void pl_after_body_end_step(PyObject *self, bool done)
{
    if (done) {
        Py_CLEAR(((pl_body *)self)->start);
    }
}

void pl_after_body_prepare(PyObject *self, bool done)
{
    ((pl_body *)self)->prepared |= done;
}

static PyObject *evaluate(PyObject *self, PyObject *const *values, Py_ssize_t count,
                          PyObject *given)
{
    static const char *const names[] = {"?vertices", "!copy", NULL};
    const pl_args args = {"evaluate", values, count, given};
    PyObject *found[2];
    pl_array array = {0};
    pl_call call;
    if (!pl_parse(&args, names, found, NULL, NULL, NULL)) {
        return NULL;
    }
    if (BODY(self) == NULL) {
        return pl_object_destroyed((pl_object *)self);
    }
    uint32_t wanted = vertex_count(self);
    if (found[0] != NULL &&
        (!pl_array_read(found[0], "vertices", &pl_list_u32, found[1] != NULL, &array) ||
         !pl_count32(&array, "vertices", &wanted))) {
        pl_array_free(&array);
        return NULL;
    }
    static const uint32_t nobody; /* of an empty list, which is not all vertices */
    const uint32_t *vertices = found[0] == NULL ? NULL : wanted == 0 ? &nobody : array.data;
    const Py_ssize_t shape[2] = {(Py_ssize_t)wanted, 3};
    void *data = NULL;
    PyObject *positions = pl_new_numbers("f4", shape, 2, &data);
    pl_call_begin(&call, (pl_object *)self);
    if (positions == NULL || !pl_call_use_body(&call, self, true)) {
        Py_XDECREF(positions);
        pl_array_free(&array);
        return pl_call_abort(&call);
    }
    PL_RUN(&call, pliant_body_evaluate(BODY(self), vertices, wanted, data));
    pl_array_free(&array);
    return pl_call_end(&call, positions);
}

/* What set_state() takes, to put another body of the same shape into the same state: copies. */
static PyObject *copy_state(PyObject *self, const pliant_state *state)
{
    const struct {
        const char *name;
        const float *data;
        uint32_t rows, columns;
        size_t stride;
        Py_ssize_t shape[3];
        int dimensions;
    } parts[] = {
        {"positions",
         state->positions,
         vertex_count(self),
         3,
         state->position_stride,
         {(Py_ssize_t)vertex_count(self), 3},
         2},
        {"coordinates",
         state->coordinates,
         1,
         state->coordinate_count,
         0,
         {(Py_ssize_t)state->coordinate_count},
         1},
        {"transforms",
         state->transforms,
         state->transform_count,
         12,
         state->transform_stride,
         {(Py_ssize_t)state->transform_count, 3, 4},
         3},
        {"world", state->world, 1, 12, 0, {3, 4}, 2},
    };
    PyObject *answer = PyDict_New();
    for (size_t i = 0; answer != NULL && i < sizeof parts / sizeof *parts; i++) {
        void *to = NULL;
        if (parts[i].data == NULL) {
            continue;
        }
        PyObject *array = pl_new_numbers("f4", parts[i].shape, parts[i].dimensions, &to);
        size_t row = parts[i].columns * sizeof(float);
        for (uint32_t k = 0; array != NULL && k < parts[i].rows; k++) {
            size_t stride = parts[i].stride != 0 ? parts[i].stride : row;
            memcpy((char *)to + k * row, (const char *)parts[i].data + k * stride, row);
        }
        if (array == NULL || PyDict_SetItemString(answer, parts[i].name, array) < 0) {
            Py_CLEAR(answer);
        }
        Py_XDECREF(array);
    }
    return answer;
}

static PyObject *get_state(PyObject *self, void *closure)
{
    (void)closure;
    pliant_state state = {0};
    pl_call call;
    pl_call_begin(&call, (pl_object *)self);
    if (!pl_call_use_body(&call, self, true)) {
        return pl_call_abort(&call);
    }
    call.result = pliant_body_get_state(BODY(self), &state);
    return pl_call_end(&call, call.result == PLIANT_OK ? copy_state(self, &state) : NULL);
}

static PyObject *get_scene(PyObject *self, void *closure)
{
    (void)closure;
    pl_scene *scene = ((pl_body *)self)->scene;
    return Py_NewRef(scene == NULL ? Py_None : (PyObject *)scene);
}

static PyObject *destroy(PyObject *self, PyObject *unused)
{
    (void)unused;
    pl_body *body = (pl_body *)self;
    pl_call call;
    if (BODY(self) == NULL) {
        Py_RETURN_NONE;
    }
    if (body->scene != NULL) {
        PyObject *removed = PyObject_CallMethod((PyObject *)body->scene, "remove", "O", self);
        if (removed == NULL) {
            return NULL;
        }
        Py_DECREF(removed);
    }
    if (!begin(&call, self)) {
        return pl_call_abort(&call);
    }
    if (body->base.depth > 1) { /* from within a call about it */
        pl_call_abort(&call);
        return pl_raise_text(PLIANT_ERROR_STATE, "a call about the body is under way");
    }
    pliant_body_destroy(BODY(self));
    body->base.handle = NULL;
    Py_CLEAR(body->positions);
    Py_CLEAR(body->start);
    Py_CLEAR(body->torn);
    return pl_call_end(&call, Py_NewRef(Py_None));
}

static PyGetSetDef attributes[] = {
    {"shape", pl_body_get_shape, NULL,
     "What it was made of; of a torn body, a shape of its own, as it is now.", NULL},
    {"state", get_state, NULL,
     "What set_state() takes to put another body of the same shape where this one is: a dictionary "
     "of new arrays. What it was not given is not there.",
     NULL},
    {"context", pl_get_context, NULL, "Its context.", NULL},
    {"scene", get_scene, NULL, "The scene it is in, or None.", NULL},
    {"user", pl_get_user, pl_set_user, "Yours.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    PL_METHOD(
        "share_positions", share_positions,
        "share_positions($self, positions, *, copy=False)\n--\n\nBorrows positions: nothing is "
        "copied. The array must stay unchanged until the next set or share; changed values "
        "need another call. The body holds on to it."),
    {"set_world", set_world, METH_O,
     "set_world($self, rows, /)\n--\n\nThe last step to each vertex, 3 x 4 numbers; None takes it "
     "away."},
    PL_METHOD(
        "set_state", set_state,
        "set_state($self, *, positions=None, shares_positions=False, coordinates=None, "
        "transforms=None, world=None, copy=False)\n--\n\nAll of a state at once, or nothing."),
    PL_METHOD("evaluate", evaluate,
              "evaluate($self, vertices=None, *, copy=False)\n--\n\nThe current positions of some "
              "vertices, or of all: (n, 3), a new array."),
    PL_METHOD(
        "tear", pl_body_tear,
        "tear($self, *, removed=None, split=None, corners=None, welded=None, copy=False)\n--\n\n"
        "Removes triangles and splits vertices of a free body, all of it or nothing.\n\nVertex "
        "split[i] gets a copy with the number n + i, where the body had n vertices; corners, (k, "
        "2), are of a triangle and the copy that it goes to. welded: for each copy the lowest "
        "one that it is welded with. The next state has positions for the copies too. All arrays "
        "are uint32."),
    {"destroy", destroy, METH_NOARGS,
     "destroy($self, /)\n--\n\nGives its memory back now; it cannot be used any more."},
    {NULL, NULL, 0, NULL}};

bool pl_add_body(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc, "Body(shape, *, " OPTIONS_pliant_body_def
                    ", user=None)\n--\n\nA shape and its current state. It begins at rest.\n\nA "
                    "shape without modes and joints is moved by positions, one with modes by "
                    "coordinates, one with joints by transforms."},
        {Py_tp_new, body_new},
        {Py_tp_dealloc, body_free},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    static PyType_Spec spec = {"pliant._core.Body", sizeof(pl_body), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return pl_add_type(module, &spec, &pl_body_type) &&
           pl_add_members(pl_body_type, pl_methods_pliant_body, pl_attributes_pliant_body);
}
