/*
 * The dispatcher: runs any call that the tables describe. It reads arguments into the struct of the
 * call, marks objects as used, and runs the call without the interpreter's lock. Then it makes
 * Python values of the outputs in the struct.
 */
#include "core.h"

typedef struct asking {
    const pl_method *method;
    PyObject *self; /* NULL: a function of no object */
    PyObject *outputs[2];
    pl_call call;
    pl_scratch scratch;
    pl_known known;
    bool copy;
    PyObject *found[PL_MOST_PARAMETERS]; /* set by pl_parse(), values by read_values() */
    _Alignas(16) char values[PL_MOST_BYTES];
} asking;

static void *place(asking *asked, const pl_field *field)
{
    return asked->values + field->offset;
}

/* --------------------------------------------------------------------------------------- values */

static bool read_array(asking *asked, const pl_field *field, PyObject *value)
{
    uint32_t inner = field->width > 7 ? 4 : 0; /* of matrices */
    const pl_wanted wanted = {field->formats, field->width, field->strict, inner};
    pl_array *array = place(asked, field);
    uint32_t count = 0;
    return pl_array_read(value, field->name, &wanted, asked->copy, array) &&
           (field->rows == 0    ? pl_has_vertices((pl_object *)asked->self, array->count)
            : field->rows == 64 ? true
                                : pl_count32(array, field->name, &count));
}

static bool read_function(asking *asked, const pl_field *field, PyObject *value)
{
    pl_back *back = place(asked, field);
    if (!PyCallable_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a function, not %R", field->name, value);
        return false;
    }
    *back = (pl_back){&asked->call, value};
    return true;
}

/* A new list; exceptions of the caller's own sequence stay. */
static PyObject *read_list(const pl_field *field, PyObject *value, const char *wanted)
{
    PyObject *list = PySequence_List(value);
    if (list == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError, "%s must be a sequence of %s, not %R", field->name, wanted,
                     value);
    }
    return list;
}

static bool read_bodies(asking *asked, const pl_field *field, PyObject *value)
{
    pl_bodies *bodies = place(asked, field);
    PyObject *list = bodies->hold = read_list(field, value, "bodies");
    if (list == NULL) {
        return false;
    }
    Py_ssize_t count = PyList_Size(list);
    bodies->list = pl_scratch_allocate(&asked->scratch, (size_t)count * sizeof(pliant_body *));
    bodies->count = (uint32_t)count;
    for (Py_ssize_t i = 0; bodies->list != NULL && i < count; i++) {
        if (!PyObject_TypeCheck(PyList_GetItem(list, i), pl_body_type)) {
            PyErr_Format(PyExc_TypeError, "%s[%zd] must be a pliant.Body", field->name, i);
            return false;
        }
    }
    return bodies->list != NULL;
}

/* As many sets as there are bodies, which are a parameter before this one. */
static bool read_group_sets(asking *asked, const pl_field *field, PyObject *value)
{
    const pl_bodies *bodies = place(asked, &asked->method->parameters[0]);
    PyObject *list = read_list(field, value, "sets");
    pliant_groups *sets =
        list == NULL ? NULL
                     : pl_scratch_allocate(&asked->scratch, bodies->count * sizeof(pliant_groups));
    bool read = sets != NULL;
    if (read && PyList_Size(list) != (Py_ssize_t)bodies->count) {
        PyErr_Format(PyExc_ValueError, "%s must have a set, or None, for each body", field->name);
        read = false;
    }
    for (uint32_t i = 0; read && i < bodies->count; i++) {
        read = pl_read_groups(PyList_GetItem(list, i), field->name, &sets[i], &asked->scratch);
    }
    Py_XDECREF(list);
    memcpy(place(asked, field), &sets, sizeof sets);
    return read;
}

static bool read_found(asking *asked, const pl_field *field, PyObject *value)
{
    const void *data = pl_answer_data(value, field->name, field->type);
    memcpy(place(asked, field), &data, sizeof data);
    return data != NULL &&
           (field->type != &pl_struct_pliant_scene_contacts || pl_are_ranges_right(data));
}

static bool read_scene(const pl_field *field, PyObject *value)
{
    if (!PyObject_TypeCheck(value, pl_scene_type)) {
        PyErr_Format(PyExc_TypeError, "%s must be a pliant.Scene, not %R", field->name, value);
        return false;
    }
    return true;
}

static bool read_value(asking *asked, const pl_field *field, PyObject *value)
{
    switch (field->kind) {
    case PL_BODY:
        return pl_is_body(value, field->name);
    case PL_BODIES:
        return read_bodies(asked, field, value);
    case PL_SCENE:
        return read_scene(field, value);
    case PL_ARRAY:
        return read_array(asked, field, value);
    case PL_FUNCTION:
        return read_function(asked, field, value);
    case PL_GROUP_SETS:
        return read_group_sets(asked, field, value);
    case PL_FOUND:
        return read_found(asked, field, value);
    case PL_DRAWER:
        return pl_make_drawer(&asked->call, value, field->name, place(asked, field));
    default:
        return pl_set_field(field, asked->values, value, &asked->scratch);
    }
}

