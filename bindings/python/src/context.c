/*
 * Contexts. Memory of each is counted, so that tests and users can find leaks. Messages of the
 * library may come from any thread, in the middle of a call. They are kept until that call is over;
 * then the caller's function gets them.
 */
#include "core.h"

#define LOG_ROOM 16384

struct pl_context {
    pl_object base;
    atomic_uint_least64_t bytes, blocks, allocations;
    atomic_int_least64_t fail_after; /* negative: never; for tests of what happens without memory */
    PyObject *logger;
    atomic_flag log_lock;
    atomic_size_t log_size; /* of sentences, each with its level before and a 0 behind it */
    size_t lost;            /* sentences for which there was no room */
    char log[LOG_ROOM];
};

PyTypeObject *pl_context_type;
static pl_context *default_context;

static void *allocate(void *user, size_t size, size_t alignment)
{
    pl_context *context = user;
    if (atomic_load_explicit(&context->fail_after, memory_order_relaxed) >= 0 &&
        atomic_fetch_sub(&context->fail_after, 1) <= 0) {
        atomic_store(&context->fail_after, 0);
        return NULL;
    }
    size_t step = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    void *memory = NULL;
    if (size > SIZE_MAX - step || posix_memalign(&memory, step, size > 0 ? size : 1) != 0) {
        return NULL;
    }
    atomic_fetch_add_explicit(&context->bytes, size, memory_order_relaxed);
    atomic_fetch_add_explicit(&context->blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&context->allocations, 1, memory_order_relaxed);
    return memory;
}

static void release(void *user, void *memory, size_t size, size_t alignment)
{
    (void)alignment;
    pl_context *context = user;
    free(memory);
    atomic_fetch_sub_explicit(&context->bytes, size, memory_order_relaxed);
    atomic_fetch_sub_explicit(&context->blocks, 1, memory_order_relaxed);
}

/* Any thread, with or without the interpreter's lock. */
static void keep_log(void *user, pliant_log_level level, const char *sentence)
{
    pl_context *context = user;
    size_t size = strlen(sentence) + 2;
    while (atomic_flag_test_and_set_explicit(&context->log_lock, memory_order_acquire)) {
    }
    size_t at = atomic_load(&context->log_size);
    if (size <= LOG_ROOM - at) {
        context->log[at] = (char)('0' + (int)level);
        memcpy(context->log + at + 1, sentence, size - 1);
        atomic_store(&context->log_size, at + size);
    } else {
        context->lost++;
    }
    atomic_flag_clear_explicit(&context->log_lock, memory_order_release);
}

static bool tell(pl_context *context, int level, const char *sentence)
{
    PyObject *kind = pl_make_enum(&pl_enum_pliant_log_level, level);
    PyObject *returned =
        kind == NULL ? NULL : PyObject_CallFunction(context->logger, "Os", kind, sentence);
    Py_XDECREF(kind);
    Py_XDECREF(returned);
    return returned != NULL;
}

void pl_context_flush(pl_context *context)
{
    if (context->logger == NULL || atomic_load(&context->log_size) == 0) {
        return;
    }
    char *copied = PyMem_Malloc(LOG_ROOM);
    if (copied == NULL) {
        return;
    }
    while (atomic_flag_test_and_set_explicit(&context->log_lock, memory_order_acquire)) {
    }
    size_t size = atomic_load(&context->log_size), lost = context->lost;
    memcpy(copied, context->log, size);
    atomic_store(&context->log_size, 0);
    context->lost = 0;
    atomic_flag_clear_explicit(&context->log_lock, memory_order_release);
    bool told = true;
    for (size_t at = 0; told && at < size; at += strlen(copied + at) + 1) {
        told = tell(context, copied[at] - '0', copied + at + 1);
    }
    if (told && lost > 0) {
        char sentence[80];
        snprintf(sentence, sizeof sentence, "%zu more sentences were lost", lost);
        tell(context, PLIANT_LOG_WARNING, sentence);
    }
    PyMem_Free(copied);
}

