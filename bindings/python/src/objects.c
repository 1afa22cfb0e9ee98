/*
 * Objects of the library, and who is using them. The library has no locks: here every call marks
 * the objects that it is about, while it holds the interpreter's lock, before it lets that go.
 * Another thread that wants one of them gets a BusyError. Functions of the caller's that a call
 * runs on its own thread are let through: the library itself refuses what they must not do.
 */
#include "core.h"

pl_object *pl_object_new(PyTypeObject *type, pl_context *context, PyObject *parent)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    pl_object *object = (pl_object *)allocate(type, 0);
    if (object != NULL) {
        object->kind = PyType_IsSubtype(type, pl_body_type)      ? PL_BODY_OBJECT
                       : PyType_IsSubtype(type, pl_scene_type)   ? PL_SCENE_OBJECT
                       : PyType_IsSubtype(type, pl_shape_type)   ? PL_CONSTANT
                       : PyType_IsSubtype(type, pl_context_type) ? PL_CONSTANT
                                                                 : PL_OTHER;
        object->context = (pl_context *)Py_XNewRef((PyObject *)context);
        object->parent = Py_XNewRef(parent);
    }
    return object;
}

void pl_object_free(pl_object *object)
{
    PyTypeObject *type = Py_TYPE((PyObject *)object);
    Py_CLEAR(object->parent);
    Py_CLEAR(object->user);
    PL_DECREF(object->context);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    PL_DECREF(type);
}

PyObject *pl_new_in_context(PyTypeObject *type, PyObject *tuple, PyObject *dictionary,
                            const char *name, const pl_struct *settings, void *values,
                            pl_create create)
{
    static const char *const names[] = {"?context", NULL};
    PyObject *found[1];
    pl_scratch scratch = {.count = 0};
    bool parsed = pl_parse_new(name, tuple, dictionary, names, found, settings, values, &scratch);
    pl_scratch_free(&scratch);
    pl_context *context = parsed ? pl_context_of(found[0]) : NULL;
    pl_object *object = context == NULL ? NULL : pl_object_new(type, context, NULL);
    PL_DECREF(context);
    if (object != NULL) {
        pliant_result result =
            create(PL_HANDLE(pliant_context, object->context), values, &object->handle);
        if (result != PLIANT_OK) {
            object->handle = NULL;
            Py_CLEAR(object);
            pl_raise(result);
        }
    }
    return (PyObject *)object;
}

PyObject *pl_get_context(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((pl_object *)self)->context);
}

PyObject *pl_get_user(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *user = ((pl_object *)self)->user;
    return Py_NewRef(user == NULL ? Py_None : user);
}

int pl_set_user(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    PL_SETREF(((pl_object *)self)->user, Py_XNewRef(value));
    return 0;
}