/* The last parameter of a method with arrays is `copy`. */
static bool read_values(asking *asked)
{
    const pl_method *method = asked->method;
    memset(asked->values, 0, method->size);
    if (method->begin != NULL) {
        method->begin(asked->values);
    }
    size_t last = method->count - 1;
    if (method->count > 0 && strcmp(method->parameters[last].name, "copy") == 0 &&
        asked->found[last] != NULL && !pl_read_bool(asked->found[last], "copy", &asked->copy)) {
        return false;
    }
    for (size_t i = 0; i < method->count; i++) {
        if (asked->found[i] != NULL &&
            !read_value(asked, &method->parameters[i], asked->found[i])) {
            return false;
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------- objects in use
 */

static bool is_body(PyObject *object)
{
    return PyObject_TypeCheck(object, pl_body_type);
}

static bool refuse_context(asking *asked, const char *name)
{
    char sentence[120];
    snprintf(sentence, sizeof sentence, "%s: %s is of another context", asked->method->name, name);
    pl_raise_text(PLIANT_ERROR_ARGUMENT, sentence);
    return false;
}

static bool use(asking *asked, PyObject *object, const char *name)
{
    pl_object *of = (pl_object *)object;
    bool shared = is_body(object) ? asked->method->shares && ((pl_body *)object)->prepared
                                  : of->kind == PL_CONSTANT;
    if (asked->call.context == NULL) {
        asked->call.context = of->context;
    }
    return pl_call_use(&asked->call, of, shared) &&
           (of->context == asked->call.context || refuse_context(asked, name));
}

static void note_sizes(asking *asked, const pliant_body *body, int number)
{
    const pliant_shape *shape = pliant_body_get_shape(body);
    asked->known.vertices[number] = pliant_shape_get_vertex_count(shape);
    asked->known.triangles[number] = pliant_shape_get_triangle_count(shape);
}

static bool use_bodies(asking *asked, const pl_field *field)
{
    pl_bodies *bodies = place(asked, field);
    for (uint32_t i = 0; i < bodies->count; i++) {
        PyObject *body = PyList_GetItem(bodies->hold, i);
        if (!use(asked, body, field->name)) {
            return false;
        }
        bodies->list[i] = PL_HANDLE(pliant_body, body);
    }
    return true;
}

static bool use_all(asking *asked)
{
    const pl_method *method = asked->method;
    int bodies = 0;
    if (asked->self != NULL && !use(asked, asked->self, "this")) {
        return false;
    }
    for (size_t i = 0; i < method->count; i++) {
        const pl_field *field = &method->parameters[i];
        PyObject *object = asked->found[i];
        if (field->kind == PL_BODIES && !use_bodies(asked, field)) {
            return false;
        }
        if (field->kind != PL_BODY && field->kind != PL_SCENE) {
            continue;
        }
        if (!use(asked, object, field->name)) {
            return false;
        }
        memcpy(place(asked, field), &((pl_object *)object)->handle, sizeof(void *));
        if (field->kind == PL_BODY) {
            note_sizes(asked, PL_HANDLE(pliant_body, object), bodies++);
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------------- outputs
 */

/* Arrays that the call writes to. */
static bool make_arrays(asking *asked)
{
    const pl_method *method = asked->method;
    if (method->array == PL_NO_ARRAY) {
        return true;
    }
    const pl_array *array = (const pl_array *)(void *)(asked->values + method->array);
    asked->known.rows = array->count;
    for (size_t i = 0; i < method->output_count; i++) {
        const pl_field *field = &method->outputs[i];
        const Py_ssize_t shape[1] = {(Py_ssize_t)array->count};
        void *data = NULL;
        if (field->kind == PL_EACH) {
            asked->outputs[i] = field->type == NULL
                                    ? pl_new_numbers("bool", shape, 1, &data)
                                    : pl_new_records(field->type, array->count, &data);
            memcpy(place(asked, field), &data, sizeof data);
            if (asked->outputs[i] == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* A copy of the library's list: a pointer, and its length behind it. */
static PyObject *copy_list(const void *at)
{
    const struct {
        const uint32_t *list;
        uint64_t count;
    } *filled = at;
    const Py_ssize_t shape[1] = {(Py_ssize_t)filled->count};
    void *data = NULL;
    PyObject *array = pl_new_numbers("u4", shape, 1, &data);
    if (array != NULL && filled->count > 0) {
        memcpy(data, filled->list, filled->count * sizeof *filled->list);
    }
    return array;
}

static PyObject *make_output(asking *asked, const pl_field *field)
{
    if (field->kind == PL_LIST_UINT32) {
        return copy_list(place(asked, field));
    }
    if (field->kind != PL_STRUCT) {
        return pl_get_field(field, asked->values);
    }
    PyObject *made = pl_get_struct(field->type, place(asked, field), &asked->known);
    if (field->type == &pl_struct_pliant_contacts) {
        bool two = asked->method->parameters[1].kind == PL_BODY;
        pl_answer_keep(made, asked->found[0], two ? asked->found[1] : NULL);
    }
    return made;
}

static PyObject *make_result(asking *asked)
{
    const pl_method *method = asked->method;
    for (size_t i = 0; i < method->output_count; i++) {
        if (asked->outputs[i] == NULL) {
            asked->outputs[i] = make_output(asked, &method->outputs[i]);
        }
        if (asked->outputs[i] == NULL) {
            return NULL;
        }
    }
    return method->output_count == 0   ? Py_NewRef(Py_None)
           : method->output_count == 1 ? Py_NewRef(asked->outputs[0])
                                       : PyTuple_Pack(2, asked->outputs[0], asked->outputs[1]);
}

/* ------------------------------------------------------------------------------------- the call */

static void note_change(PyObject *object)
{
    if (is_body(object)) {
        pl_body_changed((pl_body *)object);
    }
    pl_scene *scene = ((pl_object *)object)->kind == PL_SCENE_OBJECT ? (pl_scene *)object : NULL;
    for (uint32_t i = 0; scene != NULL && i < scene->capacity; i++) {
        if (scene->members[i] != NULL) {
            pl_body_changed(scene->members[i]);
        }
    }
}

/* All objects in use: the one that was asked, and bodies. */
static void note_changes(const pl_call *call)
{
    for (uint32_t i = 0; i < call->count; i++) {
        note_change((PyObject *)call->uses[i].object);
    }
}

static PyObject *run(asking *asked)
{
    const pl_method *method = asked->method;
    pl_call *call = &asked->call;
    void *object = asked->self == NULL ? NULL : ((pl_object *)asked->self)->handle;
    if (method->quick) {
        call->result = method->run(object, asked->values);
    } else {
        PL_RUN(call, method->run(object, asked->values));
    }
    if (method->changes) {
        note_changes(call);
    }
    if (method->after != NULL) {
        method->after(asked->self, call->result == PLIANT_OK);
    }
    if (call->result == PL_NO_SUCH) {
        PyErr_Format(PyExc_IndexError, "there is no %s %R", method->parameters[0].name,
                     asked->found[0]);
    }
    if (call->result == PL_NOTHING) {
        call->result = PLIANT_OK;
        return pl_call_end(call, Py_NewRef(Py_None));
    }
    return pl_call_end(call, pl_call_succeeded(call) ? make_result(asked) : NULL);
}

static void release_all(asking *asked)
{
    const pl_method *method = asked->method;
    for (size_t i = 0; i < method->count; i++) {
        const pl_field *field = &method->parameters[i];
        if (field->kind == PL_ARRAY) {
            pl_array_free(place(asked, field));
        }
        if (field->kind == PL_BODIES) {
            Py_XDECREF(((pl_bodies *)place(asked, field))->hold);
        }
    }
    for (size_t i = 0; i < method->output_count; i++) {
        Py_XDECREF(asked->outputs[i]);
    }
    pl_scratch_free(&asked->scratch);
}

PyObject *pl_ask(const pl_method *method, PyObject *self, PyObject *const *values, Py_ssize_t count,
                 PyObject *names)
{
    asking asked;
    memset(&asked, 0, offsetof(asking, found));
    asked.method = method;
    asked.self = PyModule_Check(self) ? NULL : self;
    const pl_args args = {method->name, values, count, names};
    if (!pl_parse(&args, method->names, asked.found, NULL, NULL, NULL)) {
        return NULL;
    }
    pl_call_begin(&asked.call, (pl_object *)asked.self);
    bool ready = read_values(&asked) && use_all(&asked) && make_arrays(&asked);
    PyObject *result = ready ? run(&asked) : pl_call_abort(&asked.call);
    release_all(&asked);
    return result;
}

PyObject *pl_ask_attribute(PyObject *self, void *method)
{
    return pl_ask(method, self, NULL, 0, NULL);
}

/* ---------------------------------------------------------------------------------- calling back
 */

bool pl_call_back(void *user, bool filters, const pl_value *values, size_t count)
{
    const pl_back *back = user;
    if (!pl_enter_python(back->call)) {
        return false;
    }
    PyObject *given = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; given != NULL && i < count; i++) {
        PyObject *value = pl_get_struct(values[i].type, values[i].data, NULL);
        if (value == NULL || PyTuple_SetItem(given, (Py_ssize_t)i, value) < 0) {
            Py_CLEAR(given);
        }
    }
    PyObject *returned = given == NULL ? NULL : PyObject_CallObject(back->function, given);
    Py_XDECREF(given);
    if (filters && returned == Py_None) {
        PL_SETREF(returned, Py_NewRef(Py_False));
    }
    return pl_leave_python(back->call, returned);
}