static pl_context *context_create(PyTypeObject *type, PyObject *logger, const pliant_isa *isa,
                                  const uint32_t *workers)
{
    pl_context *context = (pl_context *)pl_object_new(type, NULL, NULL);
    if (context == NULL) {
        return NULL;
    }
    atomic_init(&context->fail_after, -1);
    atomic_flag_clear(&context->log_lock);
    pliant_context_def def = pliant_context_def_default();
    def.allocator = (pliant_allocator){allocate, release, context};
    if (isa != NULL) {
        def.isa = *isa;
    }
    if (workers != NULL) {
        def.workers = *workers;
    }
    if (logger != NULL) {
        context->logger = Py_NewRef(logger);
        def.logger = (pliant_logger){keep_log, context};
    }
    pliant_context *made = NULL;
    pliant_result result = pliant_context_create(&def, &made);
    if (result != PLIANT_OK) {
        PL_DECREF(context);
        pl_raise(result);
        return NULL;
    }
    context->base.handle = made;
    return context;
}

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static const char *const names[] = {"?workers", "*isa", "*logger", NULL};
    PyObject *found[3];
    pl_scratch scratch = {.count = 0};
    bool parsed = pl_parse_new("Context", args, keywords, names, found, NULL, NULL, &scratch);
    pl_scratch_free(&scratch);
    uint32_t workers = 1;
    int isa = PLIANT_ISA_BEST;
    if (!parsed || (found[0] != NULL && !pl_read_u32(found[0], "workers", &workers)) ||
        (found[1] != NULL && !pl_read_enum(&pl_enum_pliant_isa, "isa", found[1], &isa))) {
        return NULL;
    }
    if (found[2] != NULL && !PyCallable_Check(found[2])) {
        PyErr_SetString(PyExc_TypeError, "logger must be a function of a level and a sentence");
        return NULL;
    }
    pliant_isa best = (pliant_isa)isa;
    return (PyObject *)context_create(type, found[2], &best, &workers);
}

static void context_free(PyObject *self)
{
    pl_context *context = (pl_context *)self;
    pliant_context_destroy(PL_HANDLE(pliant_context, self));
    Py_CLEAR(context->logger);
    pl_object_free(&context->base);
}

pl_context *pl_context_of(PyObject *given)
{
    if (given != NULL && given != Py_None) {
        if (!PyObject_TypeCheck(given, pl_context_type)) {
            PyErr_SetString(PyExc_TypeError, "context must be a pliant.Context");
            return NULL;
        }
        return (pl_context *)Py_NewRef(given);
    }
    if (default_context == NULL) {
        default_context = context_create(pl_context_type, NULL, NULL, NULL);
    }
    return (pl_context *)Py_XNewRef((PyObject *)default_context);
}

static PyObject *get_default(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return (PyObject *)pl_context_of(NULL);
}

/* One of the three counters, by its offset. */
static PyObject *get_counter(PyObject *self, void *offset)
{
    return PyLong_FromUnsignedLongLong(
        atomic_load((atomic_uint_least64_t *)(void *)((char *)self + (uintptr_t)offset)));
}

static PyObject *fail_after(PyObject *self, PyObject *number)
{
    long long count = PyLong_AsLongLong(number);
    if (count == -1 && PyErr_Occurred() != NULL) {
        return NULL;
    }
    atomic_store(&((pl_context *)self)->fail_after, count);
    Py_RETURN_NONE;
}

#define COUNTER(member) ((void *)offsetof(pl_context, member))

static PyGetSetDef attributes[] = {
    {"bytes_allocated", get_counter, NULL, "Bytes held by the context and all objects of it.",
     COUNTER(bytes)},
    {"blocks_allocated", get_counter, NULL, "Pieces of memory that these are in.", COUNTER(blocks)},
    {"allocations", get_counter, NULL, "How often memory was asked for, ever.",
     COUNTER(allocations)},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"fail_after", fail_after, METH_O,
     "fail_after($self, count, /)\n--\n\nFor tests: from `count` more requests for memory on there "
     "is none; -1 (the default): there is."},
    {NULL, NULL, 0, NULL}};

bool pl_add_context(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc,
         "Context(workers=1, *, isa=\"best\", logger=None)\n--\n\nWhat objects share: memory, and "
         "the threads of scenes. One is there by default.\n\nworkers: threads of scenes, of "
         "distances of many points and of volumes, 1 to 256.\nisa: at most this instruction set; "
         "no answer depends on it.\nlogger: called as logger(level, sentence) when the call that "
         "had something to say is over."},
        {Py_tp_new, context_new},
        {Py_tp_dealloc, context_free},
        {Py_tp_getset, attributes},
        {Py_tp_methods, methods},
        {0, NULL}};
    static PyType_Spec spec = {"pliant._core.Context", sizeof(pl_context), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    static PyMethodDef functions[] = {
        {"default_context", get_default, METH_NOARGS,
         "default_context()\n--\n\nThe context of everything that is made without one."},
        {NULL, NULL, 0, NULL}};
    return pl_add_type(module, &spec, &pl_context_type) &&
           pl_add_members(pl_context_type, pl_methods_pliant_context,
                          pl_attributes_pliant_context) &&
           PyModule_AddFunctions(module, functions) == 0;
}