/* Its name in sentences, whatever class of the caller's it is of. */
static const char *short_name(pl_object *object)
{
    const struct {
        PyTypeObject *type;
        const char *name;
    } names[] = {{pl_body_type, "body"},     {pl_query_type, "query"},
                 {pl_scene_type, "scene"},   {pl_shape_type, "shape"},
                 {pl_volume_type, "volume"}, {pl_contours_type, "contours object"},
                 {pl_pose_type, "pose"},     {pl_context_type, "context"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (PyObject_TypeCheck((PyObject *)object, names[i].type)) {
            return names[i].name;
        }
    }
    return "object";
}

PyObject *pl_object_destroyed(pl_object *object)
{
    char sentence[80];
    snprintf(sentence, sizeof sentence, "the %s was destroyed", short_name(object));
    return pl_raise_text(PLIANT_ERROR_STATE, sentence);
}

static bool busy(const char *what)
{
    PyErr_Format(
        pl_busy_error,
        "another thread is using the %s: one call at a time, or prepare() a body that many "
        "ask about",
        what);
    return false;
}

void pl_call_begin(pl_call *call, pl_object *self)
{
    call->context = self == NULL ? NULL : self->context;
    call->uses = call->few;
    call->count = 0;
    call->capacity = sizeof call->few / sizeof *call->few;
    call->result = PLIANT_OK;
    call->drawer = NULL;
}

static bool grow(pl_call *call)
{
    uint32_t capacity = 4 * call->capacity;
    pl_use *uses = PyMem_Malloc(capacity * sizeof *uses);
    if (uses == NULL) {
        PyErr_NoMemory();
        return false;
    }
    memcpy(uses, call->uses, call->count * sizeof *uses);
    if (call->uses != call->few) {
        PyMem_Free(call->uses);
    }
    call->uses = uses;
    call->capacity = capacity;
    return true;
}

/* A body of a scene is used with the scene, or by itself. */
static bool enter_scene_of(pl_body *body, unsigned long me)
{
    pl_scene *scene = body->scene;
    if (scene == NULL) {
        return true;
    }
    if (scene->base.depth > 0 && scene->base.owner != me) {
        return busy("body's scene");
    }
    scene->body_owner = scene->body_uses == 0 || scene->body_owner == me ? me : 0;
    scene->body_uses++;
    return true;
}

static bool is_body(const pl_object *object)
{
    return object->kind == PL_BODY_OBJECT;
}

static bool is_scene(const pl_object *object)
{
    return object->kind == PL_SCENE_OBJECT;
}

bool pl_call_use(pl_call *call, pl_object *object, bool shared)
{
    unsigned long me = PyThread_get_thread_ident();
    if (object->handle == NULL) {
        pl_object_destroyed(object);
        return false;
    }
    if (call->count == call->capacity && !grow(call)) {
        return false;
    }
    if ((object->depth > 0 && object->owner != me) || (!shared && object->readers > 0)) {
        return busy(short_name(object));
    }
    if (is_scene(object)) {
        const pl_scene *scene = (const pl_scene *)object;
        if (scene->body_uses > 0 && scene->body_owner != me) {
            return busy("scene's body");
        }
    }
    if (is_body(object) && !enter_scene_of((pl_body *)object, me)) {
        return false;
    }
    if (shared && object->depth == 0) {
        object->readers++;
    } else {
        shared = false;
        object->owner = me;
        object->depth++;
    }
    Py_INCREF((PyObject *)object);
    call->uses[call->count++] = (pl_use){object, shared};
    return true;
}

bool pl_is_body(PyObject *object, const char *name)
{
    if (!PyObject_TypeCheck(object, pl_body_type)) {
        PyErr_Format(PyExc_TypeError, "%s must be a pliant.Body", name);
        return false;
    }
    return true;
}

bool pl_call_use_body(pl_call *call, PyObject *body, bool many)
{
    return pl_is_body(body, "this") &&
           pl_call_use(call, (pl_object *)body, many && ((pl_body *)body)->prepared);
}

static void release_all(pl_call *call)
{
    for (uint32_t i = call->count; i-- > 0;) {
        pl_object *object = call->uses[i].object;
        if (call->uses[i].shared) {
            object->readers--;
        } else {
            object->depth--;
        }
        if (is_body(object) && ((pl_body *)object)->scene != NULL &&
            ((pl_body *)object)->scene->body_uses > 0) {
            ((pl_body *)object)->scene->body_uses--;
        }
    }
    for (uint32_t i = call->count; i-- > 0;) {
        PL_DECREF(call->uses[i].object);
    }
    if (call->uses != call->few) {
        PyMem_Free(call->uses);
    }
    call->count = 0;
}

PyObject *pl_call_abort(pl_call *call)
{
    release_all(call);
    return NULL;
}

bool pl_call_succeeded(const pl_call *call)
{
    return call->result == PLIANT_OK && PyErr_Occurred() == NULL;
}

PyObject *pl_call_end(pl_call *call, PyObject *answer)
{
    if (PyErr_Occurred() != NULL) {
        Py_CLEAR(answer);
    } else if (call->result != PLIANT_OK) {
        pl_raise(call->result);
        Py_CLEAR(answer);
    }
    pl_context *context = call->context; /* lives as long as the object asked */
    release_all(call);
    if (context != NULL && answer != NULL) {
        pl_context_flush(context);
        if (PyErr_Occurred() != NULL) {
            Py_CLEAR(answer);
        }
    }
    return answer;
}

bool pl_enter_python(pl_call *call)
{
    PyEval_RestoreThread(call->thread);
    if (PyErr_Occurred() != NULL) {
        call->thread = PyEval_SaveThread();
        return false;
    }
    return true;
}

bool pl_leave_python(pl_call *call, PyObject *returned)
{
    int go_on = 0;
    if (returned != NULL) {
        go_on = returned == Py_None ? 1 : PyObject_IsTrue(returned);
        Py_DECREF(returned);
    }
    call->thread = PyEval_SaveThread();
    return go_on > 0;
}
